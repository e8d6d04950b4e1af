"""Snapshots keep the library as it was, whole or not at all, however large it is."""

from datetime import UTC, datetime, timedelta

import pytest

from examples.surveyor import snapshots
from examples.surveyor.patterns import Snapshot
from examples.surveyor.store import Surveyor
from tablewright import Session
from tablewright.errors import AlreadyExistsError, ConditionalCheckError, NotFoundError

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.fixture
def stocked(house: Surveyor) -> Surveyor:
    """The house with a library: two sections, elements, a component, phrases of both kinds."""
    for name, position in (("roof", 10), ("walls", 9)):
        house.add_library_section(name, position, section_id=name)
    house.add_library_element("roof", "Tiles", 2, element_id="tiles")
    house.add_library_element("roof", "Gutter", 1, element_id="gutter")
    house.add_library_component("tiles", "Nail", component_id="nail", materials=["iron", "steel"])
    house.add_phrase("Defect", "Crack", "A crack.", phrase_id="crack", details={"level2": "It is wide."})
    house.add_phrase("Condition", "Dry", "All is dry.", phrase_id="dry")
    return house


def shown(snapshot: Snapshot | None) -> object:
    """What a snapshot says, however it is cut."""
    assert snapshot is not None
    elements: dict[str, list[object]] = {}
    for section in snapshot.sections:
        elements.setdefault(section.section_id, []).extend(
            (e.element_id, [(c.name, c.materials) for c in e.components]) for e in section.elements
        )
    phrases = [(part.kind, f.name, f.text, f.level2) for part in snapshot.phrases for f in part.phrases]
    return elements, phrases


FIRST = (
    {"walls": [], "roof": [("gutter", []), ("tiles", [("Nail", ["iron", "steel"])])]},
    [("Condition", "Dry", "All is dry.", None), ("Defect", "Crack", "A crack.", "It is wide.")],
)


def test_a_snapshot_is_taken_with_the_survey_in_one_transaction(db: Session, stocked: Surveyor) -> None:
    assert (stocked.current_snapshot("s1"), stocked.snapshots("s1")) == (None, [])
    with db.measure() as meter:
        taken = stocked.take_snapshot("s1")
    writes = [r.operation for r in meter.requests if r.capacity.write]
    assert writes == ["TransactWriteItems"]
    assert stocked.survey("s1").current_config == taken.taken_at
    with db.measure() as meter:
        found = stocked.snapshot("s1", taken.taken_at)
    assert [(r.operation, r.index, r.pattern) for r in meter.requests] == [("Query", None, "snapshot")]
    assert shown(found) == FIRST
    assert taken.sections == 2


def test_what_was_taken_stays_and_the_survey_goes_by_the_newest(db: Session, stocked: Surveyor) -> None:
    first = stocked.take_snapshot("s1")
    (gutter,) = [e for e in stocked.library().elements if e.element_id == "gutter"]
    stocked.remove_template(gutter)
    stocked.update_phrase("Defect", "crack", {"text": "A fissure."})
    second = stocked.take_snapshot("s1")
    assert shown(stocked.snapshot("s1", first.taken_at)) == FIRST
    assert shown(stocked.current_snapshot("s1")) == (
        {"walls": [], "roof": [("tiles", [("Nail", ["iron", "steel"])])]},
        [("Condition", "Dry", "All is dry.", None), ("Defect", "Crack", "A fissure.", "It is wide.")],
    )
    with db.measure() as meter:
        assert stocked.snapshots("s1") == [second, first]
    assert [(r.operation, r.index) for r in meter.requests] == [("Query", "GSI2")]
    for nothing in (
        lambda: stocked.snapshot("s1", NOON),
        lambda: stocked.take_snapshot("s2"),
        lambda: stocked.current_snapshot("s2"),
    ):
        with pytest.raises(NotFoundError):
            nothing()


def test_no_snapshot_is_written_over_or_put_before_a_newer_one(db: Session, stocked: Surveyor) -> None:
    times = iter([NOON, NOON, NOON - timedelta(hours=1), NOON + timedelta(hours=1)])
    store = Surveyor(db, stocked.tenant_id, clock=lambda: next(times))
    store.take_snapshot("s1")
    stocked.add_library_section("cellar", 99)
    with pytest.raises(AlreadyExistsError):
        store.take_snapshot("s1")
    with pytest.raises(ConditionalCheckError):
        store.take_snapshot("s1")
    assert shown(store.current_snapshot("s1")) == FIRST
    assert len(store.snapshots("s1")) == 1
    store.take_snapshot("s1")
    assert store.survey("s1").current_config == NOON + timedelta(hours=1)


@pytest.mark.parametrize("together", [1, 24])
def test_a_large_library_is_cut_into_items(stocked: Surveyor, monkeypatch: pytest.MonkeyPatch, together: int) -> None:
    for number in range(8):
        stocked.add_library_element("walls", f"Wall {number}", 8 - number, element_id=f"w{number}")
        stocked.add_phrase("Defect", f"Phrase {number}", "x" * 400, phrase_id=f"p{number}")
    whole = stocked.take_snapshot("s1")
    monkeypatch.setattr(snapshots, "PART_SIZE", 500)
    monkeypatch.setattr(snapshots, "PARTS_TOGETHER", together)
    cut = stocked.take_snapshot("s1")
    parts = stocked.snapshot("s1", cut.taken_at)
    assert [len(part.elements) for part in parts.sections if part.section_id == "walls"] == [7, 1]
    assert len(parts.phrases) == 10
    assert shown(parts) == shown(stocked.snapshot("s1", whole.taken_at))


@pytest.mark.parametrize("size", [300, 150_000])
def test_parts_are_cut_by_number_as_well(stocked: Surveyor, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """However many there are below one section, one element or one kind, and in whichever parts they lie."""
    for number in range(5):
        stocked.add_library_element("walls", f"Wall {number}", number, element_id=f"w{number}")
        stocked.add_library_component("w1", f"Stone {number}", number, component_id=f"c{number}")
        stocked.add_phrase("Defect", f"Phrase {number}", "x", phrase_id=f"p{number}")
    whole = shown(stocked.snapshot("s1", stocked.take_snapshot("s1").taken_at))
    for most in ("COMPONENTS_TOGETHER", "ELEMENTS_TOGETHER", "PHRASES_TOGETHER"):
        monkeypatch.setattr(snapshots, most, 2)
    monkeypatch.setattr(snapshots, "PART_SIZE", size)
    found = stocked.snapshot("s1", stocked.take_snapshot("s1").taken_at)
    assert shown(found) == whole
    assert len([part for part in found.sections if part.section_id == "walls"]) >= 4  # seven pieces, two in each
    assert max(len(part.phrases) for part in found.phrases) <= 2
    assert stocked.snapshot("s1", found.sections[0].taken_at) == found


def test_more_than_one_part_takes(stocked: Surveyor) -> None:
    for number in range(501):
        stocked.add_library_element("walls", "Wall", number, element_id=f"w{number:03}")
    for number in range(101):
        stocked.add_library_component("w000", "Stone", number, component_id=f"c{number:03}")
    found = stocked.snapshot("s1", stocked.take_snapshot("s1").taken_at)
    elements = [e for part in found.sections if part.section_id == "walls" for e in part.elements]
    assert [e.element_id for e in elements] == [f"w{number:03}" for number in range(501)]
    assert [c.component_id for c in elements[0].components] == [f"c{number:03}" for number in range(101)]


def test_a_snapshot_of_megabytes_is_whole_or_not_there(db: Session, stocked: Surveyor) -> None:
    """Half a million random characters do not compress, and would not fit into an item."""
    for number in range(260):
        text = "".join(chr(0x4E00 + (number * 7919 + place * 104729) % 20_000) for place in range(1_900))
        stocked.add_phrase("Defect", f"Phrase {number}", text, phrase_id=f"p{number:03}")
    taken = stocked.take_snapshot("s1")
    found = stocked.snapshot("s1", taken.taken_at)
    assert sum(len(part.phrases) for part in found.phrases) == 262
    assert stocked.survey("s1").current_config == taken.taken_at
