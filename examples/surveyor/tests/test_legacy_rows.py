"""Rows one by one: what becomes of anything that a content can say, and the defaults."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import permutations
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples.surveyor.legacy.generating import odd_rows
from examples.surveyor.legacy.moving import surveyor_moving
from examples.surveyor.library import Section
from examples.surveyor.surveys import Survey, SurveyComponent, SurveyElement, SurveySection
from tablewright.evolve.moving import FrozenItems, Unfit
from tablewright.evolve.moving.deriving import Derived, State, derived, entities_of
from tablewright.values.wire import to_wire_item

T = TypeVar("T")
MOVING = surveyor_moving()
FLAT = surveyor_moving("flat")
TAKEN = datetime(2026, 5, 1, tzinfo=UTC)
NOTHING = FrozenItems(TAKEN, {})
NAMES = [
    *(
        "id",
        "name",
        "order",
        "notes",
        "condition",
        "photos",
        "completedAt",
        "elements",
        "components",
        "sections",
        "defects",
    ),
    *("measurements", "materials", "specifications", "age", "title", "status", "surveyDate", "createdAt"),
]
SAID = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([10**400, -(10**400)])
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["a", "b", "", "N/A"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=6),
    max_leaves=12,
)


def of(row: dict[str, Any], table: str = "Surveys") -> Derived:
    state = State(to_wire_item(row), {}, {"library": NOTHING})
    return derived(MOVING, MOVING.by_name[table], state, "2026-05-01T00:00:00.000000Z")


def made(row: dict[str, Any], table: str = "Surveys") -> list[Any]:
    return list(entities_of(MOVING.by_name[table], State(to_wire_item(row), {}, {"library": NOTHING})))


def a_survey(content: Any, **more: Any) -> dict[str, Any]:
    return {"id": "s", "tenantId": "t", "content": json.dumps(content), **more}


def unless_refused(work: Callable[[], T]) -> T | None:
    """None for what the model cannot hold; no other failure is one of a row."""
    try:
        return work()
    except Unfit as error:
        if "raised" in error.reason:
            raise
        return None


@given(SAID)
def test_anything_a_content_says(said: Any) -> None:
    """It becomes a survey with parts that have keys of their own, always the same; only what the model cannot hold is refused."""
    row = a_survey(said)
    first = unless_refused(lambda: of(row))
    assert first == unless_refused(lambda: of(row))
    if first is None:
        return
    sections = said.get("sections") if isinstance(said, dict) else None
    things = [each for each in sections if isinstance(each, dict)] if isinstance(sections, list) else []
    head = next(e for e in made(row) if isinstance(e, Survey))
    assert head.section_count == len(things)
    assert sum(part.entity == "SurveySection" for part in first.parts) == len(things)


@given(st.dictionaries(st.sampled_from(["id", "elements", "components"]), SAID, max_size=3) | SAID)
def test_no_part_is_lost(said: Any) -> None:
    """However ids repeat, each thing of the lists is an item."""
    content = {"sections": [said, said, {"id": "a", "elements": [said, said]}]}

    def count(held: Any, *names: str) -> int:
        below = held.get(names[0]) if isinstance(held, dict) else None
        things = [each for each in below if isinstance(each, dict)] if isinstance(below, list) else []
        return len(things) if len(names) == 1 else sum(count(each, *names[1:]) for each in things)

    entities = unless_refused(lambda: made(a_survey(content)))
    if entities is None:
        return
    found = [type(entity) for entity in entities]
    assert found.count(SurveySection) == count(content, "sections")
    assert found.count(SurveyElement) == count(content, "sections", "elements")
    assert found.count(SurveyComponent) == count(content, "sections", "elements", "components")


HELD = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.decimals(-5, 5, places=1)
    | st.text(max_size=5)
    | st.just("Defect"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["name", "id"]), inner, max_size=2),
    max_leaves=4,
)


@given(st.data())
def test_anything_a_row_holds(data: st.DataObject) -> None:
    """Whatever the attributes of a row are, in any table or in the flat form: it becomes something, or is refused with a reason."""
    moving = data.draw(st.sampled_from([MOVING, FLAT]))
    move = data.draw(st.sampled_from(moving.moves))
    row = {name: data.draw(HELD, label=name) for name in data.draw(st.sets(st.sampled_from(sorted(move.read))))}
    row |= {name: data.draw(st.text(min_size=1, max_size=5) | st.just("#LATEST"), label=name) for name in move.key}
    frozen = {each.name: NOTHING if each.group(row) is not None else None for each in move.frozen}
    state = State(to_wire_item(row), {}, frozen)
    unless_refused(lambda: derived(moving, move, state, "2026-05-01T00:00:00.000000Z"))


def test_defaults() -> None:
    content = {"sections": [{"id": "a", "elements": [{"id": "b", "components": [{"id": "c"}]}]}]}
    by_kind = {type(e): e for e in made(a_survey(content, createdAt="2024-01-02T00:00:00Z"))}
    head, section, element, component = (by_kind[k] for k in (Survey, SurveySection, SurveyElement, SurveyComponent))
    assert (head.title, head.status, head.owner, head.sync_status) == ("Untitled", "draft", "unknown", "pending")
    assert (head.editors, head.viewers, head.last_mutation_id, head.completed_sections) == ([], [], 0, 0)
    assert (section.position, section.notes, section.condition, section.photos) == (0, "", "N/A", [])
    assert (element.position, element.condition, element.defects, element.measurements) == (0, "N/A", [], {})
    assert (component.material, component.age, component.condition) == ("Unknown", "Unknown", "N/A")
    assert (component.specifications, component.last_maintenance) == ({}, None)
    assert {e.sync_status for e in (section, element, component)} == {"synced"}
    (bare,) = made({"id": "s", "tenantId": "t"}, "Sections")
    assert isinstance(bare, Section)
    assert (bare.active, bare.category, bare.tags, bare.description, bare.position) == (True, "General", [], "", 0)
    items = [part.item for part in of(a_survey(content, createdAt="2024-01-02T00:00:00Z")).parts]
    stamps = {i["CreatedAt"]["S"] for i in items if i["Type"]["S"].startswith("Survey")}
    assert stamps == {"2024-01-02T00:00:00.000000Z"}
    assert "NULL" not in json.dumps(items)
    assert all("sync_error" not in i for i in items)


def test_a_number_of_any_size_is_no_place() -> None:
    for number in (10**400, -(10**400), "1" + "0" * 400, 1e300, float("inf")):
        row = a_survey({"sections": [{"id": "a", "order": number, "measurements": {"width": number}}]})
        assert [e.position for e in made(row) if isinstance(e, SurveySection)] == [0]
        assert "section: 'order' is no place, so that it is 0" in of(row).remarks


def test_no_key_says_undefined() -> None:
    """What is missing becomes no part of a key by its absence."""
    for row in odd_rows()["Surveys"]:
        for part in of(row).parts:
            keys = [value["S"] for name, value in part.item.items() if name.endswith(("PK", "SK"))]
            assert not any("undefined" in key or "None" in key or "##" in key or key.endswith("#") for key in keys)


def test_one_time_for_a_snapshot() -> None:
    items = [part.item for part in of(a_survey({})).parts]
    config = next(i for i in items if i["Type"]["S"] == "Config")
    head = next(i for i in items if i["Type"]["S"] == "SurveyMeta")
    stamp = "2026-05-01T00:00:00.000000Z"
    assert config["SK"]["S"].endswith(f"#{stamp}")
    assert config["GSI2SK"]["S"] == f"CONFIG#{stamp}"
    assert config["taken_at"]["S"] == head["current_config"]["S"] == stamp


def test_an_old_type_does_not_win() -> None:
    row = {"id": "x", "tenantId": "t", "imagePath": "a.jpg", "Type": "Legacy", "PK": "mine", "__typename": "Image"}
    (part,) = of(row, "ImageMetadata").parts
    assert (part.item["Type"]["S"], part.item["PK"]["S"]) == ("Image", "TENANT#t")


@pytest.mark.parametrize("ids", sorted({*permutations(["Roof", "Roof", "Roof 2", "Roof 3"])}))
def test_ids_that_are_made_up_are_nobody_elses(ids: tuple[str, ...]) -> None:
    """An id with a space is none for the model either: what stands for it is what would stand for the second of two."""
    parts = [{"id": each, "components": [{"id": each} for each in ids]} for each in ids]
    made_of = made(a_survey({"sections": [{"id": "s", "elements": parts}, *parts]}))
    assert len({each.section_id for each in made_of if isinstance(each, SurveySection)}) == 5
    assert len({each.element_id for each in made_of if isinstance(each, SurveyElement)}) == 4
    components = [each for each in made_of if isinstance(each, SurveyComponent)]
    assert len({(each.element_id, each.component_id) for each in components}) == len(components) == 16


def measured(said: Any) -> tuple[dict[str, str], set[str]]:
    """What becomes of the measurements of an element, and what is remarked of them. `said` is JSON, or what becomes it."""
    text = said if isinstance(said, str) else json.dumps(said)
    row = a_survey({"sections": [{"id": "a", "elements": [{"id": "b", "measurements": None}]}]})
    row["content"] = row["content"].replace("null", text)
    (found,) = (e.measurements for e in made(row) if isinstance(e, SurveyElement))
    return found, {told for told in of(row).remarks if "easurements" in told or "stand twice" in told}


ONE_NAME = "element: entries of 'measurements' come to have one name; what had it before is kept, or else the first"
CONTROL = "element: control characters of 'measurements' are left out"
NO_TEXTS = "element: entries of 'measurements' are left out, which are no texts"


def test_measurements_that_come_to_have_one_name_are_told() -> None:
    """Names lose control characters and halves of characters: the later one took the place of the other, and nobody was told."""
    assert measured({"Width": "1", "Width\0": "2"}) == ({"Width": "1"}, {ONE_NAME, CONTROL})
    assert measured({"Width\0": "2", "Width": "1"}) == ({"Width": "1"}, {ONE_NAME, CONTROL})
    for said in ({"Wi\0dth": "1", "Width\0": "2"}, {"Width\0": "2", "Wi\0dth": "1"}):
        assert measured(said) == ({"Width": "1"}, {ONE_NAME, CONTROL})
    half, told = measured({"\ud800": "1"} | {"\ud801": "2", "area": "3"})
    assert half == {"\ufffd\ufffd\ufffd": "1", "area": "3"}
    assert told == {ONE_NAME, "element: 'measurements' has half a character, which is replaced"}
    assert measured({"Width": "1", "width": "2"}) == ({"Width": "1", "width": "2"}, set())


def test_measurements_without_a_name_or_text_are_told() -> None:
    for said in ({"\0": "1", "a": "2"}, {"": "1", "a": "2"}, {"Width": None, "a": "2"}):
        found, told = measured(said)
        assert (found, NO_TEXTS in told, ONE_NAME in told) == ({"a": "2"}, True, False)
    assert measured({"Width\0": None, "Width": "1"})[0] == {"Width": "1"}
    assert measured({"Width\0": "1", "Width": None})[0] == {"Width": "1"}


def test_names_that_stand_twice_in_json_are_told() -> None:
    """Readers of JSON take the last one without a word, as the legacy application did."""
    told = "survey: names stand twice in the JSON of 'content'; the last of each is kept"
    assert measured('{"Width": "1", "Width": "2"}') == ({"Width": "2"}, {told})
    row = a_survey({}) | {"content": '{"title": "A", "title": "B"}'}
    assert next(e for e in made(row) if isinstance(e, Survey)).title == "B"
    assert told in of(row).remarks
    row["content"] = json.dumps(row["content"])
    assert told in of(row).remarks
    section = {"id": "s", "tenantId": "t", "tags": '[{"name": 1, "name": 2}, "a"]'}
    assert "library section: names stand twice in the JSON of 'tags'; the last of each is kept" in (
        of(section, "Sections").remarks
    )


def test_a_list_that_is_cut_off_is_told() -> None:
    found = of({"id": "s", "tenantId": "t", "tags": '["a", "b'}, "Sections")
    assert "library section: 'tags' is no list and left out" in found.remarks


def test_control_characters_that_are_left_out_are_told() -> None:
    content = {"title": "A\0", "address": "B\nC", "sections": [{"id": "a", "name": "\0", "notes": "one\ntwo\t\0"}]}
    row = a_survey(content)
    head = next(e for e in made(row) if isinstance(e, Survey))
    section = next(e for e in made(row) if isinstance(e, SurveySection))
    assert (head.title, head.address, section.name, section.notes) == ("A", "BC", "Unnamed", "one\ntwo\t")
    for name in ("survey: control characters of 'title'", "survey: control characters of 'address'"):
        assert f"{name} are left out" in of(row).remarks
    for name in ("section: control characters of 'name'", "section: control characters of 'notes'"):
        assert f"{name} are left out" in of(row).remarks
    several = of(a_survey({"sections": [{"id": "a", "notes": "one\ntwo"}]})).remarks
    assert not any("control" in told for told in several)
    assert not any("control" in told for told in of({"id": "t", "name": "A\nB"}, "Tenants").remarks)


def test_of_two_that_say_the_same_thing_otherwise_one_is_told() -> None:
    of_phrase = {"id": "p", "tenantId": "t", "type": "Defect", "name": "P"}
    told = "phrase: 'phrase' says something else than 'text' and is left out"
    both = of_phrase | {"text": "A", "phrase": "B"}
    assert next(iter(made(both, "Phrases"))).text == "A"
    assert told in of(both, "Phrases").remarks
    for held in ({"text": "A"}, {"phrase": "A"}, {"text": "A", "phrase": "A"}, {"text": "", "phrase": "A"}):
        assert next(iter(made(of_phrase | held, "Phrases"))).text == "A"
        assert told not in of(of_phrase | held, "Phrases").remarks
    beside = "survey: 'title' beside the content is another one and left out"
    for title, content, found, remarked in (
        ("A", {"title": "B"}, "B", True),
        ("A", {"title": "A"}, "A", False),
        ("A", {"title": ""}, "A", False),
        ("A", {}, "A", False),
        ("", {"title": "B"}, "B", False),
    ):
        row = a_survey(content, title=title)
        assert next(e for e in made(row) if isinstance(e, Survey)).title == found
        assert (beside in of(row).remarks) is remarked


def test_remarks_hold_no_values() -> None:
    secret = "s3cr3t"
    section = {"id": f"#{secret}", "condition": secret, "order": secret, "photos": secret, "measurements": secret}
    content = {"status": secret, "surveyDate": secret, "sections": [{**section, "elements": [section, section]}]}
    found = of(a_survey(content, owner=f"#{secret}", editors=[f"#{secret}"], syncStatus=secret))
    assert len(found.remarks) > 10
    assert secret not in "".join(found.remarks)


def test_members_of_a_content_that_the_model_does_not_have_are_told() -> None:
    component = {"id": "c", "name": "Tile", "elementId": "e", "warranty": 5, "none": None, "empty": []}
    element = {"id": "e", "name": "Roof", "order": 1, "components": [component], "a b": 1}
    element["materials"] = [{"name": "Clay", "area": 5}, {"name": "Lime", "__typename": "Material"}, "Slate"]
    section = {"id": "a", "order": 1, "elements": [element], "weather": "wet", "wind": 3, "zeal": 1, "zone": 2}
    row = a_survey({"title": "T", "status": "draft", "client": {"name": "Secret"}, "sections": [section]})
    told = {text for text in of(row).remarks if "does not have" in text}
    assert told == {
        "survey: 'client' left out, which the model does not have",
        "section: 'weather', 'wind', 'zeal' and others left out, which the model does not have",
        "element: members left out, which the model does not have",
        "element: 'area' left out, which the model does not have",
        "component: 'warranty' left out, which the model does not have",
    }
