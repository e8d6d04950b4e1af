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


def migrator(ground: Shop, time: Time, **limits: float) -> Migrator:
    return ground.migrator(RENAME, timer=time, sleep=time.sleep, **limits)  # type: ignore[arg-type]


def test_writes_take_as_long_as_the_limit_says() -> None:
    with shop() as ground:
        ground.fill(50)
        time = Time()
        told = migrator(ground, time, max_write_units=10.0).run(write=True)
        assert written(told) == 50
        units = sum(one.outcome.units for one in told)
        assert units >= 100  # the table, and its index; and what is noted on how far it is
        assert units / 10 - 1.5 <= time.now <= units / 10 + 1


def test_reads_take_as_long_as_the_limit_says_in_small_pages() -> None:
    with shop() as ground:
        ground.fill(300)
        time, free = Time(), Time()
        told = migrator(ground, time, max_read_units=5.0).plan()
        assert written(told) == 300
        units = sum(one.outcome.read_units for one in told)
        assert units > 10
        assert units / 5 - 5 <= time.now <= units / 5 + 1
        migrator(ground, free).plan()
        assert free.now == 0


def test_what_is_no_limit() -> None:
    with shop() as ground:
        for wrong in (0, -1, float("inf"), float("nan")):
            with pytest.raises(ArgumentError, match="above 0"):
                migrator(ground, Time(), max_write_units=wrong)
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
