"""The two sessions: the surface of the library, sync and async, over the same steps."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager, contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Any, ParamSpec, Self, TypeVar

from tablewright.client.calls import checked_operation
from tablewright.client.context import GUARD_ATTEMPTS, Context
from tablewright.client.finding import AsyncReads, Reads
from tablewright.client.links import AsyncLinks, Links
from tablewright.client.sealing import Sealer
from tablewright.client.trees import AsyncTrees, Trees
from tablewright.client.writing import AsyncWrites, Writes
from tablewright.errors import ArgumentError
from tablewright.later import later
from tablewright.model.operations import Op
from tablewright.model.operations import query as describe_query
from tablewright.model.pattern import Pattern
from tablewright.model.sealing import is_async

if TYPE_CHECKING:
    from types import TracebackType

    from tablewright.client import (
        batches,
        editing,
        first_use,
        indexing,
        observing,
        operations,
        orphans,
        reading,
        results,
        tables,
        transactions,
    )
    from tablewright.client.batches import AsyncBatch, Batch
    from tablewright.client.calls import Steps
    from tablewright.client.drive import AsyncDriver, SyncDriver
    from tablewright.client.metering import Meter
    from tablewright.client.orphans import Orphan
    from tablewright.client.targets import Target
    from tablewright.client.transactions import AsyncTransaction, Transaction
    from tablewright.compiler import reads
    from tablewright.model.change import Change
    from tablewright.model.entity import Entity
    from tablewright.model.operations import Query
    from tablewright.model.results import AsyncResults, Results
    from tablewright.observe.collector import Collector
    from tablewright.observe.recommendation import Recommendation
    from tablewright.observe.tracking import Track

    P = ParamSpec("P")
    E = TypeVar("E", bound=Entity)
    S = TypeVar("S")
    A = TypeVar("A")
    T = TypeVar("T")
    OpT = TypeVar("OpT", bound=Op[Any, Any])
else:
    later(globals(), "tablewright.client", "batches", "editing", "first_use", "indexing", "observing")
    later(globals(), "tablewright.client", "operations", "orphans", "reading", "results", "tables", "transactions")
    later(globals(), "tablewright.compiler", "reads")


class Session(Reads, Writes, Trees, Links):
    """An open table. Safe to share between threads; close it, or use it as a context manager."""

    def __init__(self, context: Context, driver: SyncDriver) -> None:
        self._context = context
        self._driver = driver
        driver.sealer = Sealer(context.plan, context.table)
        driver.model = context

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the way to the table."""
        self._driver.transport.close()

    def _run(self, steps: Steps[T]) -> T:
        return self._driver.run(steps)

    # ------------------------------------------------------------------------------------------------- reading

    def run(self, pattern: Pattern[P, Op[S, object]], /, *args: P.args, **kwargs: P.kwargs) -> S:
        """Runs an access pattern: an item or None for a get, Results for a query, the collected object for a collection."""
        operation, arguments = _selected(pattern, args, kwargs)
        return self._read(operation, arguments)

    def execute(self, operation: Op[S, object], /) -> S:
        """Runs a read that was described on the spot: `db.execute(get(Order, Order.order_id == "o1"))`."""
        return self._read(operation)

    def _read(self, operation: Op[S, object], given: Mapping[str, Any] | None = None) -> S:
        compiled = self._context.compiled(operation)
        arguments = operation.arguments if given is None else given
        result: Any
        match compiled:
            case reads.GetPlan():
                result = self._run(reading.get_one(self._context, compiled, arguments))
            case reads.QueryPlan() | reads.MixedPlan():
                result = results.SyncQueryResults[Any](
                    self._driver, lambda: reading.query_reader(self._context, compiled, arguments)
                )
            case reads.CollectionPlan():
                result = self._run(reading.collect(self._context, compiled, arguments))
        return result  # type: ignore[no-any-return]

    def query(self, entity: type[E], /, *conditions: bool) -> Results[E]:
        """All items of an entity that meet the conditions, which its keys must be able to serve."""
        operation: Query[E] = describe_query(entity, *conditions)
        return self.execute(operation)

    def get(self, target: Target[E], *, consistent: bool = False) -> E | None:
        """One item, by key(...), by a pattern that gets one, or by an entity (to read it again)."""
        entity: E | None = self._run(reading.get_target(self._context, target, strong=consistent))
        return entity

    # ------------------------------------------------------------------------------------------------- writing

    def apply(self, change: Change[E, P], target: Target[E], /, *args: P.args, **kwargs: P.kwargs) -> E:
        """Makes a declared change; returns the entity as it is now."""
        return self._run(operations.apply(self._context, change, target, args, kwargs))

    def apply_only(self, change: Change[E, P], target: Target[E], /, *args: P.args, **kwargs: P.kwargs) -> None:
        """Makes a declared change and returns nothing: no item comes back, and no value that is kept elsewhere."""
        self._run(operations.apply_only(self._context, change, target, args, kwargs))

    def edit(self, target: Target[E]) -> AbstractContextManager[E]:
        """Read, change, write: `with db.edit(order("o1")) as o: o.status = "SHIPPED"`. Only what changed is written, under
        the condition that it is still what was read."""
        return self._edit(target)

    @contextmanager
    def _edit(self, target: Target[E]) -> Iterator[E]:
        edit = self._run(editing.begin(self._context, target))
        yield edit.entity
        self._run(editing.finish(self._context, edit))

    def revise(self, target: Target[E], function: Callable[[E], object], /, *, attempts: int = GUARD_ATTEMPTS) -> E:
        """Edits by a function, which is called again on the item as it is then when another writer was faster."""
        return self._run(editing.revise(self._context, target, function, attempts))

    def claim_unique(self, target: Target[E]) -> None:
        """Writes the markers of an item that was stored before its entity had unique fields, or adopts those that other code
        wrote; UniqueViolationError shows that another item holds one of its values."""
        self._run(operations.claim_unique(self._context, target))

    def transaction(self, token: str | None = None) -> Transaction:
        """`with db.transaction() as tx:` — all writes of the block, or none.

        A `token` of your own makes sure that the block is carried out once in ten minutes: a second one with the same
        token is refused with IdempotentParameterMismatch, or with what the first one changed (such as a condition that no
        longer holds); nothing is written twice. Such a transaction is planned once; if another writer was
        faster it ends in ContentionError, with nothing written."""
        return transactions.Transaction(self._context, self._driver, token)

    def batch(self, *, chunk_size: int = 25, transactional: bool = False) -> Batch:
        """`with db.batch() as batch:` — many puts and deletes, `chunk_size` a request, not atomic. With `transactional`,
        entities that a batch cannot keep right, such as those with unique fields, are written one by one."""
        return batches.Batch(batches.BatchWriter(self._context, chunk_size, transactional), self._run)

    # ----------------------------------------------------------------------------------------------- the table

    def create_table(self) -> None:
        """Creates the table with all indexes of the model; with a TTL field its items expire."""
        self._run(tables.create(self._context))

    def delete_table(self) -> None:
        """Deletes the table and everything in it."""
        self._run(tables.delete(self._context))

    def ensure_table(self) -> None:
        """Creates the table if it is missing; refuses one whose keys or indexes are not the model's."""
        self._run(tables.ensure(self._context))

    def add_missing_indexes(self) -> tuple[str, ...]:
        """Adds the global indexes of the model that the table lacks, one after another, and waits until each is filled; their
        names. Items that were stored before the model had an index are in it once they are written again."""
        return self._run(indexing.add_missing_indexes(self._context))

    def orphaned_values(self, *, older_than: timedelta = timedelta(days=1)) -> list[Orphan]:
        """Offloaded values that no item refers to any more, for cleaning: lists the stores and reads the whole table.

        Younger ones than `older_than` are left out: they may belong to a write that is under way, or to somebody who reads
        an item that was changed just now."""
        age, found = orphans.checked_age(older_than), list[orphans.Orphan]()
        for store in orphans.stores(self._context):
            names: Any = store.names(orphans.prefix(self._context))
            found += orphans.listed(self._context, store, names, age)
        return self._driver.drive(orphans.unreferenced(self._context, found))

    @property
    def table_name(self) -> str:
        """The table's name at the service."""
        return self._context.table

    def measure(self) -> AbstractContextManager[Meter]:
        """`with db.measure() as meter:` — what this thread or task sends by the session meanwhile, and the capacity consumed."""
        return self._driver.measure()

    @property
    def collector(self) -> Collector | None:
        """Who counts the session's requests, if it was opened with `observe=`."""
        return self._context.options.observe

    def track(self, name: str) -> Track:
        """`with db.track("GetCompleteSurvey"):` — times an operation of the application, of one request or many, and tells the
        listeners of the session's collector whether it succeeded. Without a collector nobody is told."""
        return observing.track(self._context, name)

    def recommendations(self) -> list[Recommendation]:
        """What should be changed, going by what the session's collector saw, the most important first: `open(..., observe=)`."""
        return self._run(observing.recommendations(self._context))

    def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """A raw request, past the model: index keys are then your own business."""
        return self._driver.pass_on(checked_operation(operation), request)


class AsyncSession(AsyncReads, AsyncWrites, AsyncTrees, AsyncLinks):
    """An open table for asyncio; the same surface as Session, awaited. Close it, or use it as a context manager. A table that
    is to be made is made when the session is entered, or before its first request."""

    def __init__(self, context: Context, driver: AsyncDriver, *, ensure: bool = False) -> None:
        self._context = context
        self._driver = driver
        self._first = first_use.FirstUse(context, driver) if ensure else None
        driver.sealer = Sealer(context.plan, context.table)
        driver.model = context

    async def __aenter__(self) -> Self:
        if self._first is not None:
            try:
                await self._first.ensure()
            except BaseException:
                await self.close()
                raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the way to the table."""
        await self._driver.transport.close()

    async def _run(self, steps: Steps[T]) -> T:
        return await self._driver.run(steps)

    # ------------------------------------------------------------------------------------------------- reading

    def run(self, pattern: Pattern[P, Op[object, A]], /, *args: P.args, **kwargs: P.kwargs) -> A:
        """Runs an access pattern: await a get or a collection, iterate a query with `async for`."""
        operation, arguments = _selected(pattern, args, kwargs)
        return self._read(operation, arguments)

    def execute(self, operation: Op[object, A], /) -> A:
        """Runs a read that was described on the spot."""
        return self._read(operation)

    def _read(self, operation: Op[object, A], given: Mapping[str, Any] | None = None) -> A:
        compiled = self._context.compiled(operation)
        arguments = operation.arguments if given is None else given
        result: Any
        match compiled:
            case reads.GetPlan():
                result = self._run(reading.get_one(self._context, compiled, arguments))
            case reads.QueryPlan() | reads.MixedPlan():
                result = results.AsyncQueryResults[Any](
                    self._driver, lambda: reading.query_reader(self._context, compiled, arguments)
                )
            case reads.CollectionPlan():
                result = self._run(reading.collect(self._context, compiled, arguments))
        return result  # type: ignore[no-any-return]

    def query(self, entity: type[E], /, *conditions: bool) -> AsyncResults[E]:
        """All items of an entity that meet the conditions."""
        operation: Query[E] = describe_query(entity, *conditions)
        return self.execute(operation)

    async def get(self, target: Target[E], *, consistent: bool = False) -> E | None:
        """One item."""
        return await self._run(reading.get_target(self._context, target, strong=consistent))

    # ------------------------------------------------------------------------------------------------- writing

    async def apply(self, change: Change[E, P], target: Target[E], /, *args: P.args, **kwargs: P.kwargs) -> E:
        """Makes a declared change; returns the entity as it is now."""
        return await self._run(operations.apply(self._context, change, target, args, kwargs))

    async def apply_only(self, change: Change[E, P], target: Target[E], /, *args: P.args, **kwargs: P.kwargs) -> None:
        """Makes a declared change and returns nothing."""
        await self._run(operations.apply_only(self._context, change, target, args, kwargs))

    def edit(self, target: Target[E]) -> AbstractAsyncContextManager[E]:
        """Read, change, write: `async with db.edit(order("o1")) as o: ...`."""
        return self._edit(target)

    @asynccontextmanager
    async def _edit(self, target: Target[E]) -> AsyncIterator[E]:
        edit = await self._run(editing.begin(self._context, target))
        yield edit.entity
        await self._run(editing.finish(self._context, edit))

    async def revise(
        self, target: Target[E], function: Callable[[E], object], /, *, attempts: int = GUARD_ATTEMPTS
    ) -> E:
        """Edits by a function, which is called again on the item as it is then when another writer was faster."""
        return await self._run(editing.revise(self._context, target, function, attempts))

    async def claim_unique(self, target: Target[E]) -> None:
        """Writes the markers of an item that was stored before its entity had unique fields."""
        await self._run(operations.claim_unique(self._context, target))

    def transaction(self, token: str | None = None) -> AsyncTransaction:
        """`async with db.transaction() as tx:` — all writes of the block, or none."""
        return transactions.AsyncTransaction(self._context, self._driver, token)

    def batch(self, *, chunk_size: int = 25, transactional: bool = False) -> AsyncBatch:
        """`async with db.batch() as batch:` — many puts and deletes, `chunk_size` a request, not atomic."""
        return batches.AsyncBatch(batches.BatchWriter(self._context, chunk_size, transactional), self._run)

    # ----------------------------------------------------------------------------------------------- the table

    async def create_table(self) -> None:
        """Creates the table with all indexes of the model; with a TTL field its items expire."""
        if self._first is not None and self._driver.before_first is not None:
            await self._first.create()
        else:
            await self._run(tables.create(self._context))

    async def delete_table(self) -> None:
        """Deletes the table and everything in it."""
        await self._run(tables.delete(self._context))

    async def ensure_table(self) -> None:
        """Creates the table if it is missing; refuses one whose keys or indexes are not the model's."""
        await self._run(tables.ensure(self._context))

    async def add_missing_indexes(self) -> tuple[str, ...]:
        """Adds the global indexes of the model that the table lacks, and waits until each is filled; their names."""
        return await self._run(indexing.add_missing_indexes(self._context))

    async def orphaned_values(self, *, older_than: timedelta = timedelta(days=1)) -> list[Orphan]:
        """Offloaded values that no item refers to any more."""
        age, found = orphans.checked_age(older_than), list[orphans.Orphan]()
        for store in orphans.stores(self._context):
            names: Any = store.names(orphans.prefix(self._context))
            if is_async(store):
                names = [name async for name in names]
            found += orphans.listed(self._context, store, names, age)
        return await self._driver.drive(orphans.unreferenced(self._context, found))

    @property
    def table_name(self) -> str:
        """The table's name at the service."""
        return self._context.table

    def measure(self) -> AbstractContextManager[Meter]:
        """The requests of this session meanwhile, and the capacity they consumed."""
        return self._driver.measure()

    @property
    def collector(self) -> Collector | None:
        """Who counts the session's requests, if it was opened with `observe=`."""
        return self._context.options.observe

    def track(self, name: str) -> Track:
        """`async with db.track("GetCompleteSurvey"):` — times an operation of the application, of one request or many."""
        return observing.track(self._context, name)

    async def recommendations(self) -> list[Recommendation]:
        """What should be changed, going by what the session's collector saw."""
        return await self._run(observing.recommendations(self._context))

    async def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """A raw request, past the model."""
        if self._driver.before_first is not None:
            await self._driver.before_first()
        return await self._driver.pass_on(checked_operation(operation), request)


def _selected(pattern: Pattern[..., OpT], args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[OpT, dict[str, Any]]:
    """A pattern's variant and arguments; what is no pattern is refused with a hint."""
    if isinstance(pattern, Op):
        raise ArgumentError(
            "run() was given a read that is ready.",
            hint="Write db.run(pattern, arguments...), or db.execute(pattern(...)).",
        )
    if not isinstance(pattern, Pattern):
        raise ArgumentError(
            f"run() was given {type(pattern).__name__}, which is no pattern.", hint="Declare it with @table.pattern."
        )
    return pattern.select(args, kwargs)
