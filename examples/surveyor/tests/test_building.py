"""Surveys and their parts come and go, the survey counts its sections, and nothing is left without its parent."""

from typing import Any

import pytest

from examples.surveyor import building
from examples.surveyor import patterns as p
from examples.surveyor.store import Surveyor
from examples.surveyor.surveys import SurveyComponent, SurveyElement
from examples.surveyor.tenancy import Refused
from tablewright import Session
from tablewright.errors import AlreadyExistsError, ConcurrentModificationError, NotFoundError


def counts(store: Surveyor) -> tuple[int, int, int]:
    """What the survey says, and what there is."""
    survey = store.survey("s1")
    return survey.section_count, survey.completed_sections, len(store.complete_survey("s1").sections)


def test_a_survey_is_made_with_its_people(db: Session, store: Surveyor) -> None:
    with db.measure() as meter:
        made = store.create_survey(
            "12 Elm\x00 Street", "ann", editors=["bob"], viewers=["cleo"], details={"address": "Elm Street"}
        )
    assert [r.operation for r in meter.requests] == ["TransactWriteItems", "GetItem"]
    assert (made.title, made.address, made.status, made.section_count) == ("12 Elm Street", "Elm Street", "draft", 0)
    roles = [(access.user_id, access.role) for access in store.people(made.survey_id)]
    assert roles == [("ann", "owner"), ("bob", "editor"), ("cleo", "viewer")]
    with pytest.raises(AlreadyExistsError):
        store.create_survey("Again", "ann", survey_id=made.survey_id)
    for editors, viewers in ((["ann"], []), (["bob"], ["bob"]), ([], ["cleo", "cleo"])):
        with pytest.raises(Refused, match="one role"):
            store.create_survey("Twice", "ann", survey_id="twice", editors=editors, viewers=viewers)
    with pytest.raises(NotFoundError):
        store.survey("twice")


def test_sections_are_counted_as_they_come_and_go(db: Session, house: Surveyor) -> None:
    with db.measure() as meter:
        attic = house.add_section("s1", "Attic", 5, details={"notes": "dark"})
    assert [r.operation for r in meter.requests] == ["TransactWriteItems", "GetItem"]
    assert (attic.name, attic.position, attic.notes, attic.sync_status) == ("Attic", 5, "dark", "pending")
    assert counts(house) == (4, 0, 4)
    house.complete_section("s1", "roof", "ann")
    house.remove_section("s1", "roof")
    assert counts(house) == (3, 0, 3)
    assert house.complete_survey("s1").orphans == ()
    house.remove_section("s1", attic.section_id)
    assert counts(house) == (2, 0, 2)
    for attempt in (
        lambda: house.remove_section("s1", "roof"),
        lambda: house.add_section("s2", "Roof", 1),
        lambda: house.add_element("s1", "roof", "Tiles", 1),
        lambda: house.add_component("s1", "walls", "tiles", "Tile", 1),
        lambda: house.remove_element("s1", "walls", "tiles"),
        lambda: house.remove_component("s1", "walls", "bricks", "tile"),
    ):
        with pytest.raises(NotFoundError):
            attempt()
    with pytest.raises(AlreadyExistsError):
        house.add_section("s1", "Walls", 1, section_id="walls")
    assert counts(house) == (2, 0, 2)


def test_the_same_template_can_stand_in_two_sections(house: Surveyor) -> None:
    house.add_element("s1", "walls", "Gutter", 9, element_id="gutter", details={"notes": "below"})
    assert house.element("s1", "roof", "gutter").notes == ""
    assert house.element("s1", "walls", "gutter").notes == "below"


def test_what_is_removed_takes_all_below_along(house: Surveyor) -> None:
    house.remove_component("s1", "roof", "tiles", "nail")
    assert [c.component_id for c in house.components("s1", "roof", "tiles")] == ["tile"]
    house.remove_element("s1", "roof", "tiles")
    assert house.components("s1", "roof", "tiles").items == ()
    assert [e.element_id for e in house.elements("s1", "roof")] == ["gutter"]
    assert house.complete_survey("s1").orphans == ()


@pytest.mark.parametrize("together", [1, 2, 90])
def test_more_than_a_transaction_holds_goes_from_the_leaves_up(
    house: Surveyor, monkeypatch: pytest.MonkeyPatch, together: int
) -> None:
    monkeypatch.setattr(building, "TOGETHER", together)
    house.remove_section("s1", "roof")
    tree = house.complete_survey("s1")
    assert ([node.entity.section_id for node in tree.sections], tree.orphans) == (["walls", "cellar"], ())
    assert counts(house) == (2, 0, 2)


def test_nobody_adds_to_a_section_that_is_being_removed(house: Surveyor, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody adds an element just after what is below the section was read; the section then goes with it."""
    read = house._delete_leaves
    added: list[SurveyElement] = []

    def reading(below: Any, **options: Any) -> Any:
        found = read(below, **options)
        if not added:
            added.append(house.add_element("s1", "roof", "Chimney", 7))
        return found

    monkeypatch.setattr(house, "_delete_leaves", reading)
    house.remove_section("s1", "roof")
    assert added
    assert house.complete_survey("s1").orphans == ()
    assert counts(house) == (2, 0, 2)


def test_a_survey_goes_with_everything(db: Session, house: Surveyor) -> None:
    house.add_library_section("Roof", 1)
    house.add_phrase("Defect", "Crack", "A crack.")
    house.take_snapshot("s1")
    house.create_survey("Another", "ann", survey_id="s10")
    house.add_section("s10", "roof", 1)
    # 1 survey, 3 sections, 3 elements, 2 components; 3 Access items; a snapshot of 3 items
    assert house.remove_survey("s1") == 9 + 3 + 3
    for read in (house.survey, house.complete_survey, house.remove_survey):
        with pytest.raises(NotFoundError):
            read("s1")
    assert (house.snapshots("s1"), house.people("s1"), house.sections("s1").items) == ([], [], ())
    assert house.role_of("s1", "bob") is None
    assert db.execute(p.snapshots_of(house.tenant_id, "s1")).all() == []
    assert len(house.complete_survey("s10").sections) == 1
    assert [outline.survey_id for outline in house.every_survey()] == ["s10"]
    deleted = [change.key.entity for change in house.changes_since().items if change.deleted]
    assert (len(deleted), deleted.count(SurveyElement), deleted.count(SurveyComponent)) == (9, 3, 2)


def test_others_may_change_what_is_being_removed_and_are_not_lost(
    house: Surveyor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who keeps being faster is refused in the end, with nothing half removed."""
    read = p.below_section

    def reading(*where: str) -> Any:
        house.update_section("s1", "roof", {"notes": "still here"})
        return read(*where)

    monkeypatch.setattr(p, "below_section", reading)
    with pytest.raises(ConcurrentModificationError):
        house.remove_section("s1", "roof")
    monkeypatch.undo()
    assert house.section("s1", "roof").notes == "still here"
    assert counts(house) == (3, 0, 3)
