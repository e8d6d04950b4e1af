"""Surveys: the metadata of each, its sections, elements and components, and who may see it.

The parts of a survey lie below it in their tenant's partition, each below its parent, so that the same template can be used
in two sections. Each part is an item of its own, so that two people can work in different ones.
"""

from datetime import date, datetime
from typing import Annotated, Final

from pydantic import BaseModel, Field

from tablewright import Aggregate, Entity, Keys, Node, Shard, attr, children, is_in, sparse

from .base import (
    IN_FEED,
    SURVEY_PARTITION,
    Condition,
    Id,
    Line,
    Notes,
    Photos,
    Position,
    Problem,
    Role,
    ShortText,
    SurveyStatus,
    SyncStatus,
    TenantId,
    Texts,
    surveyor,
)

MOST_PEOPLE: Final = 19
People = Annotated[list[Id], Field(max_length=MOST_PEOPLE)]
Phrases = Annotated[list[Id], Field(max_length=50)]
LAST_EDIT: Final = 2**53 - 1
"""The highest number that every device can count to."""
UNSYNCED = is_in(attr("sync_status"), ["pending", "failed"])


class Survey(Entity, table=surveyor, type="SurveyMeta", version=True, soft_delete=IN_FEED):
    """What a survey is about, without its parts."""

    keys = Keys(
        SURVEY_PARTITION,
        "SURVEY#{survey_id}",
        GSI1=("TENANT#{tenant_id}#SURVEYS", "SURVEY#{survey_id}"),
        GSI2=("SURVEYS#{everywhere}", "TENANT#{tenant_id}#SURVEY#{survey_id}"),
        GSI3=sparse("TENANT#{tenant_id}#STATUS#{sync_status}", "{updated_at}#SURVEY#{survey_id}", when=UNSYNCED),
        GSI4=("TENANT#{tenant_id}#CHANGES", "{updated_at}#SURVEY#{survey_id}"),
        GSI5=("TENANT#{tenant_id}#USER#{owner}", "SURVEY#{survey_id}"),
        derive={"everywhere": Shard("tenant_id", "survey_id", of=4)},
    )
    tenant_id: TenantId
    survey_id: Id
    title: Line = Field(min_length=1, max_length=200)
    address: Line = Field(default="", max_length=500)
    client_name: Line = Field(default="", max_length=100)
    survey_date: date | datetime | None = None
    status: SurveyStatus = "draft"
    owner: Id
    editors: People = Field(default_factory=list)
    viewers: People = Field(default_factory=list)
    current_config: datetime | None = None
    section_count: int = Field(default=0, ge=0)
    completed_sections: int = Field(default=0, ge=0)
    last_mutation_id: int = Field(default=0, ge=0, le=LAST_EDIT)
    sync_status: SyncStatus = "pending"
    sync_error: Problem | None = None


class SurveySection(Entity, table=surveyor, version=True, soft_delete=IN_FEED):
    """A part of a survey: a roof, a wall."""

    keys = Keys(
        SURVEY_PARTITION,
        "SURVEY#{survey_id}#SECTION#{section_id}",
        GSI2=("TENANT#{tenant_id}#SURVEY#{survey_id}", "SECTION#{position:6}#{section_id}"),
        GSI3=sparse(
            "TENANT#{tenant_id}#STATUS#{sync_status}", "{updated_at}#SECTION#{survey_id}#{section_id}", when=UNSYNCED
        ),
        GSI4=("TENANT#{tenant_id}#CHANGES", "{updated_at}#SECTION#{survey_id}#{section_id}"),
    )
    tenant_id: TenantId
    survey_id: Id
    section_id: Id
    name: Line = Field(min_length=1, max_length=100)
    position: Position
    notes: Notes = ""
    condition: Condition = "N/A"
    photos: Photos = Field(default_factory=list)
    completed_at: datetime | None = None
    completed_by: Id | None = None
    sync_status: SyncStatus = "pending"
    sync_error: Problem | None = None


class SurveyElement(Entity, table=surveyor, version=True, soft_delete=IN_FEED):
    """A part of a section: tiles, gutters."""

    keys = Keys(
        SURVEY_PARTITION,
        "SURVEY#{survey_id}#SECTION#{section_id}#ELEMENT#{element_id}",
        GSI2=("TENANT#{tenant_id}#SURVEY#{survey_id}#SECTION#{section_id}", "ELEMENT#{position:6}#{element_id}"),
        GSI3=sparse(
            "TENANT#{tenant_id}#STATUS#{sync_status}",
            "{updated_at}#ELEMENT#{survey_id}#{section_id}#{element_id}",
            when=UNSYNCED,
        ),
        GSI4=("TENANT#{tenant_id}#CHANGES", "{updated_at}#ELEMENT#{survey_id}#{section_id}#{element_id}"),
    )
    tenant_id: TenantId
    survey_id: Id
    section_id: Id
    element_id: Id
    name: ShortText
    position: Position
    condition: Condition = "N/A"
    defects: Phrases = Field(default_factory=list)
    notes: Notes = ""
    photos: Photos = Field(default_factory=list)
    measurements: Texts = Field(default={})
    materials: list[ShortText] = Field(default=[], max_length=50)
    sync_status: SyncStatus = "pending"
    sync_error: Problem | None = None


class SurveyComponent(Entity, table=surveyor, version=True, soft_delete=IN_FEED):
    """A part of an element: a single tile, a bracket."""

    keys = Keys(
        SURVEY_PARTITION,
        "SURVEY#{survey_id}#SECTION#{section_id}#ELEMENT#{element_id}#COMPONENT#{component_id}",
        GSI2=(
            "TENANT#{tenant_id}#SURVEY#{survey_id}#SECTION#{section_id}#ELEMENT#{element_id}",
            "COMPONENT#{position:6}#{component_id}",
        ),
        GSI3=sparse(
            "TENANT#{tenant_id}#STATUS#{sync_status}",
            "{updated_at}#COMPONENT#{survey_id}#{section_id}#{element_id}#{component_id}",
            when=UNSYNCED,
        ),
        GSI4=(
            "TENANT#{tenant_id}#CHANGES",
            "{updated_at}#COMPONENT#{survey_id}#{section_id}#{element_id}#{component_id}",
        ),
    )
    tenant_id: TenantId
    survey_id: Id
    section_id: Id
    element_id: Id
    component_id: Id
    name: ShortText
    position: Position = 0
    material: ShortText = ""
    condition: Condition = "N/A"
    age: ShortText | None = None
    last_maintenance: ShortText | None = None
    defects: Phrases = Field(default_factory=list)
    notes: Notes = ""
    photos: Photos = Field(default_factory=list)
    specifications: Texts = Field(default={})
    sync_status: SyncStatus = "pending"
    sync_error: Problem | None = None


class Access(Entity, table=surveyor):
    """That somebody may see a survey, and as what: one for the owner, each editor and each viewer."""

    keys = Keys(
        "TENANT#{tenant_id}#USER#{user_id}",
        "SURVEY#{survey_id}",
        GSI2=("TENANT#{tenant_id}#SURVEY#{survey_id}", "ACCESS#{user_id}"),
    )
    tenant_id: TenantId
    user_id: Id
    survey_id: Id
    role: Role


class ElementNode(Node[SurveyElement]):
    """An element with its components."""

    components: list[SurveyComponent] = children(order_by=["position", "component_id"])


class SectionNode(Node[SurveySection]):
    """A section with its elements."""

    elements: list[ElementNode] = children(order_by=["position", "element_id"])


class SurveyTree(Aggregate[Survey]):
    """A whole survey, read with one query; it keeps count of its sections."""

    sections: list[SectionNode] = children(
        order_by=["position", "section_id"],
        count="section_count",
        count_if={"completed_sections": lambda section: section.completed_at is not None},
    )


class Outline(BaseModel):
    """What lists of surveys show."""

    survey_id: str
    title: str
    status: SurveyStatus
    section_count: int
    completed_sections: int
