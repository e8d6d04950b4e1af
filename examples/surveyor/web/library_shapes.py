"""What clients send and get of the library, of snapshots of it, and of the feed, in which everything can occur."""

from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import BaseModel, Field

from examples.surveyor.base import Description, Id, PhraseKind, Position, ShortText
from examples.surveyor.library import (
    Component,
    ConfigElement,
    ConfigPhrase,
    Element,
    OfferedFor,
    Phrase,
    Section,
)
from examples.surveyor.patterns import Library, Snapshot
from examples.surveyor.surveys import Survey, SurveyComponent, SurveyElement, SurveySection
from tablewright import Changed, Entity

from .shapes import ComponentShown, ElementShown, NewId, SectionShown, Sent, Shown, SurveyShown, Versioned

Names = Annotated[list[ShortText], Field(max_length=19)]
_CHOSEN = "Chosen by the service if it is not given."


# ------------------------------------------------------------------------------------------------------------- library


class NewLibrarySection(Sent):
    """A section to be added to the library."""

    section_id: NewId | None = Field(default=None, description=_CHOSEN)
    name: ShortText
    position: Position
    description: Description = ""
    category: ShortText | None = None
    tags: Names = Field(default=[])


class NewLibraryElement(Sent):
    """An element to be added to the library."""

    element_id: NewId | None = Field(default=None, description=_CHOSEN)
    section_id: Id = Field(description="The section of the library that it is for.")
    name: ShortText
    position: Position
    description: Description = ""


class NewLibraryComponent(Sent):
    """A component to be added to the library."""

    component_id: NewId | None = Field(default=None, description=_CHOSEN)
    element_id: Id = Field(description="The element of the library that it is for.")
    name: ShortText
    position: Position = 0
    materials: Names = Field(default=[])


class NewPhrase(Sent):
    """A phrase to be added."""

    phrase_id: NewId | None = Field(default=None, description=_CHOSEN)
    name: ShortText
    text: Description
    level2: Description | None = None
    element_ids: OfferedFor = Field(default=[])
    component_ids: OfferedFor = Field(default=[])
    material_ids: OfferedFor = Field(default=[])


class LibrarySectionShown(Versioned):
    """A section that surveys are made from."""

    section_id: Id
    name: ShortText
    position: Position
    description: Description
    active: bool
    category: ShortText | None
    tags: Names


class LibraryElementShown(Versioned):
    """An element that surveys are made from."""

    element_id: Id
    section_id: Id
    name: ShortText
    position: Position
    description: Description


class LibraryComponentShown(Versioned):
    """A component that surveys are made from."""

    component_id: Id
    element_id: Id
    name: ShortText
    position: Position
    materials: Names

    @classmethod
    def of_component(cls, component: Component) -> Self:
        """A component with the names of its materials."""
        return cls.of(component, materials=[each.name for each in component.materials])


class PhraseShown(Versioned):
    """A sentence for reports."""

    kind: PhraseKind
    phrase_id: Id
    name: ShortText
    text: Description
    level2: Description | None
    element_ids: OfferedFor = Field(description="The elements of the library that it is offered for.")
    component_ids: OfferedFor
    material_ids: OfferedFor


class LibraryShown(BaseModel):
    """All that surveys are made from, but for phrases; each kind in its order."""

    sections: list[LibrarySectionShown]
    elements: list[LibraryElementShown]
    components: list[LibraryComponentShown]

    @classmethod
    def of_library(cls, library: Library) -> Self:
        """The library of the store."""
        return cls(
            sections=[LibrarySectionShown.of(each) for each in library.sections],
            elements=[LibraryElementShown.of(each) for each in library.elements],
            components=[LibraryComponentShown.of_component(each) for each in library.components],
        )


# ---------------------------------------------------------------------------------------------------------- snapshots


class ConfigShown(Shown):
    """That a snapshot of the library was taken."""

    taken_at: datetime
    sections: int = Field(description="How many sections it has.")


class ConfigSectionShown(BaseModel):
    """A section as it was, with what was below it."""

    section_id: Id
    name: ShortText
    position: Position
    elements: list[ConfigElement]


class SnapshotShown(BaseModel):
    """The library as it was when a snapshot was taken."""

    taken_at: datetime
    sections: list[ConfigSectionShown]
    phrases: dict[PhraseKind, list[ConfigPhrase]]

    @classmethod
    def of_snapshot(cls, taken_at: datetime, snapshot: Snapshot) -> Self:
        """A snapshot of the store. What is large lies in several parts, which follow each other."""
        sections: dict[str, ConfigSectionShown] = {}
        for part in snapshot.sections:
            made = ConfigSectionShown(section_id=part.section_id, name=part.name, position=part.position, elements=[])
            sections.setdefault(part.section_id, made).elements.extend(part.elements)
        phrases: dict[PhraseKind, list[ConfigPhrase]] = {}
        for some in snapshot.phrases:
            phrases.setdefault(some.kind, []).extend(some.phrases)
        return cls(taken_at=taken_at, sections=list(sections.values()), phrases=phrases)


# ---------------------------------------------------------------------------------------------- whatever was written

Kind = Literal[
    "survey",
    "section",
    "element",
    "component",
    "library_section",
    "library_element",
    "library_component",
    "phrase",
]
_KINDS: dict[type[Entity], Kind] = {
    Survey: "survey",
    SurveySection: "section",
    SurveyElement: "element",
    SurveyComponent: "component",
    Section: "library_section",
    Element: "library_element",
    Component: "library_component",
    Phrase: "phrase",
}
Anything = (
    SurveyShown
    | ComponentShown
    | ElementShown
    | SectionShown
    | LibraryComponentShown
    | LibraryElementShown
    | LibrarySectionShown
    | PhraseShown
)


def shown(entity: Entity) -> Anything:
    """Any of these, as it is shown."""
    match entity:
        case Survey():
            return SurveyShown.of(entity)
        case SurveySection():
            return SectionShown.of(entity)
        case SurveyElement():
            return ElementShown.of(entity)
        case SurveyComponent():
            return ComponentShown.of(entity)
        case Section():
            return LibrarySectionShown.of(entity)
        case Element():
            return LibraryElementShown.of(entity)
        case Component():
            return LibraryComponentShown.of_component(entity)
        case Phrase():
            return PhraseShown.of(entity)
    raise TypeError(f"A {type(entity).__name__} is not shown in lists of everything.")


class ItemShown(BaseModel):
    """An item of a list in which every kind can occur."""

    kind: Kind
    item: Anything

    @classmethod
    def of(cls, entity: Entity) -> Self:
        """An entity with its kind."""
        return cls(kind=_KINDS[type(entity)], item=shown(entity))


class ChangeShown(BaseModel):
    """That something was written or deleted."""

    kind: Kind
    ids: dict[str, str] = Field(description="The ids that it is known by, such as `survey_id`.")
    at: datetime
    deleted: bool
    item: Anything | None = Field(description="As it is now; null if it was deleted.")

    @classmethod
    def of(cls, change: Changed[Entity]) -> Self:
        """A change of the store's feed."""
        ids = {name: str(value) for name, value in change.key.fields.items() if name != "tenant_id"}
        item = None if change.deleted or change.entity is None else shown(change.entity)
        return cls(kind=_KINDS[change.key.entity], ids=ids, at=change.at, deleted=change.deleted, item=item)


class Changes(BaseModel):
    """Some of the feed of changes, in the order of time."""

    items: list[ChangeShown]
    next: str = Field(description="Send it as `cursor` to hear what comes after these, now or later.")
    has_more: bool = Field(description="Whether there is more already; if not, ask again later.")
