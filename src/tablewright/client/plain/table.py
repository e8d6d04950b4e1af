"""The two plain tables, sync and async, over the same steps."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from types import TracebackType
from typing import Any, Self

from tablewright.client.batches import MAX_BATCH_WRITE
from tablewright.client.calls import Call, Steps, checked_operation
from tablewright.client.drive import AsyncDriver, SyncDriver
from tablewright.client.metering import Meter
from tablewright.client.plain.conditions import Conditions
from tablewright.client.plain.reading import PlainItem, PlainReader
from tablewright.client.plain.steps import Plain, PlainBatch, PlainTransaction
from tablewright.client.plain.writing import OldValues, ReturnValues
from tablewright.client.results import AsyncQueryResults, SyncQueryResults
from tablewright.client.unsaid import MAX_BATCH_GET
from tablewright.model.results import AsyncResults, Results


class PlainTable:
    """A table without a model: dicts in, dicts out. Safe to share between threads; close it, or use it with `with`.

    Texts, numbers (int and Decimal), bytes, booleans, None, lists, dicts and sets are stored as they are. Keys are dicts
    of the key attributes. Conditions are on `attr("name")`."""

    def __init__(self, plain: Plain, driver: SyncDriver) -> None:
        self._plain = plain
        self._driver = driver

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the way to the table."""
        self._driver.transport.close()

    @property
    def table_name(self) -> str:
        """The table's name."""
        return self._plain.place.table

    @property
    def boto3_client(self) -> Any:
        """The boto3 client that requests go through; None where they go another way."""
        return getattr(self._driver.transport, "client", None)

    # ------------------------------------------------------------------------------------------------- reading

    def get(
        self, key: Mapping[str, Any], *, consistent: bool = False, projection: Iterable[str] | None = None
    ) -> PlainItem | None:
        """The item with this key, or None. `projection` names the attributes to read, or paths into them."""
        return self._driver.run(self._plain.get(key, consistent=consistent, projection=projection))

    def get_many(
        self,
        keys: Iterable[Mapping[str, Any]],
        *,
        consistent: bool = False,
        together: bool = False,
        projection: Iterable[str] | None = None,
        chunk_size: int = MAX_BATCH_GET,
    ) -> list[PlainItem | None]:
        """An item or None for each key, in the order of the keys. Any number; each item is read once, `chunk_size` in a
        request. `together` reads at most 100 as of one moment, in a transaction."""
        return self._driver.run(
            self._plain.get_many(
                keys, consistent=consistent, together=together, projection=projection, chunk_size=chunk_size
            )
        )

    def query(
        self,
        partition: Any,
        sort: Any = None,
        *,
        index: str | None = None,
        filter: Conditions = None,  # noqa: A002 - DynamoDB's word
        projection: Iterable[str] | None = None,
        newest_first: bool = False,
        consistent: bool = False,
        limit: int | None = None,
        page_size: int | None = None,
    ) -> Results[PlainItem]:
        """The items of one partition of the table or an index, in the order of the sort key.

        `sort` is a value (equality), or a condition on `sort_key`. For an index with several partition or sort attributes
        give lists: `sort=["DE", "Bonn"]` selects everything below. A `filter` drops items after they were read, and
        charged for. `limit` bounds the items in all, `page_size` those that one request reads."""
        read = self._plain.query(
            partition,
            sort,
            index=index,
            condition=filter,
            projection=projection,
            newest_first=newest_first,
            consistent=consistent,
            limit=limit,
            page_size=page_size,
        )
        return SyncQueryResults(self._driver, lambda: PlainReader(self._plain.place, read))

    def scan(
        self,
        *,
        index: str | None = None,
        filter: Conditions = None,  # noqa: A002 - DynamoDB's word
        projection: Iterable[str] | None = None,
        consistent: bool = False,
        limit: int | None = None,
        page_size: int | None = None,
        segment: int = 0,
        segments: int = 1,
    ) -> Results[PlainItem]:
        """Every item, by reading the whole table or index: slow and expensive, as a warning in the log says each time."""
        read = self._plain.scan(
            index=index,
            condition=filter,
            projection=projection,
            consistent=consistent,
            limit=limit,
            page_size=page_size,
            segment=segment,
            segments=segments,
        )
        return SyncQueryResults(self._driver, lambda: PlainReader(self._plain.place, read))

    # ------------------------------------------------------------------------------------------------- writing

    def put(self, item: PlainItem, *, when: Conditions = None, return_values: OldValues = "NONE") -> PlainItem | None:
        """Stores a whole item, over whatever was there."""
        return self._driver.run(self._plain.put(item, when, return_values))

    def save(self, item: PlainItem, *, version: str = "version") -> PlainItem:
        """Stores a whole item only over what it was read as, told by a number that each save counts up; one without it must
        be new. Returns the item with its new version; ConcurrentModificationError if somebody else was faster."""
        return self._driver.run(self._plain.save(item, version))

    def update(
        self,
        key: Mapping[str, Any],
        *,
        set: Mapping[str, Any] | None = None,  # noqa: A002 - the caller's word
        add: Mapping[str, Any] | None = None,
        remove: Iterable[str] = (),
        append: Mapping[str, Iterable[Any]] | None = None,
        include: Mapping[str, Iterable[Any]] | None = None,
        discard: Mapping[str, Iterable[Any]] | None = None,
        when: Conditions = None,
        return_values: ReturnValues = "ALL_NEW",
    ) -> PlainItem | None:
        """Changes attributes of an item, which is made if it is not there, as DynamoDB does; `when=exists(attr("PK"))`
        asks for one that is. `set` assigns, `add` counts, `append` extends lists, `include` and `discard` change sets."""
        changes = {"set": set, "add": add, "remove": remove, "append": append, "include": include, "discard": discard}
        return self._driver.run(self._plain.update(key, changes, when, return_values))

    def delete(
        self, key: Mapping[str, Any], *, when: Conditions = None, return_values: OldValues = "NONE"
    ) -> PlainItem | None:
        """Deletes the item with this key, if there is one."""
        return self._driver.run(self._plain.delete(key, when, return_values))

    @contextmanager
    def batch(self, *, chunk_size: int = MAX_BATCH_WRITE) -> Iterator[PlainBatch]:
        """`with table.batch() as batch:` — many puts and deletes, `chunk_size` a request, not atomic."""
        batch = PlainBatch(self._plain, chunk_size)
        yield batch
        self._driver.run(batch.flush())

    @contextmanager
    def transaction(self, token: str | None = None) -> Iterator[PlainTransaction]:
        """`with table.transaction() as tx:` — all writes of the block, or none."""
        transaction = PlainTransaction(self._plain, token)
        yield transaction
        self._driver.run(transaction.commit())

    # --------------------------------------------------------------------------------------------------- other

    def measure(self) -> AbstractContextManager[Meter]:
        """`with table.measure() as meter:` — the requests meanwhile, and the capacity they consumed."""
        return self._driver.measure()

    def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """A raw request."""
        return self._driver.run(raw(operation, request))


class AsyncPlainTable:
    """A table without a model for asyncio: the same surface as PlainTable, awaited."""

    def __init__(self, plain: Plain, driver: AsyncDriver) -> None:
        self._plain = plain
        self._driver = driver

    async def close(self) -> None:
        """Closes the way to the table."""
        await self._driver.transport.close()

    @property
    def table_name(self) -> str:
        """The table's name."""
        return self._plain.place.table

    @property
    def boto3_client(self) -> Any:
        """The boto3 client that requests go through; None where they go another way."""
        return getattr(self._driver.transport, "client", None)

    # ------------------------------------------------------------------------------------------------- reading

    async def get(
        self, key: Mapping[str, Any], *, consistent: bool = False, projection: Iterable[str] | None = None
    ) -> PlainItem | None:
        """The item with this key, or None."""
        return await self._driver.run(self._plain.get(key, consistent=consistent, projection=projection))

    async def get_many(
        self,
        keys: Iterable[Mapping[str, Any]],
        *,
        consistent: bool = False,
        together: bool = False,
        projection: Iterable[str] | None = None,
        chunk_size: int = MAX_BATCH_GET,
    ) -> list[PlainItem | None]:
        """An item or None for each key, in the order of the keys."""
        return await self._driver.run(
            self._plain.get_many(
                keys, consistent=consistent, together=together, projection=projection, chunk_size=chunk_size
            )
        )

    def query(
        self,
        partition: Any,
        sort: Any = None,
        *,
        index: str | None = None,
        filter: Conditions = None,  # noqa: A002 - DynamoDB's word
        projection: Iterable[str] | None = None,
        newest_first: bool = False,
        consistent: bool = False,
        limit: int | None = None,
        page_size: int | None = None,
    ) -> AsyncResults[PlainItem]:
        """The items of one partition of the table or an index, in the order of the sort key."""
        read = self._plain.query(
            partition,
            sort,
            index=index,
            condition=filter,
            projection=projection,
            newest_first=newest_first,
            consistent=consistent,
            limit=limit,
            page_size=page_size,
        )
        return AsyncQueryResults(self._driver, lambda: PlainReader(self._plain.place, read))

    def scan(
        self,
        *,
        index: str | None = None,
        filter: Conditions = None,  # noqa: A002 - DynamoDB's word
        projection: Iterable[str] | None = None,
        consistent: bool = False,
        limit: int | None = None,
        page_size: int | None = None,
        segment: int = 0,
        segments: int = 1,
    ) -> AsyncResults[PlainItem]:
        """Every item, by reading the whole table or index, with a warning each time."""
        read = self._plain.scan(
            index=index,
            condition=filter,
            projection=projection,
            consistent=consistent,
            limit=limit,
            page_size=page_size,
            segment=segment,
            segments=segments,
        )
        return AsyncQueryResults(self._driver, lambda: PlainReader(self._plain.place, read))

    # ------------------------------------------------------------------------------------------------- writing

    async def put(
        self, item: PlainItem, *, when: Conditions = None, return_values: OldValues = "NONE"
    ) -> PlainItem | None:
        """Stores a whole item, over whatever was there."""
        return await self._driver.run(self._plain.put(item, when, return_values))

    async def save(self, item: PlainItem, *, version: str = "version") -> PlainItem:
        """Stores a whole item only over what it was read as, told by its version."""
        return await self._driver.run(self._plain.save(item, version))

    async def update(
        self,
        key: Mapping[str, Any],
        *,
        set: Mapping[str, Any] | None = None,  # noqa: A002 - the caller's word
        add: Mapping[str, Any] | None = None,
        remove: Iterable[str] = (),
        append: Mapping[str, Iterable[Any]] | None = None,
        include: Mapping[str, Iterable[Any]] | None = None,
        discard: Mapping[str, Iterable[Any]] | None = None,
        when: Conditions = None,
        return_values: ReturnValues = "ALL_NEW",
    ) -> PlainItem | None:
        """Changes attributes of an item, which is made if it is not there."""
        changes = {"set": set, "add": add, "remove": remove, "append": append, "include": include, "discard": discard}
        return await self._driver.run(self._plain.update(key, changes, when, return_values))

    async def delete(
        self, key: Mapping[str, Any], *, when: Conditions = None, return_values: OldValues = "NONE"
    ) -> PlainItem | None:
        """Deletes the item with this key, if there is one."""
        return await self._driver.run(self._plain.delete(key, when, return_values))

    @asynccontextmanager
    async def batch(self, *, chunk_size: int = MAX_BATCH_WRITE) -> AsyncIterator[PlainBatch]:
        """`async with table.batch() as batch:` — many puts and deletes, not atomic."""
        batch = PlainBatch(self._plain, chunk_size)
        yield batch
        await self._driver.run(batch.flush())

    @asynccontextmanager
    async def transaction(self, token: str | None = None) -> AsyncIterator[PlainTransaction]:
        """`async with table.transaction() as tx:` — all writes of the block, or none."""
        transaction = PlainTransaction(self._plain, token)
        yield transaction
        await self._driver.run(transaction.commit())

    # --------------------------------------------------------------------------------------------------- other

    def measure(self) -> AbstractContextManager[Meter]:
        """The requests meanwhile, and the capacity they consumed."""
        return self._driver.measure()

    async def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """A raw request."""
        return await self._driver.run(raw(operation, request))


def raw(operation: str, request: dict[str, Any]) -> Steps[dict[str, Any]]:
    """A request as it is."""
    return (yield Call(checked_operation(operation), request))
