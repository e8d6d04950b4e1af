"""What clients send and get. Tenants are in neither: whose data it is, the token says.

What may be changed (`SurveyChanges` and its like) is the store's own; what is shown is written out here, so that a change of the
model changes the interface only where somebody says so.
"""

from collections.abc import Iterable
from datetime import date, datetime
from typing import Annotated, Any, Generic, Self, TypeVar

from fastapi import Query
from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from examples.surveyor.base import (
    Condition,
    Id,
    Notes,
    Photos,
    Position,
    Role,
    ShortText,
    SurveyStatus,
    SyncStatus,
    Texts,
)
from examples.surveyor.edits import Address, ClientName, Materials, SectionName, Title
from examples.surveyor.sharing import SharedSurvey
from examples.surveyor.surveys import ElementNode, People, Phrases, SectionNode, SurveyTree
from tablewright import Entity, Page, stored

T = TypeVar("T", bound=BaseModel)
R = TypeVar("R")

Limit = Annotated[int, Query(ge=1, le=100, description="How many items a page has at most.")]
Cursor = Annotated[
    str | None,
    Query(max_length=4_000, description="`next` of the page before; without it, the first page."),
]
ExpectedVersion = Annotated[
    int | None,
    Query(
        ge=1,
        le=2**53,
        description="The version that the caller saw: if it is another one by now, nothing is written (409).",
    ),
]


def _no_number(given: object) -> object:
    """Pydantic takes numbers for seconds since 1970; the description says that times are texts."""
    if isinstance(given, int | float) or (
        isinstance(given, str) and given.strip().lstrip("+-").replace(".", "").isdigit()
    ):
        raise ValueError("a time is written as 2025-12-02T09:30:00Z")
    return given


Moment = Annotated[AwareDatetime, BeforeValidator(_no_number)]
"""A time with its time zone."""
Day = Annotated[date | datetime, BeforeValidator(_no_number)]
"""A day, or a time of a day."""
NewId = Annotated[Id, Field(pattern=r"^[A-Za-z0-9_~-][A-Za-z0-9_.~-]*$")]
"""An id that a client chooses. None begins with a dot, since `.` and `..` have a meaning in URLs."""


class Sent(BaseModel):
    """What clients send: a field that is not known is refused, since its value would be lost."""

    model_config = ConfigDict(extra="forbid")

    def details(self, *without: str) -> dict[str, Any]:
        """What was given, but for these."""
        return self.model_dump(exclude_unset=True, exclude=set(without))


class Shown(BaseModel):
    """What clients get."""

    @classmethod
    def of(cls, entity: Entity, **more: Any) -> Self:
        """An entity as it is shown, with what the table knows of it beside its fields."""
        known = stored(entity)
        fields = entity.model_dump()
        if known is not None:
            fields |= {"version": known.version, "created_at": known.created_at, "updated_at": known.updated_at}
        try:
            return cls.model_validate({**fields, **more})
        except ValidationError as error:  # not what the client sent is wrong, but what is stored
            raise TypeError(f"A stored {type(entity).__name__} cannot be shown as {cls.__name__}.") from error


class Listed(BaseModel, Generic[T]):
    """A page of a list."""

    model_config = ConfigDict(json_schema_extra={"description": "A page of a list."})

    items: list[T] = Field(description="What was found. A page may be short, or empty, while there is a next one.")
    next: str | None = Field(description="Send it as `cursor` for the next page; null at the end.")

    @classmethod
    def of(cls, items: Iterable[T], page: Page[Any]) -> Self:
        """The items of a page, as they are shown."""
        return cls(items=list(items), next=page.cursor)


class Versioned(Shown):
    """What has a version."""

    version: int = Field(
        description="Counts writes; send it as `expected_version` to change what was seen and nothing else."
    )
    updated_at: datetime = Field(description="When it was last written.")
    sync_status: SyncStatus = Field(description="Whether it has arrived where surveys are synchronised to.")


# ------------------------------------------------------------------------------------------------------------ surveys


class NewSurvey(Sent):
    """A survey to be made. It belongs to the caller."""

    survey_id: NewId | None = Field(default=None, description="Chosen by the service if it is not given.")
    title: Title
    address: Address = ""
    client_name: ClientName = ""
    survey_date: Day | None = None
    editors: People = []
    viewers: People = []


class Move(Sent):
    """Where a survey goes."""

    status: SurveyStatus


class OutlineShown(Shown):
    """A survey in lists."""

    survey_id: Id
    title: Title
    status: SurveyStatus
    section_count: int
    completed_sections: int


class SharedShown(OutlineShown):
    """A survey in the caller's own list."""

    role: Role = Field(description="What the caller may do: viewers read, editors change, owners share as well.")
    updated_at: datetime

    @classmethod
    def of_shared(cls, shared: SharedSurvey) -> Self:
        """A survey and the caller's role."""
        return cls.of(shared.survey, role=shared.role)


class SurveyShown(Versioned):
    """What a survey is about, without its parts."""

    survey_id: Id
    title: Title
    address: Address
    client_name: ClientName
    survey_date: date | datetime | None
    status: SurveyStatus
    owner: Id
    editors: People
    viewers: People
    current_config: datetime | None = Field(description="Which snapshot of the library the survey goes by.")
    section_count: int
    completed_sections: int
    created_at: datetime


# ------------------------------------------------------------------------------------------------------ parts of surveys


class NewSection(Sent):
    """A section to be added."""

    section_id: NewId | None = Field(default=None, description="Chosen by the service if it is not given.")
    name: SectionName
    position: Position
    notes: Notes = ""
    condition: Condition = "N/A"
    photos: Photos = []


class NewElement(Sent):
    """An element to be added to a section."""

    element_id: NewId | None = Field(default=None, description="Chosen by the service if it is not given.")
    name: ShortText
    position: Position
    condition: Condition = "N/A"
    defects: Phrases = []
    notes: Notes = ""
    photos: Photos = []
    measurements: Texts = {}
    materials: Materials = []


class NewComponent(Sent):
    """A component to be added to an element."""

    component_id: NewId | None = Field(default=None, description="Chosen by the service if it is not given.")
    name: ShortText
    position: Position = 0
    material: ShortText = ""
    condition: Condition = "N/A"
    age: ShortText | None = None
    last_maintenance: ShortText | None = None
    defects: Phrases = []
    notes: Notes = ""
    photos: Photos = []
    specifications: Texts = {}


class SectionShown(Versioned):
    """A section of a survey."""

    survey_id: Id
    section_id: Id
    name: SectionName
    position: Position
    notes: Notes
    condition: Condition
    photos: Photos
    completed_at: datetime | None
    completed_by: Id | None


class ElementShown(Versioned):
    """An element of a section."""

    survey_id: Id
    section_id: Id
    element_id: Id
    name: ShortText
    position: Position
    condition: Condition
    defects: Phrases = Field(description="Ids of phrases.")
    notes: Notes
    photos: Photos
    measurements: Texts
    materials: Materials


class ComponentShown(Versioned):
    """A component of an element."""

    survey_id: Id
    section_id: Id
    element_id: Id
    component_id: Id
    name: ShortText
    position: Position
    material: ShortText
    condition: Condition
    age: ShortText | None
    last_maintenance: ShortText | None
    defects: Phrases = Field(description="Ids of phrases.")
    notes: Notes
    photos: Photos
    specifications: Texts


class ElementTree(ElementShown):
    """An element with its components, in their order."""

    components: list[ComponentShown]

    @classmethod
    def of_node(cls, node: ElementNode) -> Self:
        """A node of the store's tree."""
        return cls.of(node.entity, components=[ComponentShown.of(each) for each in node.components])


class SectionTree(SectionShown):
    """A section with its elements, in their order."""

    elements: list[ElementTree]

    @classmethod
    def of_node(cls, node: SectionNode) -> Self:
        """A node of the store's tree."""
        return cls.of(node.entity, elements=[ElementTree.of_node(each) for each in node.elements])


class WholeSurvey(SurveyShown):
    """A survey with all its parts."""

    sections: list[SectionTree]

    @classmethod
    def of_tree(cls, tree: SurveyTree) -> Self:
        """The store's tree."""
        return cls.of(tree.entity, sections=[SectionTree.of_node(each) for each in tree.sections])


# ------------------------------------------------------------------------------------------------------------- people


class PersonShown(Shown):
    """Somebody who may see a survey."""

    user_id: Id
    role: Role


class NewOwner(Sent):
    """Who gets a survey."""

    owner: Id
