"""What both sessions read beside patterns: items by key, change feeds, statements, tallies, whole tables, and what came
another way."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, LiteralString, TypeVar, overload

from tablewright.client.unsaid import MAX_BATCH_GET, OVERLAP
from tablewright.later import later

if TYPE_CHECKING:
    from datetime import timedelta

    from pydantic import BaseModel

    from tablewright.client import belongings, decoding, feeds, kinds, reading, results, statements, sweeping, tallies
    from tablewright.client.calls import Steps
    from tablewright.client.context import Context
    from tablewright.client.decoding import Decoded, StreamRecord
    from tablewright.client.drive import AsyncDriver, SyncDriver
    from tablewright.client.feeds import ChangePage
    from tablewright.client.kinds import Kind
    from tablewright.client.sweeping import Swept
    from tablewright.client.tallies import Tally
    from tablewright.client.targets import Target
    from tablewright.model.belongings import Owned
    from tablewright.model.entity import Entity
    from tablewright.model.operations import Mixed, Query
    from tablewright.model.results import AsyncResults, Results

    E = TypeVar("E", bound=Entity)
    R = TypeVar("R", bound=BaseModel)
    T = TypeVar("T")
else:
    later(
        globals(), "tablewright.client", "belongings", "decoding", "feeds", "kinds", "reading", "results", "statements"
    )
    later(globals(), "tablewright.client", "sweeping", "tallies")


class Reads:
    """What a Session reads beside patterns."""

    _context: Context
    _driver: SyncDriver

    def _run(self, steps: Steps[T]) -> T:
        raise NotImplementedError

    @overload
    def get_many(
        self,
        targets: Sequence[Target[E]],
        *,
        consistent: bool = False,
        together: bool = False,
        chunk_size: int = MAX_BATCH_GET,
    ) -> list[E | None]: ...

    @overload
    def get_many(
        self,
        targets: Sequence[Target[E]],
        *,
        only: type[R],
        consistent: bool = False,
        together: bool = False,
        chunk_size: int = MAX_BATCH_GET,
    ) -> list[R | None]: ...

    def get_many(
        self,
        targets: Sequence[Target[Any]],
        *,
        only: type[BaseModel] | None = None,
        consistent: bool = False,
        together: bool = False,
        chunk_size: int = MAX_BATCH_GET,
    ) -> list[Any]:
        """Many items at once, in the order asked for, None where there is none. Any number; each item is read once,
        `chunk_size` in a request. `only` reads some fields, into a Pydantic model of yours. `together` reads at most 100 as of
        one moment, in a transaction."""
        return self._run(
            reading.get_many(
                self._context, targets, strong=consistent, together=together, only=only, chunk_size=chunk_size
            )
        )

    def changes(
        self,
        what: type[E] | Mixed[E],
        /,
        *conditions: bool,
        since: str | None = None,
        limit: int = 100,
        overlap: timedelta = OVERLAP,
    ) -> ChangePage[E]:
        """What was written since a cursor, each change once, in the order of time; without a cursor, all that there is.

        It needs an index whose sort key begins with {updated_at}, and conditions that fix its partition. `overlap` is how
        late a change may appear: clocks that differ, slow writers, an index that lags. Deletions show where the entity has
        soft_delete with this index as its feed. The cursor stays good as long as the session's cursor_keys do.

        Several entities that one index sorts together are one feed: `changes(query(Note, ...) | query(Folder, ...))`. What
        others have there is read and left out."""
        return self._run(feeds.read_changes(self._context, what, conditions, since, limit, overlap))

    def tally(self, query: Query[R], of: Callable[[R], object] | None = None) -> Tally:
        """How many items a query finds, for each bucket, shard or listed value that it asks, and in all; with `of`, also
        what they sum up to: `db.tally(readings("s1", start, end), of=lambda r: r.value)`. One page is in memory at a time;
        without `of` no item is fetched."""
        return self._run(tallies.take_tally(self._context, query, of))

    def statement(
        self,
        text: LiteralString,
        parameters: Sequence[object] = (),
        *,
        into: type[R],
        consistent: bool = False,
        page_size: int | None = None,
    ) -> Results[R]:
        """A PartiQL SELECT: `db.statement('SELECT * FROM "{table}" WHERE PK = ?', ["USER#1"], into=User)`.

        Values are parameters, never part of the text. `into` is an entity, or a Pydantic model whose fields are the selected
        attributes. A statement that fixes no partition key reads the whole table."""
        statement = statements.checked_statement(
            self._context, text, parameters, into, consistent=consistent, page_size=page_size
        )
        return results.SyncQueryResults(self._driver, lambda: statements.StatementReader(self._context, statement))

    @overload
    def scan_for_maintenance(self, entity: Kind[E], *, segment: int = 0, segments: int = 1) -> Iterator[E]: ...

    @overload
    def scan_for_maintenance(
        self, entity: Kind[E], *, only: type[R], segment: int = 0, segments: int = 1
    ) -> Iterator[R]: ...

    def scan_for_maintenance(
        self, entity: Kind[Any], *, only: type[BaseModel] | None = None, segment: int = 0, segments: int = 1
    ) -> Iterator[Any]:
        """Every item of an entity, or of a list of entities, by reading the whole table: slow and expensive, for maintenance
        only. `only` reads some fields, into a Pydantic model of yours; what is kept elsewhere is then not fetched."""
        found = kinds.Kinds("scan_for_maintenance()", self._context, entity, only)
        scan = sweeping.Scan(self._context, found, segment=segment, segments=segments)
        while not scan.done:
            yield from self._run(scan.more())

    @overload
    def sweep_for_maintenance(
        self,
        entity: Kind[E],
        work: Callable[[list[E]], object],
        *,
        segments: int = 4,
        since: str | None = None,
        progress: Callable[[Swept], object] | None = None,
    ) -> Swept: ...

    @overload
    def sweep_for_maintenance(
        self,
        entity: Kind[E],
        work: Callable[[list[R]], object],
        *,
        only: type[R],
        segments: int = 4,
        since: str | None = None,
        progress: Callable[[Swept], object] | None = None,
    ) -> Swept: ...

    def sweep_for_maintenance(
        self,
        entity: Kind[Any],
        work: Callable[[list[Any]], object],
        *,
        only: type[BaseModel] | None = None,
        segments: int = 4,
        since: str | None = None,
        progress: Callable[[Swept], object] | None = None,
    ) -> Swept:
        """Hands every item of an entity, or of a list of entities, to `work`, page by page, from several threads at once: one
        for each segment. `only` reads some fields, into a Pydantic model of yours.

        `progress` is told after each page; its cursor goes on from there, after a stop or a crash, with the same number of
        segments. It stops the sweep by returning False, and so does an error in `work`. A page may be worked on again
        after a crash, never left out."""
        found = kinds.Kinds("sweep_for_maintenance()", self._context, entity, only)
        return sweeping.sweep(self._driver, sweeping.Sweep(self._context, found, segments, since, progress), work)

    def belongings(self, owned: Owned) -> Results[Entity]:
        """All that belongs to somebody, `everything_of("u1")`: each item is followed by what lies below it. It is read from
        the table as it is stored, consistently where the table's own keys lead there; pages have cursors."""
        belongings.checked(owned)
        return results.SyncQueryResults(self._driver, lambda: belongings.OwnedReader(self._context, owned))

    def decode(self, item: Mapping[str, Any]) -> Decoded:
        """A stored item that came another way, such as from an export, as what it is: an entity, a Tombstone or a
        UniqueMarker. Its sealed values are opened."""
        return self._driver.drive(decoding.decode(self._context, self._driver.sealer, item))

    def decode_record(self, record: Mapping[str, Any]) -> StreamRecord:
        """A record of the table's stream, as GetRecords or a Lambda function gets it, with its images as what they are."""
        return self._driver.drive(decoding.decode_record(self._context, self._driver.sealer, record))

    @property
    def boto3_client(self) -> Any:
        """The boto3 client that requests go through; None where they go another way."""
        return getattr(self._driver.transport, "client", None)


class AsyncReads:
    """What an AsyncSession reads beside patterns."""

    _context: Context
    _driver: AsyncDriver

    async def _run(self, steps: Steps[T]) -> T:
        raise NotImplementedError

    @overload
    async def get_many(
        self,
        targets: Sequence[Target[E]],
        *,
        consistent: bool = False,
        together: bool = False,
        chunk_size: int = MAX_BATCH_GET,
    ) -> list[E | None]: ...

    @overload
    async def get_many(
        self,
        targets: Sequence[Target[E]],
        *,
        only: type[R],
        consistent: bool = False,
        together: bool = False,
        chunk_size: int = MAX_BATCH_GET,
    ) -> list[R | None]: ...

    async def get_many(
        self,
        targets: Sequence[Target[Any]],
        *,
        only: type[BaseModel] | None = None,
        consistent: bool = False,
        together: bool = False,
        chunk_size: int = MAX_BATCH_GET,
    ) -> list[Any]:
        """Many items at once, in the order asked for."""
        return await self._run(
            reading.get_many(
                self._context, targets, strong=consistent, together=together, only=only, chunk_size=chunk_size
            )
        )

    async def changes(
        self,
        what: type[E] | Mixed[E],
        /,
        *conditions: bool,
        since: str | None = None,
        limit: int = 100,
        overlap: timedelta = OVERLAP,
    ) -> ChangePage[E]:
        """What was written since a cursor, each change once, in the order of time."""
        return await self._run(feeds.read_changes(self._context, what, conditions, since, limit, overlap))

    async def tally(self, query: Query[R], of: Callable[[R], object] | None = None) -> Tally:
        """How many items a query finds, and what they sum up to, for each partition that it asks and in all."""
        return await self._run(tallies.take_tally(self._context, query, of))

    def statement(
        self,
        text: LiteralString,
        parameters: Sequence[object] = (),
        *,
        into: type[R],
        consistent: bool = False,
        page_size: int | None = None,
    ) -> AsyncResults[R]:
        """A PartiQL SELECT with typed results; values are parameters."""
        statement = statements.checked_statement(
            self._context, text, parameters, into, consistent=consistent, page_size=page_size
        )
        return results.AsyncQueryResults(self._driver, lambda: statements.StatementReader(self._context, statement))

    @overload
    def scan_for_maintenance(self, entity: Kind[E], *, segment: int = 0, segments: int = 1) -> AsyncIterator[E]: ...

    @overload
    def scan_for_maintenance(
        self, entity: Kind[E], *, only: type[R], segment: int = 0, segments: int = 1
    ) -> AsyncIterator[R]: ...

    async def scan_for_maintenance(
        self, entity: Kind[Any], *, only: type[BaseModel] | None = None, segment: int = 0, segments: int = 1
    ) -> AsyncIterator[Any]:
        """Every item of an entity, or of a list of entities, by reading the whole table: for maintenance only."""
        found = kinds.Kinds("scan_for_maintenance()", self._context, entity, only)
        scan = sweeping.Scan(self._context, found, segment=segment, segments=segments)
        while not scan.done:
            for item in await self._run(scan.more()):
                yield item

    @overload
    async def sweep_for_maintenance(
        self,
        entity: Kind[E],
        work: Callable[[list[E]], Awaitable[object]],
        *,
        segments: int = 4,
        since: str | None = None,
        progress: Callable[[Swept], object] | None = None,
    ) -> Swept: ...

    @overload
    async def sweep_for_maintenance(
        self,
        entity: Kind[E],
        work: Callable[[list[R]], Awaitable[object]],
        *,
        only: type[R],
        segments: int = 4,
        since: str | None = None,
        progress: Callable[[Swept], object] | None = None,
    ) -> Swept: ...

    async def sweep_for_maintenance(
        self,
        entity: Kind[Any],
        work: Callable[[list[Any]], Awaitable[object]],
        *,
        only: type[BaseModel] | None = None,
        segments: int = 4,
        since: str | None = None,
        progress: Callable[[Swept], object] | None = None,
    ) -> Swept:
        """Hands every item of an entity, or of a list of entities, to `work`, page by page, in a task for each segment."""
        found = kinds.Kinds("sweep_for_maintenance()", self._context, entity, only)
        return await sweeping.sweep_async(
            self._driver, sweeping.Sweep(self._context, found, segments, since, progress), work
        )

    def belongings(self, owned: Owned) -> AsyncResults[Entity]:
        """All that belongs to somebody, as Session.belongings() lists it."""
        belongings.checked(owned)
        return results.AsyncQueryResults(self._driver, lambda: belongings.OwnedReader(self._context, owned))

    async def decode(self, item: Mapping[str, Any]) -> Decoded:
        """A stored item that came another way as what it is."""
        return await self._driver.drive(decoding.decode(self._context, self._driver.sealer, item))

    async def decode_record(self, record: Mapping[str, Any]) -> StreamRecord:
        """A record of the table's stream, with its images as what they are."""
        return await self._driver.drive(decoding.decode_record(self._context, self._driver.sealer, record))

    @property
    def boto3_client(self) -> Any:
        """The boto3 client that requests go through; None where they go another way."""
        return getattr(self._driver.transport, "client", None)
