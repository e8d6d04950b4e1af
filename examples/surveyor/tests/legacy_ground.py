"""A place with the legacy tables, a clock, and the steps of the move, for tests."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from examples.surveyor.legacy import generating, tables
from examples.surveyor.legacy.moving import surveyor_moving
from tablewright.evolve.jobs import InFile, Report, run
from tablewright.evolve.moving import MovingSession, open_moving
from tablewright.values.wire import from_wire_item

START = datetime(2026, 5, 1, 12, 30, 0, 123456, tzinfo=UTC)


class Ground:
    """One move, on one place."""

    def __init__(self, session: MovingSession, prefix: str, form: str, folder: Path, rows: generating.Rows) -> None:
        self.session = session
        self.prefix = prefix
        self.form = form
        self.folder = folder
        self.rows = rows
        self.now = START

    def pass_(self, **span: float) -> None:
        self.now += timedelta(**span)

    def into(self, phase: Any) -> None:
        self.session.advance(phase)
        self.pass_(seconds=11)

    def backfill(self, **options: Any) -> list[Report]:
        """Every work as a job, and what is left in the ledger."""
        reports = []
        for work in self.session.backfills():
            checkpoints = InFile(self.folder / f"{work.table}.json")
            reports.append(run(work, self.session.db, write=True, segments=2, checkpoints=checkpoints, **options))
        assert self.session.repair().exit_code == 0
        return reports

    def table(self, name: str) -> str:
        return f"{self.prefix}{name}"

    def scan(self, name: str) -> list[dict[str, Any]]:
        """All items of a table."""
        items, request = [], {"TableName": self.table(name)}
        while True:
            response = self.session.db.send("Scan", request)
            items += response["Items"]
            if "LastEvaluatedKey" not in response:
                return items
            request["ExclusiveStartKey"] = response["LastEvaluatedKey"]

    def stored(self) -> dict[tuple[str, str], dict[str, Any]]:
        """Everything in the new table, by key."""
        return {(i["PK"]["S"], i["SK"]["S"]): i for i in self.scan("SurveyorData")}

    def taken_at(self) -> dict[str, datetime]:
        """When the library of each tenant was frozen, by what the snapshots say."""
        return {i["tenant_id"]: datetime.fromisoformat(i["taken_at"]) for i in self._configs()}

    def _configs(self) -> Iterator[dict[str, Any]]:
        for item in self.scan("SurveyorData"):
            if item["Type"]["S"] == "Config":
                yield from_wire_item(item)


@contextmanager
def opened(
    place: Any, folder: Path, rows: generating.Rows, *, form: str = "tables", prefix: str | None = None, **options: Any
) -> Iterator[Ground]:
    """The legacy tables with rows in them, and a session that has made what it needs beside them."""
    prefix = f"t{uuid.uuid4().hex[:12]}-" if prefix is None else prefix
    moving = surveyor_moving(form, prefix)
    held: list[Ground] = []
    clock: Callable[[], datetime] = lambda: held[0].now if held else START  # noqa: E731
    with open_moving(moving, place, clock=clock, table_name=f"{prefix}SurveyorData", create=True, **options) as session:
        for definition in tables.definitions(prefix) + tables.flat_definitions(prefix):
            session.db.send("CreateTable", definition)
        generating.fill(session.db.send, generating.as_flat(rows) if form == "flat" else rows, prefix)
        session.prepare()
        held.append(Ground(session, prefix, form, folder, rows))
        yield held[0]


def both(*some: generating.Rows) -> generating.Rows:
    """Rows together."""
    return {name: [row for each in some for row in each[name]] for name in tables.NAMES}
