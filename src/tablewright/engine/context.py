"""What every action is given: the database, the clock, the region, and the way from a name to a table."""

from __future__ import annotations

from pathlib import Path

from tablewright.engine.clock import Clock
from tablewright.engine.index import IndexSchema
from tablewright.engine.storage import Database, TableStore
from tablewright.engine.ttl import Sweeper
from tablewright.engine.validation.names import check_name
from tablewright.errors import ResourceNotFound

LOCAL = "local"
"""The region of requests that name none."""

_STATISTICS_SECONDS = 6 * 3600.0
_EXACT_ROWS = 50_000


class Context:
    """Shared by all requests of one engine and region, from any thread. All regions have the same tables."""

    __slots__ = ("_statistics", "buckets", "clock", "database", "region", "sweeper")

    def __init__(
        self,
        database: Database,
        clock: Clock,
        region: str = LOCAL,
        sweeper: Sweeper | None = None,
        buckets: Path | None = None,
    ) -> None:
        self.database = database
        self.clock = clock
        self.region = region
        self.sweeper = sweeper
        self.buckets = buckets
        self._statistics: dict[TableStore, tuple[float, dict[str | None, tuple[int, int]]]] = {}

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
        return table

    def index(self, table: TableStore, name: str) -> tuple[TableStore, IndexSchema | None]:
        """The index of this name, None where there is none, with its table: another process may have added it."""
        index = table.schema.index.get(name)
        if index is None:
            self.database.refresh()
            table = self.table(table.name)
            index = table.schema.index.get(name)
        return table, index

    def statistics(self, table: TableStore) -> dict[str | None, tuple[int, int]]:
        """Items and bytes of a table (under None) and of each index.

        Exact for small tables; for large ones renewed every six hours, as on the service, because they are counted
        by walking.
        """
        now = self.clock.now()
        known = self._statistics.get(table)
        with self.database.snapshot() as connection:
            fresh = known is not None and now - known[0] < _STATISTICS_SECONDS
            if known is not None and fresh and table.largest_row(connection) > _EXACT_ROWS:
                return known[1]
            figures: dict[str | None, tuple[int, int]] = {None: table.count(connection)}
            for index in table.schema.indexes:
                figures[index.name] = table.count_entries(connection, index)
        for old in self._statistics.keys() - set(self.database.catalogue.tables.values()):
            self._statistics.pop(old, None)
        self._statistics[table] = (now, figures)
        return figures

    def elsewhere(self, region: str) -> Context:
        """The same database as requests of another region see it."""
        context = Context(self.database, self.clock, region, self.sweeper, self.buckets)
        context._statistics = self._statistics
        return context
