"""Every item of a table as it is stored, page by page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tablewright.client.session import Session
from tablewright.values.types import Item


def stored_items(db: Session) -> Iterator[Item]:
    """All items, by reading the whole table."""
    yield from _pages(db, "Scan", {"TableName": db.table_name})


def collection_items(db: Session, keys: dict[str, dict[str, Any]], index: str | None = None) -> Iterator[Item]:
    """The items of one partition, of the table or of an index: `keys` has the value of each partition attribute."""
    names = {f"#k{i}": name for i, name in enumerate(keys)}
    request: dict[str, Any] = {
        "TableName": db.table_name,
        "KeyConditionExpression": " AND ".join(f"#k{i} = :k{i}" for i in range(len(keys))),
        "ExpressionAttributeNames": names,
        "ExpressionAttributeValues": {f":k{i}": value for i, value in enumerate(keys.values())},
    }
    if index is not None:
        request["IndexName"] = index
    yield from _pages(db, "Query", request)


def _pages(db: Session, operation: str, request: dict[str, Any]) -> Iterator[Item]:
    while True:
        page = db.send(operation, request)
        yield from page["Items"]
        if "LastEvaluatedKey" not in page:
            return
        request = {**request, "ExclusiveStartKey": page["LastEvaluatedKey"]}
