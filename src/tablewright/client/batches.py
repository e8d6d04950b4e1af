"""Batch writes: many puts and deletes without conditions, in requests of 25, repeated until nothing is left over."""

from __future__ import annotations

import copy
from collections.abc import Awaitable, Callable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from msgspec import Struct, field

from tablewright.client import hooks
from tablewright.client.calls import Call, Pause, Steps
from tablewright.client.context import Context
from tablewright.client.fetching import ATTEMPTS
from tablewright.client.operations import order_delete, plan_delete, plan_put
from tablewright.client.performing import perform
from tablewright.client.targets import Target, resolve_at_once
from tablewright.client.writes.action import same_key
from tablewright.client.writes.base import Write
from tablewright.client.writes.items import full_item, refuse_moved
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.errors import ArgumentError, OutcomeUnknownError, TablewrightError, UnprocessedError
from tablewright.model.entity import Entity, Stored, stored
from tablewright.model.hooks import Hooks, Written
from tablewright.transport.answers import unfit
from tablewright.values.sizes import item_size
from tablewright.values.types import Item
from tablewright.values.wire import dumps

E = TypeVar("E", bound=Entity)

MAX_BATCH_WRITE = 25
MAX_BATCH_BYTES = 16 * 1024 * 1024
_SURELY_FITS = MAX_BATCH_BYTES // 16
"""So much stored never takes 16 MB as JSON: the worst are small members of lists, and they take less than 16 times as much."""
_AROUND_ITEMS = 1024
"""What stands around the items in a request, the name of the table included."""


class Pending(Struct, frozen=True):
    """One put or delete that is still to be done."""

    key: Item
    request: dict[str, Any]
    size: int
    entity: str | None = None
    """What it is of, where that is known."""


class BatchWriter(Struct, eq=False):
    """Collects puts and deletes. Of two on the same item the last one counts. A batch has no conditions and is not
    atomic, so entities with unique fields, a version or a lock are refused, and so are deletes that leave a tombstone.
    A batch with `transactional=True` writes these as put() and delete() do, each on its own, after all others."""

    _context: Context
    _chunk_size: int = MAX_BATCH_WRITE
    _transactional: bool = False
    _pending: dict[bytes, Pending] = field(default_factory=dict)
    _guarded: dict[bytes, Write] = field(default_factory=dict)
    _told: dict[bytes, tuple[EntityPlan, Hooks, Written[Any]]] = field(default_factory=dict)
    """What hooks are told when a put or delete was made, by its key."""
    _over: bool = False

    def __post_init__(self) -> None:
        checked_chunk_size(self._chunk_size)

    def put(self, entity: Entity) -> None:
        """Writes a whole entity, over whatever was there. A fresh entity is created now, as its time of creation says."""
        plan = self._context.plan.of(type(entity))
        if self._goes_alone(plan, unbatched_put(plan)):
            write = plan_put(self._context, entity)
            write.values = copy.deepcopy(write.values)  # it was checked as it is now, whatever becomes of the entity
            return self._add_guarded(write)
        if plan.hooks is not None:
            hooks.before_put(plan.hooks, entity)
        values = plan.validated(entity)
        key, now = plan.key(values), self._context.now()
        refuse_moved(plan, entity, key)
        known = stored(entity) or Stored()
        item = full_item(plan, values, key, now, Stored(None, known.created or now))
        self._add(Pending(key, {"PutRequest": {"Item": item}}, item_size(item), plan.name))
        if plan.hooks is not None:
            made = plan.entity.model_construct(**copy.deepcopy(values))
            self._told[same_key(key)] = (
                plan,
                plan.hooks,
                Written("put", {n: values[n] for n in plan.key_fields}, made),
            )

    def delete(self, target: Target[E]) -> None:
        """Deletes an item, named by an entity, a key(...), or a pattern that fixes the primary key."""
        found = resolve_at_once(self._context, target)
        if self._goes_alone(found.plan, unbatched_delete(found.plan)):
            return self._add_guarded(plan_delete(order_delete(self._context, target), found))
        if found.plan.hooks is not None:
            hooks.before_delete(found.plan.hooks, found.values)
        self._add(Pending(found.key, {"DeleteRequest": {"Key": found.key}}, item_size(found.key), found.plan.name))
        if found.plan.hooks is not None:
            self._told[same_key(found.key)] = (found.plan, found.plan.hooks, Written("deleted", found.values))

    def _tell(self, besides: Sequence[Item] = ()) -> None:
        """Runs the hooks after puts and deletes that were made."""
        for undone in besides:
            self._told.pop(same_key(undone), None)
        while self._told:
            hooks.tell(*self._told.pop(next(iter(self._told))))

    def _add(self, pending: Pending) -> None:
        text = self._forget(pending.key)
        self._pending[text] = pending

    def _add_guarded(self, write: Write) -> None:
        text = self._forget(write.key)
        self._guarded[text] = write

    def _forget(self, key: Item) -> bytes:
        """Drops an earlier write of the same item."""
        if self._over:
            raise ArgumentError("The batch is over; this write would never be sent.", hint="Start another batch.")
        text = same_key(key)
        self._pending.pop(text, None)
        self._told.pop(text, None)
        self._guarded.pop(text, None)
        return text

    def _goes_alone(self, plan: EntityPlan, reason: str | None) -> bool:
        if reason is not None and not self._transactional:
            raise ArgumentError(
                f"{plan.name} has {reason}, which a batch cannot keep: it has no conditions.",
                hint="Use db.batch(transactional=True), db.put() or a transaction.",
            )
        # A batch may write over what newer code has stored; who asks for conditions gets that one, too.
        return reason is not None or (self._transactional and plan.versions is not None)

    def flush(self) -> Steps[None]:
        """Sends everything that was collected."""
        self._over = True
        names = [a.name for a in (self._context.plan.table.pk, self._context.plan.table.sk) if a is not None]
        alone = list(self._guarded.values())
        try:
            yield from send_batch(self._context.table, names, list(self._pending.values()), self._chunk_size)
        except UnprocessedError as error:
            self._tell(besides=error.keys)
            raise _undone([*error.keys, *(w.key for w in alone)]) from error.__cause__
        except TablewrightError as error:
            self._tell(besides=error.context["undone"])
            error.context["undone"] += [w.key for w in alone]
            raise
        self._tell()
        for number, write in enumerate(alone, 1):
            try:
                yield from perform(self._context, write)
            except TablewrightError as error:
                if number < len(alone):  # what failed says so itself; these were not even tried
                    error.context["undone"] = [w.key for w in alone[number:]]
                raise


class Batch:
    """The block of a batch: what was collected in it is sent at its end, unless it failed."""

    def __init__(self, writer: BatchWriter, run: Callable[[Steps[None]], None]) -> None:
        self._writer = writer
        self._run = run

    def __enter__(self) -> BatchWriter:
        return self._writer

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._run(self._writer.flush())

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            raise _not_begun(self, name, "with")


class AsyncBatch:
    """The same for asyncio."""

    def __init__(self, writer: BatchWriter, run: Callable[[Steps[None]], Awaitable[None]]) -> None:
        self._writer = writer
        self._run = run

    async def __aenter__(self) -> BatchWriter:
        return self._writer

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            await self._run(self._writer.flush())

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            raise _not_begun(self, name, "async with")


def _not_begun(block: object, name: str, begin: str) -> AttributeError:
    text = f"{type(block).__name__!r} object has no attribute {name!r}"
    if hasattr(BatchWriter, name) and not name.startswith("_"):
        text = f"The batch has not begun. Write it as {begin} db.batch() as batch: batch.{name}(...)."
    return AttributeError(text, name=name, obj=block)


def checked_chunk_size(size: int) -> int:
    """How many writes go into a request; what no request can hold is refused."""
    if not isinstance(size, int) or isinstance(size, bool) or not 1 <= size <= MAX_BATCH_WRITE:
        raise ArgumentError(
            f"batch(chunk_size=...) is a number from 1 to {MAX_BATCH_WRITE}.",
            field="chunk_size",
            constraint=f"1 to {MAX_BATCH_WRITE}",
        )
    return size


def unbatched_put(plan: EntityPlan) -> str | None:
    """Why puts of an entity need conditions, if they do."""
    reasons = {
        "unique fields": plan.uniques,
        "a version": plan.options.version,
        "a lock by time": plan.options.lock,
        "a mirror": plan.mirrored,
    }
    return next((reason for reason, there in reasons.items() if there), None)


def unbatched_delete(plan: EntityPlan) -> str | None:
    """Why deletes of an entity need conditions, if they do."""
    return "tombstones" if plan.hides is not None else unbatched_put(plan)


def only_deleted(plan: EntityPlan) -> bool:
    """Whether a delete that asks nothing of an item is all that there is to do."""
    return plan.hides is None and not plan.uniques and not plan.mirrored


def delete_keys(context: Context, keys: Sequence[Item]) -> Steps[None]:
    """Deletes items without looking at them."""
    pending = [Pending(key, {"DeleteRequest": {"Key": key}}, item_size(key)) for key in keys]
    yield from send_batch(context.table, list(keys[0]) if keys else [], pending)


def _entity(chunk: list[Pending]) -> str | None:
    """The entity of all of them, if it is one."""
    names = {pending.entity for pending in chunk}
    return names.pop() if len(names) == 1 else None


def send_batch(table: str, names: list[str], rest: list[Pending], chunk_size: int = MAX_BATCH_WRITE) -> Steps[None]:
    """Sends puts and deletes in as many requests as they need, until nothing is left over; `names` are the key's.

    Whatever ends it early tells which were not done: UnprocessedError in `keys`, a refusal in `context["undone"]`.
    """
    attempt = 0
    while rest:
        count = _first_chunk(rest, chunk_size)
        chunk, rest = rest[:count], rest[count:]
        request = {"RequestItems": {table: [p.request for p in chunk]}}
        try:
            response = yield Call("BatchWriteItem", request, True, entity=_entity(chunk))
        except TablewrightError as error:
            undone = [p.key for p in chunk + rest]
            if not error.retryable and not isinstance(error, OutcomeUnknownError):
                error.context["undone"] = undone
                raise
            raise _undone(undone) from error
        unprocessed = response.get("UnprocessedItems")
        left = _again(unprocessed, table, chunk, names) if unprocessed else []
        if left is None:
            raise _undone([p.key for p in chunk + rest]) from unfit("BatchWriteItem")
        rest = left + rest
        if left:
            # As long as there is progress, nothing is wrong; only a batch of which nothing was done counts.
            attempt = attempt + 1 if len(left) == len(chunk) else 0
            if attempt > ATTEMPTS:
                raise _undone([p.key for p in rest])
            try:
                yield Pause(attempt, what="A batch of which something was left over")
            except TablewrightError as error:  # there is no time for it
                raise _undone([p.key for p in rest]) from error
        else:
            attempt = 0


def _first_chunk(pending: list[Pending], chunk_size: int) -> int:
    """How many of these fit into one request. What counts is JSON, which is longer than what is stored: of 25 items of 400 KB
    no more than 10 MB are stored, but a control character takes six bytes on its way."""
    chunk = pending[:chunk_size]
    if sum(one.size for one in chunk) <= _SURELY_FITS:
        return len(chunk)
    size = _AROUND_ITEMS
    for count, one in enumerate(chunk):
        size += len(dumps(one.request)) + 1
        if count and size > MAX_BATCH_BYTES:
            return count
    return len(chunk)


def _again(unprocessed: dict[str, Any], table: str, sent: list[Pending], names: list[str]) -> list[Pending] | None:
    """What was sent and is still to be done; None where the reply names something else."""
    if unprocessed.keys() != {table}:
        return None
    known = {same_key(p.key): p for p in sent}
    left: dict[bytes, Pending] = {}
    for request in unprocessed[table]:
        put, delete = request.get("PutRequest"), request.get("DeleteRequest")
        whole = delete["Key"] if delete is not None else put["Item"] if put is not None else {}
        name = same_key({n: whole[n] for n in names if n in whole})
        if name not in known:
            return None
        left[name] = known[name]
    return list(left.values())


def _undone(keys: list[Item]) -> UnprocessedError:
    return UnprocessedError(
        f"{len(keys)} writes of a batch stayed undone.",
        keys=keys,
        hint="They are listed in .keys; write them again later.",
    )
