"""What advice says of runs that are known to the figure."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from bench.advice_design import provision
from bench.advice_models import Document, Part, customer, shop, stock
from bench.advice_world import DAY, World, ask, once
from tablewright.observe.recommendation import Recommendation

MINUTE = 60.0


@pytest.fixture
def world() -> Iterator[World]:
    with World(Random(1), shop) as opened:
        yield opened


def told(world: World, rule: str) -> Recommendation:
    (one,) = [one for one in world.db.recommendations() if one.rule == rule]
    return one


def test_a_partition_key_that_gets_45_percent_of_the_requests(world: World) -> None:
    asked = ["123"] * 540 + world.names(33) * 20
    world.random.shuffle(asked)
    world.play([once(world.db.run, customer, who) for who in asked])

    one = told(world, "hot-partition")
    assert (one.severity, one.category) == ("error", "hot-partition")
    assert one.message == "Partition key 'CUSTOMER#123' receives 45% of all requests."
    assert one.details.startswith("540 of 1,200 requests went to 'CUSTOMER#123'")
    assert one.evidence["share"] == pytest.approx(0.45)


def scans(world: World, *, items: int, wanted: int, times: int) -> None:
    world.fill(
        Document(tenant=world.name(), document_id=world.name(), text="lost" if n < wanted else "kept")
        for n in range(items)
    )
    request: dict[str, Any] = {
        "FilterExpression": "#t = :t",
        "ExpressionAttributeNames": {"#t": "text"},
        "ExpressionAttributeValues": {":t": {"S": "lost"}},
    }
    for _ in range(times):
        ask(world.db, "Scan", **request)


def test_a_scan_that_returns_2_percent(world: World) -> None:
    scans(world, items=200, wanted=4, times=10)

    one = told(world, "inefficient-scan")
    assert (one.severity, one.category) == ("warning", "cost")
    assert one.message == "Scan returns 2% of the items that it looks at."
    assert one.details.startswith("40 of 2,000 items passed the filter, in 10 requests")


def test_5_percent_of_efficiency_in_the_statistics(world: World) -> None:
    scans(world, items=100, wanted=5, times=3)

    statistics = world.collector.statistics()
    assert statistics.scan_efficiency == 0.05
    assert (statistics.operations["Scan"].returned, statistics.operations["Scan"].scanned) == (15, 300)


def test_15_percent_of_capacity_on_average_and_85_at_the_peak() -> None:
    with World(Random(1), stock) as world:
        provision(world, 4, 4)
        world.fill([Part(shelf="s", number="n", text="x" * (204 * 1024 - 200))])
        target = {"TableName": "Stock", "Key": {"PK": {"S": "SHELF#s"}, "SK": {"S": "PART#n"}}}
        read = {"TransactItems": [{"Get": {**target, "ProjectionExpression": "PK"}}], "ReturnConsumedCapacity": "TOTAL"}
        check = {"ConditionCheck": {**target, "ConditionExpression": "attribute_exists(PK)"}}
        written = {"TransactItems": [check], "ReturnConsumedCapacity": "TOTAL"}
        world.clock.seconds -= world.clock.seconds % MINUTE
        world.collector.reset()
        began = world.clock.seconds
        # 102 read units take 42.5% of what is ready in a minute: twice in one minute, and in 506 others once.
        for minute in (0, *range(507)):
            world.clock.seconds = began + minute * MINUTE
            world.db.send("TransactGetItems", read)
        for minute in range(507, 507 + 170):
            world.clock.seconds = began + minute * MINUTE
            world.db.send("TransactWriteItems", written)
        world.clock.seconds = began + DAY

        one = told(world, "capacity-mode")
    assert (one.severity, one.category) == ("info", "capacity")
    assert one.message == "Reads use 15% of what is provisioned on average, and 85% at the peak."
    assert one.evidence["recommended"] == "on-demand"
    assert 0 < float(one.evidence["savings"]) < float(one.evidence["monthly"])
