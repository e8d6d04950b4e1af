"""Open shops for the tests, with somebody who observes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tablewright import RetryPolicy, Session
from tablewright.engine import Engine, open_engine
from tablewright.observe.collector import Collector
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
