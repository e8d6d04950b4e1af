"""Batch writes: many puts and deletes without conditions, in requests of 25, repeated until nothing is left over."""

from __future__ import annotations

from typing import Any, TypeVar

from msgspec import Struct, field

from tablewright.client.calls import Call, Pause, Steps
from tablewright.client.context import Context
from tablewright.client.fetching import ATTEMPTS
from tablewright.client.targets import Target, resolve_at_once
from tablewright.client.writes.action import same_key
from tablewright.client.writes.items import full_item, refuse_moved
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.errors import ArgumentError, OutcomeUnknownError, TablewrightError, UnprocessedError
from tablewright.model.entity import Entity, Stored, stored
from tablewright.values.sizes import item_size
from tablewright.values.types import Item

E = TypeVar("E", bound=Entity)

MAX_BATCH_WRITE = 25
MAX_BATCH_BYTES = 16 * 1024 * 1024


class Pending(Struct, frozen=True):
    """One put or delete that is still to be done."""

    key: Item
    request: dict[str, Any]
    size: int


class BatchWriter(Struct, eq=False):
    """Collects puts and deletes. Of two on the same item the last one counts. A batch has no conditions and is not
    atomic, so entities with unique fields or a version are refused: write those one by one, or in a transaction."""

    _context: Context
    _pending: dict[bytes, Pending] = field(default_factory=dict)
    _over: bool = False

    def put(self, entity: Entity) -> None:
        """Writes a whole entity, over whatever was there. A fresh entity is created now, as its time of creation says."""
        plan = self._context.plan.of(type(entity))
        self._refuse_guarded(plan)
        values = plan.validated(entity)
        key, now = plan.key(values), self._context.now()
        refuse_moved(plan, entity, key)
        known = stored(entity) or Stored()
        item = full_item(plan, values, key, now, Stored(None, known.created or now))
        self._add(Pending(key, {"PutRequest": {"Item": item}}, item_size(item)))

    def delete(self, target: Target[E]) -> None:
        """Deletes an item, named by an entity, a key(...), or a pattern that fixes the primary key."""
        found = resolve_at_once(self._context, target)
        self._refuse_guarded(found.plan)
        self._add(Pending(found.key, {"DeleteRequest": {"Key": found.key}}, item_size(found.key)))

    def _add(self, pending: Pending) -> None:
        if self._over:
            raise ArgumentError("The batch is over; this write would never be sent.", hint="Start another batch.")
        text = same_key(pending.key)
        self._pending.pop(text, None)
        self._pending[text] = pending

    def _refuse_guarded(self, plan: EntityPlan) -> None:
        for reason, there in (("unique fields", plan.uniques), ("a version", plan.options.version)):
            if there:
                raise ArgumentError(
                    f"{plan.name} has {reason}, which a batch cannot keep: it has no conditions.",
                    hint="Use db.put() or a transaction.",
                )

    def flush(self) -> Steps[None]:
        """Sends everything that was collected."""
        self._over = True
        names = [a.name for a in (self._context.plan.table.pk, self._context.plan.table.sk) if a is not None]
        yield from send_batch(self._context.table, names, list(self._pending.values()))


def send_batch(table: str, names: list[str], rest: list[Pending]) -> Steps[None]:
    """Sends puts and deletes in as many requests as they need, until nothing is left over; `names` are the key's."""
    attempt = 0
    while rest:
        count = _first_chunk(rest)
        chunk, rest = rest[:count], rest[count:]
        request = {"RequestItems": {table: [p.request for p in chunk]}}
        try:
            response = yield Call("BatchWriteItem", request, repeatable=True)
        except TablewrightError as error:
            if not error.retryable and not isinstance(error, OutcomeUnknownError):
                raise
            raise _undone(chunk + rest) from error
        left = [_again(r, names) for r in response.get("UnprocessedItems", {}).get(table, [])]
        rest = left + rest
        if left:
            # As long as there is progress, nothing is wrong; only a batch of which nothing was done counts.
            attempt = attempt + 1 if len(left) == len(chunk) else 0
            if attempt > ATTEMPTS:
                raise _undone(rest)
            yield Pause(attempt)
        else:
            attempt = 0


def _first_chunk(pending: list[Pending]) -> int:
    """How many of these fit into one request."""
    size = 0
    for count, one in enumerate(pending):
        size += one.size
        if count == MAX_BATCH_WRITE or (count and size > MAX_BATCH_BYTES):
            return count
    return len(pending)


def _again(request: dict[str, Any], names: list[str]) -> Pending:
    whole = request["DeleteRequest"]["Key"] if "DeleteRequest" in request else request["PutRequest"]["Item"]
    return Pending({n: whole[n] for n in names}, request, item_size(whole))


def _undone(rest: list[Pending]) -> UnprocessedError:
    return UnprocessedError(
        f"{len(rest)} writes of a batch stayed undone.",
        keys=[p.key for p in rest],
        hint="They are listed in .keys; write them again later.",
    )
