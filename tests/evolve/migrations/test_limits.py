"""Migrations within limits: they take no more units a second than they may, and hold their lock however long a page takes."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright.errors import ArgumentError, ContentionError
from tablewright.evolve.migrations import RenameAttribute
from tablewright.evolve.migrations.limits import Limits
from tablewright.evolve.migrations.migrator import Migrator
from tests.evolve.migrations.tables import Shop, Through, file, shop, written

RENAME = file(RenameAttribute("Order", "state", to="status"))


class Time:
    """Passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def migrator(ground: Shop, *limits: Any, time: Time | None = None) -> Migrator:
    passing = time or Time()
    made = Limits(*limits, timer=passing, sleep=passing.sleep)
    return Migrator(ground.new, ground.new_module.shop, [RENAME], limits=made)


def test_writes_take_as_long_as_the_limit_says() -> None:
    with shop() as ground:
        ground.fill(50)
        time = Time()
        told = migrator(ground, None, 10.0, time=time).run(write=True)
        assert written(told) == 50
        consumed = sum(one.outcome.consumed for one in told)
        assert consumed == 100  # the table, and its index
        assert consumed / 10 - 1 <= time.now <= consumed / 10 + 1


def test_reads_take_as_long_as_the_limit_says_in_small_pages() -> None:
    with shop() as ground:
        ground.fill(300)
        time, free = Time(), Time()
        told = migrator(ground, 5.0, None, time=time).plan()
        assert written(told) == 300
        units = sum(one.outcome.read_units for one in told)
        assert units > 10
        assert units / 5 - 5 <= time.now <= units / 5 + 1
        migrator(ground, time=free).plan()
        assert free.now == 0


def test_limits_that_are_none() -> None:
    for wrong in (0, -1, float("inf"), float("nan")):
        with pytest.raises(ArgumentError, match="above 0"):
            Limits(None, wrong)


def test_the_lock_is_held_while_the_items_of_one_page_are_written() -> None:
    refused: list[int] = []
    with shop() as ground:
        ground.fill(12)

        def slow(count: int) -> None:
            ground.clock.move(20)
            if count == 18:
                with pytest.raises(ContentionError, match="Another process is migrating"):
                    ground.migrator(RENAME).run(write=True)
                refused.append(count)

        session = ground.opened(lambda inner: Through(inner, slow, lambda n: None))
        assert written(ground.migrator(RENAME, session=session).run(write=True)) == 12
    assert refused == [18]
