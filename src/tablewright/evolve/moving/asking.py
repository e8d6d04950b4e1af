"""What is asked of legacy tables: one item, or those of a key."""

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
        wire = to_wire_item(self.where)
        request: dict[str, Any] = {
            "TableName": self.table,
            "KeyConditionExpression": " AND ".join(f"#k{n} = :k{n}" for n in range(len(wire))),
            "ExpressionAttributeNames": {f"#k{n}": name for n, name in enumerate(wire)},
            "ExpressionAttributeValues": {f":k{n}": value for n, value in enumerate(wire.values())},
            "ScanIndexForward": not self.newest_first,
        }
        request |= {"ConsistentRead": True} if self.index is None else {"IndexName": self.index}
        found: list[Item] = []
        while True:
            response = yield from send("legacy", "Query", request, repeatable=True)
            found += response["Items"]
            start = next_start(response)
            if start is None:
                return found
            request["ExclusiveStartKey"] = start
