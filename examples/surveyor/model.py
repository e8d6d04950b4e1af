"""The surveyor's model, brought together: relationships, and what is expected of it in use.

The table is in base.py, entities are in surveys.py, library.py and others.py, access patterns in patterns.py, changes in
changes.py.
"""

from tablewright import Relationship

from . import changes
from .base import SURVEYS_ARE_WITH, surveyor
from .library import Component, Config, ConfigPhrases, ConfigSection, Element, Phrase, PhraseUse, Section
from .others import Document, DocumentVersion, Image, SyncItem, TempData, Tenant
from .patterns import (
    access,
    changed_since,
    components_of,
    configs_of,
    document,
    elements_of,
    everything_of,
    images_of,
    library_components,
    library_elements,
    library_of,
    library_sections,
    people_of,
    phrases,
    phrases_for_component,
    phrases_for_element,
    sections_of,
    snapshot,
    survey,
    surveys_from,
    surveys_of_tenant,
    surveys_owned_by,
    surveys_seen_by,
    sync_log,
    sync_queue,
    temp_data,
    tenant,
    versions_of,
    whole_survey,
)
from .surveys import Access, Survey, SurveyComponent, SurveyElement, SurveySection, SurveyTree

__all__ = ["changes", "surveyor"]

surveyor.relate(
    Relationship(
        Tenant,
        Survey,
        "1:N",
        "item collection" if SURVEYS_ARE_WITH == "tenant" else "normalised",
        reason="everything of a tenant is read together, unless surveys have partitions of their own",
    ),
    Relationship(Tenant, Section, "1:N", "item collection", reason="the tenant's library"),
    Relationship(Tenant, Image, "1:N", "item collection"),
    Relationship(
        Survey, SurveySection, "1:N", "item collection", reason="a survey is read as a whole, changed by part"
    ),
    Relationship(SurveySection, SurveyElement, "1:N", "item collection"),
    Relationship(SurveyElement, SurveyComponent, "1:N", "item collection"),
    Relationship(Survey, Config, "1:N", "item collection", reason="apart from the survey's range of keys"),
    Relationship(Config, ConfigSection, "1:N", "item collection", reason="a library can outgrow an item"),
    Relationship(Config, ConfigPhrases, "1:N", "item collection"),
    Relationship(Document, DocumentVersion, "1:N", "item collection"),
    Relationship(
        Phrase,
        Element,
        "M:N",
        "normalised",
        reason="uses are written with the phrase and read by what they are for; phrases are then got by key",
    ),
)


surveyor.expect(Tenant, items=200, size=200, max_size=500, writes=0.01)
surveyor.expect(
    Survey,
    items=20_000,
    size=900,
    max_size=4_000,
    writes=2,
    per={"tenant_id": 2_000, ("tenant_id", "owner"): 500, ("survey_id", "tenant_id"): 1},
)
surveyor.expect(
    SurveySection,
    items=300_000,
    size=1_200,
    max_size=25_000,
    writes=10,
    per={"tenant_id": 30_000, ("tenant_id", "survey_id"): 30},
)
surveyor.expect(
    SurveyElement,
    items=2_000_000,
    size=1_000,
    max_size=40_000,
    writes=20,
    per={"tenant_id": 200_000, ("tenant_id", "survey_id"): 200, ("tenant_id", "survey_id", "section_id"): 30},
)
surveyor.expect(
    SurveyComponent,
    items=4_000_000,
    size=800,
    max_size=40_000,
    writes=20,
    per={
        "tenant_id": 400_000,
        ("tenant_id", "survey_id"): 400,
        ("tenant_id", "survey_id", "section_id", "element_id"): 20,
    },
)
surveyor.expect(
    Access,
    items=60_000,
    size=200,
    max_size=300,
    writes=1,
    per={("tenant_id", "user_id"): 1_000, ("tenant_id", "survey_id"): 40},
)
surveyor.expect(Section, items=6_000, size=500, max_size=5_000, writes=0.1, per={"tenant_id": 50})
surveyor.expect(
    Element,
    items=40_000,
    size=500,
    max_size=3_000,
    writes=0.1,
    per={"tenant_id": 300, ("tenant_id", "section_id"): 30},
)
surveyor.expect(
    Component,
    items=80_000,
    size=400,
    max_size=3_000,
    writes=0.1,
    per={"tenant_id": 600, ("tenant_id", "element_id"): 20},
)
surveyor.expect(
    Phrase, items=100_000, size=600, max_size=10_000, writes=0.1, per={"tenant_id": 1_000, ("tenant_id", "kind"): 600}
)
surveyor.expect(
    PhraseUse,
    items=400_000,
    size=250,
    max_size=350,
    writes=0.5,
    per={"tenant_id": 4_000, ("tenant_id", "subject", "subject_id"): 50},
)
surveyor.expect(
    Config,
    items=40_000,
    size=200,
    max_size=300,
    writes=0.1,
    per={"tenant_id": 4_000, ("tenant_id", "survey_id"): 10},
)
surveyor.expect(
    ConfigSection,
    items=1_200_000,
    size=2_000,
    max_size=50_000,
    writes=3,
    per={"tenant_id": 120_000, ("survey_id", "taken_at", "tenant_id"): 50},
)
surveyor.expect(
    ConfigPhrases,
    items=80_000,
    size=30_000,
    max_size=200_000,
    writes=0.2,
    per={"tenant_id": 8_000, ("survey_id", "taken_at", "tenant_id"): 2},
)
surveyor.expect(Image, items=1_000_000, size=300, max_size=1_200, writes=5, per={"tenant_id": 100_000})
surveyor.expect(Document, items=50_000, size=300, max_size=900, writes=1, per={("document_id", "tenant_id"): 1})
surveyor.expect(
    DocumentVersion, items=200_000, size=300, max_size=900, writes=1, per={("document_id", "tenant_id"): 100}
)
surveyor.expect(SyncItem, items=100_000, size=300, max_size=1_300, writes=1, per={"tenant_id": 5_000})
surveyor.expect(TempData, items=1_000, size=2_000, max_size=100_000, writes=1, per={"tenant_id": 50})
surveyor.expect(Survey.tenant_id, distinct=200, hottest=0.05)
surveyor.expect(tenant, rate=5, results=1, latency_ms=20, source="login")
surveyor.expect(everything_of, rate=0.001, results=10_000, source="export of a tenant")
surveyor.expect(survey, rate=20, results=1, latency_ms=20, source="head of a survey")
surveyor.expect(whole_survey, rate=5, results=300, latency_ms=200, source="report, start of offline work")
surveyor.expect(surveys_of_tenant, rate=5, results=25, latency_ms=50, source="list of surveys")
surveyor.expect(surveys_from, rate=0.01, results=100, latency_ms=1_000, source="operator")
surveyor.expect(surveys_owned_by, rate=5, results=20, latency_ms=50, source="my surveys")
surveyor.expect(surveys_seen_by, rate=5, results=20, latency_ms=50, source="surveys that are shared with me")
surveyor.expect(access, rate=50, results=1, latency_ms=20, source="every request")
surveyor.expect(people_of, rate=1, results=5, latency_ms=50, source="sharing a survey")
surveyor.expect(sections_of, rate=10, results=15, latency_ms=50, source="a survey's page")
surveyor.expect(elements_of, rate=10, results=10, latency_ms=50, source="a section's page")
surveyor.expect(components_of, rate=10, results=5, latency_ms=50, source="an element's page")
surveyor.expect(library_of, rate=1, results=500, latency_ms=300, source="library, new survey")
surveyor.expect(library_sections, rate=1, results=30, latency_ms=50, source="library")
surveyor.expect(library_elements, rate=1, results=10, latency_ms=50, source="library, one section")
surveyor.expect(library_components, rate=1, results=5, latency_ms=50, source="library, one element")
surveyor.expect(phrases, rate=2, results=300, latency_ms=200, source="library, start of offline work")
surveyor.expect(phrases_for_element, rate=5, results=10, latency_ms=50, source="choice of a phrase")
surveyor.expect(phrases_for_component, rate=5, results=10, latency_ms=50, source="choice of a phrase")
surveyor.expect(configs_of, rate=0.5, results=3, latency_ms=50, source="history of a survey")
surveyor.expect(snapshot, rate=2, results=40, latency_ms=200, source="start of a survey")
surveyor.expect(images_of, rate=1, results=100, latency_ms=100, source="gallery")
surveyor.expect(document, rate=2, results=1, latency_ms=20, source="documents")
surveyor.expect(versions_of, rate=0.5, results=5, latency_ms=50, source="history of a document")
surveyor.expect(sync_queue, rate=2, results=20, latency_ms=100, source="worker")
surveyor.expect(changed_since, rate=5, results=20, latency_ms=100, source="devices that come back")
surveyor.expect(sync_log, rate=0.1, results=50, latency_ms=200, source="operator")
surveyor.expect(temp_data, rate=1, results=1, latency_ms=20, source="worker")

surveyor.waive(
    "TW701",
    (Survey, "GSI2"),
    reason="GSI2 is the operator's list of all tenants; roles of tenants may not read it there",
)
surveyor.waive("TW604", SurveyTree, reason="changed by part; a whole survey is first saved in parts, with atomic=False")
surveyor.waive("TW606", Phrase, reason="PhraseUse items, which are written with the phrase, lead the other way")
