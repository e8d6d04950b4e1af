"""What the server's tests share: a running server with one table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tablewright.engine import open_engine
from tablewright.server import Server, serve_in_thread
from tests.server.wire import TABLE, Wire


@pytest.fixture(scope="module", params=["memory", "file"])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server on tables in memory, then one on a file; both have the table Things."""
    folder: Path = tmp_path_factory.mktemp("server")
    target = "memory:" if request.param == "memory" else str(folder / "tables.db")
    with open_engine(target, synchronous="NORMAL") as engine:
        engine.execute("CreateTable", TABLE)
        with serve_in_thread(engine) as running:
            yield running
        assert engine.verify() == []


@pytest.fixture
def wire(server: Server) -> Iterator[Wire]:
    """A connection to it."""
    with Wire(server.url) as opened:
        yield opened
