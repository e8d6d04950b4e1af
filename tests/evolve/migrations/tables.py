"""Tables in memory with an old and a new model on them, and migrations from one to the other."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Unpack

from tablewright import Session, Table
from tablewright.client.drive import SyncDriver
from tablewright.engine import Engine, open_engine
from tablewright.evolve.jobs.job import JobOptions
from tablewright.evolve.migrations import Migration
from tablewright.evolve.migrations.files import MigrationFile
from tablewright.evolve.migrations.history import LEDGER_TYPE
from tablewright.evolve.migrations.leaving import LeftItems
from tablewright.evolve.migrations.migrator import Migrator, Told
from tablewright.testing import ManualClock
from tablewright.values.types import Item
from tests.evolve.differences.models import changed, loaded

OLD = """
from datetime import datetime
from tablewright import GSI, Entity, Get, Keys, Query, Table, get, query

shop = Table("Shop", indexes=[GSI("GSI1")])

class Order(Entity, table=shop):
    keys = Keys("ORDER#{number}", "ORDER", GSI1=("BUYER#{buyer}", "ORDER#{number}"))
    number: str
    buyer: str
    state: str = "open"
    day: str = "2026-01-01"

class Note(Entity, table=shop):
    keys = Keys("ORDER#{number}", "NOTE#{note}")
    number: str
    note: str

@shop.pattern
def order(number: str) -> Get[Order]:
    return get(Order, Order.number == number)

@shop.pattern
def orders_of(buyer: str) -> Query[Order]:
    return query(Order, Order.buyer == buyer)

@shop.pattern
def notes_of(number: str) -> Query[Note]:
    return query(Note, Note.number == number)
"""


def table_of(text: str) -> Table:
    """The table of a model."""
    model: Table = loaded(text).shop
    return model


def file(*steps: Any, name: str = "0001_change", digest: str = "one") -> MigrationFile:
    """A migration as if it had been read from a file."""
    return MigrationFile(name, digest, Migration(steps))


class Shop:
    """A table with two models on it."""

    def __init__(self, engine: Engine, replacements: list[tuple[str, str]], before: list[tuple[str, str]]) -> None:
        self.engine = engine
        self.fitting = False  # most tests change as little of the model as they are about
        self.clock = ManualClock(datetime(2026, 1, 1, tzinfo=UTC))
        self.old_module = loaded(changed(OLD, before))
        self.new_module = loaded(changed(OLD, replacements))
        self.left: list[LeftItems] = []
        self.old: Session = self.old_module.shop.open(engine, create=True, clock=self.clock.time)
        self.new: Session = self.new_module.shop.open(engine, create=False, clock=self.clock.time)
        self.new._driver.sleep = _at_once

    def migrator(
        self,
        *files: MigrationFile,
        session: Session | None = None,
        left_in: Path | None = None,
        **job: Unpack[JobOptions],
    ) -> Migrator:
        """One process that migrates; one request after another, and a checkpoint after each item, where a test puts something in between."""
        take_over = job.pop("take_over", False)
        if session is not None:
            job = {"segments": 1, "in_flight": 1, "checkpoint_every": 0, **job}
        left = None if left_in is None else LeftItems(left_in)
        self.left += [] if left is None else [left]
        return Migrator(
            session or self.new,
            self.new_module.shop,
            files,
            take_over=take_over,
            job=job,
            left=left,
            fitting=self.fitting,
        )

    def opened(self, transport: Callable[[Any], Any]) -> Session:
        """A process of its own, whose requests go through something that a test puts in between."""
        session: Session = self.new_module.shop.open(self.engine, create=False, clock=self.clock.time)
        session._driver = SyncDriver(transport(session._driver.transport), session._driver.policy, sleep=_at_once)
        session._driver.sealer = self.new._driver.sealer
        return session

    def items(self) -> list[Item]:
        """All items but the history, in an order of their own."""
        found = self.old.send("Scan", {"TableName": "Shop"})["Items"]
        return sorted(
            (i for i in found if i.get("Type") != {"S": LEDGER_TYPE}), key=lambda i: (i["PK"]["S"], i["SK"]["S"])
        )

    def fill(self, count: int = 5) -> None:
        """Orders of two buyers, with notes, as the old model writes them."""
        for number in range(count):
            order = self.old_module.Order(number=f"{number}", buyer=f"b{number % 2}", state=f"s{number % 3}")
            self.old.create(order)
            self.old.create(self.old_module.Note(number=f"{number}", note="n"))

    def indexes(self) -> list[str]:
        """The names of the table's indexes."""
        live = self.old.send("DescribeTable", {"TableName": "Shop"})["Table"]
        return sorted(i["IndexName"] for i in live.get("GlobalSecondaryIndexes", []))


@contextmanager
def shop(*replacements: tuple[str, str], before: Sequence[tuple[str, str]] = ()) -> Iterator[Shop]:
    """A table in memory; the new model is the old one with these replacements, the old one is it with those of `before`."""
    with open_engine("memory:") as engine:
        made = Shop(engine, list(replacements), list(before))
        try:
            with made.old, made.new:
                yield made
        finally:
            for left in made.left:
                left.close()


def written(told: tuple[Told, ...]) -> int:
    """How many writes there were."""
    return sum(one.outcome.written for one in told)


def skipped(told: tuple[Told, ...]) -> dict[str, int]:
    """What was left, by the reason."""
    found: dict[str, int] = {}
    for one in told:
        for reason, count in one.outcome.skipped.items():
            found[reason] = found.get(reason, 0) + count
    return found


def _at_once(seconds: float) -> None:
    """Nobody waits in a test."""


class Crash(BaseException):
    """The process ends here."""


class Through:
    """Passes requests on, and does something before or after each."""

    def __init__(self, inner: Any, before: Callable[[int], object], after: Callable[[int], object]) -> None:
        self._inner = inner
        self._before = before
        self._after = after
        self._counting = threading.Lock()
        self.count = 0

    def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """One request."""
        with self._counting:
            self.count += 1
            count = self.count
        self._before(count)
        response: dict[str, Any] = self._inner.send(operation, request)
        self._after(count)
        return response

    def close(self) -> None:
        """The engine is the test's."""
