"""What is asked of the surveyor's table."""

from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from tablewright import (
    Collection,
    Get,
    Mixed,
    Query,
    collect,
    get,
    many,
    one,
    query,
    updated,
)

from .base import SURVEYS_ARE_WITH, PhraseKind, Unsynced, surveyor
from .library import (
    Component,
    Config,
    ConfigPhrases,
    ConfigSection,
    Element,
    Phrase,
    PhraseUse,
    Section,
)
from .others import Document, DocumentVersion, Image, SyncItem, TempData, Tenant
from .surveys import Access, Outline, Survey, SurveyComponent, SurveyElement, SurveySection

Parts: TypeAlias = Survey | SurveySection | SurveyElement | SurveyComponent
Synced: TypeAlias = Parts | Section | Element | Component | Phrase

# ------------------------------------------------------------------------------------------------------------ tenants


@surveyor.pattern
def tenant(tenant_id: str) -> Get[Tenant]:
    "A tenant."
    return get(Tenant, Tenant.tenant_id == tenant_id)


@surveyor.pattern
def everything_of(
    tenant_id: str,
) -> Mixed[
    Component
    | Element
    | Image
    | Tenant
    | Phrase
    | PhraseUse
    | Section
    | Parts
    | Config
    | ConfigSection
    | ConfigPhrases
    | SyncItem
    | TempData
]:
    "All that lies in a tenant's partition, in key order."
    found = (
        query(Component, Component.tenant_id == tenant_id)
        | query(Element, Element.tenant_id == tenant_id)
        | query(Image, Image.tenant_id == tenant_id)
        | query(Tenant, Tenant.tenant_id == tenant_id)
        | query(Phrase, Phrase.tenant_id == tenant_id)
        | query(PhraseUse, PhraseUse.tenant_id == tenant_id)
        | query(Section, Section.tenant_id == tenant_id)
        | query(SyncItem, SyncItem.tenant_id == tenant_id)
        | query(TempData, TempData.tenant_id == tenant_id)
    )
    if SURVEYS_ARE_WITH == "survey":
        return found
    return (
        found
        | query(Config, Config.tenant_id == tenant_id)
        | query(ConfigSection, ConfigSection.tenant_id == tenant_id)
        | query(ConfigPhrases, ConfigPhrases.tenant_id == tenant_id)
        | query(Survey, Survey.tenant_id == tenant_id)
        | query(SurveySection, SurveySection.tenant_id == tenant_id)
        | query(SurveyElement, SurveyElement.tenant_id == tenant_id)
        | query(SurveyComponent, SurveyComponent.tenant_id == tenant_id)
    )


# ------------------------------------------------------------------------------------------------------------ surveys


@surveyor.pattern
def survey(tenant_id: str, survey_id: str) -> Get[Survey]:
    "What a survey is about."
    return get(Survey, Survey.tenant_id == tenant_id, Survey.survey_id == survey_id)


@surveyor.pattern
def whole_survey(tenant_id: str, survey_id: str) -> Mixed[Parts]:
    "A survey with all its parts, in one range of keys; SurveyTree makes a tree of them."
    return (
        query(Survey, Survey.tenant_id == tenant_id, Survey.survey_id == survey_id)
        | query(SurveySection, SurveySection.tenant_id == tenant_id, SurveySection.survey_id == survey_id)
        | query(SurveyElement, SurveyElement.tenant_id == tenant_id, SurveyElement.survey_id == survey_id)
        | query(SurveyComponent, SurveyComponent.tenant_id == tenant_id, SurveyComponent.survey_id == survey_id)
    )


@surveyor.pattern
def surveys_of_tenant(tenant_id: str) -> Query[Outline]:
    "The surveys of a tenant, without their parts."
    return query(Survey, Survey.tenant_id == tenant_id).only(Outline).per_page(25)


@surveyor.pattern
def surveys_from(first_tenant: str) -> Query[Survey]:
    "Surveys of all tenants from one on, by tenant, for the operator."
    return query(Survey, Survey.tenant_id >= first_tenant).via("GSI2").per_page(100)


@surveyor.pattern
def surveys_owned_by(tenant_id: str, owner: str) -> Query[Survey]:
    "The surveys that belong to somebody."
    return query(Survey, Survey.tenant_id == tenant_id, Survey.owner == owner)


@surveyor.pattern
def surveys_seen_by(tenant_id: str, user_id: str) -> Query[Access]:
    "The surveys that somebody may see, and as what."
    return query(Access, Access.tenant_id == tenant_id, Access.user_id == user_id)


@surveyor.pattern
def access(tenant_id: str, user_id: str, survey_id: str) -> Get[Access]:
    "What somebody may do with a survey."
    return get(Access, Access.tenant_id == tenant_id, Access.user_id == user_id, Access.survey_id == survey_id)


@surveyor.pattern
def people_of(tenant_id: str, survey_id: str) -> Query[Access]:
    "Who may see a survey."
    return query(Access, Access.tenant_id == tenant_id, Access.survey_id == survey_id)


@surveyor.pattern
def sections_of(tenant_id: str, survey_id: str) -> Query[SurveySection]:
    "The sections of a survey, in their order."
    return query(SurveySection, SurveySection.tenant_id == tenant_id, SurveySection.survey_id == survey_id).via("GSI2")


@surveyor.pattern
def elements_of(tenant_id: str, survey_id: str, section_id: str) -> Query[SurveyElement]:
    "The elements of a section, in their order."
    return query(
        SurveyElement,
        SurveyElement.tenant_id == tenant_id,
        SurveyElement.survey_id == survey_id,
        SurveyElement.section_id == section_id,
    ).via("GSI2")


@surveyor.pattern
def components_of(tenant_id: str, survey_id: str, section_id: str, element_id: str) -> Query[SurveyComponent]:
    "The components of an element, in their order."
    return query(
        SurveyComponent,
        SurveyComponent.tenant_id == tenant_id,
        SurveyComponent.survey_id == survey_id,
        SurveyComponent.section_id == section_id,
        SurveyComponent.element_id == element_id,
    ).via("GSI2")


def below_survey(tenant_id: str, survey_id: str) -> Mixed[SurveySection | SurveyElement | SurveyComponent]:
    """The parts of a survey without the survey itself, in key order: each before those below it."""
    return (
        query(SurveySection, SurveySection.tenant_id == tenant_id, SurveySection.survey_id == survey_id)
        | query(SurveyElement, SurveyElement.tenant_id == tenant_id, SurveyElement.survey_id == survey_id)
        | query(SurveyComponent, SurveyComponent.tenant_id == tenant_id, SurveyComponent.survey_id == survey_id)
    )


def below_section(tenant_id: str, survey_id: str, section_id: str) -> Mixed[SurveyElement | SurveyComponent]:
    """The elements of a section and their components, in key order: each element before its components."""
    return query(
        SurveyElement,
        SurveyElement.tenant_id == tenant_id,
        SurveyElement.survey_id == survey_id,
        SurveyElement.section_id == section_id,
    ) | query(
        SurveyComponent,
        SurveyComponent.tenant_id == tenant_id,
        SurveyComponent.survey_id == survey_id,
        SurveyComponent.section_id == section_id,
    )


def below_element(tenant_id: str, survey_id: str, section_id: str, element_id: str) -> Query[SurveyComponent]:
    """The components of an element, in key order."""
    return query(
        SurveyComponent,
        SurveyComponent.tenant_id == tenant_id,
        SurveyComponent.survey_id == survey_id,
        SurveyComponent.section_id == section_id,
        SurveyComponent.element_id == element_id,
    )


# ------------------------------------------------------------------------------------------------ library, snapshots


@dataclass
class Library:
    """All that new surveys are made from, but for phrases."""

    sections: list[Section]
    elements: list[Element]
    components: list[Component]


@surveyor.pattern
def library_of(tenant_id: str) -> Collection[Library]:
    "The whole library, each kind in its order, in one request."
    return collect(
        Library,
        sections=many(query(Section, Section.tenant_id == tenant_id).via("GSI1")),
        elements=many(query(Element, Element.tenant_id == tenant_id).via("GSI1")),
        components=many(query(Component, Component.tenant_id == tenant_id).via("GSI1")),
    )


@surveyor.pattern
def library_sections(tenant_id: str) -> Query[Section]:
    "The sections of the library, in their order."
    return query(Section, Section.tenant_id == tenant_id).via("GSI1")


@surveyor.pattern
def library_elements(tenant_id: str, section_id: str) -> Query[Element]:
    "The library's elements for a section, in their order."
    return query(Element, Element.tenant_id == tenant_id, Element.section_id == section_id)


@surveyor.pattern
def library_components(tenant_id: str, element_id: str) -> Query[Component]:
    "The library's components for an element, in their order."
    return query(Component, Component.tenant_id == tenant_id, Component.element_id == element_id)


@surveyor.pattern
def phrases(tenant_id: str, kind: PhraseKind) -> Query[Phrase]:
    "The phrases of one kind."
    return query(Phrase, Phrase.tenant_id == tenant_id, Phrase.kind == kind)


@surveyor.pattern
def phrases_for_element(tenant_id: str, element_id: str, kind: PhraseKind | None = None) -> Query[PhraseUse]:
    "Which phrases are offered for an element of the library."
    found = query(
        PhraseUse,
        PhraseUse.tenant_id == tenant_id,
        PhraseUse.subject == "ELEMENT",
        PhraseUse.subject_id == element_id,
    )
    return found.when(kind, lambda k: PhraseUse.kind == k)


@surveyor.pattern
def phrases_for_component(tenant_id: str, component_id: str, kind: PhraseKind | None = None) -> Query[PhraseUse]:
    "Which phrases are offered for a component of the library."
    found = query(
        PhraseUse,
        PhraseUse.tenant_id == tenant_id,
        PhraseUse.subject == "COMPONENT",
        PhraseUse.subject_id == component_id,
    )
    return found.when(kind, lambda k: PhraseUse.kind == k)


@surveyor.pattern
def configs_of(tenant_id: str, survey_id: str) -> Query[Config]:
    "When snapshots were taken for a survey, newest first."
    return query(Config, Config.tenant_id == tenant_id, Config.survey_id == survey_id).via("GSI2").newest_first()


@dataclass
class Snapshot:
    """The library as it was."""

    config: Config | None
    phrases: list[ConfigPhrases]
    sections: list[ConfigSection]


@surveyor.pattern
def snapshot(tenant_id: str, survey_id: str, taken_at: datetime) -> Collection[Snapshot]:
    "One snapshot, in one request."
    return collect(
        Snapshot,
        config=one(
            query(Config, Config.tenant_id == tenant_id, Config.survey_id == survey_id, Config.taken_at == taken_at)
        ),
        phrases=many(
            query(
                ConfigPhrases,
                ConfigPhrases.tenant_id == tenant_id,
                ConfigPhrases.survey_id == survey_id,
                ConfigPhrases.taken_at == taken_at,
            )
        ),
        sections=many(
            query(
                ConfigSection,
                ConfigSection.tenant_id == tenant_id,
                ConfigSection.survey_id == survey_id,
                ConfigSection.taken_at == taken_at,
            )
        ),
    )


def snapshots_of(tenant_id: str, survey_id: str) -> Mixed[Config | ConfigPhrases | ConfigSection]:
    """All snapshots of a survey with their contents."""
    return (
        query(Config, Config.tenant_id == tenant_id, Config.survey_id == survey_id)
        | query(ConfigPhrases, ConfigPhrases.tenant_id == tenant_id, ConfigPhrases.survey_id == survey_id)
        | query(ConfigSection, ConfigSection.tenant_id == tenant_id, ConfigSection.survey_id == survey_id)
    )


# ------------------------------------------------------------------------------------------ images, documents, syncing


@surveyor.pattern
def images_of(tenant_id: str) -> Query[Image]:
    "The images of a tenant."
    return query(Image, Image.tenant_id == tenant_id).per_page(100)


@surveyor.pattern
def document(tenant_id: str, document_id: str) -> Get[Document]:
    "A document as it is now."
    return get(Document, Document.tenant_id == tenant_id, Document.document_id == document_id)


@surveyor.pattern
def versions_of(tenant_id: str, document_id: str) -> Query[DocumentVersion]:
    "What a document once was, newest first."
    return query(
        DocumentVersion, DocumentVersion.tenant_id == tenant_id, DocumentVersion.document_id == document_id
    ).newest_first()


@surveyor.pattern
def sync_queue(tenant_id: str, status: Unsynced) -> Mixed[Synced]:
    "What waits to be synchronised or failed, whatever it is, longest wait first."
    return (
        query(Survey, Survey.tenant_id == tenant_id, Survey.sync_status == status)
        | query(SurveySection, SurveySection.tenant_id == tenant_id, SurveySection.sync_status == status)
        | query(SurveyElement, SurveyElement.tenant_id == tenant_id, SurveyElement.sync_status == status)
        | query(SurveyComponent, SurveyComponent.tenant_id == tenant_id, SurveyComponent.sync_status == status)
        | query(Section, Section.tenant_id == tenant_id, Section.sync_status == status)
        | query(Element, Element.tenant_id == tenant_id, Element.sync_status == status)
        | query(Component, Component.tenant_id == tenant_id, Component.sync_status == status)
        | query(Phrase, Phrase.tenant_id == tenant_id, Phrase.sync_status == status)
    )


@surveyor.pattern
def changed_since(tenant_id: str, since: datetime) -> Mixed[Synced]:
    "What was written since a moment, whatever it is, in order of time."
    return (
        query(Survey, Survey.tenant_id == tenant_id, updated(Survey) >= since)
        | query(SurveySection, SurveySection.tenant_id == tenant_id, updated(SurveySection) >= since)
        | query(SurveyElement, SurveyElement.tenant_id == tenant_id, updated(SurveyElement) >= since)
        | query(SurveyComponent, SurveyComponent.tenant_id == tenant_id, updated(SurveyComponent) >= since)
        | query(Section, Section.tenant_id == tenant_id, updated(Section) >= since)
        | query(Element, Element.tenant_id == tenant_id, updated(Element) >= since)
        | query(Component, Component.tenant_id == tenant_id, updated(Component) >= since)
        | query(Phrase, Phrase.tenant_id == tenant_id, updated(Phrase) >= since)
    )


def changes_of(tenant_id: str) -> Mixed[Synced]:
    """The same for `db.changes(...)`, whose cursors miss neither ties nor deletions."""
    return (
        query(Survey, Survey.tenant_id == tenant_id)
        | query(SurveySection, SurveySection.tenant_id == tenant_id)
        | query(SurveyElement, SurveyElement.tenant_id == tenant_id)
        | query(SurveyComponent, SurveyComponent.tenant_id == tenant_id)
        | query(Section, Section.tenant_id == tenant_id)
        | query(Element, Element.tenant_id == tenant_id)
        | query(Component, Component.tenant_id == tenant_id)
        | query(Phrase, Phrase.tenant_id == tenant_id)
    )


@surveyor.pattern
def sync_log(tenant_id: str, since: datetime | None = None) -> Query[SyncItem]:
    "What synchronising told, newest first."
    found = query(SyncItem, SyncItem.tenant_id == tenant_id).when(since, lambda t: SyncItem.at >= t)
    return found.newest_first().per_page(50)


@surveyor.pattern
def temp_data(tenant_id: str, sync_id: str) -> Get[TempData]:
    "What a device left while it synchronises."
    return get(TempData, TempData.tenant_id == tenant_id, TempData.sync_id == sync_id)
