"""Carrying writes out: one write as a request of its own where it can be, many as one transaction.

A write whose guard failed is planned again with the item that the failure brought along, ten times at most; that loop is
about other writers and has nothing to do with retries of failed requests.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tablewright.client.calls import Call, Steps
from tablewright.client.context import GUARD_ATTEMPTS, Context
from tablewright.client.writes import markers
from tablewright.client.writes.action import OPERATIONS, Action
from tablewright.client.writes.base import Write
from tablewright.errors import (
    ArgumentError,
    CancellationReason,
    ConditionalCheckFailed,
    ContentionError,
    RequestRefused,
    TablewrightError,
    TransactionCanceled,
    TransactionError,
)
from tablewright.values.sizes import item_size
from tablewright.values.types import Item
from tablewright.values.wire import dumps

MAX_ACTIONS = 100
MAX_BYTES = 4 * 1024 * 1024
_UNREAD: Any = object()


def read_current(context: Context, write: Write) -> Steps[Item | None]:
    """The stored item, read consistently."""
    request = {"TableName": context.table, "Key": write.key, "ConsistentRead": True}
    response = yield Call("GetItem", request, repeatable=True)
    return response.get("Item")


def perform(context: Context, write: Write, *, now: str | None = None, returning: str = "NONE") -> Steps[Item | None]:
    """Carries one write out. Returns the attributes that `returning` asks for, where a single request can tell them."""
    current = write.guess if write.needs_current else None
    if write.needs_current and current is None:
        current = yield from read_current(context, write)
    for _ in range(GUARD_ATTEMPTS):
        actions = write.actions(current, now or context.now())
        try:
            if len(actions) == 1 and actions[0].kind in OPERATIONS:
                return (yield from _alone(context, actions[0], returning))
            yield from _together(context, actions, context.token())
        except ConditionalCheckFailed as failed:
            current = _judge(write, actions[0], failed.item)
        except TransactionCanceled as canceled:
            current = _judge_all([write], [actions], canceled, [current])[0]
            if current is _UNREAD:
                current = yield from read_current(context, write)
        else:
            return current if returning == "ALL_OLD" else None
    raise _contention(write)


def commit(context: Context, writes: Sequence[Write], token: str | None = None) -> Steps[str | None]:
    """Carries many writes out as one transaction, or none of them; returns their time stamp."""
    if not writes:
        return None
    _refuse_same_item([w.key for w in writes])
    currents: list[Item | None] = []
    for write in writes:
        current = write.guess if write.needs_current else None
        if write.needs_current and current is None:
            current = yield from read_current(context, write)
        currents.append(current)
    for attempt in range(GUARD_ATTEMPTS):
        now = context.now()
        planned = [w.actions(c, now) for w, c in zip(writes, currents, strict=True)]
        actions = _settle([a for group in planned for a in group])
        # A token stands for exactly these bytes: another plan gets another one.
        own_token = token if token is not None and attempt == 0 else context.token()
        try:
            yield from _together(context, actions, own_token)
        except TransactionCanceled as canceled:
            currents = _judge_all(writes, planned, _by_plan(canceled, actions, planned), currents)
            for position, write in enumerate(writes):
                if currents[position] is _UNREAD:
                    currents[position] = yield from read_current(context, write)
        else:
            return now
    raise _contention(*writes)


def _alone(context: Context, action: Action, returning: str) -> Steps[Item | None]:
    body = action.body(context.table)
    if returning != "NONE":
        body["ReturnValues"] = returning
    # Repeating a put or delete without a condition changes nothing; an update may count twice.
    repeatable = action.kind != "Update" and action.condition is None
    try:
        response = yield Call(OPERATIONS[action.kind], body, repeatable)
    except RequestRefused as error:
        raise _explained(error) from error
    return response.get("Attributes")


def _together(context: Context, actions: Sequence[Action], token: str) -> Steps[None]:
    if len(actions) > MAX_ACTIONS:
        raise TransactionError(
            f"The transaction has {len(actions)} actions, markers of unique values included; DynamoDB allows {MAX_ACTIONS}.",
            constraint=f"{MAX_ACTIONS} actions",
            hint="Nothing was sent; make it smaller, or write in batches without atomicity.",
        )
    _refuse_same_item([a.key for a in actions])
    size = sum(item_size(a.item if a.item is not None else a.key) for a in actions)
    if size > MAX_BYTES:
        raise TransactionError(
            f"The transaction holds {size:,} bytes; DynamoDB allows {MAX_BYTES:,}.",
            constraint=f"{MAX_BYTES} bytes",
            hint="Nothing was sent; make it smaller.",
        )
    request = {"TransactItems": [{a.kind: a.body(context.table)} for a in actions], "ClientRequestToken": token}
    try:
        yield Call("TransactWriteItems", request, repeatable=True)
    except RequestRefused as error:
        raise _explained(error) from error


def _explained(error: RequestRefused) -> TablewrightError:
    """A refusal that the caller can do something about, in our words."""
    if "document path" in error.message:
        return ArgumentError(
            "A nested field was changed whose parent is not stored.",
            hint="Nothing was written; assign the whole parent field instead.",
        )
    return error


def _refuse_same_item(keys: Sequence[Item]) -> None:
    seen: set[bytes] = set()
    for key in keys:
        text = dumps(sorted(key.items()))
        if text in seen:
            raise TransactionError(
                "The transaction names one item twice.",
                constraint="one action per item",
                hint="Nothing was sent; make one change of the two.",
            )
        seen.add(text)


def _settle(actions: list[Action]) -> list[Action]:
    """A unique value that one owner gives up and another takes is one action, not two on the same marker."""
    released = {dumps(sorted(a.key.items())): a for a in actions if a.marker is not None and a.kind == "Delete"}
    settled: list[Action] = []
    handed: set[bytes] = set()
    for action in actions:
        text = dumps(sorted(action.key.items()))
        if action.marker is not None and action.kind == "Put" and text in released:
            settled.append(markers.hand_over(action, released[text]))
            handed.add(text)
        else:
            settled.append(action)
    return [
        a
        for a in settled
        if not (a.marker is not None and a.kind == "Delete" and dumps(sorted(a.key.items())) in handed)
    ]


def _by_plan(
    canceled: TransactionCanceled, sent: Sequence[Action], planned: Sequence[Sequence[Action]]
) -> TransactionCanceled:
    """The reasons in the order of the plan, from before actions were settled."""
    by_key = {dumps(sorted(a.key.items())): r for a, r in zip(sent, canceled.reasons, strict=False)}
    none = CancellationReason("None")
    reasons = [by_key.get(dumps(sorted(a.key.items())), none) for group in planned for a in group]
    return TransactionCanceled(canceled.message, reasons=reasons)


def _judge(write: Write, action: Action, old: Item | None) -> Item | None:
    """Raises what the caller must know; otherwise returns the item to plan with again."""
    error = write.blame(action, old)
    if error is not None:
        raise error
    return old


def _judge_all(
    writes: Sequence[Write],
    planned: Sequence[Sequence[Action]],
    canceled: TransactionCanceled,
    currents: Sequence[Item | None],
) -> list[Any]:
    """The same for each action of a transaction; the error says which ones failed."""
    fresh: list[Any] = list(currents)
    errors: list[tuple[int, TablewrightError]] = []
    reasons = iter(canceled.reasons)
    guarded = False
    for position, (write, actions) in enumerate(zip(writes, planned, strict=True)):
        for action in actions:
            reason = next(reasons, None)
            if reason is None or reason.code == "None":
                continue
            if reason.code != "ConditionalCheckFailed":
                raise canceled
            error = write.blame(action, reason.item)
            if error is not None:
                errors.append((position, error))
            else:
                guarded = True
                fresh[position] = reason.item if action.marker is None else _UNREAD
    # A marker can fail only because the plan was made on an old copy: then the guard failed too and decides.
    final = [(p, e) for p, e in errors if not (guarded and fresh[p] is not currents[p])]
    if final:
        position, error = final[0]
        error.context["action"] = position
        error.context["reasons"] = {p: e.message for p, e in final}
        raise error
    if not guarded:
        raise canceled
    return fresh


def _contention(*writes: Write) -> ContentionError:
    names = ", ".join(sorted({w.plan.name for w in writes}))
    return ContentionError(
        f"Other writers changed {names} each of the {GUARD_ATTEMPTS} times this write was planned.",
        hint="Nothing was written; try again later.",
    )
