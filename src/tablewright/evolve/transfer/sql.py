"""Relational databases, by SQLAlchemy: the rows of a table or of a query."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tablewright.compiler.fields import ENCODING_FAILURES
from tablewright.errors import ArgumentError, not_installed
from tablewright.evolve.transfer.rows import Problem, Row

_AT_ONCE = 1_000


class SqlSource:
    """The rows of a table, or of a query. The order of rows is the database's own, so that nobody can go on from one."""

    identity = None

    def __init__(self, url: str, *, table: str | None = None, query: str | None = None) -> None:
        try:
            import sqlalchemy
            import sqlalchemy.exc
        except ImportError:
            raise not_installed("Databases are read by SQLAlchemy, which is not installed.", "sql") from None
        if (table is None) == (query is None):
            raise ArgumentError(
                "Which rows of the database?", hint='Say table = "orders" or query = "SELECT ..." in the mapping.'
            )
        self._alchemy: Any = sqlalchemy
        self._read, self._rows = 0, None
        try:
            place = sqlalchemy.make_url(url)
            self.name = f"{place.render_as_string(hide_password=True)} {table or 'query'}"
            self._engine: Any = sqlalchemy.create_engine(place)
        except (sqlalchemy.exc.SQLAlchemyError, ImportError, TypeError, ValueError) as error:
            raise _unreachable(error) from None
        _refuse_missing(place)
        with self._connected() as connection:
            self._select = self._selected(connection, table, query)
            self.columns: tuple[str, ...] = tuple(self._run(connection, self._none()).keys())
            count = sqlalchemy.select(sqlalchemy.func.count()).select_from(self._rows_of())
            self._rows = self._run(connection, count).scalar()

    @contextmanager
    def _connected(self) -> Iterator[Any]:
        try:
            connection = self._engine.connect()
        except (self._alchemy.exc.SQLAlchemyError, TypeError, ValueError) as error:  # of what the URL says of it, too
            raise _unreachable(error) from None
        with connection:
            yield connection

    def _selected(self, connection: Any, table: str | None, query: str | None) -> Any:
        if table is None:
            return self._alchemy.text(query)
        schema, _, name = table.rpartition(".")
        try:
            found = self._alchemy.Table(name, self._alchemy.MetaData(), schema=schema or None, autoload_with=connection)
        except self._alchemy.exc.NoSuchTableError:
            raise ArgumentError(f"The database has no table {table}.", hint="Name one that it has.") from None
        except self._alchemy.exc.SQLAlchemyError as error:
            raise self._refused(error) from None
        return self._alchemy.select(found)

    def _rows_of(self) -> Any:
        if isinstance(self._select, self._alchemy.TextClause):
            return self._alchemy.text(f"({self._select.text.rstrip().rstrip(';')}\n) AS selected_rows")
        return self._select.subquery()

    def _none(self) -> Any:
        return self._alchemy.select(self._alchemy.text("*")).select_from(self._rows_of()).limit(0)

    def _run(self, connection: Any, statement: Any) -> Any:
        try:
            return connection.execute(statement)
        except self._alchemy.exc.SQLAlchemyError as error:
            raise self._refused(error) from None

    def _refused(self, error: Exception, *, reading: bool = False) -> ArgumentError:
        cause = getattr(error, "orig", None) or error
        exc = self._alchemy.exc
        # These are about the query, as long as no rows are read; others may show what is stored.
        about = isinstance(error, exc.OperationalError | exc.ProgrammingError) and not reading
        said = f", {str(cause).splitlines()[0]}" if about and str(cause) else ""
        return ArgumentError(
            f"The database refused to answer: {type(cause).__name__}{said}.",
            hint="Try the query in the database's own tool.",
        )

    def rows(self) -> Iterator[Row | Problem]:
        """All rows, some at a time."""
        self._read = 0
        with self._connected() as connection:
            streaming = connection.execution_options(stream_results=True, yield_per=_AT_ONCE)
            try:
                result = streaming.execute(self._select)
            except self._alchemy.exc.SQLAlchemyError as error:
                raise self._refused(error, reading=True) from None
            names = list(result.keys())
            for name in names:
                if names.count(name) > 1:
                    raise ArgumentError(
                        f"The query gives two columns of one name: {name!r}.", hint="Name one of them otherwise, by AS."
                    )
            for found in self._fetched(result):
                self._read += 1
                yield Row(f"row {self._read}", {name: _plain(value) for name, value in found.items()})
        self._engine.dispose()

    def _fetched(self, result: Any) -> Iterator[Any]:
        """Rows, as long as the database gives them: what it says of an error may hold values."""
        rows = result.mappings()
        while True:
            try:
                found = next(rows, None)
            except self._alchemy.exc.SQLAlchemyError as error:
                raise self._refused(error, reading=True) from None
            except ENCODING_FAILURES as error:  # of SQLAlchemy's types
                raise ArgumentError(
                    f"{self.name}: after row {self._read:,} is a value that does not fit the type of its column: "
                    f"{type(error).__name__}.",
                    hint="A query of the mapping, in place of the table, gets values as they lie there; functions make of them what they are.",
                ) from None
            if found is None:
                return
            yield found

    def fraction(self) -> float | None:
        """How many of the rows were read."""
        return self._read / self._rows if self._rows else None


def _refuse_missing(place: Any) -> None:
    """A file that is not there would be made by SQLite, and be empty."""
    named = place.database if place.get_backend_name() == "sqlite" and "uri" not in place.query else None
    if named and named != ":memory:" and not Path(named).exists():
        raise ArgumentError(f"There is no file {named}.", hint="Name the file of the database.")


def _unreachable(error: Exception) -> ArgumentError:
    cause = getattr(error, "orig", None) or error
    lacks = isinstance(cause, ModuleNotFoundError) and cause.name
    return ArgumentError(
        f"The database cannot be reached: {f'there is no module {lacks}' if lacks else type(cause).__name__}.",
        hint="Name it as SQLAlchemy does, such as postgresql+psycopg://user@host/name, and install its driver.",
    )


def _plain(value: Any) -> Any:
    return bytes(value) if isinstance(value, bytearray | memoryview) else value
