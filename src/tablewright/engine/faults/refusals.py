"""Faults that refuse a request in the service's words: throttling, conflicts, internal errors, expired tokens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NoReturn

from tablewright.engine.arns import index_arn, table_arn
from tablewright.engine.faults.calls import ITEM_OPERATIONS, READS, STATEMENTS, TRANSACTIONS, Call, Member
from tablewright.engine.faults.fault import Scheduled
from tablewright.engine.outcomes import PASSED, cancel
from tablewright.engine.storage import TableStore
from tablewright.errors import (
    AccessRefused,
    CancellationReason,
    InternalError,
    Throttled,
    ThrottlingReason,
    TransactionConflict,
)

_PROVISIONED = {
    False: "The level of configured provisioned throughput for the table was exceeded. Consider increasing your "
    "provisioning level with the UpdateTable API.",
    True: "The level of configured provisioned throughput for one or more global secondary indexes of the table was "
    "exceeded. Consider increasing your provisioning level for the under-provisioned global secondary indexes with "
    "the UpdateTable API",
}
_ON_DEMAND = {
    False: "Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your "
    "table or index so please try again shortly. If exceptions persist, check if you have a hot key: "
    "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html",
    True: "Throughput exceeds the current capacity for one or more global secondary indexes. DynamoDB is automatically "
    "scaling your index so please try again shortly.",
}
_ACCOUNT = (
    "Throughput exceeds the current throughput limit for your account. Please contact AWS Support at "
    "https://aws.amazon.com/support request a limit increase"
)
_RATE = "Rate of requests exceeds the allowed throughput."
_ONGOING = "Transaction is ongoing for the item"


def throttle(call: Call, exhausted: Callable[[Member], str | None]) -> None:
    """Refuse a call for the throughput of its members: of an index that `exhausted` names, "" for the table itself.

    Of a batch of statements each is refused by itself.
    """
    if call.operation not in ITEM_OPERATIONS:
        raise Throttled(_RATE, wire_name="ThrottlingException", operation=call.operation)
    struck = [(member, index) for member in call.members if (index := exhausted(member)) is not None]
    if call.operation in TRANSACTIONS:
        reasons = {member: _cancellation(call, member, index) for member, index in struck}
        cancel([reasons.get(member, PASSED) for member in call.members])
    if call.operation == "BatchExecuteStatement" and struck:
        errors = {member: _cancellation(call, member, index) for member, index in struck}
        call.refuse({member: (one.code, str(one.message)) for member, one in errors.items()})
        return
    member, index = struck[0] if struck else (None, "")
    table = None if member is None else call.tables.get(member.table)
    on_demand = _is_on_demand(table)
    raise Throttled(
        (_ON_DEMAND if on_demand else _PROVISIONED)[bool(index)],
        wire_name="ThrottlingException" if on_demand else "ProvisionedThroughputExceededException",
        reasons=[] if table is None else [_reason(call, table.name, index or None, on_demand=on_demand)],
        operation=call.operation,
    )


def _is_on_demand(table: TableStore | None) -> bool:
    return table is None or table.schema.definition.get("BillingMode") == "PAY_PER_REQUEST"


def _cancellation(call: Call, member: Member, index: str) -> CancellationReason:
    """Why a transaction is cancelled for one of its members, by the billing mode of that one's table."""
    if _is_on_demand(call.tables.get(member.table)):
        return CancellationReason("ThrottlingError", _ON_DEMAND[bool(index)])
    return CancellationReason("ProvisionedThroughputExceeded", _PROVISIONED[bool(index)])


def _reason(call: Call, table: str, index: str | None, *, on_demand: bool) -> ThrottlingReason:
    what = ("Table" if index is None else "Index") + ("Write" if call.is_write else "Read")
    limit = "KeyRangeThroughputExceeded" if on_demand else "ProvisionedThroughputExceeded"
    arn = table_arn(call.region, table) if index is None else index_arn(call.region, table, index)
    return ThrottlingReason(what + limit, arn)


@dataclass(kw_only=True, eq=False)
class _Refusal(Scheduled):
    def on_request(self, call: Call, due: Any) -> None:
        """Refuse what is due."""
        if due:
            self.count()
            self.refuse(call)

    def refuse(self, call: Call) -> None:
        """Raise the service's error, or have it told of the members concerned."""
        raise NotImplementedError

    def strikes(self, member: Member) -> bool:
        """Whether a member of a request is on the table concerned."""
        return self.table is None or member.table == self.table


@dataclass(kw_only=True, eq=False)
class Throttle(_Refusal):
    """Requests are throttled as the table's billing mode has it; transactions are cancelled for it, and of a batch of
    statements each on the table fails by itself. Requests about tables and streams themselves, where they are named, meet
    ThrottlingException."""

    name: ClassVar[str] = "throttle"

    def refuse(self, call: Call) -> None:
        """Raise the service's error, or have it told of the statements concerned."""
        throttle(call, lambda member: "" if self.strikes(member) else None)


@dataclass(kw_only=True, eq=False)
class RequestLimit(_Refusal):
    """The account's limit is reached: RequestLimitExceeded."""

    name: ClassVar[str] = "request-limit"

    def refuse(self, call: Call) -> NoReturn:
        """Raise the service's error."""
        raise Throttled(_ACCOUNT, wire_name="RequestLimitExceeded", operation=call.operation)


@dataclass(kw_only=True, eq=False)
class ExpiredToken(_Refusal):
    """The credentials are out of date: ExpiredTokenException."""

    name: ClassVar[str] = "expired-token"

    def refuse(self, call: Call) -> NoReturn:
        """Raise the service's error."""
        raise AccessRefused(
            "The security token included in the request is expired",
            wire_name="ExpiredTokenException",
            operation=call.operation,
        )


@dataclass(kw_only=True, eq=False)
class Conflict(_Refusal):
    """Another transaction holds the item: a write fails with TransactionConflictException, a transaction is cancelled
    for it. Reads meet no conflicts, and batches leave over what meets one."""

    name: ClassVar[str] = "conflict"
    concerned: ClassVar[frozenset[str]] = ITEM_OPERATIONS - (READS | STATEMENTS | {"BatchWriteItem"}) | {
        "ExecuteTransaction",
        "TransactGetItems",
    }

    def refuse(self, call: Call) -> NoReturn:
        """Raise the service's error."""
        if call.operation in TRANSACTIONS:
            struck = next(member for member in call.members if self.strikes(member))
            reason = CancellationReason("TransactionConflict", _ONGOING)
            cancel([reason if member is struck else PASSED for member in call.members])
        raise TransactionConflict(_ONGOING, operation=call.operation)


@dataclass(kw_only=True, eq=False)
class ServerError(Scheduled):
    """The service fails: InternalServerError, before the request took effect or, with `carried_out`, when it had."""

    name: ClassVar[str] = "server-error"

    carried_out: bool = False

    def on_request(self, call: Call, due: Any) -> None:
        """Fail at once, or later."""
        if due and not self.carried_out:
            self._fail(call)

    def on_reply(self, call: Call, response: dict[str, Any] | None, due: Any) -> None:
        """Fail although all went well."""
        if due:
            self._fail(call)

    def _fail(self, call: Call) -> NoReturn:
        self.count()
        raise InternalError("Internal server error", operation=call.operation)
