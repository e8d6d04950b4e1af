"""Open shops for the tests, with somebody who observes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tablewright import RetryPolicy, Session
from tablewright.engine import Engine, open_engine
from tablewright.observe.collector import Collector
from tablewright.observe.events import Event
from tests.observe.shop import Clock, shop


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def collector(clock: Clock) -> Collector:
    return Collector(sample=1, clock=clock, timer=clock)


@pytest.fixture
def engine() -> Iterator[Engine]:
    with open_engine("memory:") as opened:
        yield opened


@pytest.fixture
def db(engine: Engine, collector: Collector) -> Iterator[Session]:
    with shop.open(engine, observe=collector, retry=RetryPolicy(base_delay=0.0, max_delay=0.0)) as opened:
        yield opened


@pytest.fixture
def event() -> Callable[..., Event]:
    """Makes events: a query that went well, but for what is said."""

    def make(**said: Any) -> Event:
        usual: dict[str, Any] = {
            "operation": "Query",
            "table": "Shop",
            "index": None,
            "pattern": None,
            "entity": None,
            "at": 1_700_000_000.25,
            "seconds": 0.0125,
            "read_units": 1.5,
            "write_units": 0.0,
            "returned": 3,
            "scanned": 4,
            "retries": 0,
            "error": None,
        }
        return Event(**(usual | said))

    return make
