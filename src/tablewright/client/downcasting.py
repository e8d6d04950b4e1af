"""Writes of an older schema version, while older code still runs: each is worked out here, and written as a whole item.

What a write says, it says of fields of the model's version, so that the service cannot do it on an item of another one.
The item is read, made a current one, changed as the write says, made an older one again, and written under the condition
that it is still what was read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from tablewright.client.calls import Call, Pause, Steps
from tablewright.client.context import GUARD_ATTEMPTS, GUARD_PAUSE, Context
from tablewright.client.fetching import fetch_items
from tablewright.client.writes.action import OPERATIONS, Action, Kind, same_key
from tablewright.client.writes.upgrade import as_read
from tablewright.compiler.conditions import conjunction
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.noted import split_form
from tablewright.errors import (
    CancellationReason,
    ConditionalCheckFailed,
    ContentionError,
    ExpressionError,
    NumberError,
    RequestRefused,
    TransactionCanceled,
)
from tablewright.expressions import ast, compiled_condition, compiled_update
from tablewright.values.operations import WRITES
from tablewright.values.types import Item

_KINDS: dict[str, Kind] = {operation: kind for kind, operation in OPERATIONS.items()}  # type: ignore[misc]


class _Worked(Struct, frozen=True):
    """One action, worked out: what is sent instead, the current item before and after, and whether its condition fails."""

    sent: dict[str, Any]
    ours: bool = False
    before: Item | None = None
    after: Item | None = None
    failed: bool = False


class Downcaster:
    """Writes entities in the versions that `write_versions` says."""

    def __init__(self, context: Context) -> None:
        self._context = context
        plans = [(context.plan.of(entity), version) for entity, version in context.options.write_versions.items()]
        self._versions = {p.options.type: (p, v) for p, v in plans if p.versions is not None and v < p.versions.number}

    def concerns(self, call: Call) -> bool:
        """Whether a call writes one of these entities."""
        return call.operation in WRITES and any(self._plan_of(body) is not None for _, body in _actions(call))

    def carry_out(self, call: Call) -> Steps[dict[str, Any]]:
        """Sends what stands for a write, and gives its answer."""
        if call.operation == "BatchWriteItem":
            return (yield replace(call, request=self._batch(call.request)))
        actions = _actions(call)
        for attempt in range(GUARD_ATTEMPTS):
            if attempt > 1:
                yield Pause(min(attempt - 2, 4), GUARD_PAUSE)
            keys = [self._key(plan, body) for _, body in actions if (plan := self._plan_of(body)) is not None]
            stored = yield from fetch_items(self._context, keys, strong=True)
            worked = [self._worked(kind, body, stored) for kind, body in actions]
            self._refuse(call, worked)
            try:
                yield from self._send(call, worked, first=attempt == 0)
            except ConditionalCheckFailed:
                continue
            except TransactionCanceled as canceled:
                codes = [r.code for w, r in zip(worked, canceled.reasons, strict=False) if w.ours]
                if "ConditionalCheckFailed" not in codes:
                    raise
                continue
            return _answer(call.request.get("ReturnValues", "NONE"), worked[0])
        raise ContentionError(
            f"Other writers changed the item each of the {GUARD_ATTEMPTS} times this write was worked out.",
            hint="Nothing was written; try again later.",
        )

    def _send(self, call: Call, worked: Sequence[_Worked], *, first: bool) -> Steps[None]:
        if call.operation != "TransactWriteItems":
            ((kind, body),) = worked[0].sent.items()
            if kind != "ConditionCheck":
                yield Call(OPERATIONS[kind], body, entity=call.entity)
            return
        token = call.request.get("ClientRequestToken") if first else None
        request = {"TransactItems": [w.sent for w in worked], "ClientRequestToken": token or self._context.token()}
        yield Call("TransactWriteItems", request, True, entity=call.entity)

    # -------------------------------------------------------------------------------------------------- working out

    def _worked(self, kind: Kind, body: dict[str, Any], stored: dict[Any, Item]) -> _Worked:
        plan = self._plan_of(body)
        if plan is None:
            return _Worked({kind: body})
        key = self._key(plan, body)
        found = stored.get(same_key(key))
        before = None if found is None else plan.current(found) if plan.has_key(found) else found
        absent: list[ast.Condition] = [ast.AttributeNotExists((plan.table.pk.name,))]
        condition = conjunction(absent if found is None else as_read(plan, found) or absent)
        if not _holds(body, before):
            return _Worked({}, True, before, failed=True)
        after = before
        if kind == "Put":
            after = body["Item"] if before is None else {**body["Item"], **split_form(before)}
        elif kind == "Update":
            after = {**_updated(body, before, key), **key}
        if kind in ("Put", "Update") and after is not None:
            action = Action("Put", key, item=self._down(plan, after), condition=condition)
        else:
            action = Action(kind, key, condition=condition)
            after = None if kind == "Delete" else before
        return _Worked({action.kind: action.body(self._context.table)}, True, before, after)

    def _down(self, plan: EntityPlan, item: Item) -> Item:
        """An item as it is written; of a tombstone, what it keeps."""
        version = self._versions[plan.options.type][1]
        assert plan.versions is not None
        if plan.alive(item) is not None:
            return plan.versions.down(item, version)
        remains = item.get(plan.names.remains)
        return (
            item if remains is None else {**item, plan.names.remains: {"M": plan.versions.down(remains["M"], version)}}
        )

    def _refuse(self, call: Call, worked: Sequence[_Worked]) -> None:
        """The service's error for conditions that do not hold."""
        if not any(w.failed for w in worked):
            return
        if call.operation != "TransactWriteItems":
            raise ConditionalCheckFailed(item=worked[0].before, operation=call.operation)
        raise TransactionCanceled(
            "Transaction cancelled, please refer cancellation reasons for specific reasons",
            reasons=[
                CancellationReason("ConditionalCheckFailed", "The conditional request failed", w.before)
                if w.failed
                else CancellationReason("None")
                for w in worked
            ],
            operation=call.operation,
        )

    def _batch(self, request: dict[str, Any]) -> dict[str, Any]:
        """Items of a batch are whole, and overwrite what is there."""

        def one(write: dict[str, Any]) -> dict[str, Any]:
            item = write.get("PutRequest", {}).get("Item")
            plan = None if item is None else self._plan_of({"Item": item})
            return write if plan is None or item is None else {"PutRequest": {"Item": self._down(plan, item)}}

        items = {table: [one(write) for write in writes] for table, writes in request["RequestItems"].items()}
        return {**request, "RequestItems": items}

    # -------------------------------------------------------------------------------------------------- whose it is

    def _plan_of(self, body: dict[str, Any]) -> EntityPlan | None:
        item = body.get("Item")
        if item is not None:
            kind = item.get(self._context.plan.table.names.type, {}).get("S")
            return self._versions[kind][0] if kind in self._versions else None
        return next((plan for plan, _ in self._versions.values() if plan.has_key(body.get("Key", {}))), None)

    def _key(self, plan: EntityPlan, body: dict[str, Any]) -> Item:
        key: Item = body["Key"] if "Key" in body else plan.key_of_item(body["Item"])
        return key


def _actions(call: Call) -> list[tuple[Kind, dict[str, Any]]]:
    request = call.request
    if "TransactItems" in request:
        return [pair for action in request["TransactItems"] for pair in action.items()]
    if "RequestItems" in request:
        puts = (w["PutRequest"] for ws in request["RequestItems"].values() for w in ws if "PutRequest" in w)
        return [("Put", put) for put in puts]
    return [(_KINDS[call.operation], request)]


def _holds(body: dict[str, Any], item: Item | None) -> bool:
    text = body.get("ConditionExpression")
    if text is None:
        return True
    condition = compiled_condition(text, body.get("ExpressionAttributeNames"))
    return condition(item, body.get("ExpressionAttributeValues", {}))


def _updated(body: dict[str, Any], item: Item | None, key: Item) -> Item:
    update = compiled_update(body["UpdateExpression"], body.get("ExpressionAttributeNames"))
    try:
        return update.apply(item or key, body.get("ExpressionAttributeValues", {})).item
    except (ExpressionError, NumberError) as error:
        raise RequestRefused(error.message) from None


def _answer(returning: str, worked: _Worked) -> dict[str, Any]:
    """What the service would answer."""
    attributes = worked.after if returning.endswith("_NEW") else worked.before if returning.endswith("_OLD") else None
    return {} if attributes is None else {"Attributes": attributes}
