"""Single items in rows: what a batch would save, and where only a transaction will do."""

from typing import Any

import pytest

from tablewright import Entity, Keys, ShardedCounter, Table
from tablewright.observe.recommendation import Observed, Recommendation
from tablewright.observe.recommendations.missed_batch import MissedBatch
from tablewright.observe.sketches.quantiles import Quantiles
from tablewright.observe.snapshot import Snapshot, Traffic
from tests.observe.observations import observed, told

shop = Table("Shop")


class Order(Entity, table=shop):
    keys = Keys("ORDER#{order_id}", "ORDER")
    order_id: str


class Account(Entity, table=shop):
    keys = Keys("ACCOUNT#{name}", "ACCOUNT", unique=["email"])
    name: str
    email: str


class Page(Entity, table=shop, version=True):
    keys = Keys("PAGE#{name}", "PAGE")
    name: str


class Views(Entity, table=shop):
    keys = Keys("PAGE#{page}#{shard:2}", "VIEWS")
    page: str
    shard: int
    views: int = 0


views = ShardedCounter(Views.shard, Views.views, of=16)


def found(traffic: Traffic) -> list[Recommendation]:
    seen = Snapshot(table="Shop", spans=[(0.0, 100.0)], traffic=[traffic, Traffic(operation="Scan", requests=1000)])
    return list(MissedBatch().find(Observed(seen, shop.plan)))


def in_rows(operation: str, **more: Any) -> Traffic:
    latency = Quantiles()
    latency.add([0.004] * 1000)
    figures: dict[str, Any] = {
        "requests": 1000,
        "bursts": 12,
        "in_bursts": 600,
        "longest_burst": 80,
        "latency": latency,
    }
    return Traffic(operation=operation, **(figures | more))


def test_reads() -> None:
    (one,) = found(in_rows("GetItem", pattern="order", entity="Order"))
    assert (one.severity, one.category, one.subject) == ("warning", "performance", "order()")
    assert one.message == "order() sends single GetItem requests in rows, up to 80 in one."
    assert one.details == (
        "600 of 1,000 requests (60%) came in 12 rows of more than ten within a second, 50 in a usual one and 80 in the longest. "
        "A usual row needs 1 BatchGetItem request. At 4 ms each (the median), 200 ms of waiting become some 4 ms, as far as a "
        "larger answer takes no longer. The capacity units stay the same."
    )
    assert "db.get_many()" in one.action
    assert one.code == "found = db.get_many([key(Order, order_id=one.order_id) for one in wanted])"
    assert (one.saves, one.faster) == (0.0, 0.98)
    assert (one.impact, one.frequency) == (0.3, 0.12)


def test_writes() -> None:
    (one,) = found(in_rows("PutItem", entity="Order"))
    assert "A usual row needs 2 BatchWriteItem requests." in one.details
    assert "db.batch()" in one.action
    assert one.code == "with db.batch() as batch:\n    for one in wanted:\n        batch.put(one)"
    assert one.faster == 0.96


def test_what_a_batch_cannot_keep() -> None:
    for entity, reason in (("Account", "unique fields"), ("Page", "a version")):
        (one,) = found(in_rows("DeleteItem", entity=entity))
        assert one.action.startswith(
            f"{entity} has {reason}, which a batch cannot keep. Write them together with db.transaction()"
        )
        assert one.details.endswith("They cost twice the write units that way.")
        assert one.saves is None


def test_conditions_need_a_transaction() -> None:
    (conditional,) = found(in_rows("PutItem", entity="Order", conditional=900))
    assert conditional.action.startswith("Most of them have a condition")
    assert conditional.code == "with db.transaction() as tx:\n    for one in wanted:\n        tx.put(one)"


def test_updates_may_be_puts() -> None:
    (one,) = found(in_rows("UpdateItem", entity="Order", conditional=1000))
    assert one.action.startswith(
        "Where whole entities are stored, as db.put() does, write them together with db.batch()"
    )
    assert one.details.endswith("In a batch the capacity units stay the same; a transaction takes twice as many.")
    (locked,) = found(in_rows("UpdateItem", entity="Page"))
    assert locked.action.startswith("Page has a version")


def test_few_among_many_are_a_note() -> None:
    (one,) = found(in_rows("GetItem", requests=10_000))
    assert one.severity == "info"


def test_no_rows() -> None:
    assert not found(in_rows("GetItem", bursts=0, in_bursts=0, longest_burst=0))
    assert not found(in_rows("BatchGetItem"))
    assert not found(in_rows("Query"))


def test_one_long_loop() -> None:
    (one,) = found(in_rows("GetItem", bursts=1, in_bursts=100, longest_burst=100))
    assert "(10%) came in 1 row of more than ten within a second, 100 in a usual one" in one.details


def test_a_short_loop_that_ran_twice() -> None:
    assert not found(in_rows("GetItem", bursts=2, in_bursts=99))


def test_shards_of_one_counter_are_one_number() -> None:
    assert not found(in_rows("UpdateItem", entity="Views", longest_burst=16))
    assert found(in_rows("UpdateItem", entity="Views", longest_burst=17))
    assert found(in_rows("PutItem", entity="Views", longest_burst=16))
    assert found(in_rows("UpdateItem", entity="Order", longest_burst=16))


def test_requests_at_once_are_told_with_the_time_that_they_took() -> None:
    latency = Quantiles()
    latency.add([0.010] * 500)
    rows: dict[str, Any] = {"bursts": 10, "in_bursts": 500, "longest_burst": 50, "latency": latency, "requests": 500}
    one_by_one = Traffic(operation="GetItem", entity="Order", burst_seconds=5.0, **rows)
    ten_at_once = Traffic(operation="GetItem", entity="Order", burst_seconds=0.5, **rows)
    (slow,), (quick,) = (told("missed-batch", observed(traffic)) for traffic in (one_by_one, ten_at_once))
    assert "At 10 ms each (the median), 500 ms of waiting become some 10 ms" in slow.details
    assert "At 10 ms each (the median) and several at once, 50 ms of waiting become some 10 ms" in quick.details
    assert slow.faster == pytest.approx(0.98, abs=0.01)
    assert quick.faster == pytest.approx(0.8, abs=0.01)
