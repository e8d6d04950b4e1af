"""The library of a tenant: sections, elements, components and phrases that new surveys are made from, and snapshots of it."""

from datetime import datetime
from typing import Annotated, Final, Literal

from pydantic import BaseModel, Field

from tablewright import Compressed, Entity, Keys, sparse

from .base import (
    IN_FEED,
    SURVEY_PARTITION,
    Description,
    Id,
    PhraseKind,
    Position,
    Problem,
    ShortText,
    SyncStatus,
    TenantId,
    surveyor,
)
from .surveys import UNSYNCED

Subject = Literal["ELEMENT", "COMPONENT", "MATERIAL"]
OfferedFor = Annotated[list[Id], Field(max_length=30)]
Part = Annotated[int, Field(ge=0, lt=10_000)]


class Material(BaseModel):
    """What something is made of."""

    name: ShortText


class Section(Entity, table=surveyor, version=True, soft_delete=IN_FEED):
    """A section to be used in surveys."""

    keys = Keys(
        "TENANT#{tenant_id}",
        "SECTION#{section_id}",
        GSI1=("TENANT#{tenant_id}#LIBRARY", "SECTION#{position:6}#{section_id}"),
        GSI3=sparse("TENANT#{tenant_id}#STATUS#{sync_status}", "{updated_at}#LIBSECTION#{section_id}", when=UNSYNCED),
        GSI4=("TENANT#{tenant_id}#CHANGES", "{updated_at}#LIBSECTION#{section_id}"),
    )
    tenant_id: TenantId
    section_id: Id
    name: ShortText
    position: Position
    description: Description = ""
    active: bool = True
    category: ShortText | None = None
    tags: list[ShortText] = Field(default=[], max_length=19)
    created_by: Id | None = None
    sync_status: SyncStatus = "pending"
    sync_error: Problem | None = None


class Element(Entity, table=surveyor, version=True, soft_delete=IN_FEED):
    """An element to be used in surveys."""

    keys = Keys(
        "TENANT#{tenant_id}",
        "ELEMENT#{element_id}",
        GSI1=("TENANT#{tenant_id}#LIBRARY", "ELEMENT#{position:6}#{element_id}"),
        GSI2=("TENANT#{tenant_id}#SECTION#{section_id}", "ELEMENT#{position:6}#{element_id}"),
        GSI3=sparse("TENANT#{tenant_id}#STATUS#{sync_status}", "{updated_at}#LIBELEMENT#{element_id}", when=UNSYNCED),
        GSI4=("TENANT#{tenant_id}#CHANGES", "{updated_at}#LIBELEMENT#{element_id}"),
    )
    tenant_id: TenantId
    element_id: Id
    section_id: Id
    name: ShortText
    position: Position
    description: Description = ""
    sync_status: SyncStatus = "pending"
    sync_error: Problem | None = None


class Component(Entity, table=surveyor, version=True, soft_delete=IN_FEED):
    """A component to be used in surveys."""

    keys = Keys(
        "TENANT#{tenant_id}",
        "COMPONENT#{component_id}",
        GSI1=("TENANT#{tenant_id}#LIBRARY", "COMPONENT#{position:6}#{component_id}"),
        GSI2=("TENANT#{tenant_id}#ELEMENT#{element_id}", "COMPONENT#{position:6}#{component_id}"),
        GSI3=sparse(
            "TENANT#{tenant_id}#STATUS#{sync_status}", "{updated_at}#LIBCOMPONENT#{component_id}", when=UNSYNCED
        ),
        GSI4=("TENANT#{tenant_id}#CHANGES", "{updated_at}#LIBCOMPONENT#{component_id}"),
    )
    tenant_id: TenantId
    component_id: Id
    element_id: Id
    name: ShortText
    position: Position = 0
    materials: list[Material] = Field(default=[], max_length=19)
    sync_status: SyncStatus = "pending"
    sync_error: Problem | None = None


class Phrase(Entity, table=surveyor, version=True, soft_delete=IN_FEED):
    """A sentence for reports. Its kind is part of its key: another kind is another phrase."""

    keys = Keys(
        "TENANT#{tenant_id}",
        "PHRASE#{kind}#{phrase_id}",
        GSI3=sparse("TENANT#{tenant_id}#STATUS#{sync_status}", "{updated_at}#PHRASE#{kind}#{phrase_id}", when=UNSYNCED),
        GSI4=("TENANT#{tenant_id}#CHANGES", "{updated_at}#PHRASE#{kind}#{phrase_id}"),
    )
    tenant_id: TenantId
    kind: PhraseKind
    phrase_id: Id
    name: ShortText
    text: Description
    level2: Description | None = None
    element_ids: OfferedFor = Field(default_factory=list)
    component_ids: OfferedFor = Field(default_factory=list)
    material_ids: OfferedFor = Field(default_factory=list)
    sync_status: SyncStatus = "pending"
    sync_error: Problem | None = None


class PhraseUse(Entity, table=surveyor):
    """That a phrase is offered for an element, a component or a material; written with the phrase."""

    keys = Keys("TENANT#{tenant_id}", "PHRASEFOR#{subject}#{subject_id}#{kind}#{phrase_id}")
    tenant_id: TenantId
    subject: Subject
    subject_id: Id
    kind: PhraseKind
    phrase_id: Id


COMPONENTS_TOGETHER: Final = 100
ELEMENTS_TOGETHER: Final = 500
PHRASES_TOGETHER: Final = 2_000
"""What one part of a snapshot holds at most; there may be any number of parts."""


class ConfigComponent(BaseModel):
    """A component as it was."""

    component_id: str
    name: str
    materials: list[str] = Field(default=[], max_length=19)


class ConfigElement(BaseModel):
    """An element as it was; one with many components is stored in several pieces, which follow each other."""

    element_id: str
    name: str
    position: int
    components: list[ConfigComponent] = Field(default=[], max_length=COMPONENTS_TOGETHER)


class ConfigPhrase(BaseModel):
    """A phrase as it was."""

    phrase_id: str
    name: str
    text: str
    level2: str | None = None


class Config(Entity, table=surveyor):
    """The library as it was when a survey began. It lies apart from the survey's own parts, which are read without it."""

    keys = Keys(
        SURVEY_PARTITION,
        "SURVEYCONFIG#{survey_id}#{taken_at}",
        GSI2=("TENANT#{tenant_id}#SURVEY#{survey_id}", "CONFIG#{taken_at}"),
    )
    tenant_id: TenantId
    survey_id: Id
    taken_at: datetime
    sections: int = Field(ge=0)


class ConfigSection(Entity, table=surveyor):
    """One section of a snapshot, in several parts if it is large: a whole library would not fit into one item."""

    keys = Keys(SURVEY_PARTITION, "SURVEYCONFIG#{survey_id}#{taken_at}#SECTION#{position:6}#{section_id}#{part:4}")
    tenant_id: TenantId
    survey_id: Id
    taken_at: datetime
    position: Position
    section_id: Id
    part: Part = 0
    name: ShortText
    elements: Annotated[list[ConfigElement], Compressed()] = Field(default=[], max_length=ELEMENTS_TOGETHER)


class ConfigPhrases(Entity, table=surveyor):
    """The phrases of one kind in a snapshot, in several parts if there are many."""

    keys = Keys(SURVEY_PARTITION, "SURVEYCONFIG#{survey_id}#{taken_at}#PHRASES#{kind}#{part:4}")
    tenant_id: TenantId
    survey_id: Id
    taken_at: datetime
    kind: PhraseKind
    part: Part = 0
    phrases: Annotated[list[ConfigPhrase], Compressed()] = Field(default=[], max_length=PHRASES_TOGETHER)
