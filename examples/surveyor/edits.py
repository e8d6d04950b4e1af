"""What may be changed in surveys and phrases, as callers say it: some fields of one part, or of many parts together."""

from datetime import date, datetime
from typing import Annotated, Any, Final, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, with_config
from typing_extensions import TypedDict

from .base import Condition, Description, Id, Line, Notes, Photos, Position, ShortText, Texts
from .library import OfferedFor
from .surveys import LAST_EDIT, Phrases
from .tenancy import PENDING, Refused

Title = Annotated[Line, Field(min_length=1, max_length=200)]
Address = Annotated[Line, Field(max_length=500)]
ClientName = Annotated[Line, Field(max_length=100)]
SectionName = Annotated[Line, Field(min_length=1, max_length=100)]
Materials = Annotated[list[ShortText], Field(max_length=50)]
LOST_EDITS: Final = 100_000
"""So many numbers of edits may be left out, by devices whose edits of other surveys have some or never arrived."""
_STRICT = ConfigDict(extra="forbid")


@with_config(_STRICT)
class SurveyChanges(TypedDict, total=False):
    """What may be changed of a survey; what is not given stays."""

    title: Title
    address: Address
    client_name: ClientName
    survey_date: date | datetime | None


@with_config(_STRICT)
class SectionChanges(TypedDict, total=False):
    """What may be changed of a section; what is not given stays."""

    name: SectionName
    position: Position
    notes: Notes
    condition: Condition
    photos: Photos


@with_config(_STRICT)
class ElementChanges(TypedDict, total=False):
    """What may be changed of an element; what is not given stays."""

    name: ShortText
    position: Position
    condition: Condition
    defects: Phrases
    notes: Notes
    photos: Photos
    measurements: Texts
    materials: Materials


@with_config(_STRICT)
class ComponentChanges(TypedDict, total=False):
    """What may be changed of a component; what is not given stays."""

    name: ShortText
    position: Position
    material: ShortText
    condition: Condition
    age: ShortText | None
    last_maintenance: ShortText | None
    defects: Phrases
    notes: Notes
    photos: Photos
    specifications: Texts


@with_config(_STRICT)
class PhraseChanges(TypedDict, total=False):
    """What may be changed of a phrase; what is not given stays."""

    name: ShortText
    text: Description
    level2: Description | None
    element_ids: OfferedFor
    component_ids: OfferedFor
    material_ids: OfferedFor


class SectionEdit(BaseModel):
    """Changes of one section among those of a survey."""

    model_config = _STRICT
    section_id: Id
    changes: SectionChanges
    expected_version: int | None = Field(default=None, ge=1)


class ElementEdit(BaseModel):
    """Changes of one element among those of a survey."""

    model_config = _STRICT
    section_id: Id
    element_id: Id
    changes: ElementChanges
    expected_version: int | None = Field(default=None, ge=1)


class ComponentEdit(BaseModel):
    """Changes of one component among those of a survey."""

    model_config = _STRICT
    section_id: Id
    element_id: Id
    component_id: Id
    changes: ComponentChanges
    expected_version: int | None = Field(default=None, ge=1)


class SurveyEdit(BaseModel):
    """Changes of a survey and of its parts that are made together or not at all: 99 parts at most.

    `mutation_id` numbers the edits of a device; one that was made already, or is older than one that was, is refused,
    and so is one that is LOST_EDITS further on than the last: it would leave no number for those that come after it. One that changes
    nothing is refused too.
    """

    model_config = _STRICT
    survey: SurveyChanges = Field(default_factory=SurveyChanges)
    sections: list[SectionEdit] = []
    elements: list[ElementEdit] = []
    components: list[ComponentEdit] = []
    expected_version: int | None = Field(default=None, ge=1)
    mutation_id: int | None = Field(default=None, ge=1, le=LAST_EDIT)


C = TypeVar("C", SurveyChanges, SectionChanges, ElementChanges, ComponentChanges, PhraseChanges)


_ADAPTERS: dict[Any, TypeAdapter[Any]] = {
    kind: TypeAdapter(kind) for kind in (SurveyChanges, SectionChanges, ElementChanges, ComponentChanges, PhraseChanges)
}


def checked(kind: type[C], changes: C | None, **named: Any) -> dict[str, Any]:
    """The changes as they are stored: control characters dropped. A field that nobody may change is refused."""
    given: dict[str, Any] = _ADAPTERS[kind].validate_python({**(changes or {}), **named})
    return given


def edited(kind: type[C], changes: C) -> dict[str, Any]:
    """What an edit writes: the changes as they are stored, and that they wait. No changes are refused, not written."""
    new = checked(kind, changes)
    if not new:
        raise Refused("There is nothing to change: no field is given.")
    return new | PENDING
