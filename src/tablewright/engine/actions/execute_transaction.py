"""ExecuteTransaction: up to a hundred PartiQL statements, all reads at one moment or all writes together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tablewright.engine.capacity import Tally, counts
from tablewright.engine.context import Context
from tablewright.engine.outcomes import PASSED, cancel
from tablewright.engine.partiql.execution import prepare, understood
from tablewright.engine.partiql.messages import EXISTS_MISPLACED, refuse
from tablewright.engine.partiql.reads import Plan, plan_reading
from tablewright.engine.partiql.statements import Checking, Reading, Understood
from tablewright.engine.partiql.values import check_parameters
from tablewright.engine.partiql.writes import prepare_exists
from tablewright.engine.transacting import check_together, transact
from tablewright.engine.validation.keys import MISMATCH, KeyRefused
from tablewright.engine.writes import Write
from tablewright.errors import CancellationReason, RequestRefused, ResourceNotFound, ValidationError
from tablewright.values import read_units

_NO_KEY = "Select statements within ExecuteTransaction must specify the primary key in the where clause."
_MAX_BYTES = 4 * 1024 * 1024


def execute_transaction(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer an ExecuteTransaction request."""
    parts: list[Mapping[str, Any]] = request["TransactStatements"]
    parameters = [check_parameters(part.get("Parameters")) for part in parts]
    statements: list[Understood] = []
    for position, part in enumerate(parts):
        with _Part(position):
            statements.append(understood(context, part["Statement"], parameters[position]))
    reads = [isinstance(statement, Reading) for statement in statements]
    if any(reads) and not all(reads):
        refuse("ExecuteTransaction API does not support both read and write operations in the same request.")
    if all(reads):
        return _read(context, request, [statement for statement in statements if isinstance(statement, Reading)])
    return _write(context, request, parts, statements)


class _Part:
    """Says which statement of the transaction a fault lies in."""

    __slots__ = ("_position",)

    def __init__(self, position: int) -> None:
        self._position = position

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, KeyRefused) or not isinstance(error, (RequestRefused, ValidationError)):
            return
        message = error.message
        if message == EXISTS_MISPLACED:
            message = "Unsupported operation in transaction."
        refuse(message if message.startswith("Unsupported operation") else self.say(message))

    def say(self, message: str) -> str:
        """A message with the statement's number."""
        return f"Validation failed in TransactStatements[{self._position}]: {message}"


def _read(context: Context, request: Mapping[str, Any], statements: Sequence[Reading]) -> dict[str, Any]:
    plans: list[Plan] = []
    wrong: dict[int, CancellationReason] = {}
    for position, statement in enumerate(statements):
        try:
            with _Part(position):
                plans.append(_single(context, statement))
        except KeyRefused:
            wrong[position] = CancellationReason("ValidationError", MISMATCH)
        except ResourceNotFound as error:
            wrong[position] = CancellationReason("ResourceNotFound", error.message)
    if wrong:
        cancel([wrong.get(position, PASSED) for position in range(len(statements))])
    keys = [(plan.target.table, plan.single) for plan in plans]
    if len(set(keys)) < len(keys):
        refuse("Transaction request cannot include multiple operations on one item")
    with context.database.snapshot() as connection:
        found = [None if key is None else table.get(connection, key) for table, key in keys]
    if sum(stored.size for stored in found if stored is not None) > _MAX_BYTES:
        refuse("The total size of the items in the transaction cannot exceed 4MB")
    responses: list[dict[str, Any]] = []
    tallies: dict[str, Tally] = {}
    for stored, plan in zip(found, plans, strict=True):
        units = read_units(stored.size if stored is not None else 0, transactional=True)
        tallies.setdefault(plan.target.table.name, Tally("Read")).add(units)
        responses.append({} if stored is None else {"Item": plan.columns(stored.item)})
    response: dict[str, Any] = {"Responses": responses}
    wanted = request.get("ReturnConsumedCapacity")
    if counts(wanted):
        response["ConsumedCapacity"] = [tally.report(name, str(wanted)) for name, tally in tallies.items()]
    return response


def _single(context: Context, statement: Reading) -> Plan:
    context.table(statement.place.table)
    if statement.place.index is not None:
        refuse("Reads on indices are not supported within transactions.")
    plan = plan_reading(context, statement, consistent=True)
    if plan.single is None:
        refuse(_NO_KEY)
    return plan


def _write(
    context: Context,
    request: Mapping[str, Any],
    parts: Sequence[Mapping[str, Any]],
    statements: Sequence[Understood],
) -> dict[str, Any]:
    writes: list[Write] = []
    wrong: dict[int, CancellationReason] = {}
    for position, statement in enumerate(statements):
        try:
            with _Part(position):
                writes.append(_prepare(context, statement, parts[position]))
        except KeyRefused as error:
            wrong[position] = CancellationReason("ValidationError", error.message)
        except ResourceNotFound as error:
            wrong[position] = CancellationReason("ResourceNotFound", error.message)
    if not wrong:
        check_together(writes, wrong)
    return {"Responses": [], **transact(context, request, parts, writes, wrong, scope="ExecuteTransaction ")}


def _prepare(context: Context, statement: Understood, part: Mapping[str, Any]) -> Write:
    assert not isinstance(statement, Reading), "reads have been told apart"
    if isinstance(statement, Checking):
        if statement.reading.place.index is not None:
            refuse("Operations on indices are not supported in transactions")
        on_failure = part.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"
        return prepare_exists(context, statement, on_failure=on_failure).write
    prepared = prepare(context, statement, part, in_transaction=True)
    if prepared.returning is not None:
        refuse("RETURNING clause is not supported in ExecuteTransaction.")
    return prepared.write
