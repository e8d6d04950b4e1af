"""A request as faults see it: which tables and members it has, and what of it may be left over."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from tablewright.engine.arns import table_of
from tablewright.engine.storage import Database, TableStore
from tablewright.errors import RequestRefused, TablewrightError
from tablewright.values import Item
from tablewright.values.operations import WRITES

READS = frozenset({"BatchGetItem", "GetItem", "Query", "Scan", "TransactGetItems"})
STATEMENTS = frozenset({"BatchExecuteStatement", "ExecuteStatement", "ExecuteTransaction"})
ITEM_OPERATIONS = READS | WRITES | STATEMENTS
"""The operations on items; faults concern these unless they name others."""

TRANSACTIONS = frozenset({"ExecuteTransaction", "TransactGetItems", "TransactWriteItems"})
BATCHES = {"BatchGetItem": "UnprocessedKeys", "BatchWriteItem": "UnprocessedItems"}

_NAMES = (
    "TableName",
    "TableArn",
    "StreamArn",
    "ShardIterator",
    "ResourceArn",
    "SourceTableName",
    "BackupArn",
    "ExportArn",
    "ImportArn",
)
"""Where requests about one table name it; all but the first may hold more than the table's own ARN."""

_KINDS = frozenset({"Delete", "Put", "Update"})
_NAMED = re.compile(r"""\b(?:FROM|INTO|UPDATE)\s+(?:"([^"]+)"|([\w.-]+))""", re.IGNORECASE)


@dataclass(slots=True, eq=False)
class Member:
    """One item that a request is about, and the part of the request that is about it.

    `item` is what a Put puts, else a key, or None where that is not known. `kind` is Put, Update or Delete for writes.
    """

    table: str
    item: Item | None
    source: Any
    kind: str = ""


@dataclass(slots=True)
class Call:
    """A request of the right shape on its way to its action. Faults may take members out of a batch."""

    operation: str
    request: Mapping[str, Any]
    region: str
    database: Database
    tables: Mapping[str, TableStore] = field(init=False)
    members: list[Member] = field(init=False)
    left: list[Member] = field(init=False, default_factory=list)
    refused: dict[int, dict[str, Any]] = field(init=False, default_factory=dict)
    measures: bool = False
    _asked: list[Member] = field(init=False)

    def __post_init__(self) -> None:
        self.tables = self.database.catalogue.tables
        self._asked = self.members = list(_members(self.operation, self.request))

    @property
    def is_write(self) -> bool:
        """Whether it may change items."""
        if self.operation in STATEMENTS:
            return not all(text.lstrip()[:6].upper() == "SELECT" for text in _statements(self.request))
        return self.operation in WRITES

    def names(self, table: str) -> bool:
        """Whether the request is about this table."""
        return any(member.table == table for member in self.members)

    def leave(self, members: list[Member]) -> None:
        """Take members out of a batch; they come back as unprocessed."""
        self.left += members
        self.members = [member for member in self.members if member not in members]

    def refuse(self, errors: Mapping[Member, tuple[str, str]]) -> None:
        """Take statements out of a batch of them; each comes back with its own error, a code and a message."""
        for position, member in enumerate(self._asked):
            if member in errors:
                code, message = errors[member]
                self.refused[position] = {"Error": {"Code": code, "Message": message}, "TableName": member.table}
        self.members = [member for member in self.members if member not in errors]

    @property
    def is_refused(self) -> bool:
        """Whether nothing is left of a batch of statements."""
        return bool(self.refused) and not self.members

    def narrowed(self) -> Mapping[str, Any]:
        """The request that is carried out: without what is left over, and telling its capacity if a fault must know."""
        request = self.request
        if self.refused:
            kept = [one for position, one in enumerate(request["Statements"]) if position not in self.refused]
            request = {**request, "Statements": kept}
        if self.left:
            request = {**request, "RequestItems": _batch(self, self.members)}
        if self.measures and request.get("ReturnConsumedCapacity") != "INDEXES":
            request = {**request, "ReturnConsumedCapacity": "INDEXES"}
        return request

    def finish(self, response: dict[str, Any]) -> dict[str, Any]:
        """The response as the caller wants it: with what was left over, and the capacity that was asked for."""
        for position in sorted(self.refused):
            response["Responses"].insert(position, self.refused[position])
        if self.left:
            # What the action itself left over, for its size, comes first.
            rest = response[BATCHES[self.operation]]
            for name, more in _batch(self, self.left).items():
                known = rest.get(name)
                if known is None:
                    rest[name] = more
                elif isinstance(more, list):
                    rest[name] = known + more
                else:
                    rest[name] = {**known, "Keys": known["Keys"] + more["Keys"]}
            if self.operation == "BatchGetItem":
                for name in self.request["RequestItems"]:
                    response["Responses"].setdefault(name, [])
        wanted = self.request.get("ReturnConsumedCapacity")
        if self.measures and wanted != "INDEXES":
            reports = response.pop("ConsumedCapacity", None)
            if wanted == "TOTAL" and reports is not None:
                many = reports if isinstance(reports, list) else [reports]
                total = [{name: one[name] for name in ("TableName", "CapacityUnits")} for one in many]
                response["ConsumedCapacity"] = total if isinstance(reports, list) else total[0]
        return response


@dataclass(slots=True)
class Watched:
    """A request as those see it who watch: what it consumed, and the error that its caller got."""

    operation: str
    request: Mapping[str, Any]
    is_write: bool = False
    consumed: list[Mapping[str, Any]] = field(default_factory=list)
    error: TablewrightError | None = None


def consumed(response: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The reports of consumed capacity in a response."""
    reports = response.get("ConsumedCapacity", [])
    return reports if isinstance(reports, list) else [reports]


def tables_named(operation: str, request: Mapping[str, Any]) -> list[str]:
    """The names of the tables that a request is about, each once, as far as they can be seen; it may be malformed."""
    names: dict[str, None] = {}
    with suppress(AttributeError, KeyError, TypeError):
        for member in _members(operation, request):
            names[member.table] = None
    return [name for name in names if name]


def _batch(call: Call, members: list[Member]) -> dict[str, Any]:
    parts: dict[str, Any] = {}
    for name, part in call.request["RequestItems"].items():
        own = [member.source for member in members if member.table == _name(name)]
        if own:
            parts[name] = own if call.operation == "BatchWriteItem" else {**part, "Keys": own}
    return parts


def _members(operation: str, request: Mapping[str, Any]) -> Iterator[Member]:
    if operation == "BatchGetItem":
        for name, part in request["RequestItems"].items():
            for key in part["Keys"]:
                yield Member(_name(name), key, key)
    elif operation == "BatchWriteItem":
        for name, part in request["RequestItems"].items():
            for one in part:
                put = one.get("PutRequest")
                item = (one.get("DeleteRequest") or {}).get("Key") if put is None else put["Item"]
                yield Member(_name(name), item, one, "Delete" if put is None else "Put")
    elif operation in ("TransactGetItems", "TransactWriteItems"):
        for action in request["TransactItems"]:
            for kind, one in action.items():
                if one is not None:
                    item = one.get("Item") or one.get("Key")
                    yield Member(_name(one["TableName"]), item, one, kind if kind in _KINDS else "")
    elif operation in STATEMENTS:
        for text in _statements(request):
            found = _NAMED.search(text)
            yield Member(_name(found[1] or found[2]) if found is not None else "", None, text)
    elif named := next((request[name] for name in _NAMES if isinstance(request.get(name), str)), None):
        item = request.get("Item") or request.get("Key")
        kind = operation.removesuffix("Item")
        yield Member(_name(named), item, request, kind if kind in _KINDS else "")


def _statements(request: Mapping[str, Any]) -> list[str]:
    many = request.get("Statements") or request.get("TransactStatements") or [request]
    return [str(one.get("Statement", "")) for one in many]


def _name(given: str) -> str:
    with suppress(RequestRefused):
        return table_of(given.partition("|")[0]).partition("/")[0]
    return given
