"""An engine whose clock the tests move, a table with or without a stream, and a reader of streams."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright.engine import Engine
from tablewright.errors import ServiceError


def definition(name: str = "App") -> dict[str, Any]:
    """The smallest table: a text as its key."""
    return {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    }


class MovingClock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.moment = 1_750_000_000.25

    def now(self) -> float:
        return self.moment

    def move(self, seconds: float) -> None:
        self.moment += seconds


class Lab:
    """An engine, its clock, and a table App with the key pk and sk."""

    def __init__(self, engine: Engine, clock: MovingClock) -> None:
        self.engine = engine
        self.clock = clock

    def __call__(self, operation: str, **request: Any) -> dict[str, Any]:
        return self.engine.execute(operation, request, region="eu-central-1")

    def refused(self, operation: str, **request: Any) -> tuple[str, str]:
        with pytest.raises(ServiceError) as caught:
            self(operation, **request)
        return caught.value.wire_name, caught.value.message

    def create(self, view: str | None = "NEW_AND_OLD_IMAGES", name: str = "App") -> str:
        """Create a table, with a stream unless told otherwise; the stream's ARN."""
        more = {} if view is None else {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": view}}
        made = self(
            "CreateTable",
            TableName=name,
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[
                {"AttributeName": "pk", "AttributeType": "S"},
                {"AttributeName": "sk", "AttributeType": "N"},
            ],
            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
            **more,
        )
        arn: str = made["TableDescription"].get("LatestStreamArn", "")
        return arn

    def switch(self, view: str | None, name: str = "App") -> str:
        """Switch the stream of a table on with a view, or off; the latest stream's ARN."""
        wanted = {"StreamEnabled": False} if view is None else {"StreamEnabled": True, "StreamViewType": view}
        arn: str = self("UpdateTable", TableName=name, StreamSpecification=wanted)["TableDescription"][
            "LatestStreamArn"
        ]
        return arn

    def put(self, pk: str, sk: int = 0, name: str = "App", **attributes: Any) -> None:
        self("PutItem", TableName=name, Item={"pk": {"S": pk}, "sk": {"N": str(sk)}, **attributes})

    def delete(self, pk: str, sk: int = 0, name: str = "App") -> None:
        self("DeleteItem", TableName=name, Key={"pk": {"S": pk}, "sk": {"N": str(sk)}})

    def shards(self, arn: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self("DescribeStream", StreamArn=arn)["StreamDescription"]["Shards"]
        return found

    def iterator(
        self, arn: str, shard: str | None = None, kind: str = "TRIM_HORIZON", number: str | None = None
    ) -> str:
        more = {} if number is None else {"SequenceNumber": number}
        shard = shard or self.shards(arn)[-1]["ShardId"]
        got: str = self("GetShardIterator", StreamArn=arn, ShardId=shard, ShardIteratorType=kind, **more)[
            "ShardIterator"
        ]
        return got

    def records(self, arn: str, limit: int = 1000) -> list[dict[str, Any]]:
        """Every record of a stream, shard by shard, page by page."""
        records: list[dict[str, Any]] = []
        for shard in self.shards(arn):
            iterator: str | None = self.iterator(arn, shard["ShardId"])
            while iterator is not None:
                page = self("GetRecords", ShardIterator=iterator, Limit=limit)
                records += page["Records"]
                iterator = page.get("NextShardIterator") if page["Records"] else None
        return records
