"""Every access pattern of the surveyor finds what a plain search finds; trees, feed and queue follow what is written."""

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

import pytest

from examples.surveyor import changes
from examples.surveyor import patterns as p
from examples.surveyor.library import (
    Component,
    Config,
    ConfigComponent,
    ConfigElement,
    ConfigPhrase,
    ConfigPhrases,
    ConfigSection,
    Element,
    Phrase,
    PhraseUse,
    Section,
)
from examples.surveyor.model import surveyor
from examples.surveyor.others import Document, DocumentVersion, Image, SyncItem, TempData, Tenant
from examples.surveyor.surveys import (
    Access,
    ElementNode,
    SectionNode,
    Survey,
    SurveyComponent,
    SurveyElement,
    SurveySection,
    SurveyTree,
)
from examples.trial import NOON, Case, check, filled, hours, sent
from tablewright import Entity, Session, key

TENANTS = ("t", "t1")
SURVEYS = ("1", "10", "1-x")
"""Ids of which one begins another, the same in both tenants."""


def of_tenant(t: str) -> list[Entity]:
    made: list[Entity] = [Tenant(tenant_id=t, name=t)]
    for s in SURVEYS:
        made += [
            Survey(tenant_id=t, survey_id=s, title=f"Survey {s}", owner="ann" if s == "1" else "annie"),
            Access(tenant_id=t, user_id="ann", survey_id=s, role="owner" if s == "1" else "viewer"),
            Access(tenant_id=t, user_id="annie", survey_id=s, role="editor"),
            Config(tenant_id=t, survey_id=s, taken_at=hours(1), sections=1),
            Config(tenant_id=t, survey_id=s, taken_at=hours(2), sections=1),
            ConfigSection(
                tenant_id=t,
                survey_id=s,
                taken_at=hours(1),
                position=1,
                section_id="roof",
                name="Roof",
                elements=[
                    ConfigElement(
                        element_id="tiles",
                        name="Tiles",
                        position=1,
                        components=[ConfigComponent(component_id="tile", name="Tile")],
                    )
                ],
            ),
            ConfigPhrases(
                tenant_id=t,
                survey_id=s,
                taken_at=hours(1),
                kind="Defect",
                phrases=[ConfigPhrase(phrase_id="crack", name="Crack", text="A crack.")],
            ),
        ]
        for position, section in ((10, "roof"), (2, "walls")):
            made.append(SurveySection(tenant_id=t, survey_id=s, section_id=section, name=section, position=position))
            for place, element in ((10, "left"), (9, "right")):  # the same ids in both sections
                parent: dict[str, Any] = {"tenant_id": t, "survey_id": s, "section_id": section, "element_id": element}
                made += [
                    SurveyElement(**parent, name=element, position=place, sync_status="synced"),
                    SurveyComponent(**parent, component_id="bolt", name="Bolt", sync_status="failed"),
                ]
    made += [Section(tenant_id=t, section_id=s, name=s, position=n) for s, n in (("roof", 10), ("walls", 9))]
    made += [
        Element(tenant_id=t, element_id=e, section_id=s, name=e, position=n)
        for e, s, n in (("left", "roof", 10), ("right", "roof", 9), ("up", "roof2", 1))
    ]
    made += [Component(tenant_id=t, component_id=c, element_id="left", name=c) for c in ("bolt", "bolt2")]
    for kind, phrase in (("Defect", "crack"), ("Condition", "dry"), ("Defect", "moss")):
        values: dict[str, Any] = {"tenant_id": t, "kind": kind, "phrase_id": phrase}
        made += [
            Phrase(**values, name=phrase, text=phrase),
            PhraseUse(**values, subject="ELEMENT", subject_id="left"),
            PhraseUse(**values, subject="ELEMENT", subject_id="left2"),
            PhraseUse(**values, subject="COMPONENT", subject_id="bolt"),
        ]
    made += [Image(tenant_id=t, image_id=i, image_path=i) for i in "ab"]
    for d in ("d", "d1"):
        made.append(Document(tenant_id=t, document_id=d, number=10, title=d, path=d))
        made += [DocumentVersion(tenant_id=t, document_id=d, number=n, title=d, path=d) for n in (2, 9, 10)]
    made += [SyncItem(tenant_id=t, at=hours(n), entity_id=f"e{n}", ttl=hours(9_000)) for n in range(3)]
    return [*made, TempData(tenant_id=t, sync_id="s", data={"a": "b"}, ttl=hours(9_000))]


ITEMS = [item for t in TENANTS for item in of_tenant(t)]
PARTS = (Survey, SurveySection, SurveyElement, SurveyComponent)
SYNCED = (*PARTS, Section, Element, Component, Phrase)
IN_PARTITION = (*SYNCED, Tenant, Image, PhraseUse, Config, ConfigSection, ConfigPhrases, SyncItem, TempData)


def mine(e: Survey) -> bool:
    return (e.tenant_id, e.survey_id) == ("t", "1")


CASES = [
    Case(p.tenant, ("t",), Tenant, lambda e: e.tenant_id == "t"),
    Case(p.everything_of, ("t",), IN_PARTITION, lambda e: e.tenant_id == "t"),
    Case(p.survey, ("t", "1"), Survey, mine),
    Case(p.whole_survey, ("t", "1"), PARTS, mine),
    Case(p.surveys_of_tenant, ("t",), Survey, lambda e: e.tenant_id == "t", lambda e: e.survey_id),
    Case(p.surveys_from, ("t",), Survey, lambda _: True, lambda e: (e.tenant_id, e.survey_id), requests=4),
    Case(p.surveys_from, ("t1",), Survey, lambda e: e.tenant_id == "t1", lambda e: e.survey_id, requests=4),
    Case(
        p.surveys_owned_by,
        ("t", "annie"),
        Survey,
        lambda e: (e.tenant_id, e.owner) == ("t", "annie"),
        lambda e: e.survey_id,
    ),
    Case(
        p.surveys_seen_by,
        ("t", "ann"),
        Access,
        lambda e: (e.tenant_id, e.user_id) == ("t", "ann"),
        lambda e: e.survey_id,
    ),
    Case(p.access, ("t", "ann", "1"), Access, lambda e: mine(e) and e.user_id == "ann"),
    Case(p.people_of, ("t", "1"), Access, mine, lambda e: e.user_id),
    Case(p.sections_of, ("t", "1"), SurveySection, mine, lambda e: e.position),
    Case(
        p.elements_of,
        ("t", "1", "roof"),
        SurveyElement,
        lambda e: mine(e) and e.section_id == "roof",
        lambda e: e.position,
    ),
    Case(
        p.components_of,
        ("t", "1", "roof", "left"),
        SurveyComponent,
        lambda e: mine(e) and (e.section_id, e.element_id) == ("roof", "left"),
        lambda e: e.position,
    ),
    Case(p.library_of, ("t",), (Section, Element, Component), lambda e: e.tenant_id == "t"),
    Case(p.library_sections, ("t",), Section, lambda e: e.tenant_id == "t", lambda e: e.position),
    Case(
        p.library_elements,
        ("t", "roof"),
        Element,
        lambda e: (e.tenant_id, e.section_id) == ("t", "roof"),
        lambda e: e.position,
    ),
    Case(
        p.library_components,
        ("t", "left"),
        Component,
        lambda e: (e.tenant_id, e.element_id) == ("t", "left"),
        lambda e: e.component_id,
    ),
    Case(
        p.phrases,
        ("t", "Defect"),
        Phrase,
        lambda e: (e.tenant_id, e.kind) == ("t", "Defect"),
        lambda e: e.phrase_id,
    ),
    Case(
        p.phrases_for_element,
        ("t", "left"),
        PhraseUse,
        lambda e: (e.tenant_id, e.subject, e.subject_id) == ("t", "ELEMENT", "left"),
        lambda e: (e.kind, e.phrase_id),
    ),
    Case(
        p.phrases_for_element,
        ("t", "left", "Defect"),
        PhraseUse,
        lambda e: (e.tenant_id, e.subject, e.subject_id, e.kind) == ("t", "ELEMENT", "left", "Defect"),
        lambda e: e.phrase_id,
    ),
    Case(
        p.phrases_for_component,
        ("t", "bolt"),
        PhraseUse,
        lambda e: (e.tenant_id, e.subject, e.subject_id) == ("t", "COMPONENT", "bolt"),
        lambda e: (e.kind, e.phrase_id),
    ),
    Case(p.configs_of, ("t", "1"), Config, mine, lambda e: e.taken_at, True),
    Case(
        p.snapshot,
        ("t", "1", hours(1)),
        (Config, ConfigSection, ConfigPhrases),
        lambda e: mine(e) and e.taken_at == hours(1),
    ),
    Case(p.images_of, ("t",), Image, lambda e: e.tenant_id == "t", lambda e: e.image_id),
    Case(p.document, ("t", "d"), Document, lambda e: (e.tenant_id, e.document_id) == ("t", "d")),
    Case(
        p.versions_of,
        ("t", "d"),
        DocumentVersion,
        lambda e: (e.tenant_id, e.document_id) == ("t", "d"),
        lambda e: e.number,
        True,
    ),
    Case(
        p.sync_queue,
        ("t", "failed"),
        SYNCED,
        lambda e: (e.tenant_id, e.sync_status) == ("t", "failed"),
        ITEMS.index,
    ),
    Case(
        p.sync_queue,
        ("t", "pending"),
        SYNCED,
        lambda e: (e.tenant_id, e.sync_status) == ("t", "pending"),
        ITEMS.index,
    ),
    Case(
        p.changed_since,
        ("t", NOON + timedelta(seconds=40)),
        SYNCED,
        lambda e: e.tenant_id == "t" and ITEMS.index(e) >= 40,
        ITEMS.index,
    ),
    Case(p.sync_log, ("t",), SyncItem, lambda e: e.tenant_id == "t", lambda e: e.at, True),
    Case(
        p.sync_log,
        ("t", hours(1)),
        SyncItem,
        lambda e: e.tenant_id == "t" and e.at >= hours(1),
        lambda e: e.at,
        True,
    ),
    Case(p.temp_data, ("t", "s"), TempData, lambda e: (e.tenant_id, e.sync_id) == ("t", "s")),
]


SERVED_BY: dict[str, tuple[str, str | None]] = {
    "tenant": ("GetItem", None),
    "everything_of": ("Query", None),
    "survey": ("GetItem", None),
    "whole_survey": ("Query", None),
    "surveys_of_tenant": ("Query", "GSI1"),
    "surveys_from": ("Query", "GSI2"),
    "surveys_owned_by": ("Query", "GSI5"),
    "surveys_seen_by": ("Query", None),
    "access": ("GetItem", None),
    "people_of": ("Query", "GSI2"),
    "sections_of": ("Query", "GSI2"),
    "elements_of": ("Query", "GSI2"),
    "components_of": ("Query", "GSI2"),
    "library_of": ("Query", "GSI1"),
    "library_sections": ("Query", "GSI1"),
    "library_elements": ("Query", "GSI2"),
    "library_components": ("Query", "GSI2"),
    "phrases": ("Query", None),
    "phrases_for_element": ("Query", None),
    "phrases_for_component": ("Query", None),
    "configs_of": ("Query", "GSI2"),
    "snapshot": ("Query", None),
    "images_of": ("Query", None),
    "document": ("GetItem", None),
    "versions_of": ("Query", None),
    "sync_queue": ("Query", "GSI3"),
    "changed_since": ("Query", "GSI4"),
    "sync_log": ("Query", None),
    "temp_data": ("GetItem", None),
}
"""The operation of each pattern and the index that it reads; None is the table."""
UNITS: dict[tuple[str, Any], float] = {
    ("everything_of", "t"): 3.5,
    ("whole_survey", "1"): 1,
    ("sync_queue", "failed"): 1,
    ("sync_queue", "pending"): 1.5,
    ("changed_since", NOON + timedelta(seconds=40)): 1.5,
}
"""What takes more than half a unit, as it finds more than 4 KB."""


@pytest.fixture(scope="module")
def stocked() -> Iterator[Session]:
    with filled(surveyor, ITEMS) as opened:
        yield opened


@pytest.fixture
def db() -> Iterator[Session]:
    with filled(surveyor, of_tenant("t")) as opened:
        yield opened


@pytest.mark.parametrize(
    "case", CASES, ids=lambda case: f"{case}-{case.arguments[-1]!s:.7}" if case.arguments else str(case)
)
def test_a_pattern_finds_what_a_plain_search_finds(stocked: Session, case: Case) -> None:
    check(stocked, case, ITEMS)


@pytest.mark.parametrize(
    "case", CASES, ids=lambda case: f"{case}-{case.arguments[-1]!s:.7}" if case.arguments else str(case)
)
def test_a_pattern_is_served_by_its_key_and_reads_no_more_than_it_finds(stocked: Session, case: Case) -> None:
    """A request takes half a unit for each 4 KB that it reads; most of these find less."""
    operation, index = SERVED_BY[case.pattern.name]
    units = UNITS.get((case.pattern.name, case.arguments[-1]), 0.5)
    assert sent(stocked, case) == [(operation, index, units)] * case.requests


def test_every_pattern_is_tried() -> None:
    assert {case.pattern.name for case in CASES} == set(surveyor.patterns)


def test_a_survey_is_a_tree_in_its_order(db: Session) -> None:
    with db.measure() as meter:
        tree = db.load_tree(SurveyTree, key(Survey, tenant_id="t", survey_id="1"))
    assert len(meter.requests) == 1
    assert [node.entity.section_id for node in tree.sections] == ["walls", "roof"]
    assert [node.entity.element_id for node in tree.sections[1].elements] == ["right", "left"]
    assert not tree.orphans


def test_control_characters_are_dropped_and_lines_stay(db: Session) -> None:
    kept = db.update(p.survey("t", "1"), set={"title": "12\x00 Elm\x7f Street\n"})
    assert kept.title == "12 Elm Street"
    roof = key(SurveySection, tenant_id="t", survey_id="1", section_id="roof")
    assert db.update(roof, set={"notes": "one\n\ttwo\x07"}).notes == "one\n\ttwo"


def test_saving_a_tree_counts_sections(db: Session) -> None:
    made = Survey(tenant_id="t", survey_id="new", title="New", owner="ann", survey_date=date(2026, 5, 1))
    roof = SurveySection(tenant_id="t", survey_id="new", section_id="roof", name="Roof", position=1, completed_at=NOON)
    tiles = SurveyElement(
        tenant_id="t", survey_id="new", section_id="roof", element_id="tiles", name="Tiles", position=1
    )
    tree = SurveyTree(
        entity=made, sections=[SectionNode(entity=roof, elements=[ElementNode(entity=tiles, components=[])])]
    )
    db.save_tree(tree)
    stored = db.run(p.survey, "t", "new")
    assert stored is not None
    assert (stored.section_count, stored.completed_sections, stored.survey_date) == (1, 1, date(2026, 5, 1))


def test_the_feed_tells_changes_and_deletions_of_every_kind(db: Session) -> None:
    first = db.changes(p.changes_of("t"), limit=1_000)
    assert len(first.items) == sum(isinstance(item, SYNCED) for item in of_tenant("t"))
    db.update(key(Section, tenant_id="t", section_id="roof"), set={"name": "The roof"})
    db.delete(key(Phrase, tenant_id="t", kind="Defect", phrase_id="moss"))
    told = db.changes(p.changes_of("t"), since=first.cursor).items
    assert [(change.key.entity, change.deleted) for change in told] == [(Section, False), (Phrase, True)]


def test_the_queue_and_the_owner_follow_changes(db: Session) -> None:
    db.update(p.survey("t", "1"), set={"sync_status": "synced"})
    assert not [e for e in db.run(p.sync_queue, "t", "pending") if isinstance(e, Survey) and e.survey_id == "1"]
    db.update(p.survey("t", "1"), set={"sync_status": "failed", "sync_error": "no network"})
    assert [e.survey_id for e in db.run(p.sync_queue, "t", "failed") if isinstance(e, Survey)] == ["1"]
    db.apply(changes.hand_over, p.survey("t", "1"), owner="bob", editors=["ann"], viewers=[])
    assert [s.survey_id for s in db.run(p.surveys_owned_by, "t", "bob")] == ["1"]
    assert db.run(p.surveys_owned_by, "t", "ann").all() == []


def test_a_section_is_completed_and_reopened(db: Session) -> None:
    roof = key(SurveySection, tenant_id="t", survey_id="1", section_id="roof")
    assert db.apply(changes.complete_section, roof, at=NOON, by="ann").completed_by == "ann"
    assert db.apply(changes.reopen_section, roof).completed_at is None
    db.update(p.survey("t", "1"), set={"status": "completed"})
    assert db.apply(changes.publish, p.survey("t", "1")).status == "published"
