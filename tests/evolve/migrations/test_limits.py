"""Migrations within limits: they take no more units a second than they may, and hold their lock however long a page takes."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright.errors import ArgumentError, ContentionError
from tablewright.evolve.migrations import RenameAttribute
from tablewright.evolve.migrations.migrator import Migrator
from tests.evolve.migrations.tables import Shop, Through, file, shop, written

RENAME = file(RenameAttribute("Order", "state", to="status"))


class Time:
    """Passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


class Metered:
    """Notes when each request of one kind goes, and what those before it took of the table."""

    def __init__(self, inner: Any, time: Time, kind: str) -> None:
        self._inner, self._time, self._kind = inner, time, kind
        self.took = 0.0
        self.items = 0.0
        self.sent: list[tuple[float, float]] = []

    def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """One request."""
        noted = request.get("Key", {}).get("PK") == {"S": "tablewright#migrations"}
        before = self.took
        if operation == self._kind and not noted:  # what is noted on how far it is waits for nobody
            self.sent.append((self._time.now, before))
        response: dict[str, Any] = self._inner.send(operation, request)
        units = response.get("ConsumedCapacity", {}).get("CapacityUnits", 0.0) if operation == self._kind else 0.0
        self.took += units
        self.items += 0.0 if noted else units
        return response

    def close(self) -> None:
        """The engine is the test's."""


def metered(ground: Shop, kind: str, **limits: float) -> tuple[Migrator, Metered]:
    """A process that sends one request after another, within limits."""
    time, made = Time(), list[Metered]()

    def between(inner: Any) -> Metered:
        made.append(Metered(inner, time, kind))
        return made[0]

    job: Any = {"timer": time, "sleep": time.sleep, **limits}
    return ground.migrator(RENAME, session=ground.opened(between), **job), made[0]


def test_writes_go_when_the_limit_allows_and_no_later() -> None:
    with shop() as ground:
        ground.fill(50)
        migrator, meter = metered(ground, "UpdateItem", max_write_units=10.0)
        told = migrator.run(write=True)
        assert written(told) == len(meter.sent) == 50
        assert meter.items == 100  # the table, and its index
        assert sum(one.outcome.units for one in told) == meter.took > 100  # what is noted on how far it is counts too
        assert [at for at, _ in meter.sent] == pytest.approx([before / 10 for _, before in meter.sent], abs=1e-3)


def test_reads_go_when_the_limit_allows_in_small_pages() -> None:
    with shop() as ground:
        ground.fill(300)
        migrator, meter = metered(ground, "Scan", max_read_units=5.0)
        told = migrator.plan()
        assert written(told) == 300
        assert sum(one.outcome.read_units for one in told) == meter.took > 10
        assert len(meter.sent) > 5
        assert [at for at, _ in meter.sent] == pytest.approx([before / 5 for _, before in meter.sent], abs=1e-3)
        free, unmetered = metered(ground, "Scan")
        free.plan()
        assert {at for at, _ in unmetered.sent} == {0}


def test_what_is_no_limit() -> None:
    with shop() as ground:
        for wrong in (0, -1, float("inf"), float("nan")):
            with pytest.raises(ArgumentError, match="above 0"):
                ground.migrator(RENAME, max_write_units=wrong)
        with pytest.raises(ArgumentError, match="64 segments side by side at most"):
            ground.migrator(RENAME, segments=65)


@pytest.mark.parametrize("job", [{}, {"segments": 4, "in_flight": 4}], ids=["one by one", "side by side"])
def test_the_lock_is_held_while_the_items_of_one_page_are_written(job: dict[str, Any]) -> None:
    refused: list[int] = []
    with shop() as ground:
        ground.fill(12)

        def slow(count: int) -> None:
            ground.clock.move(20 / job.get("in_flight", 1))
            if count == 24:
                with pytest.raises(ContentionError, match="Another process is migrating"):
                    ground.migrator(RENAME).run(write=True)
                refused.append(count)

        session = ground.opened(lambda inner: Through(inner, slow, lambda n: None))
        slowly = ground.migrator(RENAME, session=session, timer=lambda: ground.clock.time().timestamp(), **job)
        assert written(slowly.run(write=True)) == 12
    assert refused == [24]
