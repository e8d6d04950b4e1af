"""ExecuteStatement: one PartiQL statement."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.context import Context
from tablewright.engine.outcomes import finish_write
from tablewright.engine.partiql.continuation import read_token, statement_digest, write_token
from tablewright.engine.partiql.execution import prepare, read_statement_text
from tablewright.engine.partiql.messages import EXISTS_MISPLACED, refuse
from tablewright.engine.partiql.reads import plan_reading, read_statement
from tablewright.engine.partiql.statements import Checking, Reading, Writing
from tablewright.engine.storage import Change, Transaction
from tablewright.values import AttributeValue


def execute_statement(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer an ExecuteStatement request."""
    statement, parameters = read_statement_text(context, request)
    if isinstance(statement, Checking):
        refuse(EXISTS_MISPLACED)
    if isinstance(statement, Reading):
        return _read(context, request, statement, parameters)
    return _write(context, request, statement)


def _read(
    context: Context, request: Mapping[str, Any], statement: Reading, parameters: list[AttributeValue]
) -> dict[str, Any]:
    plan = plan_reading(context, statement, consistent=bool(request.get("ConsistentRead")))
    token: str | None = request.get("NextToken")
    digest = statement_digest(request["Statement"], parameters)
    start = None if token is None else read_token(token, digest)
    response, going_on = read_statement(context, plan, request, start)
    if going_on is not None:
        response["NextToken"] = write_token(digest, going_on)
    return response


def _write(context: Context, request: Mapping[str, Any], statement: Writing) -> dict[str, Any]:
    prepared = prepare(context, statement, request)

    def work(transaction: Transaction) -> Change:
        change = prepared.write.plan(transaction)
        transaction.apply(change)
        return change

    change = context.database.write(work)
    returned = prepared.returned(change)
    return finish_write(request, change, {"Items": [] if returned is None else [returned]})
