"""Meters: each counts what its own thread or task sends, however blocks overlap."""

from __future__ import annotations

import asyncio
import threading
from contextlib import ExitStack

import pytest

from tablewright import Entity, Get, Keys, Query, RetryPolicy, Table, get, key, query
from tablewright.client.metering import Meter
from tablewright.engine import open_engine
from tablewright.engine.faults import Throttle
from tablewright.errors import Throttled

places = Table("Places")


class Place(Entity, table=places):
    keys = Keys("PLACE#{name}", "PLACE")
    name: str


A = key(Place, name="a")


def test_tasks_that_overlap_are_counted_each_for_itself() -> None:
    async def work() -> tuple[Meter, Meter, Meter]:
        async with places.open_async("memory:") as db:
            first_is_in, second_is_in = asyncio.Event(), asyncio.Event()

            async def first() -> Meter:
                with db.measure() as meter:
                    await db.get(A)
                    first_is_in.set()
                    await second_is_in.wait()
                    await db.get(A)
                return meter

            async def second() -> Meter:
                await first_is_in.wait()
                with db.measure() as meter:
                    second_is_in.set()
                    await asyncio.sleep(0.01)  # the first one ends meanwhile
                    for _ in range(5):
                        await db.get(A)
                return meter

            with db.measure() as around:
                one, two = await asyncio.gather(first(), second())
            await db.get(A)
            return one, two, around

    one, two, around = asyncio.run(work())
    assert [len(meter.requests) for meter in (one, two, around)] == [2, 5, 7]


def test_a_task_that_lives_longer_than_the_block_is_not_counted_any_more() -> None:
    async def work() -> Meter:
        async with places.open_async("memory:") as db:
            over = asyncio.Event()

            async def late() -> None:
                await db.get(A)
                await over.wait()
                await db.get(A)

            with db.measure() as meter:
                task = asyncio.create_task(late())
                await asyncio.sleep(0)
                await asyncio.sleep(0.01)
            over.set()
            await task
            return meter

    assert len(asyncio.run(work()).requests) == 1


def test_threads_are_counted_each_for_itself() -> None:
    meters: dict[int, Meter] = {}
    with places.open("memory:") as db:
        all_in = threading.Barrier(3)

        def work(count: int) -> None:
            with db.measure() as meters[count]:
                all_in.wait()
                for _ in range(count):
                    db.get(A)
                all_in.wait()

        threads = [threading.Thread(target=work, args=(count,)) for count in (1, 2, 3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert {count: len(meter.requests) for count, meter in meters.items()} == {1: 1, 2: 2, 3: 3}


def test_threads_of_the_sessions_own_are_counted() -> None:
    with places.open("memory:") as db:
        db.create(Place(name="a"))
        with db.measure() as meter:
            db.sweep_for_maintenance(Place, lambda _: None, segments=3)
    assert [sent.operation for sent in meter.requests] == ["Scan"] * 3


def test_sessions_are_counted_apart() -> None:
    with (
        places.open("memory:") as db,
        places.open("memory:") as other,
        db.measure() as outer,
        other.measure() as inner,
    ):
        db.get(A)
        other.get(A)
        other.get(A)
    assert (len(outer.requests), len(inner.requests)) == (1, 2)


def test_blocks_may_end_in_any_order() -> None:
    with places.open("memory:") as db:
        first, second = ExitStack(), ExitStack()
        one = first.enter_context(db.measure())
        two = second.enter_context(db.measure())
        db.get(A)
        first.close()
        db.get(A)
        second.close()
        db.get(A)
        with db.measure() as three:
            db.get(A)
    assert [len(meter.requests) for meter in (one, two, three)] == [1, 2, 1]


class Visit(Entity, table=places):
    keys = Keys("VISITS#{name}", "{number:4}")
    name: str
    number: int


@places.pattern
def place(name: str) -> Get[Place]:
    return get(Place, Place.name == name)


@places.pattern
def visits(name: str) -> Query[Visit]:
    return query(Visit, Visit.name == name)


def test_requests_tell_the_pattern_that_they_serve() -> None:
    with places.open("memory:") as db:
        db.create(Visit(name="a", number=1))
        with db.measure() as meter:
            db.run(place, "a")
            db.run(visits, "a").all()
            db.run(visits, "a").page(3)
            db.run(visits, "a").count()
            db.tally(visits("a"))
            db.query(Visit, Visit.name == "a").all()
            db.put(Place(name="a"))
    told = [(sent.operation, sent.pattern) for sent in meter.requests]
    assert told == [("GetItem", "place"), *[("Query", "visits")] * 4, ("Query", None), ("UpdateItem", None)]


def test_statements_tell_what_they_consume() -> None:
    text = 'SELECT * FROM "{table}" WHERE PK = ?'
    with places.open("memory:") as db:
        for number in range(3):
            db.create(Visit(name="a", number=number))
        with db.measure() as meter:
            page = db.statement(text, ["VISITS#a"], into=Visit).page(2)
            filled = db.statement(text, ["VISITS#a"], into=Visit, page_size=1).page(3, fill=True)
        assert db.statement(text, ["VISITS#a"], into=Visit).page(2).capacity is None
    assert page.capacity is not None
    assert page.capacity.read > 0
    assert filled.capacity is not None
    assert page.capacity + filled.capacity == meter.capacity


def test_statements_can_have_a_retry_policy_of_their_own() -> None:
    never = RetryPolicy(operations={"ExecuteStatement": RetryPolicy(max_retries=0)})
    with open_engine("memory:") as engine, places.open(engine, retry=never) as db:
        engine.faults.inject(Throttle(operations=["ExecuteStatement"]))
        with db.measure() as meter, pytest.raises(Throttled):
            db.statement('SELECT * FROM "{table}" WHERE PK = ?', ["x"], into=Place).all()
    assert [sent.error for sent in meter.requests] == ["THROTTLED"]
