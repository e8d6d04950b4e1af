"""What a collector counts of real sessions: everything, exactly, in whatever threads and tasks."""

from __future__ import annotations

import asyncio
import copy
import os
import pickle
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from contextvars import Context
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright import GSI, LSI, Entity, Keys, Session, Table, key
from tablewright.engine import Engine
from tablewright.engine.faults import SlowReply, Throttle
from tablewright.errors import (
    AlreadyExistsError,
    ArgumentError,
    ConditionalCheckError,
    ConditionalCheckFailed,
    ConfigError,
    TablewrightError,
)
from tablewright.observe.collector import BATCH, Collector
from tablewright.observe.costing import estimate_observed
from tablewright.observe.rows import LONG, shortened
from tablewright.observe.snapshot import TABLE, Snapshot, Thresholds, Traffic
from tests.observe.shop import Clock, Customer, Order, by_email, customer, in_city, orders_of, shop


def ann(number: int = 1, **more: Any) -> Customer:
    return Customer(customer_id=f"c{number}", email=f"c{number}@example.org", **more)


def only(snapshot: Snapshot, operation: str, **more: str | None) -> Traffic:
    """The one shape of requests that there is of this operation."""
    (found,) = [t for t in snapshot.of(operation) if all(getattr(t, name) == value for name, value in more.items())]
    return found


# ------------------------------------------------------------------------------------------------------------- totals

steps = st.lists(
    st.tuples(
        st.sampled_from(["get", "create", "put", "update", "delete", "query", "email", "many", "batch"]),
        st.integers(1, 4),
    ),
    max_size=25,
)


def do(db: Session, step: str, n: int) -> None:
    """One thing that an application does; some of them are refused."""
    target = key(Customer, customer_id=f"c{n}")
    does: dict[str, Callable[[], object]] = {
        "get": lambda: db.run(customer, f"c{n}"),
        "create": lambda: db.create(ann(n)),
        "put": lambda: db.put(Order(customer_id=f"c{n}", order_id="o1")),
        "update": lambda: db.update(target, add={"visits": 1}),
        "delete": lambda: db.delete(target),
        "query": lambda: db.run(orders_of, f"c{n}").all(),
        "email": lambda: db.run(by_email, f"c{n}@example.org").all(),
        "many": lambda: db.get_many([key(Customer, customer_id=f"c{i}") for i in range(n)]),
        "batch": lambda: in_batch(db, n),
    }
    with suppress(TablewrightError):
        does[step]()


def in_batch(db: Session, number: int) -> None:
    with db.batch() as batch:
        for i in range(number):
            batch.put(Order(customer_id="c1", order_id=f"o{i}"))


@given(steps)
def test_it_counts_what_a_meter_counts(done: list[tuple[str, int]]) -> None:
    collector = Collector()
    with shop.open("memory:", observe=collector) as db:
        collector.reset()
        with db.measure() as meter:
            for step, n in done:
                do(db, step, n)

    snapshot = collector.snapshot()
    assert snapshot.requests == len(meter.requests)
    assert sum(t.read_units for t in snapshot.traffic) == meter.capacity.read
    # A meter counts what answers told; what refused writes took is not told, and counted at least.
    assert sum(t.write_units - t.refused_units for t in snapshot.traffic) == meter.capacity.write
    failed = Counter(r.error for r in meter.requests if r.error is not None)
    assert sum((Counter(t.failures) for t in snapshot.traffic), Counter()) == failed
    for operation, times in Counter(r.operation for r in meter.requests).items():
        assert sum(t.requests for t in snapshot.of(operation)) == times
    assert {t.pattern for t in snapshot.traffic} == {r.pattern for r in meter.requests}


def test_a_request_is_told_apart_by_what_it_does(db: Session, collector: Collector) -> None:
    db.create(ann())
    db.put(Order(customer_id="c1", order_id="o1"))
    db.run(customer, "c1")
    db.get(key(Customer, customer_id="c1"))
    db.run(by_email, "c1@example.org").all()

    shapes = {t.shape for t in collector.snapshot().traffic}
    assert shapes == {
        ("PutItem", None, None, "Customer", None),
        ("UpdateItem", None, None, "Order", None),
        ("GetItem", None, "customer", "Customer", None),
        ("GetItem", None, None, "Customer", None),
        ("Query", "GSI1", "by_email", "Customer", None),
    }


def test_sizes_and_what_indexes_take(db: Session, collector: Collector) -> None:
    db.create(ann(notes=3000 * "x"))
    db.run(customer, "c1")

    written, read = only(collector.snapshot(), "PutItem"), only(collector.snapshot(), "GetItem")
    assert written.write_units == 12
    assert written.index_units == {"GSI1": 4, "ByPlace": 4}
    assert (written.sized, read.sized) == (1, 1)
    assert written.size == read.size == read.largest > 3000


def test_large_items_are_noticed_without_measuring(engine: Engine, clock: Clock) -> None:
    blind = Collector(sample=0, clock=clock, timer=clock)
    with shop.open(engine, observe=blind) as db:
        for n in (2, 3, 4, 5):  # of the first few some are measured all the same
            db.create(ann(n))
            db.run(customer, f"c{n}")
            db.put(ann(n))
        before = {traffic.name: traffic.sized for traffic in blind.snapshot().traffic}
        db.create(ann(notes=150_000 * "x"))
        db.run(customer, "c1")
        db.get(key(Customer, customer_id="c1"), consistent=True)
        db.put(ann(notes=150_000 * "x"))

    for traffic in blind.snapshot().traffic:
        assert traffic.sized == before.get(traffic.name, 0), traffic.name
        assert 145_000 < traffic.largest <= 151_000, traffic.name


def test_a_large_item_is_no_larger_for_the_indexes_that_hold_it(engine: Engine) -> None:
    logs = Table("Logs", indexes=[LSI("LSI1"), GSI("GSI1")])

    class Line(Entity, table=logs):
        keys = Keys("DEVICE#{device}", "{number}", LSI1="{level}", GSI1=("LEVEL#{level}", "{number}"))
        device: str
        number: str
        level: str = "high"
        text: str = ""
        seen: int = 0

    collector = Collector(sample=0)
    with logs.open(engine, observe=collector) as db:
        for n in range(60):
            line = Line(device="d1", number=str(n), text="x" * 150_000 if n == 50 else "")
            db.create(line)
            db.put(line)
            db.update(line, add={"seen": 1})
            db.delete(line)
    for traffic in collector.snapshot().traffic:
        assert 145_000 < traffic.largest <= 151_000, traffic.name


@pytest.mark.parametrize("together", ["batch", "transaction"])
def test_a_large_item_among_others_is_noticed_without_measuring(engine: Engine, together: str) -> None:
    blind = Collector(sample=0)
    with shop.open(engine, observe=blind) as db:
        for turn in range(3):  # the third is not measured
            large = ann(9, notes=150_000 * "x" if turn == 2 else "")
            with db.batch() if together == "batch" else db.transaction() as several:
                for one in (ann(7), large, ann(8)):
                    several.put(one)

    (found,) = [one for one in blind.recommendations(shop.plan) if one.rule == "large-item"]
    assert 145_000 < float(found.evidence["largest"]) <= 151_000


def test_items_of_a_batch_are_measured(engine: Engine) -> None:
    collector = Collector(sample=1.0)
    with shop.open(engine, observe=collector) as db:
        with db.batch() as batch:
            batch.put(ann(1))
            batch.put(ann(2, notes=500 * "x"))
            batch.delete(key(Customer, customer_id="c3"))
        db.run(customer, "c2")

    written, read = only(collector.snapshot(), "BatchWriteItem"), only(collector.snapshot(), "GetItem")
    assert (written.sized, read.sized) == (2, 1)
    assert written.largest == read.largest > 500
    assert written.size == 2 * read.size - 500


def test_what_indexes_take_is_told_by_some_of_the_writes(engine: Engine) -> None:
    collector = Collector()
    with shop.open(engine, observe=collector) as db:
        for n in range(300):
            db.create(ann(n))

    found = only(collector.snapshot(), "PutItem")
    assert found.write_units == 900
    assert found.index_units == {"GSI1": pytest.approx(300), "ByPlace": pytest.approx(300)}
    assert 5 < found.sized < 20


def test_how_keys_are_written(db: Session, collector: Collector) -> None:
    for n in range(3):
        db.create(ann(n))
        item = {"PK": {"S": f"customer-{n}"}, "SK": {"S": "PROFILE"}}
        db.send("PutItem", {"TableName": "Shop", "Item": item})

    assert collector.snapshot().key_forms == {"Customer": {"CUSTOMER#*": 3}, "": {"customer-*": 3}}


def test_an_update_that_is_measured_tells_of_a_large_item(db: Session, collector: Collector) -> None:
    db.create(ann(notes=150_000 * "x"))
    db.update(key(Customer, customer_id="c1"), add={"visits": 1})
    assert 145_000 < only(collector.snapshot(), "UpdateItem").largest <= 151_000


def test_failures_and_retries(db: Session, engine: Engine, collector: Collector) -> None:
    db.create(ann())
    with pytest.raises(ConditionalCheckError):
        db.create(ann())
    with engine.faults.inject(Throttle(every=2)):
        for _ in range(4):
            db.run(customer, "c1")

    snapshot = collector.snapshot()
    assert only(snapshot, "PutItem").failures == {"CONDITIONAL_CHECK_FAILED": 1}
    read = only(snapshot, "GetItem")
    assert (read.requests, read.failures) == (4, {})
    assert read.retries > 0


def test_what_a_query_was_asked_for(db: Session, collector: Collector) -> None:
    for n in range(5):
        db.create(Order(customer_id="c1", order_id=f"o{n}", total=n))
    db.run(orders_of, "c1").page(2)
    db.execute(orders_of("c1").filter(Order.total >= 3)).all()

    paged = only(collector.snapshot(), "Query", pattern="orders_of")
    filtered = only(collector.snapshot(), "Query", pattern=None)
    assert (paged.requests, paged.limited, paged.filtered, paged.returned, paged.scanned) == (1, 1, 0, 2, 2)
    assert (filtered.requests, filtered.limited, filtered.filtered) == (1, 0, 1)
    assert (filtered.filtered_returned, filtered.filtered_scanned) == (2, 5)
    assert paged.cut == paged.continued == filtered.cut == 0


def test_pages_that_end_at_a_megabyte(db: Session, collector: Collector) -> None:
    for n in range(4):
        db.create(ann(n, notes=390_000 * "x", city="Nice"))
    assert len(db.run(in_city, "FR", "Nice").all()) == 4

    found = only(collector.snapshot(), "Query")
    assert (found.requests, found.cut, found.continued) == (2, 1, 1)


# --------------------------------------------------------------------------------------------------------- partitions


def test_partitions_of_every_kind_of_request(db: Session, collector: Collector) -> None:
    db.create(ann(1))
    db.create(Order(customer_id="c1", order_id="o1"))
    db.run(customer, "c1")
    db.run(orders_of, "c1").all()
    db.update(key(Customer, customer_id="c1"), add={"visits": 1})
    db.get_many([key(Customer, customer_id="c1"), key(Customer, customer_id="c2")])
    in_batch(db, 3)
    with db.transaction() as tx:
        tx.create(ann(3))
        tx.delete(key(Order, customer_id="c1", order_id="o1"))
    db.run(by_email, "c1@example.org").all()
    db.run(in_city, "FR", "Nice").all()

    places = collector.snapshot().places
    asked = {name: {w.key: w.count for w in place.requests.top()} for name, place in places.items()}
    assert asked == {
        TABLE: {"CUSTOMER#c1": 10, "CUSTOMER#c2": 1, "CUSTOMER#c3": 1},
        "GSI1": {"EMAIL#c1@example.org": 1},
        "ByPlace": {"FR Nice": 1},
    }
    assert places[TABLE].partitions.estimate == 3
    assert places[TABLE].newest == ["CUSTOMER#c1", "CUSTOMER#c3"]
    assert places["GSI1"].last_used == pytest.approx(collector.clock(), abs=1)


def test_requests_of_ones_own(db: Session, collector: Collector) -> None:
    db.create(ann())
    asked = {
        "TableName": "Shop",
        "KeyConditionExpression": "#kind = :k and CUSTOMER_PK = :p",
        "ExpressionAttributeNames": {"#kind": "SK"},
        "ExpressionAttributeValues": {":p": {"S": "CUSTOMER#c1"}, ":k": {"S": "PROFILE"}},
    }
    db.send("Query", {**asked, "KeyConditionExpression": "#kind = :k and PK = :p"})
    for operation, request in (
        ("Query", asked),
        ("GetItem", {}),
        ("PutItem", {"TableName": "Shop", "Item": []}),
        ("UpdateItem", {"TableName": "Shop", "Key": {"PK": {"S": "\ud800"}}}),
        ("TransactWriteItems", {"TransactItems": [{}]}),
        ("BatchGetItem", {"RequestItems": {"Shop": None}}),
    ):
        with pytest.raises(Exception):  # noqa: B017  # whatever the engine says of it, the observer says nothing
            db.send(operation, request)

    snapshot = collector.snapshot()
    assert only(snapshot, "Query").requests == 2
    assert snapshot.places[TABLE].requests.top()[0].count == 2  # the create, and the query that told its partition


def test_copies_in_indexes_are_not_in_the_partitions_of_the_table(db: Session, collector: Collector) -> None:
    for _ in range(40):
        db.put(ann(notes=3000 * "x"))

    place = collector.snapshot().places[TABLE]
    assert sum(t.write_units for t in collector.snapshot().traffic) == 40 * 12
    assert place.writes.top()[0].count == pytest.approx(40 * 4)
    assert place.peaks["CUSTOMER#c1"].writes == pytest.approx(40 * 4)


@pytest.mark.parametrize(
    ("operation", "request_"),
    [
        ("BatchWriteItem", {"RequestItems": {"Shop": [{"Oops": 1}]}}),
        ("BatchGetItem", {"RequestItems": {"Shop": {"Keys": [{"PK": {"S": "\ud800"}}]}}}),
        ("GetItem", {"TableName": "Shop", "Key": {"PK": {"S": 5}, "SK": {"S": {}}}}),
        ("PutItem", {"TableName": "Shop", "Item": {"PK": {"S": "x"}, "SK": {"S": "\udfff"}}}),
    ],
    ids=["odd batch", "surrogate", "no text", "surrogate in the sort key"],
)
def test_a_request_that_is_refused_is_in_nobodys_way(
    db: Session, collector: Collector, operation: str, request_: dict[str, Any]
) -> None:
    with pytest.raises(Exception):  # noqa: B017  # whatever the engine says of it
        db.send(operation, request_)
    for n in range(BATCH + 10):
        db.create(ann(n))
        if n % 50 == 0:
            in_batch(db, 2)
            db.get_many([key(Customer, customer_id="c1"), key(Customer, customer_id="c2")])

    assert sum(t.requests for t in collector.snapshot().of("PutItem")) >= BATCH + 10
    assert collector.lost == 0


def test_looking_changes_nothing(db: Session, collector: Collector, clock: Clock) -> None:
    for n in range(300):
        db.put(Order(customer_id="hot", order_id="o1"))
        if n % 50 == 49:
            collector.snapshot()
    clock.now -= 500  # it is set back
    for _ in range(150):
        db.put(Order(customer_id="late", order_id="o1"))

    snapshot = collector.snapshot()
    assert snapshot.places[TABLE].peaks["CUSTOMER#hot"].writes == 300
    assert snapshot.places[TABLE].peaks["CUSTOMER#late"].writes == 150
    assert {m.peak_requests for m in snapshot.minutes.values()} == {300, 150}


def test_kinds_that_take_turns_are_both_measured(engine: Engine) -> None:
    collector = Collector()
    with shop.open(engine, observe=collector) as db:
        for n in range(100):
            db.create(ann(n))
            db.create(Order(customer_id="c1", order_id=str(n)))

    for traffic in collector.snapshot().of("PutItem"):
        assert traffic.sized >= 7, traffic.name


def test_events_tell_the_size_of_what_was_measured(engine: Engine) -> None:
    collector = Collector(sample=1.0)
    with shop.open(engine, observe=collector) as db:
        db.create(ann(1))
        db.create(ann(2, city="x" * 500))
        db.run(customer, "c2")
        db.run(by_email, "c2@example.org").all()
        db.run(customer, "nobody")
    first, second, read, found, nothing = collector.recent_events()
    assert (first.measured, second.measured, second.size - first.size) == (1, 1, 500 - len("Nice"))
    assert (read.measured, read.size) == (found.measured, found.size) == (1, second.size)
    assert (nothing.measured, nothing.size) == (0, 0)


@pytest.mark.parametrize("wrong", [None, -1.0, float("nan"), float("inf"), True, "100"])
def test_thresholds_are_numbers(wrong: Any) -> None:
    for name in ("slow_ms", "read_units", "write_units"):
        with pytest.raises(ArgumentError, match=f"The threshold {name} is a number from 0 on") as caught:
            Thresholds(**{name: wrong})
        assert caught.value.field == name


def test_keys_that_are_looked_up_before_they_are_written_are_new(db: Session, collector: Collector) -> None:
    for n in range(3):
        db.run(customer, f"c{n}")
        db.create(ann(n))
    assert collector.snapshot().places[TABLE].newest == ["CUSTOMER#c0", "CUSTOMER#c1", "CUSTOMER#c2"]


def test_who_gives_up_is_counted(engine: Engine, collector: Collector) -> None:
    async def give_up() -> None:
        async with shop.open_async(engine, observe=collector) as db:
            with engine.faults.inject(SlowReply(seconds=5.0)), pytest.raises(TimeoutError):
                async with asyncio.timeout(0.02):
                    await db.run(customer, "c1")

    asyncio.run(give_up())
    assert only(collector.snapshot(), "GetItem").failures == {"CANCELLED": 1}


def test_the_busiest_second_of_a_partition(db: Session, collector: Collector, clock: Clock) -> None:
    for second, times in enumerate((20, 70, 30)):
        clock.now = 2_000_000.0 + second
        for _ in range(times):
            db.put(Order(customer_id="hot", order_id="o1", status=2000 * "x"))
        db.put(Order(customer_id="cold", order_id="o1"))

    place, minutes = collector.snapshot().places[TABLE], collector.snapshot().minutes
    assert {name: peak.writes for name, peak in place.peaks.items()} == {"CUSTOMER#hot": 210}
    (minute,) = minutes.values()
    assert (minute.requests, minute.peak_requests) == (123, 71)
    assert (minute.write_units, minute.peak_writes) == (363, 211)


# --------------------------------------------------------------------------------------------------- one after another


def test_many_reads_one_by_one(db: Session, collector: Collector, clock: Clock) -> None:
    for n in range(25):
        db.run(customer, f"c{n}")
        clock.sleep(0.02)

    found = only(collector.snapshot(), "GetItem")
    assert (found.bursts, found.in_bursts, found.longest_burst) == (1, 25, 25)


@pytest.mark.parametrize(("times", "pause"), [(10, 0.01), (30, 0.2)], ids=["few", "slow"])
def test_few_or_slow_ones_are_no_row(db: Session, collector: Collector, clock: Clock, times: int, pause: float) -> None:
    for n in range(times):
        db.run(customer, f"c{n}")
        clock.sleep(pause)

    assert only(collector.snapshot(), "GetItem").bursts == 0


def test_one_item_again_and_again_is_no_row(db: Session, collector: Collector, clock: Clock) -> None:
    for n in range(300):
        db.run(customer, f"c{n % 10}")
        clock.sleep(0.001)
    assert only(collector.snapshot(), "GetItem").bursts == 0

    for n in range(60):
        db.run(customer, f"c{n % 20}")
        clock.sleep(0.001)
    found = only(collector.snapshot(), "GetItem")
    assert (found.bursts, found.in_bursts, found.longest_burst) == (3, 60, 20)


def test_one_item_that_comes_again_by_chance_makes_no_second_row(
    db: Session, collector: Collector, clock: Clock
) -> None:
    for n in (*range(26), 3, *range(26, 38)):
        db.run(customer, f"c{n}")
        clock.sleep(0.02)

    found = only(collector.snapshot(), "GetItem")
    assert (found.bursts, found.in_bursts, found.longest_burst) == (1, 39, 38)


def test_reads_and_writes_of_one_item_by_turns_are_no_row(db: Session, collector: Collector, clock: Clock) -> None:
    for n in range(50):
        db.create(ann(n))
        clock.sleep(1)
    for n in range(50):
        read = db.get(key(Customer, customer_id=f"c{n}"))
        clock.sleep(0.001)
        assert read is not None
        read.visits += 1
        db.put(read)
        with db.edit(key(Customer, customer_id=f"c{n}")) as edited:
            edited.name = "Eve"
        clock.sleep(0.001)
    assert sum(t.bursts for t in collector.snapshot().traffic) == 0


def test_what_is_asked_between_a_read_and_its_write_makes_no_row_of_them(
    db: Session, collector: Collector, clock: Clock
) -> None:
    for n in range(50):
        db.run(customer, f"c{n}")
        db.run(orders_of, f"c{n}").all()
        db.put(ann(n))
        clock.sleep(0.001)
    assert sum(t.bursts for t in collector.snapshot().traffic) == 0


def test_an_item_that_is_read_in_two_ways_before_its_write_makes_no_row(
    db: Session, collector: Collector, clock: Clock
) -> None:
    for n in range(50):
        db.create(ann(n))
        clock.sleep(1)
    for n in range(50):
        db.run(customer, f"c{n}")
        with db.edit(key(Customer, customer_id=f"c{n}")) as edited:
            edited.name = "Eve"
        clock.sleep(0.001)
    assert sum(t.bursts for t in collector.snapshot().traffic) == 0


def test_what_is_read_and_written_two_by_two_is_a_row(db: Session, collector: Collector, clock: Clock) -> None:
    for n in range(0, 50, 2):
        for read in (n, n + 1):
            db.run(customer, f"c{read}")
        for written in (n, n + 1):
            db.put(ann(written))
        clock.sleep(0.001)
    assert [t.longest_burst for t in collector.snapshot().traffic] == [50, 50]


def test_all_reads_before_all_writes_are_two_rows(db: Session, collector: Collector, clock: Clock) -> None:
    for n in range(20):
        db.run(customer, f"c{n}")
        clock.sleep(0.001)
    for n in range(20):
        db.put(ann(n))
        clock.sleep(0.001)
    assert [t.longest_burst for t in collector.snapshot().traffic] == [20, 20]


def test_different_callers_make_no_row(db: Session, collector: Collector, clock: Clock) -> None:
    for n in range(50):
        Context().run(db.run, customer, f"c{n}")  # as a server does for each of its requests
        with pytest.raises(TablewrightError):
            Context().run(db.update, key(Customer, customer_id="nobody"), set={"notes": "x"})
        clock.sleep(0.001)

    assert sum(t.bursts for t in collector.snapshot().traffic) == 0


def test_a_thread_that_serves_many(db: Session, collector: Collector, clock: Clock) -> None:
    for n in range(50):
        with collector.caller():
            db.run(customer, f"c{n}")
        clock.sleep(0.001)

    assert only(collector.snapshot(), "GetItem").bursts == 0


def test_tasks_of_one_caller_are_one_caller(engine: Engine, collector: Collector) -> None:
    Context().run(asyncio.run, tasks_of_one_caller(engine, collector))


async def tasks_of_one_caller(engine: Engine, collector: Collector) -> None:
    async with shop.open_async(engine, observe=collector) as db:

        async def one_request() -> None:
            await db.run(orders_of, "c1").all()
            await asyncio.gather(*(db.run(customer, f"c{n}") for n in range(20)))

        await asyncio.create_task(one_request())
        assert only(collector.snapshot(), "GetItem").longest_burst == 20

        await asyncio.gather(*(asyncio.create_task(alone(db.run(by_email, f"c{n}").all())) for n in range(30)))
    assert only(collector.snapshot(), "Query", pattern="by_email").bursts == 0


async def alone(asked: Any) -> None:
    await asked


def test_a_put_after_a_read(db: Session, collector: Collector, clock: Clock) -> None:
    db.create(ann())
    for pause in (0.05, 0.09, 0.11):
        read = db.run(customer, "c1")
        assert read is not None
        clock.sleep(pause)
        db.put(read)

    assert only(collector.snapshot(), "UpdateItem").after_read == 2


def test_it_needs_the_same_item_and_caller_and_no_condition(db: Session, collector: Collector) -> None:
    db.create(ann(1))
    db.create(ann(2))
    db.run(customer, "c1")
    db.put(ann(2))
    Context().run(db.put, ann(1))
    db.run(customer, "c2")
    db.update(key(Customer, customer_id="c2"), add={"visits": 1})
    with db.edit(key(Customer, customer_id="c2")) as edited:
        edited.name = "Eve"

    assert sum(t.after_read for t in collector.snapshot().traffic) == 0


def test_items_that_are_overwritten(db: Session, collector: Collector) -> None:
    db.create(ann())
    target = key(Customer, customer_id="c1")
    for n in range(5):
        db.update(target, set={"notes": str(n)})
        db.update(target, add={"visits": 1})
        db.update(target, set={"notes": "x"}, when=Customer.visits >= 0)
        with db.edit(target) as edited:
            edited.name = str(n)

    assert [(w.key, w.count) for w in only(collector.snapshot(), "UpdateItem").overwritten.top()] == [
        ("CUSTOMER#c1 PROFILE", 5)
    ]


# ------------------------------------------------------------------------------------------------- threads and processes


def test_threads_lose_nothing(engine: Engine) -> None:
    collector = Collector()
    with shop.open(engine, observe=collector) as db:

        def ask(name: str) -> None:
            for _ in range(1_000):
                db.run(customer, name)

        threads = [threading.Thread(target=ask, args=(f"c{n % 4}",)) for n in range(8)]
        for thread in threads:
            thread.start()
        looks = [collector.snapshot().requests for _ in range(20)]
        for thread in threads:
            thread.join()

    assert looks == sorted(looks)
    found = only(collector.snapshot(), "GetItem")
    assert (found.requests, found.latency.count, found.read_units) == (8_000, 8_000, 4_000)
    assert {w.count for w in collector.snapshot().places[TABLE].requests.top()} == {2_000}
    assert len(collector._rows) < BATCH


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_child_process_counts_its_own(engine: Engine) -> None:
    collector = Collector()
    with shop.open(engine, observe=collector) as db:
        db.run(customer, "c1")
        ours = collector.snapshot()
        read, write = os.pipe()
        child = os.fork()
        if not child:
            db.run(customer, "c1")
            db.run(customer, "c1")
            told = collector.snapshot()
            os.write(write, f"{told.requests} {told.runs == ours.runs}".encode())
            os._exit(0)
        os.waitpid(child, 0)
        assert os.read(read, 100) == b"2 False"
        os.close(read)
        os.close(write)
    assert collector.snapshot().requests == ours.requests


# ------------------------------------------------------------------------------------------------------------- bounds


def test_the_latest_requests(db: Session, collector: Collector, clock: Clock) -> None:
    small = Collector(recent=3, clock=clock, timer=clock)
    with shop.open("memory:", observe=small) as other:
        for n in range(5):
            clock.sleep(1)
            other.run(customer, f"c{n}")
    assert [event.at for event in small.recent_events()] == [clock.now - 2, clock.now - 1, clock.now]
    last = small.recent_events()[-1]
    assert (last.operation, last.table, last.pattern, last.entity) == ("GetItem", "Shop", "customer", "Customer")
    assert (last.read_units, last.write_units, last.returned, last.error) == (0.5, 0.0, 0, None)


def test_it_begins_anew(db: Session, collector: Collector, clock: Clock) -> None:
    db.create(ann())
    before = collector.snapshot()
    clock.sleep(5)
    collector.reset()

    after = collector.snapshot()
    assert (after.requests, after.places, after.minutes, collector.recent_events()) == (0, {}, {}, [])
    assert after.spans == [(clock.now, clock.now)]
    before.merge(after)
    assert before.requests == 1


def test_no_number_of_shapes_takes_more_than_so_much(db: Session, collector: Collector) -> None:
    for n in range(1_200):
        with pytest.raises(TablewrightError):
            db.send("Query", {"TableName": "Shop", "IndexName": f"Made-up-{n}"})

    snapshot = collector.snapshot()
    assert snapshot.requests == 1_200
    assert len(snapshot.traffic) <= 1_001
    assert len(snapshot.places) <= 1_001


def test_a_snapshot_is_the_callers_own(db: Session, collector: Collector) -> None:
    db.create(ann())
    mine = collector.snapshot()
    mine.traffic[0].requests = 100
    mine.places[TABLE].requests.add("x", 5)
    assert collector.snapshot().requests == 1


def test_another_table_needs_another_collector(collector: Collector) -> None:
    shop.open("memory:", observe=collector).close()
    with pytest.raises(ConfigError, match="This collector observes Shop"):
        shop.open("memory:", observe=collector, table_name="Shop-2")


@pytest.mark.parametrize(
    "given", [{"sample": 1.5}, {"sample": -0.1}, {"sample": True}, {"recent": -1}, {"recent": 1.5}]
)
def test_options_are_checked(given: dict[str, Any]) -> None:
    with pytest.raises(ArgumentError, match=next(iter(given))):
        Collector(**given)


def test_what_is_no_collector_is_refused() -> None:
    with pytest.raises(ConfigError, match="observe"):
        shop.open("memory:", observe=True)  # type: ignore[arg-type]


# --------------------------------------------------------------------------------------------- fields, errors, advice


def test_fields_that_are_looked_at(engine: Engine) -> None:
    collector = Collector(fields=True)
    with shop.open(engine, observe=collector) as db:
        db.create(ann())
        found = db.run(customer, "c1")
        assert found is not None
        assert (found.name, found.name) == ("Ann", "Ann")
        assert type(found).__name__ == "Customer"
        assert isinstance(found, Customer)
        assert collector.snapshot().fields["customer"].used == dict.fromkeys(Customer.model_fields, 0) | {"name": 2}
        # It is as good as any other.
        db.update(found, set={"name": "Eve"})
        db.put(found)
        assert found == ann()
        found.model_dump_json()
        assert pickle.loads(pickle.dumps(found)) == found == copy.deepcopy(found)
    use = collector.snapshot().fields["customer"]
    assert use.fetched == 1
    assert min(use.used.values()) > 0


def test_errors_that_nobody_caught(collector: Collector, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[object] = []
    monkeypatch.setattr("threading.excepthook", shown.append)
    monkeypatch.setattr("sys.excepthook", lambda *given: shown.append(given))
    collector.watch_unhandled()

    def conflict() -> None:
        raise ConditionalCheckError("no")

    def mistake() -> None:
        raise ValueError("no")

    for target in (conflict, conflict, mistake):
        thread = threading.Thread(target=target)
        thread.start()
        thread.join()
    assert collector.snapshot().unhandled == {ConditionalCheckError("x").code: 2}
    assert len(shown) == 3


def test_a_session_without_a_collector_has_no_advice() -> None:
    with shop.open("memory:") as db, pytest.raises(ConfigError, match="observe=Collector"):
        db.recommendations()


def test_advice_with_a_model_is_not_that_without(db: Session, collector: Collector, clock: Clock) -> None:
    for n in range(120):
        db.create(ann(n))
    clock.sleep(8 * 24 * 3600)
    assert "unused-index" not in {one.rule for one in collector.recommendations() if one.breaks}
    assert "unused-index" in {one.rule for one in db.recommendations() if one.breaks}


def test_without_data_there_is_no_advice(db: Session) -> None:
    assert db.recommendations() == []


# -------------------------------------------------------------------------------------------------------- long keys


def test_long_keys_are_told_apart_but_not_held(engine: Engine) -> None:
    collector = Collector()
    ids = [f"{'x' * 1500}{n}" for n in range(3)]
    with shop.open(engine, observe=collector) as db:
        for n in (0, 1, 1, 2, 2, 2):
            db.put(Customer(customer_id=ids[n], email="a"))
        db.get_many([key(Customer, customer_id=one) for one in ids])

    snapshot = collector.snapshot()
    place = snapshot.places[TABLE]
    assert sorted(place.requests.counts.values()) == [2, 3, 4]
    assert place.partitions.estimate == 3
    kept = [*place.requests.counts, *place.reads.counts, *place.writes.counts, *place.newest]
    kept += [name for t in snapshot.traffic for name in t.overwritten.counts]
    assert len(kept) == 15
    assert all(len(one) == LONG and one.startswith("CUSTOMER#xxx") for one in kept)
    assert not any(len(str(part)) > LONG for row in collector._recent for part in (row[7], row[8]))
    assert collector.recent_events()[-1].batched == 3


def test_a_key_of_the_longest_kept_is_kept_as_it_is() -> None:
    assert shortened("é" * LONG) == "é" * LONG
    assert shortened("é" * (LONG + 1)) != shortened("é" * (LONG + 2))
    assert len(shortened("\ud800" * 2048)) == LONG


def test_what_a_condition_refuses_counts_with_the_units_that_it_took_at_least() -> None:
    """DynamoDB charges for such a write, by the item that it met, and does not tell how much."""
    collector = Collector(sample=1.0)
    with shop.open("memory:", observe=collector) as db:
        db.create(ann(notes="n" * 2_500))
        done = collector.snapshot()
        for _ in range(3):
            with pytest.raises(AlreadyExistsError):
                db.create(ann())
        with pytest.raises(ConditionalCheckFailed):
            db.send("DeleteItem", refused_delete())
    seen = collector.snapshot()
    (put,), (delete,) = seen.of("PutItem"), seen.of("DeleteItem")
    (before,) = done.of("PutItem")
    # Three units for each item of which the answer tells that it has more than two kilobytes, one where it tells nothing.
    assert (put.requests, put.refused_units, put.write_units) == (4, 9.0, before.write_units + 9.0)
    assert (delete.refused_units, delete.write_units) == (1.0, 1.0)
    assert put.index_units == before.index_units  # of indexes they took nothing
    figures = collector.statistics()
    assert (figures.whole.refused_units, figures.operations["PutItem"].refused_units) == (10.0, 9.0)
    assert collector.recent_events()[-1].write_units == 1.0
    assert sum(minute.write_units for minute in seen.minutes.values()) == figures.whole.write_units
    note = next(n for n in estimate_observed(shop, seen).notes if "refused" in n)
    assert note.startswith("Writes that their condition refused are counted with 10 units; they took so many at least")


def refused_delete() -> dict[str, Any]:
    return {
        "TableName": "Shop",
        "Key": {"PK": {"S": "CUSTOMER#c1"}, "SK": {"S": "PROFILE"}},
        "ConditionExpression": "attribute_not_exists(PK)",
    }
