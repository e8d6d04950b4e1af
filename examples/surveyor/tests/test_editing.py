"""Edits write one item each, lock where they are asked to, and never meet in different parts."""

from datetime import UTC, date, datetime
from typing import Any

import pydantic
import pytest

from examples.surveyor.edits import LOST_EDITS, ComponentEdit, ElementChanges, ElementEdit, SectionEdit, SurveyEdit
from examples.surveyor.store import Surveyor
from examples.surveyor.surveys import SurveyElement
from tablewright import Session, stored
from tablewright.errors import ConcurrentModificationError, ConditionalCheckError, NotFoundError, TransactionError


def version(entity: Any) -> int:
    known = stored(entity)
    assert known is not None
    assert known.version is not None
    return known.version


def test_each_part_is_changed_alone_with_one_write(db: Session, house: Surveyor) -> None:
    before = house.complete_survey("s1")
    with db.measure() as meter:
        survey = house.update_survey("s1", {"title": "13 Elm Street\x00", "survey_date": date(2026, 5, 1)})
        section = house.update_section("s1", "roof", {"notes": "wet\x07\n\tvery", "position": 1})
        element = house.update_element("s1", "roof", "tiles", {"condition": "Poor", "measurements": {"pitch": "30"}})
        component = house.update_component("s1", "roof", "tiles", "nail", {"age": "1970", "defects": ["rust"]})
    assert [(r.operation, r.index) for r in meter.requests] == [("UpdateItem", None)] * 4
    assert (survey.title, survey.survey_date, survey.owner) == ("13 Elm Street", date(2026, 5, 1), "ann")
    assert (section.notes, section.position, section.name) == ("wet\n\tvery", 1, "roof")
    assert (element.condition, element.measurements, element.name) == ("Poor", {"pitch": "30"}, "Tiles")
    assert (component.age, component.defects, component.name) == ("1970", ["rust"], "Nail")
    after = house.complete_survey("s1")
    assert [node.entity.section_id for node in after.sections] == ["roof", "walls", "cellar"]
    assert after.sections[0].elements[1].components[0] == component
    assert version(after.entity) == version(before.entity) + 1
    assert version(section) == version(before.sections[1].entity) + 1
    assert house.update_component("s1", "roof", "tiles", "nail", {"age": None}).age is None
    noon = datetime(2026, 5, 1, 12, tzinfo=UTC)
    assert house.update_survey("s1", {"survey_date": noon}).survey_date == noon


def test_only_what_is_there_can_be_changed(house: Surveyor) -> None:
    for attempt in (
        lambda: house.update_survey("s2", {"title": "x"}),
        lambda: house.update_section("s1", "attic", {"notes": "x"}),
        lambda: house.update_element("s1", "walls", "tiles", {"notes": "x"}),
        lambda: house.update_component("s1", "roof", "gutter", "nail", {"notes": "x"}),
    ):
        with pytest.raises(NotFoundError):
            attempt()


@pytest.mark.parametrize(
    "changes",
    [
        {"tenant_id": "another"},
        {"survey_id": "s2"},
        {"completed_at": None},
        {"sync_status": "synced"},
        {"name": ""},
        {"name": None},
        {"condition": "Awful"},
        {"position": -1},
    ],
    ids=lambda c: "-".join(map(str, next(iter(c.items())))),
)
def test_what_nobody_may_change_is_refused(house: Surveyor, changes: Any) -> None:
    before = house.section("s1", "roof")
    with pytest.raises(pydantic.ValidationError):
        house.update_section("s1", "roof", changes)
    assert house.section("s1", "roof") == before


def test_counts_and_people_have_ways_of_their_own(house: Surveyor) -> None:
    for field in ("section_count", "completed_sections", "owner", "editors", "status", "current_config"):
        with pytest.raises(pydantic.ValidationError):
            house.update_survey("s1", {field: 1})  # type: ignore[misc]


def test_two_people_in_different_sections_never_meet(db: Session, house: Surveyor) -> None:
    ann, bob = house, Surveyor(db, house.tenant_id)
    roof, walls = ann.section("s1", "roof"), bob.section("s1", "walls")
    ann.update_section("s1", "roof", {"notes": "ann"}, expected_version=version(roof))
    bob.update_section("s1", "walls", {"notes": "bob"}, expected_version=version(walls))
    assert [s.notes for s in house.sections("s1")] == ["bob", "ann", ""]


def test_two_people_in_the_same_part_conflict(house: Surveyor) -> None:
    seen = version(house.section("s1", "roof"))
    house.update_section("s1", "roof", {"notes": "first"}, expected_version=seen)
    with pytest.raises(ConcurrentModificationError) as refused:
        house.update_section("s1", "roof", {"notes": "second"}, expected_version=seen)
    assert refused.value.item.notes == "first"
    assert house.section("s1", "roof").notes == "first"
    for attempt in (
        lambda: house.update_survey("s1", {"title": "x"}, expected_version=99),
        lambda: house.update_element("s1", "roof", "tiles", {"notes": "x"}, expected_version=99),
        lambda: house.update_component("s1", "roof", "tiles", "nail", {"notes": "x"}, expected_version=99),
    ):
        with pytest.raises(ConcurrentModificationError):
            attempt()


def test_without_a_version_fields_of_the_same_part_add_up(house: Surveyor) -> None:
    house.update_section("s1", "roof", {"notes": "ann"})
    house.update_section("s1", "roof", {"condition": "Fair"})
    roof = house.section("s1", "roof")
    assert (roof.notes, roof.condition) == ("ann", "Fair")


def edit(**changes: Any) -> SurveyEdit:
    return SurveyEdit(
        sections=[SectionEdit(section_id="roof", changes={"notes": "n"}), SectionEdit(section_id="walls", **changes)],
        elements=[ElementEdit(section_id="roof", element_id="tiles", changes={"notes": "n"})],
        components=[ComponentEdit(section_id="roof", element_id="tiles", component_id="nail", changes={"notes": "n"})],
    )


def test_many_parts_are_changed_together(db: Session, house: Surveyor) -> None:
    before = house.survey("s1")
    wanted = edit(changes={"condition": "Good"})
    wanted.survey = {"client_name": "Mr Elm"}
    with db.measure() as meter:
        survey = house.edit_survey("s1", wanted)
    assert [r.operation for r in meter.requests] == ["TransactWriteItems", "GetItem"]
    assert (survey.client_name, version(survey)) == ("Mr Elm", version(before) + 1)
    tree = house.complete_survey("s1")
    assert (tree.sections[0].entity.condition, tree.sections[1].entity.notes) == ("Good", "n")
    tiles = tree.sections[1].elements[1]
    assert (tiles.entity.notes, tiles.components[0].notes) == ("n", "n")
    touched = house.edit_survey("s1", SurveyEdit(sections=[SectionEdit(section_id="roof", changes={"notes": "n"})]))
    assert (touched, version(touched)) == (survey, version(survey) + 1)


def test_all_or_nothing(house: Surveyor) -> None:
    before = house.complete_survey("s1")
    with pytest.raises(ConcurrentModificationError) as refused:
        house.edit_survey("s1", edit(changes={"condition": "Good"}, expected_version=99))
    assert refused.value.context["action"] == 2
    missing = SurveyEdit(
        survey={"title": "x"}, sections=[SectionEdit(section_id="attic", changes={"notes": "x"})], expected_version=4
    )
    with pytest.raises(NotFoundError):
        house.edit_survey("s1", missing)
    too_many = SurveyEdit(sections=[SectionEdit(section_id=f"x{n}", changes={"notes": "n"}) for n in range(100)])
    with pytest.raises(TransactionError):
        house.edit_survey("s1", too_many)
    after = house.complete_survey("s1")
    assert (after.entity, after.sections) == (before.entity, before.sections)


def test_an_edit_of_a_device_is_made_once(house: Surveyor) -> None:
    first = SurveyEdit(survey={"title": "first"}, mutation_id=7)
    assert house.edit_survey("s1", first).last_mutation_id == 7
    for again in (7, 3):
        with pytest.raises(ConditionalCheckError):
            house.edit_survey("s1", SurveyEdit(survey={"title": "again"}, mutation_id=again))
    assert house.edit_survey("s1", SurveyEdit(mutation_id=8)).title == "first"


def test_no_edit_takes_the_numbers_of_all_that_follow(house: Surveyor) -> None:
    with pytest.raises(pydantic.ValidationError):
        SurveyEdit(mutation_id=2**53)
    house.edit_survey("s1", SurveyEdit(mutation_id=7))
    for far in (7 + LOST_EDITS + 1, 2**53 - 1):
        with pytest.raises(ConditionalCheckError):
            house.edit_survey("s1", SurveyEdit(survey={"title": "far"}, mutation_id=far))
    after = house.edit_survey("s1", SurveyEdit(mutation_id=7 + LOST_EDITS))
    assert (after.title, after.last_mutation_id) == ("12 Elm Street", 7 + LOST_EDITS)


def test_control_characters_are_dropped_from_whatever_has_one_line(house: Surveyor) -> None:
    changes: ElementChanges = {"name": "Ti\x00les", "measurements": {"pi\x07tch": "3\x000"}, "materials": ["cl\nay"]}
    made = house.add_element("s1", "walls", "Sl\x1fate", 1, details={"measurements": {"a\x00": "b\x00"}})
    assert (made.name, made.measurements) == ("Slate", {"a": "b"})
    tiles = house.update_element("s1", "roof", "tiles", changes)
    assert (tiles.name, tiles.measurements, tiles.materials) == ("Tiles", {"pitch": "30"}, ["clay"])
    nail = house.update_component("s1", "roof", "tiles", "nail", {"name": "Na\x00il", "specifications": {"m\x00": "m"}})
    assert (nail.name, nail.specifications) == ("Nail", {"m": "m"})


@pytest.mark.parametrize(
    "texts",
    [
        {"k" * 101: "x"},
        {"k" * 70_000: "x"},
        {"k": "x" * 201},
        {"": "x"},
        {"\x00": "x"},
        {str(n): "x" for n in range(51)},
    ],
    ids=["long-key", "very-long-key", "long-value", "no-key", "no-key-left", "many"],
)
def test_what_is_measured_or_specified_is_bounded(house: Surveyor, texts: dict[str, str]) -> None:
    for attempt in (
        lambda: house.update_element("s1", "roof", "tiles", {"measurements": texts}),
        lambda: house.add_element("s1", "roof", "More", 1, details={"measurements": texts}),
        lambda: house.update_component("s1", "roof", "tiles", "nail", {"specifications": texts}),
        lambda: SurveyElement(
            tenant_id="t", survey_id="s", section_id="s", element_id="e", name="n", position=1, measurements=texts
        ),
    ):
        with pytest.raises(pydantic.ValidationError):
            attempt()
    assert house.element("s1", "roof", "tiles").measurements == {}
