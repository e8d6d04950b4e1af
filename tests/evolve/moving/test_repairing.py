"""A repair of many items at once: side by side, at one pace, and with the outcome of one after the other."""

from __future__ import annotations

import threading
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from tablewright.errors import ArgumentError, CancellationReason, TransactionCanceled
from tablewright.evolve.moving import BadRow, MovingSession, open_moving
from tablewright.transport.embedded import EmbeddedTransport
from tests.evolve.moving.conftest import AT_ONCE, Ground
from tests.evolve.moving.merchants import a_merchant, a_review

Meet = Callable[[str], None]


class Threaded:
    """The way of several threads, which `meet` is asked before each request."""

    def __init__(self, inner: EmbeddedTransport, meet: Meet) -> None:
        self._inner = inner
        self._meet = meet

    def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        self._meet(operation)
        return self._inner.send(operation, request)

    def close(self) -> None:
        pass


def noted(apart: Ground, meet: Meet) -> MovingSession:
    """Eighteen reviews and six merchants that are noted only, one of which cannot be moved any more."""
    apart.fill()
    apart.into("dual")
    apart.backfill()
    apart.put_legacy("ReviewsTable", a_review(2, 1, ts="secret"))
    new, legacy = (Threaded(EmbeddedTransport(engine, owned=False), meet) for engine in (apart.new, apart.legacy))
    return open_moving(apart.moving, new, legacy=legacy, clock=apart.clock, retry=AT_ONCE, create=False)


def is_repair() -> bool:
    return threading.current_thread().name.startswith("tablewright-repair")


def test_items_are_settled_side_by_side(apart: Ground) -> None:
    both, number = threading.Barrier(2), count()
    met: list[int] = []

    def meet(operation: str) -> None:
        """The first transaction goes when a second one is on its way too."""
        if operation == "TransactWriteItems" and is_repair() and next(number) < 2:
            met.append(both.wait(timeout=60))

    session = noted(apart, meet)
    rows: list[BadRow] = []
    told: list[int] = []
    done = session.repair(in_flight=4, bad_row=rows.append, progress=lambda p: told.append(p.settled + p.failed))
    assert sorted(met) == [0, 1]
    assert done.settled == 23
    assert told == list(range(1, 25))
    assert [(row.table, row.key) for row in rows] == [
        ("ReviewsTable", {"merchantId": {"S": "m2"}, "reviewId": {"S": "r1"}})
    ]
    assert {name: t.equal for name, t in session.verify().entities.items()} == {"Merchant": True, "Review": True}
    assert session.repair(in_flight=4).settled == 0


def test_what_is_in_each_others_way_goes_one_by_one(apart: Ground) -> None:
    refused: list[str] = []

    def meet(operation: str) -> None:
        if operation == "TransactWriteItems" and is_repair():
            refused.append(operation)
            raise TransactionCanceled("busy", reasons=[CancellationReason("TransactionConflict")])

    session = noted(apart, meet)
    assert session.repair(in_flight=4).settled == 23
    assert refused


def test_what_fails_in_a_thread_is_raised(apart: Ground) -> None:
    def meet(operation: str) -> None:
        if operation == "TransactWriteItems" and is_repair():
            raise ArgumentError("of somebody else's")

    session = noted(apart, meet)
    with pytest.raises(ArgumentError, match="of somebody else's"):
        session.repair(in_flight=4)


def test_one_pace_for_all(apart: Ground) -> None:
    session = noted(apart, lambda operation: None)
    now, slept = [0.0], list[float]()

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        now[0] += seconds

    for way in session._ways.values():
        way.sleep = sleep
    session._meanwhile.timer = lambda: now[0]
    units: list[float] = []
    session.repair(in_flight=3, max_write_units=10, progress=lambda p: units.append(p.write_units))
    # Three may be under way before the first tells what it took.
    assert sum(slept) >= units[-1] / 10 * 0.7


@pytest.mark.parametrize("wrong", [0, 65, True])
def test_how_many_at_once(apart: Ground, wrong: int) -> None:
    apart.into("dual")
    with pytest.raises(ArgumentError, match="in_flight= is a number from 1 to 64"):
        apart.session.repair(in_flight=wrong)


def test_mending_many_at_once(apart: Ground) -> None:
    apart.fill()
    apart.into("dual")
    apart.backfill()
    assert apart.session.repair(in_flight=8).settled == 24
    for number in range(6):
        apart.put_legacy("MerchantsTable", a_merchant(number, name="by old code"))
    assert apart.session.mend(in_flight=8).settled == 6
    assert apart.session.verify().well
