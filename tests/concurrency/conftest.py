"""Crews on an engine in memory and on one in a file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tablewright import Session
from tablewright.engine import Engine, open_engine
from tablewright.transport.embedded import EmbeddedTransport
from tests.concurrency.arcade import arcade
from tests.concurrency.crews import Crew, Tasks, Threads


@dataclass
class Hall:
    """A crew, a session of its own to prepare and to look, and the engine below."""

    crew: Crew
    db: Session
    engine: Engine

    def items(self, kind: str) -> list[dict[str, Any]]:
        """All stored items of a type."""
        items = self.engine.execute("Scan", {"TableName": "Arcade"})["Items"]
        return [i for i in items if i["Type"] == {"S": kind}]


@pytest.fixture(
    params=[(c, p) for c in (Threads, Tasks) for p in ("memory", "file")], ids=lambda p: f"{p[0].__name__}-{p[1]}"
)
def hall(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Hall]:
    """Everything for a race; afterwards the engine's own books must be in order."""
    crew, place = request.param
    with open_engine("memory:" if place == "memory" else tmp_path / "arcade.db") as engine:
        with arcade.open(EmbeddedTransport(engine, owned=False), create=True) as db:
            yield Hall(crew(engine, place == "memory"), db, engine)
        assert engine.verify() == []
