"""What methods take, exactly: their requests, the index that each reads, and the units of table and indexes together.

An item of up to 1 KB takes a write unit in the table and one in each index that holds it; where a key in an index changes,
two, one for the entry that goes. So a survey that is edited takes 1 in the table, 1 in GSI1, GSI2 and GSI5 each, 2 in GSI3
and GSI4 each, as both are sorted by the time of the change. A transaction takes twice as much in the table. A strongly
consistent read takes a unit for each 4 KB, another one half of it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from examples.surveyor.edits import SectionEdit, SurveyEdit
from examples.surveyor.model import surveyor
from examples.surveyor.store import Surveyor
from tablewright import Session

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


@dataclass(frozen=True)
class Taken:
    """A request, the index that it reads, and its units."""

    operation: str
    index: str | None
    read: float
    write: float


@pytest.fixture
def db() -> Iterator[Session]:
    """A table in memory in which every moment is another, so that every write moves what lies by time."""
    moments = (NOON + timedelta(seconds=number) for number in range(1_000))
    with surveyor.open("memory:", clock=lambda: next(moments)) as opened:
        yield opened


@pytest.fixture
def stocked(house: Surveyor) -> Surveyor:
    """The house with a small library, a snapshot, a completed section, and another survey in progress."""
    house.add_library_section("Roof", 1, section_id="roof")
    house.add_library_element("roof", "Tiles", 1, element_id="tiles")
    house.add_phrase("Defect", "Crack", "A crack.", phrase_id="crack", details={"element_ids": ["tiles"]})
    house.take_snapshot("s1")
    house.complete_section("s1", "walls", "bob")
    house.create_survey("Done", "ann", survey_id="done")
    house.move_survey("done", "in_progress")
    return house


Method = Callable[[Surveyor], object]
READ = Taken("GetItem", None, 1, 0)
LOOKED_UP = Taken("GetItem", None, 0.5, 0)


def asked(index: str | None) -> Taken:
    """A query whose answer is small."""
    return Taken("Query", index, 0.5, 0)


def written(units: float) -> Taken:
    """One item that is changed."""
    return Taken("UpdateItem", None, 0, units)


def together(units: float) -> Taken:
    """A transaction."""
    return Taken("TransactWriteItems", None, 0, units)


def snapshot_of(store: Surveyor) -> object:
    return store.snapshot("s1", store.snapshots("s1")[0].taken_at)


METHODS: dict[str, tuple[Method, list[Taken]]] = {
    "update_survey": (lambda s: s.update_survey("s1", {"title": "x"}), [written(8)]),
    "update_section": (lambda s: s.update_section("s1", "roof", {"notes": "x"}), [written(6)]),
    "update_section-moved": (lambda s: s.update_section("s1", "roof", {"position": 7}), [written(7)]),
    "update_element": (lambda s: s.update_element("s1", "roof", "tiles", {"notes": "x"}), [written(6)]),
    "update_component": (lambda s: s.update_component("s1", "roof", "tiles", "nail", {"notes": "x"}), [written(6)]),
    "edit_survey": (
        lambda s: s.edit_survey("s1", SurveyEdit(sections=[SectionEdit(section_id="roof", changes={"notes": "x"})])),
        [together(16), READ],
    ),
    "add_section": (lambda s: s.add_section("s1", "Attic", 5), [together(14), READ]),
    "add_element": (lambda s: s.add_element("s1", "roof", "Chimney", 5), [together(12), READ]),
    "add_component": (lambda s: s.add_component("s1", "roof", "tiles", "Hook", 5), [together(12), READ]),
    "remove_section": (
        lambda s: s.remove_section("s1", "cellar"),
        [READ, Taken("Query", None, 1, 0), READ, together(15)],
    ),
    "complete_section": (lambda s: s.complete_section("s1", "roof", "bob"), [together(16), READ]),
    "complete_section-locked": (
        lambda s: s.complete_section("s1", "roof", "bob", expected_version=3),
        [READ, together(16), READ],
    ),
    "reopen_section": (lambda s: s.reopen_section("s1", "walls"), [together(16), READ]),
    "move_survey": (lambda s: s.move_survey("s1", "in_progress"), [written(8)]),
    "move_survey-completed": (lambda s: s.move_survey("done", "completed"), [READ, written(8)]),
    "take_snapshot": (
        lambda s: s.take_snapshot("s1"),
        [LOOKED_UP, asked("GSI1"), asked(None), asked(None), together(16)],
    ),
    "snapshots": (lambda s: s.snapshots("s1"), [asked("GSI2")]),
    "snapshot": (snapshot_of, [asked("GSI2"), asked(None)]),
    "current_snapshot": (lambda s: s.current_snapshot("s1"), [LOOKED_UP, asked(None)]),
    "role_of": (lambda s: s.role_of("s1", "bob"), [LOOKED_UP]),
    "people": (lambda s: s.people("s1"), [asked("GSI2")]),
    "surveys_seen_by": (lambda s: s.surveys_seen_by("ann"), [asked(None), Taken("BatchGetItem", None, 1, 0)]),
    "share": (lambda s: s.share("s1", "dan", "viewer"), [READ, together(12), READ]),
    "unshare": (lambda s: s.unshare("s1", "bob"), [READ, together(12), READ]),
    "hand_over": (lambda s: s.hand_over("s1", "bob"), [READ, together(16), READ]),
}


@pytest.mark.parametrize("name", METHODS)
def test_a_method_takes_what_it_should(db: Session, stocked: Surveyor, name: str) -> None:
    call, expected = METHODS[name]
    with db.measure() as meter:
        call(stocked)
    taken = [Taken(r.operation, r.index, r.capacity.read, r.capacity.write) for r in meter.requests]
    assert taken == expected
