"""The CreateTable request that a model needs."""

from __future__ import annotations

from typing import Any

from tablewright.model.indexes import Index, KeyAttribute
from tablewright.model.table import TableModel


def create_table_request(table: TableModel, name: str) -> dict[str, Any]:
    """An on-demand table with all indexes of the model."""
    attributes: dict[str, str] = {}
    request: dict[str, Any] = {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": _schema((table.pk,), (table.sk,) if table.sk is not None else (), attributes),
    }
    for member, local in (("LocalSecondaryIndexes", True), ("GlobalSecondaryIndexes", False)):
        indexes = [_index(i, attributes) for i in table.indexes.values() if i.local is local]
        if indexes:
            request[member] = indexes
    if table.stream is not None:
        request["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": table.stream}
    request["AttributeDefinitions"] = [{"AttributeName": n, "AttributeType": t} for n, t in attributes.items()]
    return request


def _index(index: Index, attributes: dict[str, str]) -> dict[str, Any]:
    projection: dict[str, Any] = {"ProjectionType": index.projection}
    if index.include:
        projection["NonKeyAttributes"] = list(index.include)
    return {"IndexName": index.name, "KeySchema": _schema(index.pk, index.sk, attributes), "Projection": projection}


def _schema(
    pk: tuple[KeyAttribute, ...], sk: tuple[KeyAttribute, ...], attributes: dict[str, str]
) -> list[dict[str, str]]:
    attributes |= {a.name: a.tag for a in pk + sk}
    return [{"AttributeName": a.name, "KeyType": "HASH"} for a in pk] + [
        {"AttributeName": a.name, "KeyType": "RANGE"} for a in sk
    ]
