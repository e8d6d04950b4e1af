"""A moving of people that has come to its last phase, and the way back from it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tablewright.engine import Engine, open_engine
from tablewright.evolve.moving import Moving, MovingSession, open_moving
from tablewright.values.wire import from_wire_item
from tests.evolve.moving.conftest import AT_ONCE
from tests.evolve.moving.merchants import Clock
from tests.evolve.moving.people import fill, into_new, old_table, people_moving


@dataclass
class Ground:
    """A moving in the phase new, with its sides."""

    legacy: Engine
    new: Engine
    clock: Clock
    moving: Moving

    def open(self) -> MovingSession:
        """Another process."""
        beside = None if self.legacy is self.new else self.legacy
        return open_moving(self.moving, self.new, legacy=beside, clock=self.clock, retry=AT_ONCE)

    def old(self, person_id: str, table: str = "Old") -> dict[str, Any] | None:
        """The legacy item."""
        found = self.legacy.execute("GetItem", {"TableName": table, "Key": {"id": {"S": person_id}}})
        return from_wire_item(found["Item"]) if "Item" in found else None


def grounds(kind: str) -> Iterator[Ground]:
    """One whose sides are "together", or "apart"."""
    with open_engine("memory:") as new, open_engine("memory:") as other:
        made = Ground(new if kind == "together" else other, new, Clock(), people_moving())
        made.legacy.execute("CreateTable", old_table())
        fill(made.legacy, 1, 2, 3)
        with made.open() as session:
            session.prepare()
            into_new(session, made.clock)
        yield made


def back(ground: Ground, session: MovingSession) -> None:
    """To the phase before, with what that needs."""
    while not session.restore_legacy().nothing:
        pass
    assert session.verify().well
    session.go_back("switched")
