"""A table as DescribeTable tells it."""

from __future__ import annotations

import copy
import uuid
from collections.abc import Mapping
from typing import Any

from tablewright.engine.arns import index_arn, stream_arn, table_arn
from tablewright.engine.schema import TableSchema

_TABLES = uuid.UUID("6ba7b811-9dad-11d1-80b4-00c04fd430c8")
_NOTHING: Mapping[str | None, tuple[int, int]] = {}


def describe(
    region: str,
    schema: TableSchema,
    statistics: Mapping[str | None, tuple[int, int]] = _NOTHING,
    status: str = "ACTIVE",
) -> dict[str, Any]:
    """The TableDescription of a table. Tables and indexes are active as soon as they exist."""
    definition = schema.definition
    created = definition["CreationDateTime"]
    items, size = statistics.get(None, (0, 0))
    description: dict[str, Any] = {
        "AttributeDefinitions": definition["AttributeDefinitions"],
        "TableName": schema.name,
        "KeySchema": definition["KeySchema"],
        "TableStatus": status,
        "CreationDateTime": created,
        "ProvisionedThroughput": _throughput(definition.get("ProvisionedThroughput")),
        "TableSizeBytes": size,
        "ItemCount": items,
        "TableArn": table_arn(region, schema.name),
        "TableId": str(uuid.uuid5(_TABLES, f"{schema.number}/{created!r}")),
        "DeletionProtectionEnabled": definition.get("DeletionProtectionEnabled", False),
    }
    if definition["BillingMode"] == "PAY_PER_REQUEST":
        description["BillingModeSummary"] = {
            "BillingMode": "PAY_PER_REQUEST",
            "LastUpdateToPayPerRequestDateTime": definition.get("PayPerRequestSince", created),
        }
    for member in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
        if definition.get(member):
            description[member] = [
                _index(region, schema, index, statistics, is_global=member.startswith("G"))
                for index in definition[member]
            ]
    if definition.get("StreamSpecification") is not None:
        description["StreamSpecification"] = definition["StreamSpecification"]
    if definition.get("StreamLabel") is not None:
        description["LatestStreamLabel"] = definition["StreamLabel"]
        description["LatestStreamArn"] = stream_arn(region, schema.name, definition["StreamLabel"])
    if definition.get("TableClass"):
        description["TableClassSummary"] = {"TableClass": definition["TableClass"]}
    if definition.get("SSESpecification", {}).get("Enabled"):
        description["SSEDescription"] = {"Status": "ENABLED", "SSEType": "KMS"}
    # The definition is shared by all requests; what a caller gets is the caller's.
    return copy.deepcopy(description)


def _throughput(given: Mapping[str, int] | None) -> dict[str, Any]:
    units = given or {}
    return {
        "NumberOfDecreasesToday": 0,
        "ReadCapacityUnits": units.get("ReadCapacityUnits", 0),
        "WriteCapacityUnits": units.get("WriteCapacityUnits", 0),
    }


def _index(
    region: str,
    schema: TableSchema,
    index: Mapping[str, Any],
    statistics: Mapping[str | None, tuple[int, int]],
    *,
    is_global: bool,
) -> dict[str, Any]:
    items, size = statistics.get(index["IndexName"], (0, 0))
    described = {
        "IndexName": index["IndexName"],
        "KeySchema": index["KeySchema"],
        "Projection": index["Projection"],
        "IndexSizeBytes": size,
        "ItemCount": items,
        "IndexArn": index_arn(region, schema.name, index["IndexName"]),
    }
    if is_global:
        described["IndexStatus"] = "ACTIVE"
        described["ProvisionedThroughput"] = _throughput(index.get("ProvisionedThroughput"))
    return described
