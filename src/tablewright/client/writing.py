"""The writes of both sessions to one item: create, put, update, delete and their kin, with what each may return."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from tablewright.client.unsaid import UNSET
from tablewright.later import later

if TYPE_CHECKING:
    from decimal import Decimal

    from tablewright.client import belongings, collections, counting, operations, upserting
    from tablewright.client.calls import Steps
    from tablewright.client.collections import Deleted, Reach
    from tablewright.client.context import Context
    from tablewright.client.targets import Target
    from tablewright.client.transactions import Conditions
    from tablewright.client.unsaid import Expectation
    from tablewright.model.belongings import Owned
    from tablewright.model.counters import Counted
    from tablewright.model.entity import Entity
    from tablewright.model.operations import Op

    E = TypeVar("E", bound=Entity)
    N = TypeVar("N", int, Decimal, float)
    C = TypeVar("C", int, Decimal)
    T = TypeVar("T")
else:
    later(globals(), "tablewright.client", "belongings", "collections", "counting", "operations", "upserting")

Fields = dict[str, Any]


class Writes:
    """What a Session can write."""

    _context: Context

    def _run(self, steps: Steps[T]) -> T:
        raise NotImplementedError

    def create(self, entity: E) -> E:
        """Stores a new item; AlreadyExistsError if there is one with this key."""
        return self._run(operations.create(self._context, entity))

    @overload
    def put(
        self, entity: E, *, when: Conditions = ..., expected_version: Expectation = ..., returns: Literal["new"] = ...
    ) -> E: ...

    @overload
    def put(
        self, entity: E, *, when: Conditions = ..., expected_version: Expectation = ..., returns: Literal["old"]
    ) -> E | None: ...

    @overload
    def put(
        self, entity: Entity, *, when: Conditions = ..., expected_version: Expectation = ..., returns: Literal["none"]
    ) -> None: ...

    def put(
        self, entity: E, *, when: Conditions = None, expected_version: Expectation = UNSET, returns: str = "new"
    ) -> E | None:
        """Stores the whole entity, whether or not it was there. One with a version that was read before is locked; one that
        was only built is not, unless `expected_version` says which version it replaces.

        Attributes that the model does not know stay as they are, and so does the item's time of creation. With
        `returns="old"` it returns what was there before (or None), with `returns="none"` nothing."""
        return self._run(operations.put(self._context, entity, when, expected_version, returns))

    def save(self, entity: E) -> E:
        """Creates an entity that is new, and stores one that was read before if nobody else changed it: AlreadyExistsError,
        ConcurrentModificationError and NotFoundError tell what was in the way. For entities with a version or a lock."""
        return self._run(upserting.save(self._context, entity))

    def upsert(
        self,
        entity: E,
        *,
        set: Mapping[str, Any] | None = None,  # noqa: A002 - the caller's word
        add: Mapping[str, Any] | None = None,
        remove: Iterable[str] = (),
        append: Mapping[str, Iterable[Any]] | None = None,
        include: Mapping[str, Iterable[Any]] | None = None,
        discard: Mapping[str, Iterable[Any]] | None = None,
    ) -> E:
        """Creates the entity if nothing is there with its key; else changes what is there, as update() does, unlocked. Without
        changes, the fields that were given to the entity are set. Returns the entity as it is now."""
        actions = operations.Changes(set, add, remove, append, include, discard).given()
        return self._run(upserting.upsert(self._context, entity, actions))

    @overload
    def update(
        self,
        target: Target[E],
        *,
        set: Mapping[str, Any] | None = ...,
        add: Mapping[str, Any] | None = ...,
        remove: Iterable[str] = ...,
        append: Mapping[str, Iterable[Any]] | None = ...,
        include: Mapping[str, Iterable[Any]] | None = ...,
        discard: Mapping[str, Iterable[Any]] | None = ...,
        when: Conditions = ...,
        expected_version: Expectation = ...,
        returns: Literal["new", "old"] = ...,
    ) -> E: ...

    @overload
    def update(
        self,
        target: Target[E],
        *,
        set: Mapping[str, Any] | None = ...,
        add: Mapping[str, Any] | None = ...,
        remove: Iterable[str] = ...,
        append: Mapping[str, Iterable[Any]] | None = ...,
        include: Mapping[str, Iterable[Any]] | None = ...,
        discard: Mapping[str, Iterable[Any]] | None = ...,
        when: Conditions = ...,
        expected_version: Expectation = ...,
        returns: Literal["none"],
    ) -> None: ...

    @overload
    def update(
        self,
        target: Target[E],
        *,
        set: Mapping[str, Any] | None = ...,
        add: Mapping[str, Any] | None = ...,
        remove: Iterable[str] = ...,
        append: Mapping[str, Iterable[Any]] | None = ...,
        include: Mapping[str, Iterable[Any]] | None = ...,
        discard: Mapping[str, Iterable[Any]] | None = ...,
        when: Conditions = ...,
        expected_version: Expectation = ...,
        returns: Literal["new_fields", "old_fields"],
    ) -> Fields: ...

    def update(
        self,
        target: Target[E],
        *,
        set: Mapping[str, Any] | None = None,  # noqa: A002 - the caller's word
        add: Mapping[str, Any] | None = None,
        remove: Iterable[str] = (),
        append: Mapping[str, Iterable[Any]] | None = None,
        include: Mapping[str, Iterable[Any]] | None = None,
        discard: Mapping[str, Iterable[Any]] | None = None,
        when: Conditions = None,
        expected_version: Expectation = UNSET,
        returns: str = "new",
    ) -> E | Fields | None:
        """Changes fields of an existing item, and every index key that depends on them; returns it as it is now.

        `set` assigns (None removes an optional field), `add` counts up or down, `remove` removes, `append` extends lists,
        `include` and `discard` change sets. Names may be paths: "address.city", "lines[0].quantity". `when` is a
        condition on the stored item. With an entity that has a version and was read before, or with
        `expected_version`, the write is locked; by bare key it increments the version without a check. Where
        a rule needs more than the new value, such as a model validator, the item is read and validated first.
        `returns="old"` returns the item as it was, "new_fields" and "old_fields" only the fields that were changed, by
        name, and "none" nothing.
        """
        changes = operations.Changes(set, add, remove, append, include, discard)
        steps: Steps[E | Fields | None]
        steps = operations.update(self._context, target, changes, when, expected_version, returns)
        return self._run(steps)

    def increment(self, target: Target[E], field: N, by: N | int = 1) -> N:
        """Adds to a number of an existing item and returns the new one: `db.increment(page("home"), Page.views)`. A field that
        is not stored yet starts from its default, or from 0. If the item may be missing, use upsert(..., add={...})."""
        return self._run(upserting.increment(self._context, target, field, by))

    def count_up(self, counted: Counted[C], by: C | int = 1, *, spread: str | None = None) -> None:
        """Adds to a sharded counter, on a random shard, or always on the same one for the same text `spread`."""
        self._run(counting.count_up(self._context, counted, by, spread))

    def total(self, counted: Counted[C]) -> C:
        """The sum of all shards of a counter, read with one request."""
        return self._run(counting.total(self._context, counted))

    @overload
    def delete(
        self,
        target: Target[E],
        *,
        when: Conditions = ...,
        expected_version: Expectation = ...,
        returns: Literal["old"] = ...,
    ) -> E | None: ...

    @overload
    def delete(
        self,
        target: Target[E],
        *,
        when: Conditions = ...,
        expected_version: Expectation = ...,
        returns: Literal["none"],
    ) -> None: ...

    def delete(
        self,
        target: Target[E],
        *,
        when: Conditions = None,
        expected_version: Expectation = UNSET,
        returns: str = "old",
    ) -> E | None:
        """Deletes an item; returns what it was. None: there was none, or a reply was lost and the delete repeated. Whoever must
        tell these apart says that there is one, `when=exists(Image.image_id)`: then it is NotFoundError or OutcomeUnknownError.

        With soft_delete the item leaves a tombstone. `returns="none"` returns nothing."""
        return self._run(operations.delete(self._context, target, when, expected_version, returns))

    def undelete(self, target: Target[E]) -> E:
        """Brings back an item that was deleted and left a tombstone, with its indexes and unique values, one version on.

        AlreadyExistsError: it is not deleted. NotFoundError: no tombstone is left. UniqueViolationError: one of its values
        was taken meanwhile."""
        return self._run(operations.undelete(self._context, target))

    def purge(self, target: Target[E]) -> None:
        """Deletes an item with soft_delete for good: the item with its unique values, or its tombstone."""
        self._run(operations.purge(self._context, target))

    def delete_collection(
        self,
        what: Target[E] | Op[Any, Any],
        *,
        reach: Reach = "below",
        limit: int | None = None,
        progress: Callable[[int], object] | None = None,
    ) -> Deleted:
        """Deletes many items: all that a query or collection finds; or a parent and everything below it, which is what has a
        sort key that begins with the parent's in the same partition, the parent last; or, with `reach="partition"`,
        everything in the partition of an item.

        Each item goes as delete() would do it, in batches where that can be, so unique values are freed and tombstones are
        left. It is not atomic: items that are written meanwhile may stay or go. After a failure, or when `limit` items are
        deleted, the same call goes on with what is left. `progress` is called with the number of items deleted so far."""
        return self._run(collections.delete_collection(self._context, what, reach, limit, progress))

    def erase(
        self,
        owned: Owned,
        *,
        when: Conditions = None,
        limit: int | None = None,
        progress: Callable[[int], object] | None = None,
    ) -> Deleted:
        """Deletes all that belongs to somebody, `everything_of("u1")`, for good: whatever leads to other items after these,
        and the owner last; unique values, mirrors and tombstones go too.

        `when` is a condition on the owner, such as a mark that it is leaving. It is checked at the beginning and in the same
        transaction with every delete: where there is an owner of whom it does not hold, ConditionalCheckError is raised and
        nothing more is deleted. So whoever has the same id next loses nothing to an erasure of somebody before them.

        It is not atomic. After a failure, or when `limit` items are deleted, the same call goes on with what is left, and
        `done` tells when that is nothing. `progress` is called with the number of items deleted so far."""
        return self._run(belongings.erase(self._context, owned, when, limit, progress))


class AsyncWrites:
    """The same, awaited."""

    _context: Context

    async def _run(self, steps: Steps[T]) -> T:
        raise NotImplementedError

    async def create(self, entity: E) -> E:
        """Stores a new item; AlreadyExistsError if there is one with this key."""
        return await self._run(operations.create(self._context, entity))

    @overload
    async def put(
        self, entity: E, *, when: Conditions = ..., expected_version: Expectation = ..., returns: Literal["new"] = ...
    ) -> E: ...

    @overload
    async def put(
        self, entity: E, *, when: Conditions = ..., expected_version: Expectation = ..., returns: Literal["old"]
    ) -> E | None: ...

    @overload
    async def put(
        self, entity: Entity, *, when: Conditions = ..., expected_version: Expectation = ..., returns: Literal["none"]
    ) -> None: ...

    async def put(
        self, entity: E, *, when: Conditions = None, expected_version: Expectation = UNSET, returns: str = "new"
    ) -> E | None:
        """Stores the whole entity, whether or not it was there, as Session.put() does."""
        return await self._run(operations.put(self._context, entity, when, expected_version, returns))

    async def save(self, entity: E) -> E:
        """Creates an entity that is new, and stores one that was read before if nobody else changed it."""
        return await self._run(upserting.save(self._context, entity))

    async def upsert(
        self,
        entity: E,
        *,
        set: Mapping[str, Any] | None = None,  # noqa: A002 - the caller's word
        add: Mapping[str, Any] | None = None,
        remove: Iterable[str] = (),
        append: Mapping[str, Iterable[Any]] | None = None,
        include: Mapping[str, Iterable[Any]] | None = None,
        discard: Mapping[str, Iterable[Any]] | None = None,
    ) -> E:
        """Creates the entity if nothing is there with its key; else changes what is there, as Session.upsert() does."""
        actions = operations.Changes(set, add, remove, append, include, discard).given()
        return await self._run(upserting.upsert(self._context, entity, actions))

    @overload
    async def update(
        self,
        target: Target[E],
        *,
        set: Mapping[str, Any] | None = ...,
        add: Mapping[str, Any] | None = ...,
        remove: Iterable[str] = ...,
        append: Mapping[str, Iterable[Any]] | None = ...,
        include: Mapping[str, Iterable[Any]] | None = ...,
        discard: Mapping[str, Iterable[Any]] | None = ...,
        when: Conditions = ...,
        expected_version: Expectation = ...,
        returns: Literal["new", "old"] = ...,
    ) -> E: ...

    @overload
    async def update(
        self,
        target: Target[E],
        *,
        set: Mapping[str, Any] | None = ...,
        add: Mapping[str, Any] | None = ...,
        remove: Iterable[str] = ...,
        append: Mapping[str, Iterable[Any]] | None = ...,
        include: Mapping[str, Iterable[Any]] | None = ...,
        discard: Mapping[str, Iterable[Any]] | None = ...,
        when: Conditions = ...,
        expected_version: Expectation = ...,
        returns: Literal["none"],
    ) -> None: ...

    @overload
    async def update(
        self,
        target: Target[E],
        *,
        set: Mapping[str, Any] | None = ...,
        add: Mapping[str, Any] | None = ...,
        remove: Iterable[str] = ...,
        append: Mapping[str, Iterable[Any]] | None = ...,
        include: Mapping[str, Iterable[Any]] | None = ...,
        discard: Mapping[str, Iterable[Any]] | None = ...,
        when: Conditions = ...,
        expected_version: Expectation = ...,
        returns: Literal["new_fields", "old_fields"],
    ) -> Fields: ...

    async def update(
        self,
        target: Target[E],
        *,
        set: Mapping[str, Any] | None = None,  # noqa: A002 - the caller's word
        add: Mapping[str, Any] | None = None,
        remove: Iterable[str] = (),
        append: Mapping[str, Iterable[Any]] | None = None,
        include: Mapping[str, Iterable[Any]] | None = None,
        discard: Mapping[str, Iterable[Any]] | None = None,
        when: Conditions = None,
        expected_version: Expectation = UNSET,
        returns: str = "new",
    ) -> E | Fields | None:
        """Changes fields of an existing item, as Session.update() does."""
        changes = operations.Changes(set, add, remove, append, include, discard)
        steps: Steps[E | Fields | None]
        steps = operations.update(self._context, target, changes, when, expected_version, returns)
        return await self._run(steps)

    async def increment(self, target: Target[E], field: N, by: N | int = 1) -> N:
        """Adds to a number of an existing item and returns the new one."""
        return await self._run(upserting.increment(self._context, target, field, by))

    async def count_up(self, counted: Counted[C], by: C | int = 1, *, spread: str | None = None) -> None:
        """Adds to a sharded counter."""
        await self._run(counting.count_up(self._context, counted, by, spread))

    async def total(self, counted: Counted[C]) -> C:
        """The sum of all shards of a counter, read with one request."""
        return await self._run(counting.total(self._context, counted))

    @overload
    async def delete(
        self,
        target: Target[E],
        *,
        when: Conditions = ...,
        expected_version: Expectation = ...,
        returns: Literal["old"] = ...,
    ) -> E | None: ...

    @overload
    async def delete(
        self,
        target: Target[E],
        *,
        when: Conditions = ...,
        expected_version: Expectation = ...,
        returns: Literal["none"],
    ) -> None: ...

    async def delete(
        self,
        target: Target[E],
        *,
        when: Conditions = None,
        expected_version: Expectation = UNSET,
        returns: str = "old",
    ) -> E | None:
        """Deletes an item; returns what it was, or None if there was none."""
        return await self._run(operations.delete(self._context, target, when, expected_version, returns))

    async def undelete(self, target: Target[E]) -> E:
        """Brings back an item that was deleted and left a tombstone."""
        return await self._run(operations.undelete(self._context, target))

    async def purge(self, target: Target[E]) -> None:
        """Deletes an item with soft_delete for good: the item with its unique values, or its tombstone."""
        await self._run(operations.purge(self._context, target))

    async def delete_collection(
        self,
        what: Target[E] | Op[Any, Any],
        *,
        reach: Reach = "below",
        limit: int | None = None,
        progress: Callable[[int], object] | None = None,
    ) -> Deleted:
        """Deletes many items, as Session.delete_collection() does."""
        return await self._run(collections.delete_collection(self._context, what, reach, limit, progress))

    async def erase(
        self,
        owned: Owned,
        *,
        when: Conditions = None,
        limit: int | None = None,
        progress: Callable[[int], object] | None = None,
    ) -> Deleted:
        """Deletes all that belongs to somebody, as Session.erase() does."""
        return await self._run(belongings.erase(self._context, owned, when, limit, progress))
