"""The sans-IO core: an operation is a generator that yields calls and receives responses; a session drives it.

Nothing in this room but the two drivers does I/O, so sync and async share every line of logic.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from msgspec import Struct

from tablewright.errors import ArgumentError
from tablewright.model.sealing import AnyStore
from tablewright.values.operations import WRITES

if TYPE_CHECKING:
    from tablewright.compiler.records import Form

T = TypeVar("T")

OPERATIONS = WRITES | {
    *("GetItem", "BatchGetItem", "TransactGetItems", "Query", "Scan", "ExecuteStatement"),
    *("CreateTable", "DescribeTable", "UpdateTable", "DeleteTable", "DescribeTimeToLive", "UpdateTimeToLive"),
}
"""All that a session sends."""


class Call(Struct, frozen=True):
    """One request to send. `repeatable` says that sending it twice has the effect of once, so that it may be repeated
    when a reply is lost; anything else then ends in OutcomeUnknownError."""

    operation: str
    request: dict[str, Any]
    repeatable: bool = False
    pattern: str | None = None
    """The access pattern that it serves, where it serves one."""
    form: Form | None = None
    """How the items of the answer may be read, by whoever gets it as JSON; dicts are right too."""
    entity: str | None = None
    """The entity that it writes or reads, where it is one."""
    write: str | None = None
    """Of a read that a write needs: what the caller calls the write, such as a declared change."""

    @property
    def table(self) -> str | None:
        """The table that the request is for."""
        if "RequestItems" in self.request:
            return next(iter(self.request["RequestItems"]), None)
        for action in self.request.get("TransactItems", ()):
            name: str = next(iter(action.values()))["TableName"]
            return name
        return self.request.get("TableName")

    @property
    def index(self) -> str | None:
        """The index that the request reads."""
        return self.request.get("IndexName")


class Pause(Struct, frozen=True):
    """Wait before the next step: the back-off of an operation that re-sends what was left over. `share` shortens it. `what`
    is given up where there is no time to wait."""

    attempt: int
    share: float = 1.0
    what: str = "A write that others overtook"


class Keeping(Struct, frozen=True):
    """Values to put into a store outside of the table, or to get from it: names, and bytes where they are put. It is
    answered with {"results": [...]}, where a failure stands in the place of the result."""

    store: AnyStore
    names: Sequence[str]
    data: Sequence[bytes] | None = None


def check_function(what: str, given: object, hint: str) -> None:
    """Refuses what cannot be called, before anything is sent."""
    if not callable(given):
        raise ArgumentError(f"{what} was given {type(given).__name__}, which is no function.", hint=hint)


def checked_operation(operation: object) -> str:
    """The name of an operation that a caller wants sent as it is."""
    if not isinstance(operation, str):
        raise ArgumentError(
            f"send() was given {type(operation).__name__} as its operation.", hint='Name it: db.send("GetItem", {...}).'
        )
    return operation


Step: TypeAlias = Call | Pause | Keeping
Steps: TypeAlias = Generator[Step, dict[str, Any], T]
