"""Surveys of buildings, for many tenants: surveys in parts, a library of parts and phrases, pictures, documents, sync."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pydantic import Field

from tablewright import Collection, Design, Entity, Get, Mixed, Query, collect, get, many, one, query

surveyor = Design("SurveyorData")

SyncStatus = Literal["synced", "pending", "failed"]
Order = Field(ge=0, le=999999)


class Tenant(Entity, table=surveyor, identity=["tenant_id"]):
    tenant_id: str
    name: str = ""


class Survey(Entity, table=surveyor, identity=["tenant_id", "survey_id"]):
    tenant_id: str
    survey_id: str
    title: str = ""
    owner: str
    sync_status: SyncStatus = "synced"
    changed_at: datetime


class SurveySection(Entity, table=surveyor, identity=["tenant_id", "survey_id", "section_id"]):
    tenant_id: str
    survey_id: str
    section_id: str
    order: int = Order
    sync_status: SyncStatus = "synced"
    changed_at: datetime


class SurveyElement(Entity, table=surveyor, identity=["tenant_id", "survey_id", "element_id"]):
    tenant_id: str
    survey_id: str
    element_id: str
    section_id: str
    order: int = Order
    sync_status: SyncStatus = "synced"
    changed_at: datetime


class SurveyComponent(Entity, table=surveyor, identity=["tenant_id", "survey_id", "component_id"]):
    tenant_id: str
    survey_id: str
    component_id: str
    element_id: str
    sync_status: SyncStatus = "synced"
    changed_at: datetime


class SurveyConfig(Entity, table=surveyor, identity=["tenant_id", "survey_id", "taken_at"]):
    """What the library was when the survey was made; it never changes."""

    tenant_id: str
    survey_id: str
    taken_at: datetime


class Section(Entity, table=surveyor, identity=["tenant_id", "section_id"]):
    tenant_id: str
    section_id: str
    changed_at: datetime


class Element(Entity, table=surveyor, identity=["tenant_id", "element_id"]):
    tenant_id: str
    element_id: str
    section_id: str
    changed_at: datetime


class Component(Entity, table=surveyor, identity=["tenant_id", "component_id"]):
    tenant_id: str
    component_id: str
    element_id: str
    changed_at: datetime


class Phrase(Entity, table=surveyor, identity=["tenant_id", "phrase_id"]):
    tenant_id: str
    phrase_id: str
    kind: Literal["Defect", "Condition"] = Field(frozen=True)
    changed_at: datetime


class PhraseUse(Entity, table=surveyor, identity=["tenant_id", "part_id", "phrase_id"]):
    """Which phrases go with an element or a component."""

    tenant_id: str
    part_id: str
    phrase_id: str


class Image(Entity, table=surveyor, identity=["tenant_id", "image_id"]):
    tenant_id: str
    image_id: str


class Document(Entity, table=surveyor, identity=["tenant_id", "document_id", "version"]):
    tenant_id: str
    document_id: str
    version: int = Field(ge=1, le=99999)


@dataclass
class WholeSurvey:
    survey: Survey | None
    sections: list[SurveySection]
    elements: list[SurveyElement]
    components: list[SurveyComponent]


@dataclass
class Library:
    sections: list[Section]
    elements: list[Element]
    components: list[Component]


@surveyor.pattern
def tenant(tenant_id: str) -> Get[Tenant]:
    return get(Tenant, Tenant.tenant_id == tenant_id)


@surveyor.pattern
def whole_survey(tenant_id: str, survey_id: str) -> Collection[WholeSurvey]:
    "A survey with all its parts, in one request."
    return collect(
        WholeSurvey,
        survey=one(query(Survey, Survey.tenant_id == tenant_id, Survey.survey_id == survey_id)),
        sections=many(query(SurveySection, SurveySection.tenant_id == tenant_id, SurveySection.survey_id == survey_id)),
        elements=many(query(SurveyElement, SurveyElement.tenant_id == tenant_id, SurveyElement.survey_id == survey_id)),
        components=many(
            query(SurveyComponent, SurveyComponent.tenant_id == tenant_id, SurveyComponent.survey_id == survey_id)
        ),
    )


@surveyor.pattern
def surveys_of(tenant_id: str) -> Query[Survey]:
    return query(Survey, Survey.tenant_id == tenant_id)


@surveyor.pattern
def all_surveys() -> Query[Survey]:
    "For administrators: the surveys of all tenants."
    return query(Survey)


@surveyor.pattern
def surveys_owned_by(owner: str, tenant_id: str) -> Query[Survey]:
    return query(Survey, Survey.owner == owner, Survey.tenant_id == tenant_id)


@surveyor.pattern
def config_history(tenant_id: str, survey_id: str) -> Query[SurveyConfig]:
    found = query(SurveyConfig, SurveyConfig.tenant_id == tenant_id, SurveyConfig.survey_id == survey_id)
    return found.sorted_by(SurveyConfig.taken_at).newest_first()


@surveyor.pattern
def sections_of(tenant_id: str, survey_id: str) -> Query[SurveySection]:
    found = query(SurveySection, SurveySection.tenant_id == tenant_id, SurveySection.survey_id == survey_id)
    return found.sorted_by(SurveySection.order)


@surveyor.pattern
def elements_of(tenant_id: str, survey_id: str, section_id: str) -> Query[SurveyElement]:
    found = query(
        SurveyElement,
        SurveyElement.tenant_id == tenant_id,
        SurveyElement.survey_id == survey_id,
        SurveyElement.section_id == section_id,
    )
    return found.sorted_by(SurveyElement.order)


@surveyor.pattern
def components_of(tenant_id: str, survey_id: str, element_id: str) -> Query[SurveyComponent]:
    return query(
        SurveyComponent,
        SurveyComponent.tenant_id == tenant_id,
        SurveyComponent.survey_id == survey_id,
        SurveyComponent.element_id == element_id,
    )


@surveyor.pattern
def sync_queue(tenant_id: str, status: SyncStatus) -> Mixed[Survey | SurveySection | SurveyElement | SurveyComponent]:
    "What waits to be synchronised, oldest first."
    return (
        query(Survey, Survey.tenant_id == tenant_id, Survey.sync_status == status).sorted_by(Survey.changed_at)
        | query(SurveySection, SurveySection.tenant_id == tenant_id, SurveySection.sync_status == status).sorted_by(
            SurveySection.changed_at
        )
        | query(SurveyElement, SurveyElement.tenant_id == tenant_id, SurveyElement.sync_status == status).sorted_by(
            SurveyElement.changed_at
        )
        | query(
            SurveyComponent, SurveyComponent.tenant_id == tenant_id, SurveyComponent.sync_status == status
        ).sorted_by(SurveyComponent.changed_at)
    )


@surveyor.pattern
def changed_since(
    tenant_id: str, since: datetime
) -> Mixed[Survey | SurveySection | SurveyElement | SurveyComponent | Section | Element | Component | Phrase]:
    "What changed since a time, oldest first."
    return (
        query(Survey, Survey.tenant_id == tenant_id, Survey.changed_at >= since)
        | query(SurveySection, SurveySection.tenant_id == tenant_id, SurveySection.changed_at >= since)
        | query(SurveyElement, SurveyElement.tenant_id == tenant_id, SurveyElement.changed_at >= since)
        | query(SurveyComponent, SurveyComponent.tenant_id == tenant_id, SurveyComponent.changed_at >= since)
        | query(Section, Section.tenant_id == tenant_id, Section.changed_at >= since)
        | query(Element, Element.tenant_id == tenant_id, Element.changed_at >= since)
        | query(Component, Component.tenant_id == tenant_id, Component.changed_at >= since)
        | query(Phrase, Phrase.tenant_id == tenant_id, Phrase.changed_at >= since)
    )


@surveyor.pattern
def everything_of(
    tenant_id: str,
) -> Mixed[
    Tenant
    | Survey
    | SurveySection
    | SurveyElement
    | SurveyComponent
    | SurveyConfig
    | Section
    | Element
    | Component
    | Phrase
    | PhraseUse
    | Image
    | Document
]:
    "All that a tenant has."
    return (
        query(Tenant, Tenant.tenant_id == tenant_id)
        | query(Survey, Survey.tenant_id == tenant_id)
        | query(SurveySection, SurveySection.tenant_id == tenant_id)
        | query(SurveyElement, SurveyElement.tenant_id == tenant_id)
        | query(SurveyComponent, SurveyComponent.tenant_id == tenant_id)
        | query(SurveyConfig, SurveyConfig.tenant_id == tenant_id)
        | query(Section, Section.tenant_id == tenant_id)
        | query(Element, Element.tenant_id == tenant_id)
        | query(Component, Component.tenant_id == tenant_id)
        | query(Phrase, Phrase.tenant_id == tenant_id)
        | query(PhraseUse, PhraseUse.tenant_id == tenant_id)
        | query(Image, Image.tenant_id == tenant_id)
        | query(Document, Document.tenant_id == tenant_id)
    )


@surveyor.pattern
def library(tenant_id: str) -> Collection[Library]:
    return collect(
        Library,
        sections=many(query(Section, Section.tenant_id == tenant_id)),
        elements=many(query(Element, Element.tenant_id == tenant_id)),
        components=many(query(Component, Component.tenant_id == tenant_id)),
    )


@surveyor.pattern
def phrases(tenant_id: str, kind: Literal["Defect", "Condition"]) -> Query[Phrase]:
    return query(Phrase, Phrase.tenant_id == tenant_id, Phrase.kind == kind)


@surveyor.pattern
def phrases_for(tenant_id: str, part_id: str) -> Query[PhraseUse]:
    return query(PhraseUse, PhraseUse.tenant_id == tenant_id, PhraseUse.part_id == part_id)


@surveyor.pattern
def images_of(tenant_id: str) -> Query[Image]:
    return query(Image, Image.tenant_id == tenant_id)


@surveyor.pattern
def versions_of(tenant_id: str, document_id: str) -> Query[Document]:
    found = query(Document, Document.tenant_id == tenant_id, Document.document_id == document_id)
    return found.sorted_by(Document.version).newest_first()
