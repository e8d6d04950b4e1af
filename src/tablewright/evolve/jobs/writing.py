"""From what work asks to have written to the request that writes it, and what its refusal means; blind writes are refused here."""

from __future__ import annotations

from typing import Any

from tablewright.errors import ArgumentError, ConditionalCheckFailed, TablewrightError, TransactionCanceled
from tablewright.evolve.jobs.work import Again, Decision, Writes
from tablewright.wording import counted

MAX_ACTIONS = 100
_SINGLE = {"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem"}
_KINDS = {*_SINGLE, "ConditionCheck"}


def request_of(writes: Writes, work: str) -> tuple[str, dict[str, Any]]:
    """The operation and the request for some writes: one goes by itself, several go as one transaction."""
    actions = writes.actions
    if not 1 <= len(actions) <= MAX_ACTIONS:
        raise ArgumentError(
            f"{work}: {counted(len(actions), 'action')} asked for at once.",
            constraint=f"1 to {MAX_ACTIONS}",
            hint="Return None where nothing is to be written; more than a transaction holds cannot be written at once.",
        )
    for action in actions:
        _check(action, work)
    kind, members = next(iter(actions[0].items()))
    if len(actions) == 1 and kind in _SINGLE:
        return _SINGLE[kind], {**members, "ReturnConsumedCapacity": "TOTAL"}
    if all("ConditionCheck" in action for action in actions):
        raise ArgumentError(f"{work}: conditions alone write nothing.", hint="Return None instead.")
    return "TransactWriteItems", {"TransactItems": list(actions), "ReturnConsumedCapacity": "TOTAL"}


def in_the_way(decision: Writes, error: TablewrightError) -> Decision | Again:
    """What it means that a condition failed: the item is to be looked at anew, unless the work says something else."""
    if decision.met is not None and isinstance(error, ConditionalCheckFailed) and error.item is not None:
        return decision.met(decision.actions[0], error.item)
    if decision.met is not None and isinstance(error, TransactionCanceled):
        for action, reason in zip(decision.actions, error.reasons, strict=False):
            if reason.code == "ConditionalCheckFailed" and reason.item is not None:
                return decision.met(action, reason.item)
    return Again()


def _check(action: object, work: str) -> None:
    if not isinstance(action, dict) or len(action) != 1 or next(iter(action)) not in _KINDS:
        raise ArgumentError(
            f"{work}: an action is a dict with one of {', '.join(sorted(_KINDS))}.",
            hint='{"Update": {"TableName": ..., "Key": ..., "UpdateExpression": ..., "ConditionExpression": ...}}',
        )
    kind, members = next(iter(action.items()))
    if not isinstance(members, dict) or not members.get("ConditionExpression"):
        raise ArgumentError(
            f"{work}: {'an' if kind == 'Update' else 'a'} {kind} has no condition, so it could overwrite what others wrote meanwhile, or bring deleted items back.",
            constraint="ConditionExpression",
            hint="Let it fail where the item has changed since it was read, or is gone.",
        )
