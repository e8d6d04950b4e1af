"""An engine with a clock of the tests' own and a table, on demand or provisioned."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tablewright.engine import open_engine
from tests.engine.faults.world import World
from tests.engine.timed_lab import MovingClock


@pytest.fixture(params=["memory", "file"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    """A table that is paid for by request, in memory and in a file."""
    yield from _opened("memory:" if request.param == "memory" else str(tmp_path / "tables.db"))


@pytest.fixture
def provisioned() -> Iterator[World]:
    """A table with 5 read units and 3 write units a second, and an index with 2 of each."""
    yield from _opened("memory:", units=(5, 3), index_units=(2, 2))


def _opened(target: str, **units: Any) -> Iterator[World]:
    clock = MovingClock()
    with open_engine(target, synchronous="NORMAL", clock=clock) as engine:
        world = World(engine, clock)
        world.create("Shop", **units)
        yield world
        engine.faults.clear()
        assert engine.verify() == []
