"""The child of the crash test of new indexes: adds one to a large table, says so, and writes on while it is filled."""

from __future__ import annotations

import sys
from typing import Any

from tablewright.engine import Engine, open_engine

NAME = "App"
ITEMS = 12_000
"""Enough that no machine fills the index in one transaction."""


def item(number: int, color: str = "red") -> dict[str, Any]:
    """One item of the table."""
    return {"pk": {"S": f"{number:05d}"}, "color": {"S": color}}


def prepare(engine: Engine) -> None:
    """The table before it has an index."""
    engine.execute(
        "CreateTable",
        {
            "TableName": NAME,
            "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        },
    )
    for start in range(0, ITEMS, 25):
        puts = [{"PutRequest": {"Item": item(number)}} for number in range(start, start + 25)]
        engine.execute("BatchWriteItem", {"RequestItems": {NAME: puts}})


def main(path: str) -> None:
    """Add the index, then change its keys from the far end until killed. Each line is one acknowledged request."""
    engine = open_engine(path)
    engine.execute(
        "UpdateTable",
        {
            "TableName": NAME,
            "AttributeDefinitions": [{"AttributeName": "color", "AttributeType": "S"}],
            "GlobalSecondaryIndexUpdates": [
                {
                    "Create": {
                        "IndexName": "ByColor",
                        "KeySchema": [{"AttributeName": "color", "KeyType": "HASH"}],
                        "Projection": {"ProjectionType": "ALL"},
                    }
                }
            ],
        },
    )
    print("added", flush=True)
    for number in reversed(range(ITEMS)):
        if number % 3:
            engine.execute("PutItem", {"TableName": NAME, "Item": item(number, "blue")})
        else:
            engine.execute("DeleteItem", {"TableName": NAME, "Key": {"pk": item(number)["pk"]}})
        print(number, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
