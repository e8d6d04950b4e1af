"""BatchExecuteStatement: up to 25 PartiQL statements on one item each, all reads or all writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tablewright.engine.capacity import Tally, counts
from tablewright.engine.context import Context
from tablewright.engine.keys import Key
from tablewright.engine.partiql.execution import prepare, read_statement_text
from tablewright.engine.partiql.messages import EXISTS_MISPLACED, refuse
from tablewright.engine.partiql.reads import Plan, plan_reading
from tablewright.engine.partiql.statements import Checking, Reading
from tablewright.engine.partiql.writes import Prepared
from tablewright.engine.storage import Change, TableStore, Transaction
from tablewright.errors import (
    ConditionalCheckFailed,
    DuplicateItem,
    RequestRefused,
    ResourceNotFound,
    ServiceError,
    ValidationError,
)
from tablewright.values import write_units

_NO_KEY = "Select statements within BatchExecuteStatement must specify the primary key in the where clause."
_MIXED = "Read and write requests together in the same batch is not supported."
_CODES: tuple[tuple[type[Exception], str], ...] = (
    (ConditionalCheckFailed, "ConditionalCheckFailed"),
    (DuplicateItem, "DuplicateItem"),
    (ResourceNotFound, "ResourceNotFound"),
)


@dataclass(slots=True)
class _Member:
    """One statement of the batch: a read, a write, or why it is neither."""

    plan: Plan | None = None
    key: Key | None = None
    write: Prepared | None = None
    fault: dict[str, Any] | None = None
    table_name: str | None = None
    is_read: bool | None = None

    @property
    def target(self) -> tuple[str, Key] | None:
        """The item that it is about."""
        if self.write is not None:
            return self.write.write.table.name, self.write.write.key
        if self.plan is not None and self.key is not None:
            return self.plan.target.table.name, self.key
        return None


def batch_execute_statement(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a BatchExecuteStatement request. A statement that fails takes nobody along."""
    members = [_prepare(context, statement) for statement in request["Statements"]]
    if len({member.is_read for member in members} - {None}) > 1:
        refuse(_MIXED)
    targets = [member.target for member in members if member.target is not None]
    if len(set(targets)) < len(targets):
        refuse("Provided list of item keys contains duplicates")
    tallies: dict[str, _Costs] = {}
    responses = [_run(context, member, tallies) for member in members]
    response: dict[str, Any] = {"Responses": responses}
    wanted = request.get("ReturnConsumedCapacity")
    if counts(wanted):
        reports = [costs.report(name, str(wanted)) for name, costs in tallies.items() if costs.succeeded]
        if reports:
            response["ConsumedCapacity"] = reports
    return response


def _prepare(context: Context, request: Mapping[str, Any]) -> _Member:
    member = _Member()
    try:
        statement, _ = read_statement_text(context, request)
        if isinstance(statement, Checking):
            refuse(EXISTS_MISPLACED)
        member.is_read = isinstance(statement, Reading)
        if isinstance(statement, Reading):
            member.table_name = statement.place.table
            member.plan = plan_reading(context, statement, consistent=bool(request.get("ConsistentRead")))
            member.key = member.plan.single
            if member.key is None:
                refuse(_NO_KEY)
        else:
            member.table_name = statement.place.table
            member.write = prepare(context, statement, {})
    except (ServiceError, ValidationError) as error:
        if isinstance(error, ValidationError) and error.constraint == "serialization":
            # The request as a whole cannot be read.
            raise
        member.plan = member.write = None
        member.fault = _fault(error, member.table_name if isinstance(error, ResourceNotFound) else None)
    return member


def _fault(error: ServiceError | ValidationError, table_name: str | None) -> dict[str, Any]:
    code = next((code for kind, code in _CODES if isinstance(error, kind)), "ValidationError")
    fault: dict[str, Any] = {"Error": {"Code": code, "Message": error.message}}
    if table_name is not None:
        fault["TableName"] = table_name
    return fault


def _run(context: Context, member: _Member, tallies: dict[str, _Costs]) -> dict[str, Any]:
    if member.fault is not None:
        return member.fault
    if member.write is not None:
        return _write(context, member.write, tallies)
    plan, key = member.plan, member.key
    assert plan is not None and key is not None  # noqa: PT018 - neither is there without the other
    table = plan.target.table
    with context.database.reading() as connection:
        stored = table.get(connection, key)
    costs = tallies.setdefault(table.name, _Costs())
    costs.read(stored.size if stored is not None else 0, consistent=plan.target.consistent)
    response: dict[str, Any] = {"TableName": table.name}
    if stored is not None:
        response["Item"] = plan.columns(stored.item)
    return response


def _write(context: Context, prepared: Prepared, tallies: dict[str, _Costs]) -> dict[str, Any]:
    write = prepared.write
    costs = tallies.setdefault(write.table.name, _Costs())

    def work(transaction: Transaction) -> Change:
        change = write.plan(transaction)
        transaction.apply(change)
        return change

    try:
        change = context.database.write(work)
    except (ConditionalCheckFailed, DuplicateItem, RequestRefused, ValidationError) as error:
        costs.failed(context, write.table, write.key, getattr(write, "size", 0))
        return _fault(error, write.table.name)
    costs.write(change)
    response: dict[str, Any] = {"TableName": write.table.name}
    returned = prepared.returned(change)
    if returned is not None:
        response["Item"] = returned
    return response


class _Costs:
    """What the statements on one table cost. One that failed is charged what it tried to write."""

    __slots__ = ("_lost", "_tally", "succeeded")

    def __init__(self) -> None:
        self._tally = Tally()
        self._lost = 0.0
        self.succeeded = False

    def read(self, size: int, *, consistent: bool) -> None:
        """Count a read."""
        self._tally.add_read(size, consistent=consistent)
        self.succeeded = True

    def write(self, change: Change) -> None:
        """Count a write."""
        self._tally.add_write(change)
        self.succeeded = True

    def failed(self, context: Context, table: TableStore, key: Key, size: int) -> None:
        """Count a write that came to nothing: the larger of what is stored and what was to be."""
        with context.database.reading() as connection:
            stored = table.get(connection, key)
        self._lost += write_units(max(size, stored.size if stored is not None else 0))

    def report(self, name: str, wanted: str) -> dict[str, Any]:
        """One table's ConsumedCapacity; what failed shows in the total only."""
        report = self._tally.report(name, wanted)
        report["CapacityUnits"] += self._lost
        return report
