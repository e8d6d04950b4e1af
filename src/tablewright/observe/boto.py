"""Observing programs that call boto3: the same figures and the same advice for code that has no model yet."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator, Mapping
from typing import Any

from tablewright.errors import BY_WIRE_NAME, NetworkError, ServiceError
from tablewright.observe.billing import billing_mode
from tablewright.observe.collector import Collector
from tablewright.observe.statements import STATEMENTS, several, stated
from tablewright.observe.watcher import Watcher
from tablewright.values.operations import WRITES

_READS = ("GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems", *STATEMENTS)
_ITEMS = frozenset({"GetItem", "Query", "Scan"})
"""Reads whose answers hold items that can be measured."""
_UNDER = "tablewright_observed"
_ODD = (KeyError, TypeError, ValueError, AttributeError, IndexError)
"""What requests and answers of somebody's own may run into."""


def watch_client(client: Any, table: str, collector: Collector, *, ask: bool = True) -> None:
    """Has a collector see every request that a boto3 client sends to a table, by its name or its ARN; the client of a resource is
    `resource.meta.client`.

    A client can be watched for several tables, with a collector for each, and a table by several collectors.
    The table is described once, for the names of its keys. With `ask`, requests ask for the capacity that they consume, as long as
    the program does not say otherwise; without it, only those are counted with their units whose answers tell them."""
    described = client.describe_table(TableName=table)["Table"]
    table = _name(table)
    names = [key["AttributeName"] for key in described["KeySchema"]]
    hashes = {
        index["IndexName"]: tuple(key["AttributeName"] for key in index["KeySchema"] if key["KeyType"] == "HASH")
        for kind in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes")
        for index in described.get(kind, ())
    }
    watcher = collector.watch(table, names[0], names[1] if len(names) > 1 else None, hashes)
    collector.billed(billing_mode(described))
    sees = _Sees(table, watcher)
    events, of = client.meta.events, f"{table} {id(collector)}"
    if ask:
        for operation in (*_READS, *WRITES):
            events.register(f"before-parameter-build.dynamodb.{operation}", _asking, unique_id=f"{_UNDER} {operation}")
    events.register("before-call.dynamodb", sees.sent, unique_id=f"{_UNDER} sent {of}")
    # First, while items are as they are stored: a resource makes other values of them.
    events.register_first("after-call.dynamodb", sees.answered, unique_id=f"{_UNDER} answered {of}")
    events.register("after-call-error.dynamodb", sees.broken, unique_id=f"{_UNDER} broken {of}")


def _asking(params: dict[str, Any], model: Any, **_: Any) -> None:
    params.setdefault("ReturnConsumedCapacity", "INDEXES" if model.name in WRITES else "TOTAL")


class _Sent:
    """A request as it was sent, read once for all who see it, and what each of them makes of it."""

    __slots__ = ("request", "seen", "tables")

    def __init__(self, body: str | bytes) -> None:
        self.request: dict[str, Any] = json.loads(body)
        self.tables = frozenset(_tables(self.request))
        self.seen: dict[_Sees, _Asked] = {}


class _Asked:
    """What a request asks of one table."""

    __slots__ = ("began", "entity", "kept", "operation", "pattern", "request", "write")

    def __init__(self, operation: str, request: dict[str, Any], kept: list[int] | None, began: float) -> None:
        self.operation = operation
        self.request = request
        self.kept = kept
        """Which of several parts are about the table; None for all."""
        self.began = began
        self.pattern = self.entity = self.write = None


class _Sees:
    """What a client tells of its calls to one table. It must never be in their way."""

    def __init__(self, table: str, watcher: Watcher) -> None:
        self._table = table
        self._watcher = watcher

    def sent(self, model: Any, params: Mapping[str, Any], context: dict[str, Any], **_: Any) -> None:
        """A request goes out, written as DynamoDB reads it."""
        try:
            sent = context.get(_UNDER)
            if sent is None:
                sent = context[_UNDER] = _Sent(params["body"])
            if self._table in sent.tables:
                request, kept = sent.request, None
                if len(sent.tables) > 1:
                    request, kept = self._own_request(request)
                sent.seen[self] = _Asked(model.name, request, kept, self._watcher.timer())
        except _ODD:
            pass

    def answered(self, parsed: dict[str, Any], context: dict[str, Any], **_: Any) -> None:
        """An answer came, or an error."""
        asked = self._asked(context)
        if asked is None:
            return
        retries = parsed.get("ResponseMetadata", {}).get("RetryAttempts", 0)
        if "Error" in parsed:
            kind = BY_WIRE_NAME.get(parsed["Error"].get("Code", ""), ServiceError)
            self._watcher.failed(asked, kind.code, asked.began, retries, parsed.get("Item"))
            return
        measured = asked.operation in WRITES
        try:
            answer = self._own_answer(parsed, asked.kept) if len(context[_UNDER].tables) > 1 else parsed
            if asked.operation in _ITEMS and self._watcher.measures(asked):
                measured, answer = True, _stored(answer)
        except _ODD:
            answer, measured = parsed, False
        self._watcher.answered(asked, answer, asked.began, retries, measured)

    def broken(self, context: dict[str, Any], **_: Any) -> None:
        """No answer came."""
        asked = self._asked(context)
        if asked is not None:
            self._watcher.failed(asked, NetworkError.code, asked.began, 0)

    def _asked(self, context: dict[str, Any]) -> _Asked | None:
        sent = context.get(_UNDER)
        return None if sent is None else sent.seen.pop(self, None)

    # ------------------------------------------------------------------------------ batches of several tables

    def _own_request(self, request: dict[str, Any]) -> tuple[dict[str, Any], list[int] | None]:
        """The part of a request to several tables that is for this one; where its parts are in a row, which of them these are."""
        if "RequestItems" in request:
            return {**request, "RequestItems": self._own(request["RequestItems"])}, None
        for name in ("TransactItems", "Statements", "TransactStatements"):
            if name in request:
                parts = request[name]
                kept = [number for number, part in enumerate(parts) if _table_of(part) == self._table]
                return {**request, name: [parts[number] for number in kept]}, kept
        return request, None

    def _own_answer(self, parsed: dict[str, Any], kept: list[int] | None) -> dict[str, Any]:
        """The part of an answer that is for this table."""
        own = dict(parsed)
        for name in ("Responses", "UnprocessedKeys", "UnprocessedItems"):
            found = parsed.get(name)
            if isinstance(found, dict):
                own[name] = self._own(found)
            elif found and kept is not None:
                own[name] = [found[number] for number in kept]
        told = parsed.get("ConsumedCapacity")
        if isinstance(told, list):
            own["ConsumedCapacity"] = [part for part in told if _name(part.get("TableName", "")) == self._table]
        return own

    def _own(self, by_table: Mapping[str, Any]) -> dict[str, Any]:
        return {name: some for name, some in by_table.items() if _name(name) == self._table}


def _stored(value: Any) -> Any:
    """An answer with its bytes as they are sent, from which sizes are taken."""
    if isinstance(value, bytes):
        return b64encode(value).decode()
    if isinstance(value, dict):
        return {name: _stored(member) for name, member in value.items()}
    return [_stored(member) for member in value] if isinstance(value, list) else value


def _tables(request: Mapping[str, Any]) -> Iterator[str]:
    """The tables that a request names; one that is named by its ARN is taken by its name."""
    named = [request.get("TableName"), *request.get("RequestItems", ())]
    yield from (_name(name) for name in named if isinstance(name, str))
    parts = [*request.get("TransactItems", ()), *several(request)]
    yield from map(_table_of, [request, *parts] if "Statement" in request else parts)


def _table_of(part: Mapping[str, Any]) -> str:
    """The table of an action of a transaction, or of a statement."""
    if "Statement" in part:
        return _name(stated(part["Statement"]).table)
    return _name(next(iter(part.values()))["TableName"])


def _name(given: str) -> str:
    return given.rpartition("table/")[2]
