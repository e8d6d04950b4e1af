"""An engine in memory, and a way to it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tablewright.engine import Engine, open_engine
from tablewright.transport.embedded import EmbeddedTransport


@pytest.fixture
def engine() -> Iterator[Engine]:
    with open_engine("memory:") as opened:
        yield opened


@pytest.fixture
def transport(engine: Engine) -> EmbeddedTransport:
    return EmbeddedTransport(engine, owned=False)
