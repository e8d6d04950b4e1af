"""What is asked of legacy tables: one item, those of a key, or those that a whole table has of something."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from tablewright.evolve.moving.sides import Walk, send
from tablewright.transport.answers import next_start
from tablewright.values.types import Item
from tablewright.values.wire import to_wire_item


class LegacyGet(Struct, frozen=True):
    """One item of a legacy table."""

    table: str
    key: Mapping[str, Any]

    def items(self) -> Walk[list[Item]]:
        """The item, or none."""
        request = {"TableName": self.table, "Key": to_wire_item(self.key), "ConsistentRead": True}
        response = yield from send("legacy", "GetItem", request, repeatable=True)
        return [response["Item"]] if "Item" in response else []


class LegacyQuery(Struct, frozen=True):
    """All items of a legacy table, or of an index that projects all attributes, whose attributes equal these."""

    table: str
    where: Mapping[str, Any]
    index: str | None = None
    newest_first: bool = False

    def items(self) -> Walk[list[Item]]:
        """The items, in the order of the sort key."""
        request: dict[str, Any] = {"TableName": self.table, **_equal("KeyConditionExpression", self.where)}
        request["ScanIndexForward"] = not self.newest_first
        request |= {"ConsistentRead": True} if self.index is None else {"IndexName": self.index}
        return (yield from _all("Query", request))


class LegacyScan(Struct, frozen=True):
    """All items of a legacy table whose attributes equal these, or all that it has, for which the whole table is read.

    It misses nothing: an index lacks items without its attributes, and those that were written just now."""

    table: str
    where: Mapping[str, Any] = {}

    def items(self) -> Walk[list[Item]]:
        """The items, in no order."""
        request: dict[str, Any] = {"TableName": self.table}
        request |= _equal("FilterExpression", self.where) if self.where else {}
        return (yield from _all("Scan", request | {"ConsistentRead": True}))


def _equal(expression: str, where: Mapping[str, Any]) -> dict[str, Any]:
    """The members of a request that ask for these values."""
    wire = to_wire_item(where)
    return {
        expression: " AND ".join(f"#k{n} = :k{n}" for n in range(len(wire))),
        "ExpressionAttributeNames": {f"#k{n}": name for n, name in enumerate(wire)},
        "ExpressionAttributeValues": {f":k{n}": value for n, value in enumerate(wire.values())},
    }


def _all(operation: str, request: dict[str, Any]) -> Walk[list[Item]]:
    """The items of all pages."""
    found: list[Item] = []
    while True:
        response = yield from send("legacy", operation, request, repeatable=True)
        found += response["Items"]
        start = next_start(response)
        if start is None:
            return found
        request["ExclusiveStartKey"] = start
