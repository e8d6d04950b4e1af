"""Listeners of a collector hear of all that sessions do, and change nothing of it."""

import asyncio
import gc
import json
import threading
import weakref
from collections.abc import Iterator

import pytest

from tablewright import Entity, Keys, Query, Table, key, query
from tablewright.errors import AlreadyExistsError
from tablewright.observe.collector import Collector
from tablewright.observe.events import Event
from tablewright.observe.exporters.emf import Emf
from tablewright.observe.tracking import Tracked

shop = Table("Shop")


class Order(Entity, table=shop):
    keys = Keys("CUSTOMER#{customer}", "ORDER#{number:6}")
    customer: str
    number: int


@shop.pattern
def orders_of(customer: str) -> Query[Order]:
    "The orders of a customer."
    return query(Order, Order.customer == customer)


class Keeps:
    def __init__(self) -> None:
        self.events: list[Event] = []
        self.tracked: list[Tracked] = []

    def seen(self, event: Event) -> None:
        self.events.append(event)

    def done(self, tracked: Tracked) -> None:
        self.tracked.append(tracked)


class Raises:
    def seen(self, event: Event) -> None:
        raise RuntimeError


class Hangs:
    def __init__(self) -> None:
        self.let_go = threading.Event()

    def seen(self, event: Event) -> None:
        self.let_go.wait(30)


@pytest.fixture
def hangs() -> Iterator[Hangs]:
    made = Hangs()
    yield made
    made.let_go.set()


def test_every_request_is_told_with_its_outcome() -> None:
    keeps = Keeps()
    collector = Collector(listeners=[keeps])
    with shop.open("memory:", observe=collector) as db:
        db.create(Order(customer="ada", number=1))
        with pytest.raises(AlreadyExistsError):
            db.create(Order(customer="ada", number=1))
        assert len(list(db.run(orders_of, "ada"))) == 1
        assert db.get(key(Order, customer="ada", number=2)) is None
        with db.batch() as batch:
            for number in range(3):
                batch.put(Order(customer="bob", number=number))
    assert collector.flush(5)
    told = [(e.operation, e.pattern, e.error, e.batched) for e in keeps.events]
    assert told == [(e.operation, e.pattern, e.error, e.batched) for e in collector.recent_events()]
    assert ("Query", "orders_of", None, 0) in told
    assert ("BatchWriteItem", None, None, 3) in told
    assert [e.error for e in keeps.events if e.error] == ["CONDITIONAL_CHECK_FAILED"]
    assert {e.table for e in keeps.events} == {"Shop"}
    assert all(e.write_units > 0 for e in keeps.events if e.operation == "BatchWriteItem")
    assert "ada" not in repr(keeps.events)
    assert collector.close(5)


def test_listeners_that_fail_or_hang_change_no_result(hangs: Hangs) -> None:
    keeps = Keeps()
    collector = Collector(listeners=[Raises(), hangs, keeps])
    with shop.open("memory:", observe=collector) as db:
        for number in range(20):
            db.create(Order(customer="ada", number=number))
        assert [o.number for o in db.run(orders_of, "ada")] == list(range(20))
    assert not collector.flush(0.2)
    assert len(keeps.events) == 21
    raising, hanging, keeping = collector.outlets
    assert (raising.failures, hanging.seen, keeping.seen) == (21, 0, 21)
    assert collector.snapshot().requests == 21
    assert not collector.close(0.05)


def test_operations_are_tracked_in_both_worlds() -> None:
    keeps, lines = Keeps(), list[str]()
    collector = Collector(listeners=[keeps, Emf(lines.append)])

    @collector.track("Count")
    async def count(customer: str) -> int:
        async with shop.open_async("memory:", observe=collector) as db:
            return len([order async for order in db.run(orders_of, customer)])

    with collector.track("Nothing"):
        pass
    assert asyncio.run(count("ada")) == 0
    with pytest.raises(ZeroDivisionError), collector.track("Divide"):
        _ = 1 // 0
    assert collector.close(5)
    assert [(t.name, t.error) for t in keeps.tracked] == [
        ("Nothing", None),
        ("Count", None),
        ("Divide", "ZeroDivisionError"),
    ]
    told = [json.loads(line) for line in lines]
    assert [line["Operation"] for line in told] == ["Nothing", "Query", "Count", "Divide"]
    assert (told[2]["CountSuccess"], told[3]["DivideFailure"]) == (1, 1)


def test_a_collector_that_nobody_holds_goes_with_its_threads() -> None:
    class Alone(Keeps):
        pass

    collector = Collector(listeners=[Alone()])
    with shop.open("memory:", observe=collector) as db:
        db.get(key(Order, customer="ada", number=2))
    (thread,) = [t for t in threading.enumerate() if t.name == "tablewright tells Alone"]
    gone = weakref.ref(collector)
    del collector, db
    gc.collect()
    assert gone() is None
    thread.join(5)
    assert not thread.is_alive()
