"""After the switch the application's own store answers everything as the legacy rows say, worked out once more from these."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from examples.places import PLACES
from examples.surveyor.legacy import generating
from examples.surveyor.operating import Operator
from examples.surveyor.reading import Ref
from examples.surveyor.store import Surveyor
from examples.surveyor.surveys import SurveySection
from examples.surveyor.tests.legacy_ground import Ground, both, opened
from examples.surveyor.tests.legacy_truth import Truth, an_id
from tablewright import stored
from tablewright.engine import open_engine
from tablewright.errors import NotFoundError

EARLY = datetime(1900, 1, 1, tzinfo=UTC)
WRITES = {
    *("add_component", "add_element", "add_image", "add_library_component", "add_library_element"),
    *("add_library_section", "add_phrase", "add_section", "caption_image", "change_kind", "complete_section"),
    *("create_survey", "edit_survey", "hand_over", "leave", "mark_failed", "mark_synced", "move_survey"),
    *("remove_component", "remove_document", "remove_element", "remove_image", "remove_phrase", "remove_section"),
    *("remove_survey", "remove_template", "reopen_section", "save_document", "save_template", "share", "unshare"),
    *("take_snapshot", "update_component", "update_element", "update_phrase", "update_section", "update_survey"),
}
NAMES = {name for name, _ in inspect.getmembers(Surveyor, inspect.isfunction) if not name.startswith("_")}
READS = NAMES - WRITES


ROWS = both(generating.rows(surveys=4), generating.odd_rows())


def moved(ground: Ground) -> Ground:
    ground.into("dual")
    ground.backfill()
    assert ground.session.verify().well, ground.session.verify().text()
    return ground


@pytest.fixture(scope="module", params=PLACES)
def ground(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ground]:
    folder = tmp_path_factory.mktemp("move")
    if request.param == "memory":
        with open_engine("memory:") as engine, opened(engine, folder, ROWS) as ground:
            yield moved(ground)
    else:
        url: str = request.getfixturevalue("dynamodb_local_url")
        with opened(url, folder, ROWS) as ground:
            yield moved(ground)


@pytest.fixture
def truth(ground: Ground) -> Truth:
    return Truth(ROWS, ground.taken_at())


TENANTS = ["tenant-0", "tenant-1", "odd#tenant%"]


def dumps(found: Any) -> list[dict[str, Any]]:
    return [each.model_dump() for each in found]


def every(page: Any, *args: Any) -> list[Any]:
    """All pages, of a few items each."""
    found, cursor = [], None
    while True:
        some = page(*args, limit=7, cursor=cursor)
        found += list(some)
        cursor = some.cursor
        if cursor is None:
            return found


@pytest.fixture(params=TENANTS)
def store(request: pytest.FixtureRequest, ground: Ground) -> Surveyor:
    return Surveyor(ground.session.db, request.param)


def test_tenants_and_lists(store: Surveyor, truth: Truth) -> None:
    t = store.tenant_id
    assert store.tenant().model_dump() == next(x for x in truth.tenants() if x["tenant_id"] == t)
    surveys = truth.surveys(t)
    fields = ("survey_id", "title", "status", "section_count", "completed_sections")
    outlines = [{name: facts[name] for name in fields} for facts in surveys]
    assert dumps(every(store.surveys)) == dumps(store.every_survey()) == outlines
    people = {who for row in truth.of("Surveys", t) for who in truth.people(row)}
    for who in people:
        assert dumps(every(store.surveys_owned_by, who)) == [f for f in surveys if f["owner"] == who]
        seen = {
            truth.survey(r)["survey_id"]: truth.people(r)[who] for r in truth.of("Surveys", t) if who in truth.people(r)
        }
        assert {s.survey.survey_id: s.role for s in every(store.surveys_seen_by, who)} == seen


def test_whole_surveys(store: Surveyor, truth: Truth) -> None:
    for row in truth.of("Surveys", store.tenant_id):
        facts, tree, survey_id = truth.survey(row), truth.tree(row), an_id(row["id"])
        found = store.complete_survey(survey_id, consistent=True)
        shown = [
            (s.entity.model_dump(), [(e.entity.model_dump(), dumps(e.components)) for e in s.elements])
            for s in found.sections
        ]
        assert found.entity.model_dump() == store.survey(survey_id).model_dump() == facts
        assert shown == tree
        assert not found.orphans
        parts = sum(1 + len(below) + sum(len(c) for _, c in below) for _, below in tree)
        assert len(every(store.parts, survey_id)) == 1 + parts
        assert dumps(every(store.sections, survey_id)) == [s for s, _ in tree]
        for s, below in tree:
            ids = survey_id, s["section_id"]
            assert store.section(*ids).model_dump() == s
            assert dumps(every(store.elements, *ids)) == [e for e, _ in below]
            for e, components in below:
                assert store.element(*ids, e["element_id"]).model_dump() == e
                assert dumps(every(store.components, *ids, e["element_id"])) == components
                for c in components:
                    assert store.component(*ids, e["element_id"], c["component_id"]).model_dump() == c
        refs = [Ref(SurveySection, {"survey_id": survey_id, "section_id": s["section_id"]}) for s, _ in tree]
        assert dumps(store.items(refs)) == [s for s, _ in tree]
        assert {a.user_id: a.role for a in store.people(survey_id)} == truth.people(row)
        for who, role in truth.people(row).items():
            assert store.role_of(survey_id, who) == store.allow(survey_id, who, "viewer") == role


def test_times(store: Surveyor, truth: Truth) -> None:
    """Parts are as new as their survey, and as old as they say."""
    for row in truth.of("Surveys", store.tenant_id):
        tree = store.complete_survey(an_id(row["id"]))
        made = truth.created(row)
        parts: list[tuple[tuple[str, ...], Any]] = [((), tree.entity)]
        for s in tree.sections:
            parts.append(((s.entity.section_id,), s.entity))
            for e in s.elements:
                parts.append(((s.entity.section_id, e.entity.element_id), e.entity))
                parts += [((c.section_id, c.element_id, c.component_id), c) for c in e.components]
        for path, part in parts:
            known = stored(part)
            assert known is not None
            assert known.version == 1
            assert datetime.fromisoformat(str(known.created)) == (made[path] if path else truth.made(row))


def test_the_library(store: Surveyor, truth: Truth) -> None:
    t = store.tenant_id
    library = store.library()
    assert dumps(library.sections) == dumps(store.library_sections()) == truth.sections(t)
    assert dumps(library.elements) == truth.elements(t)
    assert dumps(library.components) == truth.components(t)
    for section_id in {e["section_id"] for e in truth.elements(t)}:
        wanted = [e for e in truth.elements(t) if e["section_id"] == section_id]
        assert dumps(store.library_elements(section_id)) == wanted
    for element_id in {c["element_id"] for c in truth.components(t)}:
        wanted = [c for c in truth.components(t) if c["element_id"] == element_id]
        assert dumps(store.library_components(element_id)) == wanted
    phrases = {kind: truth.phrases(t, kind) for kind in ("Defect", "Condition")}
    for kind, wanted in phrases.items():
        assert dumps(every(store.phrases, kind)) == wanted
        for facts in wanted:
            assert store.phrase(kind, facts["phrase_id"]).model_dump() == facts  # type: ignore[arg-type]
    for field, method in (("element_ids", store.phrases_for_element), ("component_ids", store.phrases_for_component)):
        offered = [p for kind in ("Condition", "Defect") for p in phrases[kind]]
        for each in {own for p in offered for own in p[field]}:
            assert dumps(method(each)) == [p for p in offered if each in p[field]]
            assert dumps(method(each, "Defect")) == [p for p in phrases["Defect"] if each in p[field]]


def test_snapshots(store: Surveyor, truth: Truth) -> None:
    """One time for the key, the index and the survey; one library for all surveys of a tenant."""
    t = store.tenant_id
    at = truth.taken_at[t]
    for row in truth.of("Surveys", t):
        survey_id = an_id(row["id"])
        (config,) = store.snapshots(survey_id)
        assert config.taken_at == store.survey(survey_id).current_config == at
        found = store.snapshot(survey_id, at)
        tree = [
            (
                s.section_id,
                s.name,
                [(e.element_id, e.position, [(c.component_id, c.materials) for c in e.components]) for e in s.elements],
            )
            for s in found.sections
        ]
        kinds = {p.kind: [each.phrase_id for each in p.phrases] for p in found.phrases}
        assert (tree, kinds) == truth.snapshot(t)
        again = store.current_snapshot(survey_id)
        assert again is not None
        assert again.config == config
        whole = store.complete_survey_with_config(survey_id)
        assert whole.config is not None
        assert whole.config.config == config


def test_images_and_documents(store: Surveyor, truth: Truth) -> None:
    t = store.tenant_id
    assert dumps(every(store.images)) == truth.images(t)
    for facts in truth.images(t):
        assert store.image(facts["image_id"]).model_dump() == facts
    latest, versions = truth.documents(t)
    assert latest
    for document, facts in latest.items():
        assert store.document(document).model_dump() == facts
    for document, wanted in versions.items():
        assert dumps(every(store.document_versions, document)) == wanted
        assert dumps([store.document_version(document, v["number"]) for v in wanted]) == wanted


def test_what_waits_and_what_changed(store: Surveyor, truth: Truth) -> None:
    t = store.tenant_id
    rows = truth.of("Surveys", t)
    for status in ("pending", "failed"):
        waiting = sorted(
            (truth.changed(row), an_id(row["id"])) for row in rows if truth.survey(row)["sync_status"] == status
        )
        found = every(store.sync_queue, status)
        assert [each.survey_id for each in found] == [survey_id for _, survey_id in waiting]
    changed: list[tuple[datetime, str]] = []
    for row in rows:
        tree = truth.tree(row)
        count = 1 + sum(1 + len(below) + sum(len(c) for _, c in below) for _, below in tree)
        changed += [(truth.changed(row), "survey")] * count
    for table in ("Sections", "Elements", "Components"):
        changed += [(truth.changed(row), "library") for row in truth.of(table, t)]
    changed += [
        (truth.changed(row), "library") for row in truth.of("Phrases", t) if row.get("type") in ("Defect", "Condition")
    ]
    kinds = {"Survey", "SurveySection", "SurveyElement", "SurveyComponent"}
    for since in (EARLY, sorted(changed)[len(changed) // 2][0]):
        found = every(store.recent_changes, since)
        assert len(found) == len([at for at, _ in changed if at >= since])
        assert len([f for f in found if type(f).__name__ in kinds]) == len(
            [at for at, of in changed if of == "survey" and at >= since]
        )
    told, cursor = 0, None
    while True:
        page = store.changes_since(cursor)
        told += len(page.items)
        cursor = page.cursor
        if not page.has_more:
            break
    assert told == len(changed)
    assert list(store.sync_log()) == []
    assert store.left("nothing") is None


def test_everything_of_a_tenant(store: Surveyor, truth: Truth) -> None:
    t = store.tenant_id
    counts: dict[str, int] = {}
    for each in store.everything():
        counts[type(each).__name__] = counts.get(type(each).__name__, 0) + 1
    surveys = truth.of("Surveys", t)
    phrases = [p for kind in ("Defect", "Condition") for p in truth.phrases(t, kind)]
    tree, kinds = truth.snapshot(t)
    assert counts == {
        "Tenant": 1,
        "Survey": len(surveys),
        "SurveySection": sum(len(truth.tree(row)) for row in surveys),
        "SurveyElement": sum(len(below) for row in surveys for _, below in truth.tree(row)),
        "SurveyComponent": sum(len(c) for row in surveys for _, below in truth.tree(row) for _, c in below),
        "Config": len(surveys),
        "ConfigSection": len(surveys) * len(tree),
        "ConfigPhrases": len(surveys) * len(kinds),
        "Section": len(truth.sections(t)),
        "Element": len(truth.elements(t)),
        "Component": len(truth.components(t)),
        "Phrase": len(phrases),
        "PhraseUse": sum(len(p["element_ids"]) + len(p["component_ids"]) + len(p["material_ids"]) for p in phrases),
        "Image": len(truth.images(t)),
    }


def test_the_operators_list(ground: Ground, truth: Truth) -> None:
    wanted = sorted((t, s["survey_id"]) for t in TENANTS for s in truth.surveys(t))
    assert [(s.tenant_id, s.survey_id) for s in every(Operator(ground.session.db).surveys)] == wanted


def test_a_phrase_of_no_list_and_a_draft_document_are_left_behind(ground: Ground) -> None:
    odd = Surveyor(ground.session.db, "odd#tenant%")
    with pytest.raises(NotFoundError):
        odd.phrase("Defect", "neither")
    assert [v.number for v in odd.document_versions("d2")] == [2]


def test_every_read_of_the_store_is_asked_here() -> None:
    here = Path(__file__).read_text("utf-8")
    assert sorted(name for name in READS if not re.search(rf"store\.{name}\b", here)) == []
