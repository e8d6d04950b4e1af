"""Snapshots of the library: what sections and phrases there were when a survey was made. None is ever changed.

A snapshot is a head (Config) and its contents, cut into items of a size that can be stored. It is there from the moment on
in which its head is, which is written in one transaction with the survey that names it.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Final, TypeAlias, TypeVar, get_args

from pydantic import BaseModel

from tablewright import any_of, given, missing

from . import patterns as p
from .base import PhraseKind
from .library import (
    COMPONENTS_TOGETHER,
    ELEMENTS_TOGETHER,
    PHRASES_TOGETHER,
    Config,
    ConfigComponent,
    ConfigElement,
    ConfigPhrase,
    ConfigPhrases,
    ConfigSection,
    Element,
    Phrase,
)
from .patterns import Library, Snapshot
from .surveys import Survey
from .tenancy import PENDING, TenantStore, missing_item

PART_SIZE: Final = 150_000
"""Contents of one item at most, in bytes before they are compressed."""
PARTS_TOGETHER: Final = 24
"""So many parts are written in one transaction: it holds 4 MB, and they may not compress at all."""

B = TypeVar("B", bound=BaseModel)
Part: TypeAlias = ConfigSection | ConfigPhrases


class Snapshots(TenantStore):
    """The library as it was."""

    def take_snapshot(self, survey_id: str) -> Config:
        """Copies the library as it is now; the survey names the snapshot from the moment on in which it is whole."""
        self._get(self._survey(survey_id))
        taken_at = self._clock()
        library = self._db.run(p.library_of, self.tenant_id)
        phrases = [each for kind in get_args(PhraseKind) for each in self._db.run(p.phrases, self.tenant_id, kind)]
        head, parts = snapshot_of(self.tenant_id, survey_id, taken_at, library, phrases)
        while len(parts) > PARTS_TOGETHER:  # nobody sees them before there is a head
            self._write(survey_id, taken_at, parts[:PARTS_TOGETHER], PENDING)
            del parts[:PARTS_TOGETHER]
        self._write(survey_id, taken_at, [*parts, head], {"current_config": taken_at, **PENDING})
        return head

    def snapshots(self, survey_id: str) -> list[Config]:
        """When snapshots were taken for a survey, newest first."""
        return self._db.run(p.configs_of, self.tenant_id, survey_id).all()

    def snapshot(self, survey_id: str, taken_at: datetime) -> Snapshot:
        """One snapshot with its sections and phrases. NotFoundError if none was taken then."""
        found = self._db.run(p.snapshot, self.tenant_id, survey_id, taken_at)
        if found.config is None:
            raise missing_item(Config)
        _join(found.sections)
        return found

    def current_snapshot(self, survey_id: str) -> Snapshot | None:
        """The snapshot that a survey goes by; None if none was taken."""
        taken_at = self._get(self._survey(survey_id)).current_config
        return None if taken_at is None else self.snapshot(survey_id, taken_at)

    def _write(self, survey_id: str, taken_at: datetime, some: Sequence[Config | Part], survey: dict[str, Any]) -> None:
        """Some of a snapshot; the survey is stamped with each, so that whoever removes it meanwhile leaves none of them."""
        with self._db.transaction() as tx:
            for each in some:
                tx.create(each)
            tx.update(
                self._survey(survey_id),
                set=survey,
                when=any_of(missing(Survey.current_config), given(Survey.current_config) < taken_at),
            )


def snapshot_of(
    tenant_id: str, survey_id: str, taken_at: datetime, library: Library, phrases: Sequence[Phrase]
) -> tuple[Config, list[Part]]:
    """A snapshot of a library as it is stored: its head, and the contents in parts."""
    of: dict[str, Any] = {"tenant_id": tenant_id, "survey_id": survey_id, "taken_at": taken_at}
    return Config(**of, sections=len(library.sections)), [*_sections(of, library), *_phrases(of, phrases)]


def _sections(of: dict[str, Any], library: Library) -> Iterator[ConfigSection]:
    for section in library.sections:
        elements = [
            piece for e in library.elements if e.section_id == section.section_id for piece in _pieces(e, library)
        ]
        for number, some in enumerate(_parts(elements, ELEMENTS_TOGETHER) or [[]]):
            yield ConfigSection(
                **of,
                position=section.position,
                section_id=section.section_id,
                part=number,
                name=section.name,
                elements=some,
            )


def _phrases(of: dict[str, Any], phrases: Sequence[Phrase]) -> Iterator[ConfigPhrases]:
    for kind in get_args(PhraseKind):
        kept = [
            ConfigPhrase(phrase_id=f.phrase_id, name=f.name, text=f.text, level2=f.level2)
            for f in phrases
            if f.kind == kind
        ]
        for number, some in enumerate(_parts(kept, PHRASES_TOGETHER)):
            yield ConfigPhrases(**of, kind=kind, part=number, phrases=some)


def _pieces(element: Element, library: Library) -> Iterator[ConfigElement]:
    """An element with its components; again with those that come after, if they are too many for one part."""
    components = [
        ConfigComponent(component_id=c.component_id, name=c.name, materials=[m.name for m in c.materials])
        for c in library.components
        if c.element_id == element.element_id
    ]
    for some in _parts(components, COMPONENTS_TOGETHER) or [[]]:
        yield ConfigElement(
            element_id=element.element_id, name=element.name, position=element.position, components=some
        )


def _parts(contents: Sequence[B], together: int) -> list[list[B]]:
    """The contents in their order, cut before they outgrow an item or are more than one part takes."""
    parts: list[list[B]] = []
    room = 0
    for each in contents:
        size = len(each.model_dump_json().encode())
        if size > room or len(parts[-1]) == together:
            parts.append([])
            room = PART_SIZE
        parts[-1].append(each)
        room -= size
    return parts


def _join(sections: Sequence[ConfigSection]) -> None:
    """Makes one element of the pieces that it was stored in, where its first piece is."""
    firsts: dict[str, ConfigElement] = {}
    for part in sections:
        for piece in part.elements:
            first = firsts.setdefault(piece.element_id, piece)
            if first is not piece:
                first.components.extend(piece.components)
        part.elements = [each for each in part.elements if firsts[each.element_id] is each]
