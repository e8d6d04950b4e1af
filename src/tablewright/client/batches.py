"""Batch writes: many puts and deletes without conditions, in requests of 25, repeated until nothing is left over."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tablewright.client.calls import Call, Pause, Steps
from tablewright.client.context import Context
from tablewright.client.targets import resolve_at_once
from tablewright.client.writes.items import full_item
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.errors import ArgumentError, UnprocessedError
from tablewright.model.entity import Entity, Stored, stored
from tablewright.values.sizes import item_size
from tablewright.values.types import Item
from tablewright.values.wire import dumps

MAX_BATCH_WRITE = 25
MAX_BATCH_BYTES = 16 * 1024 * 1024
_ATTEMPTS = 8


@dataclass(slots=True, eq=False)
class BatchWriter:
    """Collects puts and deletes. Of two on the same item the last one counts. A batch has no conditions and is not
    atomic, so entities with unique fields or a version are refused: write those one by one, or in a transaction."""

    _context: Context
    _requests: dict[bytes, tuple[Item, dict[str, Any]]] = field(default_factory=dict)

    def put(self, entity: Entity) -> None:
        """Writes a whole entity, over whatever was there. A fresh entity is created now, as its time of creation says."""
        plan = self._context.plan.of(type(entity))
        self._refuse_guarded(plan)
        values = plan.validated(entity)
        key, now = plan.key(values), self._context.now()
        known = stored(entity) or Stored()
        item = full_item(plan, values, key, now, Stored(None, known.created or now))
        self._add(key, {"PutRequest": {"Item": item}})

    def delete(self, target: Any) -> None:
        """Deletes an item, named by an entity or a key(...)."""
        found = resolve_at_once(self._context, target)
        self._refuse_guarded(found.plan)
        self._add(found.key, {"DeleteRequest": {"Key": found.key}})

    def _add(self, key: Item, request: dict[str, Any]) -> None:
        text = dumps(sorted(key.items()))
        self._requests.pop(text, None)
        self._requests[text] = (key, request)

    def _refuse_guarded(self, plan: EntityPlan) -> None:
        for reason, there in (("unique fields", plan.uniques), ("a version", plan.options.version)):
            if there:
                raise ArgumentError(
                    f"{plan.name} has {reason}, which a batch cannot keep: it has no conditions.",
                    hint="Use db.put() or a transaction.",
                )

    def flush(self) -> Steps[None]:
        """Sends everything that was collected."""
        pending = [request for _, request in self._requests.values()]
        self._requests.clear()
        attempt = 0
        while pending:
            chunk, rest = _first_chunk(pending)
            response = yield Call("BatchWriteItem", {"RequestItems": {self._context.table: chunk}}, repeatable=True)
            left = response.get("UnprocessedItems", {}).get(self._context.table, [])
            pending = left + rest
            if left:
                attempt += 1
                if attempt > _ATTEMPTS:
                    raise UnprocessedError(
                        f"{len(pending)} writes of a batch stayed undone.",
                        keys=[self._key_of(r) for r in pending],
                        hint="They are listed in .keys; write them again later.",
                    )
                yield Pause(attempt)
            else:
                attempt = 0

    def _key_of(self, request: dict[str, Any]) -> Item:
        if "DeleteRequest" in request:
            key: Item = request["DeleteRequest"]["Key"]
            return key
        table = self._context.plan.table
        names = [table.pk.name] + ([table.sk.name] if table.sk is not None else [])
        return {n: request["PutRequest"]["Item"][n] for n in names}


def _first_chunk(pending: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    size = 0
    for count, request in enumerate(pending):
        size += item_size(request["PutRequest"]["Item"] if "PutRequest" in request else request["DeleteRequest"]["Key"])
        if count == MAX_BATCH_WRITE or (count and size > MAX_BATCH_BYTES):
            return pending[:count], pending[count:]
    return pending, []
