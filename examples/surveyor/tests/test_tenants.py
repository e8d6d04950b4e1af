"""Two tenants see nothing of each other, whatever their ids are, in any method of the store."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

from examples.surveyor.edits import SectionEdit, SurveyEdit
from examples.surveyor.library import Phrase
from examples.surveyor.model import surveyor
from examples.surveyor.operating import Operator
from examples.surveyor.reading import Ref
from examples.surveyor.sharing import NotAllowed
from examples.surveyor.store import Surveyor
from examples.surveyor.surveys import Survey
from tablewright import Page, Session
from tablewright.errors import CursorError, FieldTypeError, NotFoundError

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
METHODS = {name for name in dir(Surveyor) if not name.startswith("_") and callable(getattr(Surveyor, name))}

hostile = st.text(alphabet="#%$ab1~é /", min_size=1, max_size=6)
"""Ids with all that means something in keys."""
relatives: list[Callable[[str], str]] = [
    lambda a: a + "#",
    lambda a: a + "1",
    lambda a: a + "%",
    lambda a: a + "$",
    lambda a: a + "#SURVEYS",
    lambda a: a + "#SURVEY#s1",
    lambda a: a + "#USER#ann",
    lambda a: a + "#CHANGES",
    lambda a: a + "#DOC#d",
    lambda a: a + "#STATUS#pending",
    lambda a: "TENANT#" + a,
    lambda a: a.replace("#", "%23"),
    lambda a: a.replace("%", "%25"),
    lambda a: a[:-1],
    lambda a: a.upper(),
    lambda a: a + " ",
]
"""Ids that another one begins with, ends with, or becomes when it is escaped."""


class Watched:
    """A store that notes which of its methods are used."""

    def __init__(self, db: Session, tenant: str, used: set[str]) -> None:
        self.store, self.used = Surveyor(db, tenant), used

    def __getattr__(self, name: str) -> Any:
        self.used.add(name)
        return getattr(self.store, name)


def fill(store: Any, word: str) -> None:
    """Writes something with every method that does, always under the same ids; what is told of it holds the word."""
    store.create_survey(word, "ann", survey_id="s1", editors=["bob"])
    store.create_survey(word, "ann", survey_id="s2")
    for section in ("roof", "walls"):
        store.add_section("s1", word, 1, section_id=section)
    store.add_element("s1", "roof", word, 1, element_id="tiles")
    store.add_component("s1", "roof", "tiles", word, 1, component_id="nail")
    store.update_survey("s1", {"address": word})
    store.update_section("s1", "roof", {"notes": word})
    store.update_element("s1", "roof", "tiles", {"notes": word})
    store.update_component("s1", "roof", "tiles", "nail", {"notes": word})
    store.edit_survey("s1", SurveyEdit(sections=[SectionEdit(section_id="walls", changes={"notes": word})]))
    store.complete_section("s1", "roof", "ann")
    store.complete_section("s1", "walls", "ann")
    store.reopen_section("s1", "walls")
    store.move_survey("s1", "in_progress")
    store.share("s1", "cleo", "viewer")
    store.share("s1", "dan", "viewer")
    store.unshare("s1", "dan")
    store.hand_over("s2", "cleo")
    store.add_library_section(word, 1, section_id="roof")
    store.add_library_element("roof", word, 1, element_id="tiles")
    store.add_library_component("tiles", word, 1, component_id="nail")
    store.add_library_section(word, 2, section_id="gone")
    store.add_phrase(
        "Defect", word, word, phrase_id="crack", details={"element_ids": ["tiles"], "component_ids": ["nail"]}
    )
    store.add_phrase("Defect", word, word, phrase_id="dry", details={"element_ids": ["tiles"]})
    store.update_phrase("Defect", "crack", {"level2": word})
    store.change_kind("Defect", "dry", "Condition")
    store.save_template(store.library_sections()[0])
    store.take_snapshot("s1")
    store.save_document(word, word, document_id="d")
    store.save_document(word, word, document_id="d")
    store.save_document(word, word, document_id="gone")
    store.add_image(word, image_id="i")
    store.add_image(word, image_id="gone")
    store.caption_image("i", word)
    store.leave("x1", {"word": word})
    store.mark_synced(store.sync_queue(limit=1).items[0])
    store.mark_failed(store.sync_queue(limit=1).items[0], word)


def shrink(store: Any) -> None:
    """Deletes something with every method that does."""
    store.create_survey("gone", "ann", survey_id="gone")
    store.remove_survey("gone")
    store.add_section("s1", "gone", 1, section_id="gone")
    store.add_element("s1", "gone", "gone", 1, element_id="gone")
    store.add_component("s1", "gone", "gone", "gone", 1, component_id="gone")
    store.remove_component("s1", "gone", "gone", "gone")
    store.remove_element("s1", "gone", "gone")
    store.remove_section("s1", "gone")
    store.remove_template(store.library_sections()[-1])
    store.add_phrase("Defect", "gone", "gone", phrase_id="gone", details={"element_ids": ["tiles"]})
    store.remove_phrase("Defect", "gone")
    store.remove_document("gone")
    store.remove_image("gone")


REF = Ref(Phrase, {"kind": "Defect", "phrase_id": "crack"})
READS: dict[str, Callable[[Any], Any]] = {
    "tenant": lambda s: s.tenant(),
    "surveys": lambda s: s.surveys(),
    "every_survey": lambda s: [*s.every_survey()],
    "surveys_owned_by": lambda s: s.surveys_owned_by("ann"),
    "complete_survey": lambda s: s.complete_survey("s1").sections,
    "complete_survey_with_config": lambda s: s.complete_survey_with_config("s1").config,
    "parts": lambda s: s.parts("s1"),
    "survey": lambda s: s.survey("s1"),
    "section": lambda s: s.section("s1", "roof"),
    "element": lambda s: s.element("s1", "roof", "tiles"),
    "component": lambda s: s.component("s1", "roof", "tiles", "nail"),
    "sections": lambda s: s.sections("s1"),
    "elements": lambda s: s.elements("s1", "roof"),
    "components": lambda s: s.components("s1", "roof", "tiles"),
    "items": lambda s: [x for x in s.items([Ref(Survey, {"survey_id": "s1"}), REF]) if x is not None],
    "everything": lambda s: [*s.everything()],
    "allow": lambda s: s.allow("s1", "ann", "owner"),
    "role_of": lambda s: s.role_of("s1", "ann") or (),
    "people": lambda s: s.people("s1"),
    "surveys_seen_by": lambda s: s.surveys_seen_by("ann"),
    "snapshots": lambda s: s.snapshots("s1"),
    "snapshot": lambda s: s.snapshot("s1", s.snapshots("s1")[0].taken_at) if s.snapshots("s1") else (),
    "current_snapshot": lambda s: s.current_snapshot("s1"),
    "sync_queue": lambda s: s.sync_queue(),
    "changes_since": lambda s: [(c.key.entity, c.key.fields, c.deleted, c.at) for c in s.changes_since().items],
    "recent_changes": lambda s: s.recent_changes(LONG_AGO),
    "sync_log": lambda s: s.sync_log(),
    "left": lambda s: s.left("x1") or (),
    "library": lambda s: [*s.library().sections, *s.library().elements, *s.library().components],
    "library_sections": lambda s: s.library_sections(),
    "library_elements": lambda s: s.library_elements("roof"),
    "library_components": lambda s: s.library_components("tiles"),
    "phrases": lambda s: s.phrases("Defect"),
    "phrase": lambda s: s.phrase("Defect", "crack"),
    "phrases_for_element": lambda s: s.phrases_for_element("tiles"),
    "phrases_for_component": lambda s: s.phrases_for_component("nail"),
    "document": lambda s: s.document("d"),
    "document_versions": lambda s: s.document_versions("d"),
    "document_version": lambda s: s.document_version("d", 1),
    "images": lambda s: s.images(),
    "image": lambda s: s.image("i"),
}
PAGED: list[Callable[[Any, str | None], Any]] = [
    lambda s, cursor: s.surveys(1, cursor),
    lambda s, cursor: s.surveys_owned_by("ann", 1, cursor),
    lambda s, cursor: s.surveys_seen_by("ann", 1, cursor),
    lambda s, cursor: s.parts("s1", 1, cursor),
    lambda s, cursor: s.sections("s1", 1, cursor),
    lambda s, cursor: s.sync_queue("pending", 1, cursor),
    lambda s, cursor: s.recent_changes(LONG_AGO, 1, cursor),
    lambda s, cursor: s.changes_since(cursor, 1),
    lambda s, cursor: s.phrases("Defect", 1, cursor),
    lambda s, cursor: s.document_versions("d", 1, cursor),
    lambda s, cursor: s.images(1, cursor),
]


def seen(store: Any) -> dict[str, list[Any]]:
    """All that every reading method tells, without what follows from the time of asking."""
    found: dict[str, list[Any]] = {}
    for name, read in READS.items():
        try:
            told = read(store)
        except (NotFoundError, NotAllowed):
            told = ()
        found[name] = [*told] if isinstance(told, list | tuple | Page) else [told]
    return found


@settings(
    max_examples=settings().max_examples // 10, phases=[Phase.generate]
)  # a failure is told at once: each attempt takes half a second
@given(data=st.data())
def test_tenants_see_nothing_of_each_other(data: Any) -> None:
    first = data.draw(hostile, label="one tenant")
    second = data.draw(st.sampled_from(relatives).map(lambda of: of(first)) | hostile, label="the other")
    assume(second and first != second)
    used: set[str] = set()
    with surveyor.open("memory:", cursor_keys=[b"a secret of the tests"]) as db:
        one, other = Watched(db, first, used), Watched(db, second, used)
        nothing = seen(one)
        assert not any(nothing.values())
        Operator(db).add_tenant(first, "alpha")
        fill(one, "alpha")
        assert seen(other) == nothing
        before = seen(one)
        Operator(db).add_tenant(second, "beta")
        fill(other, "beta")
        shrink(other)
        assert seen(one) == before
        assert "beta" not in repr(before)
        after = seen(other)
        assert "alpha" not in repr(after)
        assert all(after.values())
        for read in PAGED:
            cursor = read(one, None).cursor
            assert cursor is not None
            with pytest.raises(CursorError):
                read(other, cursor)
    assert used == METHODS


@pytest.mark.parametrize("theirs", ["s1#SECTION#roof", "s1#", "s", "s1$", "%", "", "s1#SECTION#roof#ELEMENT#tiles"])
def test_ids_of_parts_reach_no_neighbour(house: Surveyor, theirs: str) -> None:
    """Whoever sends a strange id gets nothing, or an error about the id; never somebody else's item."""
    for read in (
        lambda: house.parts(theirs).items,
        lambda: house.sections(theirs).items,
        lambda: house.elements("s1", theirs).items,
        lambda: house.components("s1", "roof", theirs).items,
        lambda: house.people(theirs),
        lambda: house.snapshots(theirs),
    ):
        try:
            found = read()
        except FieldTypeError:
            continue
        assert list(found) == []
