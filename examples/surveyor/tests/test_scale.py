"""However many surveys a tenant has, one is loaded by reading that one, and a section is edited by writing that one."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from examples.surveyor.base import IN_FEED
from examples.surveyor.model import surveyor
from examples.surveyor.store import Surveyor
from examples.surveyor.surveys import Survey, SurveyComponent, SurveyElement, SurveySection
from tablewright import Entity, Session
from tablewright.engine import open_engine

SECTIONS, ELEMENTS, COMPONENTS = 40, 200, 600
FIRST = "survey-000"


def parts() -> Iterator[Entity]:
    """A survey of 40 sections, 200 elements and 600 components, spread evenly."""
    ids: dict[str, Any] = {"tenant_id": "t", "survey_id": FIRST}
    yield Survey(**ids, title="12 Elm Street", owner="ann", section_count=SECTIONS)
    for s in range(SECTIONS):
        yield SurveySection(**ids, section_id=f"s{s}", name="Roof", position=s, notes="dry " * 20)
    for e in range(ELEMENTS):
        yield SurveyElement(**ids, section_id=f"s{e % SECTIONS}", element_id=f"e{e}", name="Tiles", position=e)
    for c in range(COMPONENTS):
        e = c % ELEMENTS
        place: dict[str, Any] = {"section_id": f"s{e % SECTIONS}", "element_id": f"e{e}", "component_id": f"c{c}"}
        yield SurveyComponent(**ids, **place, name="Nail", position=c, material="iron")


def stored_items(db: Session) -> list[dict[str, Any]]:
    """Every item of the table, as it is stored."""
    items: list[dict[str, Any]] = []
    start: dict[str, Any] = {}
    while True:
        page = db.send("Scan", {"TableName": db.table_name, **start})
        items += page["Items"]
        if "LastEvaluatedKey" not in page:
            return items
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


def copied(items: list[dict[str, Any]], survey_id: str) -> list[dict[str, Any]]:
    """The same survey with another id, which is as long; so each copy takes the same room."""
    return [
        {name: {"S": value["S"].replace(FIRST, survey_id)} if "S" in value else value for name, value in item.items()}
        for item in items
    ]


def filled(db: Session, surveys: int) -> Surveyor:
    """A tenant with so many surveys."""
    for part in parts():
        db.create(part)
    items = stored_items(db)
    assert len(items) == 1 + SECTIONS + ELEMENTS + COMPONENTS
    for number in range(1, surveys):
        copies = copied(items, f"survey-{number:03}")
        for start in range(0, len(copies), 25):
            puts = [{"PutRequest": {"Item": item}} for item in copies[start : start + 25]]
            assert not db.send("BatchWriteItem", {"RequestItems": {db.table_name: puts}}).get("UnprocessedItems")
    return Surveyor(db, "t")


@pytest.mark.parametrize("surveys", [10, pytest.param(200, marks=pytest.mark.full)])
def test_a_survey_costs_the_same_among_many(surveys: int) -> None:
    with surveyor.open("memory:", table_name="alone") as lonely, surveyor.open("memory:", table_name="many") as db:
        alone, store = filled(lonely, 1), filled(db, surveys)
        wanted = f"survey-{surveys - 1:03}"
        assert len([*store.every_survey()]) == surveys

        with db.measure() as meter, lonely.measure() as least:
            tree = store.complete_survey(wanted)
            alone.complete_survey(FIRST)
        assert [(request.operation, request.index) for request in meter.requests] == [("Query", None)]
        assert meter.capacity == least.capacity
        elements = [node for section in tree.sections for node in section.elements]
        assert (len(tree.sections), len(elements)) == (SECTIONS, ELEMENTS)
        assert sum(len(node.components) for node in elements) == COMPONENTS
        assert tree.entity.survey_id == wanted

        before = stored_items(db) if surveys == 10 else []
        with db.measure() as meter:
            store.update_section(wanted, "s7", {"notes": "wet " * 20})
        assert [request.operation for request in meter.requests] == ["UpdateItem"]
        # the item; its copy by parent; it moves in the queue and in the feed, which is an entry less and one more
        assert (meter.capacity.read, meter.capacity.write) == (0, 1 + 1 + 2 + 2)
        if before:
            changed = [new for old, new in zip(before, stored_items(db), strict=True) if old != new]
            assert [(item["survey_id"], item["section_id"]) for item in changed] == [({"S": wanted}, {"S": "s7"})]


def test_what_was_removed_is_paid_for_until_the_feed_forgets_it() -> None:
    """Tombstones lie where the parts lay. They are read past for a month; after it, a survey costs what it holds."""
    moment = datetime(2026, 5, 1, 12, tzinfo=UTC)

    class Clock:
        def now(self) -> float:
            return moment.timestamp()

    with (
        open_engine("memory:", clock=Clock(), sweep_every=None) as engine,
        surveyor.open(engine, clock=lambda: moment) as db,
    ):
        store = Surveyor(db, "t")
        store.create_survey("12 Elm Street", "ann", survey_id="s1")
        store.add_section("s1", "Roof", 1, section_id="roof")
        store.add_element("s1", "roof", "Tiles", 1, element_id="tiles")
        store.add_component("s1", "roof", "tiles", "Ridge", 1, component_id="ridge")

        def units() -> float:
            with db.measure() as meter:
                tree = store.complete_survey("s1")
            assert [part.component_id for part in tree.sections[0].elements[0].components] == ["ridge"]
            assert [request.operation for request in meter.requests] == ["Query"]
            return meter.capacity.read

        assert units() == 0.5
        for number in range(20):
            store.add_component("s1", "roof", "tiles", "Nail", 2, component_id=f"n{number}")
            store.remove_component("s1", "roof", "tiles", f"n{number}")
        assert units() == 2.0
        moment += IN_FEED.keep
        assert engine.sweep() == 0
        moment += timedelta(seconds=1)
        assert engine.sweep() == 20
        assert units() == 0.5
