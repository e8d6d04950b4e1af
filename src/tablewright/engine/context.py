"""What every action is given: the database, the clock, the region, and the way from a name to a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from tablewright.engine.backfill import AT_ONCE, NOTHING, PORTION, Filler
from tablewright.engine.clock import Clock
from tablewright.engine.index import IndexSchema
from tablewright.engine.schema import TableSchema
from tablewright.engine.storage import WHOLE, Connection, Database, Portion, StaleSchemaError, TableStore
from tablewright.engine.ttl import Sweeper
from tablewright.engine.validation.names import check_name
from tablewright.errors import RequestRefused, ResourceInUse, ResourceNotFound

LOCAL = "local"
"""The region of requests that name none."""

_STATISTICS_SECONDS = 6 * 3600.0
_EXACT_ROWS = 50_000
_PART_ROWS = 20_000

Figures: TypeAlias = dict[int | None, tuple[int, int]]
"""Items and bytes by the number of an index, None for the table."""


class Context:
    """Shared by all requests of one engine and region, from any thread. All regions have the same tables."""

    __slots__ = ("_statistics", "buckets", "clock", "database", "filler", "region", "splices", "sweeper")

    def __init__(
        self,
        database: Database,
        clock: Clock,
        region: str = LOCAL,
        sweeper: Sweeper | None = None,
        buckets: Path | None = None,
        filler: Filler | None = None,
        *,
        splices: bool = False,
    ) -> None:
        self.database = database
        self.clock = clock
        self.region = region
        self.sweeper = sweeper
        self.buckets = buckets
        self.filler = filler
        self.splices = splices  # answers become JSON at once, so that items may stay as they are stored
        self._statistics: dict[int, tuple[float, Figures]] = {}

    def table(self, name: str, *, by_name: bool = False) -> TableStore:
        """The table of this name; `by_name` chooses the message of operations on tables themselves."""
        database = self.database
        table = database.catalogue.tables.get(name)
        if table is None:
            name = check_name(name)
            table = database.catalogue.tables.get(name)
        if table is None:
            # Another process may have created it; another thread may have noticed just now.
            database.refresh()
            table = database.catalogue.tables.get(name)
        if table is None:
            detail = f": Table: {name} not found" if by_name else ""
            raise ResourceNotFound(f"Requested resource not found{detail}")
        if table.restoring and not by_name:
            return self._restored(table)
        return table

    def _restored(self, table: TableStore) -> TableStore:
        """A table that was being restored when it was last looked at; refuses one that still is, as one that is not there."""
        self.database.refresh()
        found = self.database.catalogue.tables.get(table.name)
        if found is None or found.restoring:
            self.go_on_filling()
            raise ResourceNotFound("Requested resource not found")
        return found

    def require_active(self, table: TableStore) -> None:
        """Refuse to change a table that is still being restored."""
        if table.restoring:
            self.go_on_filling()
            raise ResourceInUse(
                f"Attempt to change a resource which is still in use: Table is being created: {table.name}"
            )

    def index(self, table: TableStore, name: str) -> tuple[TableStore, IndexSchema | None]:
        """The index of this name, None where there is none, with its table: another process may have added it.

        One that is still being filled is refused.
        """
        index = table.schema.index.get(name)
        if index is None or index.filling:
            self.database.refresh()
            table = self.table(table.name)
            index = table.schema.index.get(name)
            if index is not None and index.filling:
                self.go_on_filling()
                raise RequestRefused(f"Cannot read from backfilling global secondary index: {name}")
        return table, index

    @property
    def first_portion(self) -> Portion:
        """How much of what is new is filled before anybody can ask for it; in memory nobody else would wait less."""
        if self.filler is None:
            return NOTHING
        return WHOLE if self.database.in_memory else PORTION

    @property
    def restored_portion(self) -> Portion:
        """How much of a table is restored before the answer: small ones as a whole, others where a thread does the rest."""
        return WHOLE if self.filler is None or self.database.in_memory else AT_ONCE

    def go_on_filling(self) -> None:
        """See to it that what is new gets filled: the process that began to may be gone."""
        if self.filler is not None:
            self.filler.start()

    def statistics(self, table: TableStore) -> dict[str | None, tuple[int, int]]:
        """Items and bytes of a table (under None) and of each index.

        Exact for small tables; for large ones renewed every six hours, as on the service, because they are counted
        by walking, in memory a part at a time, so that others get their turn.
        """
        now = self.clock.now()
        schema = table.schema
        known = self._statistics.get(schema.number)
        with self.database.snapshot() as connection:
            is_large = table.largest_row(connection) > _EXACT_ROWS
            if known is not None and is_large and now - known[0] < _STATISTICS_SECONDS:
                return _by_name(schema, known[1])
            in_parts = is_large and self.database.in_memory
            figures = {} if in_parts else _count_at_once(connection, table)
        if in_parts:
            figures = self._count_in_parts(table)
        for old in self._statistics.keys() - {one.schema.number for one in self.database.catalogue.tables.values()}:
            self._statistics.pop(old, None)
        self._statistics[schema.number] = (now, figures)
        return _by_name(schema, figures)

    def _count_in_parts(self, table: TableStore) -> Figures:
        items, size, behind = 0, 0, 0
        while True:
            with self._reading(table) as connection:
                more, bytes_, reached = table.count_some(connection, behind, _PART_ROWS)
            if reached is None:
                break
            items, size, behind = items + more, size + bytes_, reached
        figures: Figures = {None: (items, size)}
        for index in table.schema.indexes:
            with self._reading(table) as connection:
                figures[index.number] = table.count_entries(connection, index)
        return figures

    @contextmanager
    def _reading(self, table: TableStore) -> Iterator[Connection]:
        with self.database.reading() as connection:
            if self.database.catalogue.tables.get(table.name) is not table:
                raise StaleSchemaError
            yield connection

    def elsewhere(self, region: str, *, splices: bool) -> Context:
        """The same database as requests of another region see it."""
        context = Context(self.database, self.clock, region, self.sweeper, self.buckets, self.filler, splices=splices)
        context._statistics = self._statistics
        return context


def _count_at_once(connection: Connection, table: TableStore) -> Figures:
    figures: Figures = {None: table.count(connection)}
    for index in table.schema.indexes:
        figures[index.number] = table.count_entries(connection, index)
    return figures


def _by_name(schema: TableSchema, figures: Mapping[int | None, tuple[int, int]]) -> dict[str | None, tuple[int, int]]:
    """Figures by the names of indexes; one that is younger than them has none."""
    named: dict[str | None, tuple[int, int]] = {None: figures[None]}
    named.update({index.name: figures[index.number] for index in schema.indexes if index.number in figures})
    return named
