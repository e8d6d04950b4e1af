"""TransactWriteItems: up to a hundred writes and checks, all or none, once per token."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tablewright.engine.context import Context
from tablewright.engine.transacting import check_together, transact
from tablewright.engine.validation.keys import KeyRefused
from tablewright.engine.writes import Write, check_action, prepare_check, prepare_delete, prepare_put, prepare_update
from tablewright.errors import CancellationReason, RequestRefused, ValidationError

_PREPARE: Mapping[str, Callable[[Context, Mapping[str, Any]], Write]] = {
    "ConditionCheck": prepare_check,
    "Put": prepare_put,
    "Delete": prepare_delete,
    "Update": prepare_update,
}


def transact_write_items(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a TransactWriteItems request."""
    actions: list[Mapping[str, Any]] = request["TransactItems"]
    writes, wrong = _prepare(context, actions)
    return transact(context, request, actions, writes, wrong)


def _prepare(context: Context, actions: list[Mapping[str, Any]]) -> tuple[list[Write], dict[int, CancellationReason]]:
    """Validated writes, and the actions whose key types will cancel the transaction."""
    writes: list[Write] = []
    wrong: dict[int, CancellationReason] = {}
    given = [_only(action) for action in actions]
    if len(given) > 1:
        # Whatever can be refused without a look at any table comes first.
        for _, one in given:
            check_action(one)
    for position, (name, one) in enumerate(given):
        try:
            writes.append(_PREPARE[name](context, one))
        except ValidationError:
            # The order in which things are prepared is not that in which they are refused.
            check_action(one)
            raise
        except KeyRefused as error:
            if wrong:
                # The service stops at the first; the others are not told.
                continue
            wrong[position] = CancellationReason("ValidationError", error.message)
    check_together(writes, wrong)
    return writes, wrong


def _only(action: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    given = [(name, action[name]) for name in _PREPARE if action.get(name) is not None]
    if not given:
        raise RequestRefused("Invalid Request: TransactWriteRequest should contain Delete or Put or Update request")
    if len(given) > 1:
        raise RequestRefused("TransactItems can only contain one of Check, Put, Update or Delete")
    return given[0]
