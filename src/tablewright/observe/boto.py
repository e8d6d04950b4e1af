"""Observing programs that call boto3: the same figures and the same advice for code that has no model yet."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tablewright.errors import BY_WIRE_NAME, NetworkError, ServiceError
from tablewright.observe.billing import billing_mode
from tablewright.observe.collector import Collector
from tablewright.observe.statements import STATEMENTS, all_stated, several, stated
from tablewright.observe.tally import WRITES
from tablewright.observe.watcher import Watcher

_READS = ("GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems", *STATEMENTS)
_UNDER = "tablewright_observed"


def watch_client(client: Any, table: str, collector: Collector, *, ask: bool = True) -> None:
    """Has a collector see every request that a boto3 client sends to a table; the client of a resource is `resource.meta.client`.

    The table is described once, for the names of its keys. With `ask`, requests ask for the capacity that they consume, as long as
    the program does not say otherwise; without it, only those are counted with their units whose answers tell them."""
    described = client.describe_table(TableName=table)["Table"]
    names = [key["AttributeName"] for key in described["KeySchema"]]
    hashes = {
        index["IndexName"]: tuple(key["AttributeName"] for key in index["KeySchema"] if key["KeyType"] == "HASH")
        for kind in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes")
        for index in described.get(kind, ())
    }
    watcher = collector.watch(table, names[0], names[1] if len(names) > 1 else None, hashes)
    collector.billed(billing_mode(described))
    sees = _Sees(table, watcher)
    events = client.meta.events
    if ask:
        for operation in (*_READS, *WRITES):
            events.register(f"before-parameter-build.dynamodb.{operation}", _asking, unique_id=f"{_UNDER} {operation}")
    events.register("before-call.dynamodb", sees.sent, unique_id=f"{_UNDER} sent {table}")
    events.register("after-call.dynamodb", sees.answered, unique_id=f"{_UNDER} answered {table}")
    events.register("after-call-error.dynamodb", sees.broken, unique_id=f"{_UNDER} broken {table}")


def _asking(params: dict[str, Any], model: Any, **_: Any) -> None:
    params.setdefault("ReturnConsumedCapacity", "INDEXES" if model.name in WRITES else "TOTAL")


class _Asked:
    """A request as it was sent."""

    __slots__ = ("began", "entity", "form", "operation", "pattern", "request")

    def __init__(self, operation: str, request: dict[str, Any], began: float) -> None:
        self.operation = operation
        self.request = request
        self.began = began
        self.pattern = self.entity = self.form = None


class _Sees:
    """What a client tells of its calls. It must never be in their way."""

    def __init__(self, table: str, watcher: Watcher) -> None:
        self._table = table
        self._watcher = watcher

    def sent(self, model: Any, params: Mapping[str, Any], context: dict[str, Any], **_: Any) -> None:
        """A request goes out, written as DynamoDB reads it."""
        try:
            request = json.loads(params["body"])
            if self._table in set(_tables(request)):
                self._leave_others_out(request)
                context[_UNDER] = _Asked(model.name, request, self._watcher.timer())
        except (KeyError, TypeError, ValueError, AttributeError):
            pass

    def _leave_others_out(self, request: dict[str, Any]) -> None:
        """Batches and transactions may be for several tables."""
        if "RequestItems" in request:
            asked = request["RequestItems"].items()
            request["RequestItems"] = {name: some for name, some in asked if _name(name) == self._table}
        if "TransactItems" in request:
            actions = request["TransactItems"]
            request["TransactItems"] = [a for a in actions if _name(next(iter(a.values()))["TableName"]) == self._table]
        for name in ("Statements", "TransactStatements"):
            if name in request:
                request[name] = [s for s in request[name] if _name(stated(s["Statement"]).table) == self._table]

    def answered(self, parsed: dict[str, Any], context: dict[str, Any], **_: Any) -> None:
        """An answer came, or an error."""
        asked = context.pop(_UNDER, None)
        if asked is None:
            return
        retries = parsed.get("ResponseMetadata", {}).get("RetryAttempts", 0)
        if "Error" in parsed:
            kind = BY_WIRE_NAME.get(parsed["Error"].get("Code", ""), ServiceError)
            self._watcher.failed(asked, kind.code, asked.began, retries)
        else:
            told = parsed.get("ConsumedCapacity")
            if isinstance(told, list):
                told = [part for part in told if _name(part.get("TableName", "")) == self._table]
                parsed = {**parsed, "ConsumedCapacity": told}
            # Items in answers are as the program gets them; those in requests are as they are stored.
            self._watcher.answered(asked, parsed, asked.began, retries, asked.operation in WRITES)

    def broken(self, context: dict[str, Any], **_: Any) -> None:
        """No answer came."""
        asked = context.pop(_UNDER, None)
        if asked is not None:
            self._watcher.failed(asked, NetworkError.code, asked.began, 0)


def _tables(request: Mapping[str, Any]) -> Iterator[str]:
    """The tables that a request names; one that is named by its ARN is taken by its name."""
    named = [request.get("TableName"), *request.get("RequestItems", ())]
    named += [next(iter(action.values())).get("TableName") for action in request.get("TransactItems", ())]
    if "Statement" in request or several(request):
        named += [one.table for one in all_stated(request)]
    yield from (_name(name) for name in named if isinstance(name, str))


def _name(given: str) -> str:
    return given.rpartition("table/")[2]
