"""An engine to disturb: short calls on a table with a global and a local index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tablewright.engine import Engine
from tablewright.errors import ServiceError
from tests.engine.timed_lab import MovingClock

Item = dict[str, Any]


def keys(**roles: str) -> list[dict[str, str]]:
    return [{"AttributeName": attribute, "KeyType": role} for attribute, role in roles.items()]


def throughput(units: tuple[int, int]) -> dict[str, int]:
    return {"ReadCapacityUnits": units[0], "WriteCapacityUnits": units[1]}


class World:
    """`world.put("a", 1, g="x")` writes, `world.sorts("x")` says which sort keys the global index shows."""

    def __init__(self, engine: Engine, clock: MovingClock) -> None:
        self.engine = engine
        self.clock = clock
        self.faults = engine.faults

    def create(
        self, name: str, units: tuple[int, int] | None = None, index_units: tuple[int, int] | None = None
    ) -> None:
        """A table with the key pk and sk, a global index by g and r, and a local one by l."""
        own = {"BillingMode": "PAY_PER_REQUEST"} if units is None else {"ProvisionedThroughput": throughput(units)}
        more = {} if index_units is None else {"ProvisionedThroughput": throughput(index_units)}
        everything = {"ProjectionType": "ALL"}
        self(
            "CreateTable",
            TableName=name,
            AttributeDefinitions=[
                {"AttributeName": attribute, "AttributeType": kind}
                for attribute, kind in {"pk": "S", "sk": "N", "g": "S", "r": "S", "l": "S"}.items()
            ],
            KeySchema=keys(pk="HASH", sk="RANGE"),
            GlobalSecondaryIndexes=[
                {"IndexName": "ByGroup", "KeySchema": keys(g="HASH", r="RANGE"), "Projection": everything, **more}
            ],
            LocalSecondaryIndexes=[
                {"IndexName": "ByLocal", "KeySchema": keys(pk="HASH", l="RANGE"), "Projection": everything}
            ],
            **own,
        )

    def __call__(self, operation: str, **request: Any) -> Any:
        return self.engine.execute(operation, request)

    def error(self, operation: str, **request: Any) -> ServiceError:
        with pytest.raises(ServiceError) as caught:
            self(operation, **request)
        return caught.value

    @staticmethod
    def item(pk: str, sk: int, **more: str) -> Item:
        return {"pk": {"S": pk}, "sk": {"N": str(sk)}, **{name: {"S": text} for name, text in more.items()}}

    def put(self, pk: str, sk: int, table: str = "Shop", **more: str) -> None:
        self("PutItem", TableName=table, Item=self.item(pk, sk, **more))

    def get(self, pk: str, sk: int, table: str = "Shop") -> Item | None:
        found: Item | None = self("GetItem", TableName=table, Key=self.item(pk, sk)).get("Item")
        return found

    def query(self, group: str, **more: Any) -> dict[str, Any]:
        answer: dict[str, Any] = self(
            "Query",
            TableName="Shop",
            IndexName="ByGroup",
            KeyConditionExpression="g = :g",
            ExpressionAttributeValues={":g": {"S": group}},
            **more,
        )
        return answer

    def sorts(self, group: str, **more: Any) -> list[str]:
        return [item["sk"]["N"] for item in self.query(group, **more)["Items"]]

    def batch(self, members: Sequence[Item], table: str = "Shop") -> dict[str, Any]:
        answer: dict[str, Any] = self(
            "BatchWriteItem", RequestItems={table: [{"PutRequest": {"Item": item}} for item in members]}
        )
        return answer
