"""What hurt in the legacy tables, shown there, and shown to be over in the one table."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from examples.surveyor.edits import SectionEdit, SurveyEdit
from examples.surveyor.legacy import generating, tables
from examples.surveyor.legacy.generating import rows
from examples.surveyor.legacy.moving import reads
from examples.surveyor.store import Surveyor
from examples.surveyor.tests.legacy_ground import Ground, opened
from tablewright.engine import Engine, open_engine
from tablewright.errors import RequestRefused
from tablewright.values.wire import from_wire_item, to_wire_item

SURVEY = "tenant-0-su1"


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with open_engine("memory:") as engine:
        yield engine


@pytest.fixture(scope="module")
def ground(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ground]:
    with opened(engine, tmp_path_factory.mktemp("move"), rows(tenants=1, words=60)) as ground:
        ground.into("dual")
        ground.backfill()
        yield ground


@pytest.fixture
def store(ground: Ground) -> Surveyor:
    return Surveyor(ground.session.db, "tenant-0")


def legacy_row(ground: Ground, engine: Engine) -> dict[str, Any]:
    request = {"TableName": ground.table(tables.SURVEYS), "Key": {"id": {"S": SURVEY}}}
    return from_wire_item(engine.execute("GetItem", request)["Item"])


def test_many_queries_for_what_belongs_together(ground: Ground, store: Surveyor) -> None:
    """A survey with its library: five requests of five tables, and now two of one."""
    asked = 1 + len((tables.SECTIONS, tables.ELEMENTS, tables.COMPONENTS, tables.PHRASES))
    with ground.session.db.measure() as meter:
        found = store.complete_survey_with_config(SURVEY)
    assert found.config is not None
    assert asked == 5
    assert len(meter.requests) == 2


def test_one_query_of_each_table_for_what_changed(ground: Ground, store: Surveyor) -> None:
    with ground.session.db.measure() as meter:
        found = store.recent_changes(generating.START, limit=500)
    assert {type(each).__name__ for each in found} >= {"Survey", "SurveySection", "Section", "Phrase"}
    assert len(meter.requests) == 1
    assert len(tables.OF_TENANTS) == 6


def test_a_word_in_one_section_rewrote_the_survey(ground: Ground, engine: Engine, store: Surveyor) -> None:
    row = legacy_row(ground, engine)
    put = {"TableName": ground.table(tables.SURVEYS), "Item": to_wire_item(row), "ReturnConsumedCapacity": "TOTAL"}
    before = engine.execute("PutItem", put)["ConsumedCapacity"]["CapacityUnits"]
    with ground.session.db.measure() as meter:
        store.update_section(SURVEY, "sec1", {"condition": "Poor"})
    assert meter.capacity.write < before / 2
    assert len(row["content"]) > 5_000


def test_two_people_in_two_sections(ground: Ground, engine: Engine, store: Surveyor) -> None:
    """Whoever wrote the legacy survey last, won; now both edits are there."""
    ann, bob = (json.loads(legacy_row(ground, engine)["content"]) for _ in range(2))
    ann["sections"][0]["notes"] = "Ann was here."
    bob["sections"][1]["notes"] = "Bob was here."
    for content in (ann, bob):
        item = {**legacy_row(ground, engine), "content": json.dumps(content)}
        engine.execute("PutItem", {"TableName": ground.table(tables.SURVEYS), "Item": to_wire_item(item)})
    assert json.loads(legacy_row(ground, engine)["content"])["sections"][0]["notes"] != "Ann was here."
    store.update_section(SURVEY, "sec0", {"notes": "Ann was here."})
    store.update_section(SURVEY, "sec1", {"notes": "Bob was here."})
    tree = store.complete_survey(SURVEY)
    assert [s.entity.notes for s in tree.sections[:2]] == ["Ann was here.", "Bob was here."]


def test_a_large_survey_did_not_fit(ground: Ground, engine: Engine, store: Surveyor) -> None:
    content = {"sections": [{"id": f"s{n}", "name": "S", "notes": "n" * 4_900} for n in range(90)]}
    item = {"id": "huge", "tenantId": "tenant-0", "content": json.dumps(content)}
    with pytest.raises(RequestRefused, match="exceeded the maximum allowed size"):
        engine.execute("PutItem", {"TableName": ground.table(tables.SURVEYS), "Item": to_wire_item(item)})
    store.create_survey("Huge", "ann", survey_id="huge")
    for n in range(90):
        store.add_section("huge", "S", n, section_id=f"s{n}", details={"notes": "n" * 4_900})
    assert len(store.complete_survey("huge").sections) == 90


def test_related_changes_are_one_transaction(ground: Ground, store: Surveyor) -> None:
    edit = SurveyEdit(
        survey={"title": "Together"},
        sections=[
            SectionEdit(section_id="sec0", changes={"notes": "a"}),
            SectionEdit(section_id="sec1", changes={"notes": "b"}),
        ],
    )
    with ground.session.db.measure() as meter:
        store.edit_survey(SURVEY, edit)
    assert [sent.operation for sent in meter.requests] == ["TransactWriteItems", "GetItem"]


def test_a_list_of_surveys_read_all_their_content(ground: Ground, engine: Engine, store: Surveyor) -> None:
    request = {
        "TableName": ground.table(tables.SURVEYS),
        "IndexName": tables.BY_TENANT,
        "KeyConditionExpression": "tenantId = :t",
        "ExpressionAttributeValues": {":t": {"S": "tenant-0"}},
        "ReturnConsumedCapacity": "TOTAL",
    }
    before = engine.execute("Query", request)["ConsumedCapacity"]["CapacityUnits"]
    with ground.session.db.measure() as meter:
        assert len(store.surveys()) >= 3
    assert meter.capacity.read < before / 2


def test_parents_that_are_missing_are_found(ground: Ground, engine: Engine, store: Surveyor) -> None:
    """Legacy tables took an element of a section that nobody knew; in a survey each part lies below its parent."""
    row = {"id": "stray", "tenantId": "tenant-0", "sectionId": "nowhere", "name": "Stray", "order": 0}
    engine.execute("PutItem", {"TableName": ground.table(tables.ELEMENTS), "Item": to_wire_item(row)})
    known = reads(prefix=ground.prefix)["library_elements"]
    assert ground.session.read(known, "tenant-0", "tenant-0-sec0", subject="ann")  # the legacy tables say nothing of it
    items = [i for i in ground.stored().values() if i["Type"]["S"] == "SurveySection"]
    gone = next(i for i in items if i["survey_id"]["S"] == "tenant-0-su0")
    table = f"{ground.prefix}SurveyorData"
    engine.execute("DeleteItem", {"TableName": table, "Key": {n: gone[n] for n in ("PK", "SK")}})
    assert ("SurveyElement", "no parent") in ground.session.verify().differences
    assert store.complete_survey("tenant-0-su0").orphans
