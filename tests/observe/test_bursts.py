"""Rows of single requests are found whole, however many callers there are and wherever the answers are parted to be added up."""

from __future__ import annotations

import heapq
from contextvars import Context
from typing import Any

import pytest

from tablewright.client.calls import Call
from tablewright.observe.bursts import BURST
from tablewright.observe.collector import BATCH, Collector
from tablewright.observe.snapshot import Snapshot
from tests.observe.shop import Clock

TOOK = 0.004


def asked(item: str, operation: str = "GetItem") -> Call:
    place = {"PutItem": "Item"}.get(operation, "Key")
    return Call(operation, {"TableName": "Shop", place: {"PK": {"S": item}, "SK": {"S": "PROFILE"}}}, True)


def observed(callers: list[list[Call]], clock: Clock) -> Snapshot:
    """What callers come to who each send their requests one after the other, all at the same time."""
    collector = Collector(sample=0, clock=clock, timer=clock)
    watcher = collector.watch("Shop", "PK", "SK", {})
    answer: dict[str, Any] = {"ConsumedCapacity": {"CapacityUnits": 0.5}}
    due = [(clock.now + number / 1e5, number, iter(calls), Context()) for number, calls in enumerate(callers)]
    while due:
        at, number, calls, context = heapq.heappop(due)
        call = next(calls, None)
        if call is not None:
            clock.now = at + TOOK
            context.run(watcher.answered, call, answer, at, 0, False)
            heapq.heappush(due, (at + TOOK, number, calls, context))
    return collector.snapshot()


@pytest.mark.parametrize("callers", [1, 7, 60, 300])
def test_rows_of_many_callers_at_once(clock: Clock, callers: int) -> None:
    (traffic,) = observed([[asked(f"{who}-{n}") for n in range(25)] for who in range(callers)], clock).traffic
    assert (traffic.bursts, traffic.in_bursts, traffic.longest_burst) == (callers, 25 * callers, 25)


@pytest.mark.parametrize("callers", [1, 300])
def test_as_many_that_are_short_are_none(clock: Clock, callers: int) -> None:
    (traffic,) = observed([[asked(f"{who}-{n}") for n in range(BURST)] for who in range(callers)], clock).traffic
    assert (traffic.bursts, traffic.in_bursts, traffic.requests) == (0, 0, BURST * callers)


@pytest.mark.parametrize("callers", [1, 100])
def test_a_row_that_is_longer_than_what_is_added_up_at_once_is_one(clock: Clock, callers: int) -> None:
    number = 3 * BATCH + 7
    (traffic,) = observed([[asked(f"{who}-{n}") for n in range(number)] for who in range(callers)], clock).traffic
    assert (traffic.bursts, traffic.in_bursts, traffic.longest_burst) == (callers, number * callers, number)


def test_items_that_come_again_are_as_many_rows_of_each_caller(clock: Clock) -> None:
    (traffic,) = observed([[asked(f"{who}-{n % 20}") for n in range(60)] for who in range(100)], clock).traffic
    assert (traffic.bursts, traffic.in_bursts, traffic.longest_burst) == (300, 6_000, 20)


def test_few_items_again_and_again_by_many_callers_are_no_row(clock: Clock) -> None:
    (traffic,) = observed([[asked(f"{who}-{n % BURST}") for n in range(100)] for who in range(100)], clock).traffic
    assert (traffic.bursts, traffic.in_bursts) == (0, 0)


@pytest.mark.parametrize("callers", [1, 40])
def test_a_write_right_after_a_read_is_found_wherever_the_answers_are_parted(clock: Clock, callers: int) -> None:
    calls = [
        [one for n in range(50) for one in (asked(f"{who}-{n}"), asked(f"{who}-{n}", "PutItem"))]
        for who in range(callers)
    ]
    writes = next(observed(calls, clock).of("PutItem"))
    assert (writes.requests, writes.after_read) == (50 * callers, 50 * callers)


def test_a_read_is_followed_by_one_write_only(clock: Clock) -> None:
    pair = [asked("a"), asked("a", "PutItem")]
    before = [asked(f"{n}") for n in range(BATCH - len(pair))]
    writes = next(observed([[*before, *pair, *[asked("a", "PutItem") for _ in range(5)]]], clock).of("PutItem"))
    assert (writes.requests, writes.after_read) == (6, 1)


def test_for_how_long_a_caller_waits_for_a_row(clock: Clock) -> None:
    (traffic,) = observed([[asked(f"{who}-{n}") for n in range(25)] for who in range(60)], clock).traffic
    assert traffic.burst_seconds == pytest.approx(60 * 25 * TOOK)


@pytest.mark.parametrize("number", [30, 3 * BATCH])
def test_requests_that_are_under_way_at_once_are_waited_for_once(clock: Clock, number: int) -> None:
    collector = Collector(sample=0, clock=clock, timer=clock)
    watcher = collector.watch("Shop", "PK", "SK", {})
    answer: dict[str, Any] = {"ConsumedCapacity": {"CapacityUnits": 0.5}}
    for ten in range(0, number, 10):
        began = clock.now
        clock.sleep(TOOK)
        for n in range(ten, min(number, ten + 10)):
            watcher.answered(asked(f"{n}"), answer, began, 0, False)
    (traffic,) = collector.snapshot().traffic
    assert (traffic.bursts, traffic.in_bursts) == (1, number)
    assert traffic.burst_seconds == pytest.approx(number / 10 * TOOK, rel=0.05)
