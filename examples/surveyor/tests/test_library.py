"""The library in its order, and phrases by kind and by what they are offered for."""

from collections.abc import Callable

import pytest

from examples.surveyor.edits import PhraseChanges
from examples.surveyor.library import PhraseUse
from examples.surveyor.phrases import USES
from examples.surveyor.store import Surveyor
from examples.surveyor.tenancy import Refused
from tablewright import Session, key
from tablewright.errors import AlreadyExistsError, ConcurrentModificationError, NotFoundError


@pytest.fixture
def stocked(store: Surveyor) -> Surveyor:
    """A tenant with a small library."""
    store.add_library_section("Roof", 10, section_id="roof", category="outside", tags=["high"], created_by="ann")
    store.add_library_section("Walls", 9, section_id="walls")
    for name, section, position in (("tiles", "roof", 10), ("gutter", "roof", 9), ("bricks", "walls", 1)):
        store.add_library_element(section, name.title(), position, element_id=name)
    store.add_library_component("tiles", "Nail", 2, component_id="nail", materials=["iron"])
    store.add_library_component("tiles", "Tile", 1, component_id="tile")
    store.add_phrase("Defect", "Crack", "A crack.", phrase_id="crack", details={"element_ids": ["tiles", "bricks"]})
    store.add_phrase(
        "Defect", "Rust", "Rust.", phrase_id="rust", details={"component_ids": ["nail"], "material_ids": ["iron"]}
    )
    store.add_phrase("Condition", "Dry", "Dry.", phrase_id="dry", details={"element_ids": ["tiles"]})
    return store


def test_the_whole_library_is_read_with_one_query(db: Session, stocked: Surveyor) -> None:
    with db.measure() as meter:
        library = stocked.library()
    assert [(r.operation, r.index, r.pattern) for r in meter.requests] == [("Query", "GSI1", "library_of")]
    assert [s.section_id for s in library.sections] == ["walls", "roof"]
    assert [e.element_id for e in library.elements] == ["bricks", "gutter", "tiles"]
    assert [c.component_id for c in library.components] == ["tile", "nail"]
    assert library.components[1].materials[0].name == "iron"
    assert (library.sections[1].category, library.sections[1].created_by) == ("outside", "ann")


def test_one_level_of_the_library(db: Session, stocked: Surveyor) -> None:
    with db.measure() as meter:
        assert [s.section_id for s in stocked.library_sections()] == ["walls", "roof"]
        assert [e.element_id for e in stocked.library_elements("roof")] == ["gutter", "tiles"]
        assert [c.component_id for c in stocked.library_components("tiles")] == ["tile", "nail"]
    assert [(r.operation, r.index) for r in meter.requests] == [("Query", "GSI1"), ("Query", "GSI2"), ("Query", "GSI2")]


def test_templates_change_and_go(db: Session, stocked: Surveyor) -> None:
    walls, roof = stocked.library_sections()
    roof.position = 1
    stocked.save_template(roof)
    assert [s.section_id for s in stocked.library_sections()] == ["roof", "walls"]
    with pytest.raises(ConcurrentModificationError):
        stocked.save_template(roof)
    tiles = stocked.library_elements("roof")[1]
    tiles.section_id = "walls"
    stocked.save_template(tiles)
    assert [e.element_id for e in stocked.library_elements("walls")] == ["bricks", "tiles"]
    stocked.remove_template(walls)
    assert [s.section_id for s in stocked.library_sections()] == ["roof"]
    for attempt in (lambda: stocked.remove_template(walls), lambda: stocked.save_template(walls)):
        with pytest.raises(NotFoundError):
            attempt()
    with pytest.raises(AlreadyExistsError):
        stocked.add_library_section("Roof", 1, section_id="roof")
    other = Surveyor(db, f"{stocked.tenant_id}-b")
    for theirs in (other.save_template, other.remove_template):
        with pytest.raises(NotFoundError):
            theirs(roof)


def test_phrases_by_kind(db: Session, stocked: Surveyor) -> None:
    with db.measure() as meter:
        first = stocked.phrases("Defect", 1)
    assert [(r.operation, r.index, r.pattern) for r in meter.requests] == [("Query", None, "phrases")]
    assert [f.phrase_id for f in (*first, *stocked.phrases("Defect", 5, first.cursor))] == ["crack", "rust"]
    assert stocked.phrase("Condition", "dry").text == "Dry."
    with pytest.raises(NotFoundError):
        stocked.phrase("Defect", "dry")


def offered(store: Surveyor) -> dict[str, list[str]]:
    """The phrases that are offered for each element and component."""
    elements = {e: [f.phrase_id for f in store.phrases_for_element(e)] for e in ("tiles", "gutter", "bricks")}
    return elements | {c: [f.phrase_id for f in store.phrases_for_component(c)] for c in ("nail", "tile")}


def test_phrases_by_what_they_are_for(db: Session, stocked: Surveyor) -> None:
    assert offered(stocked) == {
        "tiles": ["dry", "crack"],
        "gutter": [],
        "bricks": ["crack"],
        "nail": ["rust"],
        "tile": [],
    }
    with db.measure() as meter:
        found = stocked.phrases_for_element("tiles")
    assert [(r.operation, r.index) for r in meter.requests] == [("Query", None), ("BatchGetItem", None)]
    assert [f.text for f in found] == ["Dry.", "A crack."]
    assert [f.text for f in stocked.phrases_for_element("tiles", "Defect")] == ["A crack."]
    assert stocked.phrases_for_component("nail", "Condition") == []


def test_uses_follow_the_phrase(db: Session, stocked: Surveyor) -> None:
    with db.measure() as meter:
        changed = stocked.update_phrase(
            "Defect", "crack", {"element_ids": ["bricks", "gutter"], "component_ids": ["tile"]}
        )
    assert [r.operation for r in meter.requests] == ["GetItem", "TransactWriteItems", "GetItem"]
    assert changed.text == "A crack."
    assert offered(stocked) == {
        "tiles": ["dry"],
        "gutter": ["crack"],
        "bricks": ["crack"],
        "nail": ["rust"],
        "tile": ["crack"],
    }
    with pytest.raises(ConcurrentModificationError):
        stocked.update_phrase("Defect", "crack", {"text": "x"}, expected_version=1)
    assert stocked.update_phrase("Defect", "crack", {"text": "A fissure."}, expected_version=2).element_ids == [
        "bricks",
        "gutter",
    ]
    stocked.remove_phrase("Defect", "crack")
    assert offered(stocked) == {"tiles": ["dry"], "gutter": [], "bricks": [], "nail": ["rust"], "tile": []}
    with pytest.raises(NotFoundError):
        stocked.remove_phrase("Defect", "crack")
    with pytest.raises(NotFoundError):
        stocked.update_phrase("Defect", "crack", {"text": "x"})
    with pytest.raises(AlreadyExistsError):
        stocked.add_phrase("Condition", "Dry", "Again.", phrase_id="dry")


def test_another_kind_is_another_phrase(db: Session, stocked: Surveyor) -> None:
    moved = stocked.change_kind("Defect", "rust", "Condition")
    assert (moved.kind, moved.text, moved.component_ids) == ("Condition", "Rust.", ["nail"])
    assert [f.phrase_id for f in stocked.phrases("Defect")] == ["crack"]
    assert [f.kind for f in stocked.phrases_for_component("nail")] == ["Condition"]
    assert stocked.change_kind("Condition", "rust", "Condition") == moved
    material = key(
        PhraseUse,
        tenant_id=stocked.tenant_id,
        subject="MATERIAL",
        subject_id="iron",
        kind="Condition",
        phrase_id="rust",
    )
    assert db.get(material) is not None
    with pytest.raises(NotFoundError):
        stocked.change_kind("Defect", "rust", "Condition")


def test_every_change_of_a_phrase_fits_into_a_transaction(stocked: Surveyor) -> None:
    def uses(first: str, count: int) -> PhraseChanges:
        ids = [f"{first}{number}" for number in range(count)]
        return {"element_ids": ids[:20], "component_ids": ids[20:30], "material_ids": ids[30:]}

    stocked.add_phrase("Defect", "Moss", "Moss.", phrase_id="moss", details=uses("a", USES))
    stocked.update_phrase("Defect", "moss", uses("b", USES))
    stocked.change_kind("Defect", "moss", "Condition")
    assert stocked.phrases_for_element("a0") == []
    assert [f.kind for f in stocked.phrases_for_element("b0")] == ["Condition"]
    attempts: list[Callable[[], object]] = [
        lambda: stocked.add_phrase("Defect", "Damp", "Damp.", phrase_id="damp", details=uses("a", USES + 1)),
        lambda: stocked.update_phrase("Condition", "moss", uses("a", USES + 1)),
    ]
    for attempt in attempts:
        with pytest.raises(Refused, match="49"):
            attempt()
    assert [f.phrase_id for f in stocked.phrases("Defect")] == ["crack", "rust"]
    assert stocked.phrase("Condition", "moss").element_ids[0] == "b0"
    stocked.remove_phrase("Condition", "moss")
    assert stocked.phrases_for_element("b0") == []
