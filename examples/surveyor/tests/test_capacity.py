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

from examples.places import CURSOR_KEYS
from examples.surveyor.edits import SectionEdit, SurveyEdit
from examples.surveyor.model import surveyor
from examples.surveyor.operating import Operator
from examples.surveyor.reading import Ref
from examples.surveyor.store import Surveyor
from examples.surveyor.surveys import Survey
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
    with surveyor.open("memory:", clock=lambda: next(moments), cursor_keys=CURSOR_KEYS) as opened:
        yield opened


@pytest.fixture
def store(db: Session) -> Surveyor:
    """A tenant whose name always has the same length: it is in every key."""
    return Surveyor(db, "tenant")


@pytest.fixture
def stocked(db: Session, house: Surveyor) -> Surveyor:
    """The house with a small library, a snapshot, a completed section, another survey in progress, a document, an image and
    what a device left; all of a tenant that the operator knows."""
    house.add_library_section("Roof", 1, section_id="roof")
    house.add_library_element("roof", "Tiles", 1, element_id="tiles")
    house.add_phrase("Defect", "Crack", "A crack.", phrase_id="crack", details={"element_ids": ["tiles"]})
    house.take_snapshot("s1")
    house.complete_section("s1", "walls", "bob")
    house.create_survey("Done", "ann", survey_id="done")
    house.move_survey("done", "in_progress")
    house.save_document("Report", "a/1", document_id="d")
    house.add_image("a.jpg", image_id="i")
    house.leave("x1", {"a": "b"})
    Operator(db).add_tenant(house.tenant_id, "Acme")
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
    "tenant": (lambda s: s.tenant(), [LOOKED_UP]),
    "surveys": (lambda s: s.surveys(), [asked("GSI1")]),
    "every_survey": (lambda s: [*s.every_survey()], [asked("GSI1")]),
    "surveys_owned_by": (lambda s: s.surveys_owned_by("ann"), [asked("GSI5")]),
    "complete_survey": (lambda s: s.complete_survey("s1"), [Taken("Query", None, 1, 0)]),
    "complete_survey-strong": (lambda s: s.complete_survey("s1", consistent=True), [Taken("Query", None, 2, 0)]),
    "complete_survey_with_config": (
        lambda s: s.complete_survey_with_config("s1"),
        [Taken("Query", None, 1, 0), asked(None)],
    ),
    "parts": (lambda s: s.parts("s1"), [Taken("Query", None, 1, 0)]),
    "survey": (lambda s: s.survey("s1"), [LOOKED_UP]),
    "section": (lambda s: s.section("s1", "roof"), [LOOKED_UP]),
    "element": (lambda s: s.element("s1", "roof", "tiles"), [LOOKED_UP]),
    "component": (lambda s: s.component("s1", "roof", "tiles", "nail"), [LOOKED_UP]),
    "sections": (lambda s: s.sections("s1"), [asked("GSI2")]),
    "elements": (lambda s: s.elements("s1", "roof"), [asked("GSI2")]),
    "components": (lambda s: s.components("s1", "roof", "tiles"), [asked("GSI2")]),
    "items": (
        lambda s: s.items([Ref(Survey, {"survey_id": "s1"}), Ref(Survey, {"survey_id": "done"})]),
        [Taken("BatchGetItem", None, 1, 0)],
    ),
    "everything": (lambda s: [*s.everything()], [Taken("Query", None, 1.5, 0)]),
    "create_survey": (lambda s: s.create_survey("New", "ann", editors=["bob"]), [together(13), READ]),
    "remove_survey": (
        lambda s: s.remove_survey("done"),
        [READ, READ, Taken("Query", None, 1, 0), Taken("Query", None, 1, 0), READ, together(11)],
    ),
    "remove_survey-with-parts": (
        lambda s: s.remove_survey("s1"),
        [
            READ,
            READ,
            Taken("Query", None, 1, 0),
            together(9),
            Taken("Query", None, 1, 0),
            Taken("Query", None, 2, 0),
            Taken("BatchGetItem", None, 8, 0),
            together(50),
            Taken("Query", None, 1, 0),
            READ,
            together(17),
        ],
    ),
    "remove_element": (
        lambda s: s.remove_element("s1", "roof", "tiles"),
        [READ, Taken("Query", None, 1, 0), Taken("BatchGetItem", None, 3, 0), together(18)],
    ),
    "remove_component": (
        lambda s: s.remove_component("s1", "roof", "tiles", "nail"),
        [READ, Taken("PutItem", None, 0, 5)],
    ),
    "allow": (lambda s: s.allow("s1", "bob", "editor"), [LOOKED_UP]),
    "sync_queue": (lambda s: s.sync_queue(), [Taken("Query", "GSI3", 1, 0)]),
    "mark_synced": (lambda s: s.mark_synced(s.sync_queue(limit=1).items[0]), [asked("GSI3"), written(5)]),
    "mark_failed": (
        lambda s: s.mark_failed(s.sync_queue(limit=1).items[0], "no net"),
        [asked("GSI3"), together(9), READ],
    ),
    "changes_since": (lambda s: s.changes_since(), [Taken("Query", "GSI4", 1, 0)]),
    "recent_changes": (lambda s: s.recent_changes(NOON), [Taken("Query", "GSI4", 1, 0)]),
    "sync_log": (lambda s: s.sync_log(), [asked(None)]),
    "leave": (lambda s: s.leave("x1", {"a": "b"}), [written(1)]),
    "left": (lambda s: s.left("x1"), [LOOKED_UP]),
    "library": (lambda s: s.library(), [asked("GSI1")]),
    "library_sections": (lambda s: s.library_sections(), [asked("GSI1")]),
    "library_elements": (lambda s: s.library_elements("roof"), [asked("GSI2")]),
    "library_components": (lambda s: s.library_components("tiles"), [asked("GSI2")]),
    "add_library_section": (lambda s: s.add_library_section("Attic", 2), [Taken("PutItem", None, 0, 4)]),
    "add_library_element": (lambda s: s.add_library_element("roof", "Gutter", 2), [Taken("PutItem", None, 0, 5)]),
    "add_library_component": (lambda s: s.add_library_component("tiles", "Hook", 2), [Taken("PutItem", None, 0, 5)]),
    "save_template": (lambda s: s.save_template(s.library_sections()[0]), [asked("GSI1"), written(6)]),
    "remove_template": (
        lambda s: s.remove_template(s.library_sections()[0]),
        [asked("GSI1"), READ, Taken("PutItem", None, 0, 5)],
    ),
    "phrases": (lambda s: s.phrases("Defect"), [asked(None)]),
    "phrase": (lambda s: s.phrase("Defect", "crack"), [LOOKED_UP]),
    "phrases_for_element": (lambda s: s.phrases_for_element("tiles"), [asked(None), LOOKED_UP]),
    "phrases_for_component": (lambda s: s.phrases_for_component("tile"), [asked(None)]),
    "add_phrase": (
        lambda s: s.add_phrase("Defect", "Damp", "It is damp.", details={"element_ids": ["tiles"]}),
        [together(6), READ],
    ),
    "update_phrase": (lambda s: s.update_phrase("Defect", "crack", {"text": "Two cracks."}), [READ, together(6), READ]),
    "change_kind": (lambda s: s.change_kind("Defect", "crack", "Condition"), [READ, READ, together(13), READ]),
    "remove_phrase": (lambda s: s.remove_phrase("Defect", "crack"), [READ, READ, together(7)]),
    "save_document": (lambda s: s.save_document("Report", "a/2", document_id="d"), [READ, together(4)]),
    "document": (lambda s: s.document("d"), [LOOKED_UP]),
    "document_versions": (lambda s: s.document_versions("d"), [asked(None)]),
    "document_version": (lambda s: s.document_version("d", 1), [LOOKED_UP]),
    "remove_document": (
        lambda s: s.remove_document("d"),
        [Taken("Query", None, 1, 0), Taken("BatchWriteItem", None, 0, 2)],
    ),
    "add_image": (lambda s: s.add_image("a.jpg"), [Taken("PutItem", None, 0, 1)]),
    "images": (lambda s: s.images(), [asked(None)]),
    "image": (lambda s: s.image("i"), [LOOKED_UP]),
    "caption_image": (lambda s: s.caption_image("i", "The roof"), [written(1)]),
    "remove_image": (lambda s: s.remove_image("i"), [Taken("DeleteItem", None, 0, 1)]),
}


@pytest.mark.parametrize("name", METHODS)
def test_a_method_takes_what_it_should(db: Session, stocked: Surveyor, name: str) -> None:
    call, expected = METHODS[name]
    with db.measure() as meter:
        call(stocked)
    taken = [Taken(r.operation, r.index, r.capacity.read, r.capacity.write) for r in meter.requests]
    assert taken == expected


def test_every_method_is_measured() -> None:
    methods = {name for name in dir(Surveyor) if not name.startswith("_") and callable(getattr(Surveyor, name))}
    assert {name.split("-")[0] for name in METHODS} == methods
