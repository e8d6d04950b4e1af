"""Two legacy tables and the new one on an engine, with everything passed in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tablewright import RetryPolicy
from tablewright.engine import Engine, open_engine
from tablewright.errors import ConditionalCheckFailed, TransactionCanceled
from tablewright.evolve.jobs.work import Skipped, Work, Writes
from tablewright.evolve.moving import Moving, MovingSession, open_moving
from tablewright.transport.embedded import EmbeddedTransport
from tablewright.values.wire import from_wire_item, to_wire_item
from tests.client.doubles import OnTheWay
from tests.evolve.moving.merchants import Clock, a_merchant, a_review, legacy_definitions, merchants_moving, tokens

AT_ONCE = RetryPolicy(base_delay=0.0, max_delay=0.0)


@dataclass
class Ground:
    """A moving, the engines of both sides, and what stands on the way to each."""

    session: MovingSession
    moving: Moving
    clock: Clock
    legacy: Engine
    new: Engine
    wire: OnTheWay
    """On the way to the new side, and to both where they are one."""
    legacy_wire: OnTheWay
    open: Callable[[], MovingSession]
    """Another process: it knows nothing of what this one has read."""

    def hold(self) -> None:
        """Waits until a change of phase holds everywhere."""
        self.clock.pass_(seconds=11)

    def legacy_items(self, table: str) -> list[dict[str, Any]]:
        return [from_wire_item(i) for i in self.legacy.execute("Scan", {"TableName": table})["Items"]]

    def new_items(self) -> list[dict[str, Any]]:
        return [from_wire_item(i) for i in self.new.execute("Scan", {"TableName": "Market"})["Items"]]

    def put_legacy(self, table: str, item: dict[str, Any]) -> None:
        """The legacy application of yesterday, which knows nothing of a moving."""
        self.legacy.execute("PutItem", {"TableName": table, "Item": to_wire_item(item)})

    def fill(self, merchants: int = 6, reviews: int = 3) -> None:
        for number in range(merchants):
            self.put_legacy("MerchantsTable", a_merchant(number))
            for review in range(reviews):
                self.put_legacy("ReviewsTable", a_review(number, review))

    def into(self, *phases: Any) -> None:
        """Through phases, with what each needs."""
        for phase in phases:
            if phase in ("shadow", "switched", "new"):
                self.backfill()
                assert self.session.repair().exit_code == 0
                assert self.session.verify().well, self.session.verify().text()
            self.session.advance(phase)
            self.hold()

    def backfill(self, between: Callable[[Work], object] | None = None) -> dict[str, int]:
        """The simplest of runners: looks at each item, and sends what has to be written."""
        counts = {"written": 0, "there": 0, "skipped": 0}
        for work in self.session.backfills():
            items = self.legacy.execute("Scan", {"TableName": work.table, **work.reads})["Items"]
            for item in items:
                decision = work.look(item)
                if between is not None:
                    between(work)
                if isinstance(decision, Skipped):
                    counts["skipped"] += 1
                elif isinstance(decision, Writes):
                    counts["written" if carried_out(self.legacy, decision) else "there"] += 1
        return counts


def carried_out(engine: Engine, writes: Writes) -> bool:
    """Whether the conditions held."""
    try:
        if len(writes.actions) == 1 and "Update" in writes.actions[0]:
            engine.execute("UpdateItem", writes.actions[0]["Update"])
        else:
            engine.execute("TransactWriteItems", {"TransactItems": list(writes.actions)})
    except (TransactionCanceled, ConditionalCheckFailed):
        return False
    return True


def ground_on(moving: Moving, legacy: Engine, new: Engine, definitions: list[dict[str, Any]]) -> Ground:
    for definition in definitions:
        legacy.execute("CreateTable", definition)
    clock, token = Clock(), tokens()
    wire = OnTheWay(EmbeddedTransport(new, owned=False))
    legacy_wire = wire if legacy is new else OnTheWay(EmbeddedTransport(legacy, owned=False))

    def opened() -> MovingSession:
        other = None if legacy is new else legacy_wire
        return open_moving(moving, wire, legacy=other, clock=clock, token=token, retry=AT_ONCE)

    session = opened()
    session.prepare()
    return Ground(session, moving, clock, legacy, new, wire, legacy_wire, opened)


@pytest.fixture
def ground() -> Iterator[Ground]:
    """Both sides in one engine."""
    with open_engine("memory:") as engine:
        yield ground_on(merchants_moving(), engine, engine, legacy_definitions())


@pytest.fixture
def apart() -> Iterator[Ground]:
    """Each side in an engine of its own, which no transaction spans."""
    with open_engine("memory:") as legacy, open_engine("memory:") as new:
        yield ground_on(merchants_moving(), legacy, new, legacy_definitions())


@pytest.fixture(params=["together", "apart"])
def anyhow(request: pytest.FixtureRequest) -> Ground:
    """Both ways."""
    found: Ground = request.getfixturevalue("ground" if request.param == "together" else "apart")
    return found
