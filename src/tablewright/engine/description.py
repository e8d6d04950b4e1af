"""A table as the answers of CreateTable, DescribeTable, UpdateTable and DeleteTable tell it.

Tables and indexes are active as soon as they exist, but for a new index of a large table, which is filled first. What
creates, changes or deletes one answers like the service, with the status that it has there until the work is done; the
next DescribeTable finds the work done.
"""

from __future__ import annotations

import copy
import uuid
from collections.abc import Mapping
from typing import Any

from tablewright.engine.arns import index_arn, key_arn, stream_arn, table_arn
from tablewright.engine.context import Context
from tablewright.engine.schema import TableSchema
from tablewright.engine.validation.throughput import warmth_of

Statistics = Mapping[str | None, tuple[int, int]]

_TABLES = uuid.UUID("6ba7b811-9dad-11d1-80b4-00c04fd430c8")
_NOTHING: Statistics = {}
_LEAVING = (
    "TableName",
    "TableStatus",
    "ProvisionedThroughput",
    "TableSizeBytes",
    "ItemCount",
    "TableArn",
    "TableId",
    "BillingModeSummary",
    "DeletionProtectionEnabled",
)
_DAY = 86_400


def table_id(schema: TableSchema) -> str:
    """What tells a table from every other, also from one of the same name."""
    return str(uuid.uuid5(_TABLES, f"{schema.number}/{schema.definition['CreationDateTime']!r}"))


def describe(context: Context, schema: TableSchema, statistics: Statistics = _NOTHING) -> dict[str, Any]:
    """The TableDescription of an active table."""
    definition, region = schema.definition, context.region
    items, size = statistics.get(None, (0, 0))
    description: dict[str, Any] = {
        "AttributeDefinitions": definition["AttributeDefinitions"],
        "TableName": schema.name,
        "KeySchema": definition["KeySchema"],
        "TableStatus": "ACTIVE",
        "CreationDateTime": _moment(definition["CreationDateTime"]),
        "ProvisionedThroughput": _throughput(context, definition),
        "TableSizeBytes": size,
        "ItemCount": items,
        "TableArn": table_arn(region, schema.name),
        "TableId": table_id(schema),
        "DeletionProtectionEnabled": definition.get("DeletionProtectionEnabled", False),
        "WarmThroughput": _warmth(definition, definition["BillingMode"]),
    }
    # A table that was never paid for by request has nothing to say of its billing.
    if "PayPerRequestSince" in definition:
        description["BillingModeSummary"] = {
            "BillingMode": definition["BillingMode"],
            "LastUpdateToPayPerRequestDateTime": _moment(definition["PayPerRequestSince"]),
        }
    _add_limits(description, definition)
    for member in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
        if definition.get(member):
            description[member] = [
                _index(context, schema, index, statistics, is_global=member.startswith("G"))
                for index in definition[member]
            ]
    if definition.get("StreamSpecification") is not None:
        description["StreamSpecification"] = definition["StreamSpecification"]
    if definition.get("StreamLabel") is not None:
        description["LatestStreamLabel"] = definition["StreamLabel"]
        description["LatestStreamArn"] = stream_arn(region, schema.name, definition["StreamLabel"])
    if definition.get("TableClass"):
        description["TableClassSummary"] = {"TableClass": definition["TableClass"]}
    encryption = definition.get("SSESpecification") or {}
    if encryption.get("Enabled"):
        key = key_arn(region, encryption.get("KMSMasterKeyId"))
        description["SSEDescription"] = {"Status": "ENABLED", "SSEType": "KMS", "KMSMasterKeyArn": key}
    if definition.get("RestoreSummary"):
        description["RestoreSummary"] = definition["RestoreSummary"]
    # The definition is shared by all requests; what a caller gets is the caller's.
    description = copy.deepcopy(description)
    if definition.get("Restoring"):
        description["TableStatus"] = "CREATING"
        for index in description.get("GlobalSecondaryIndexes", ()):
            index["IndexStatus"] = "CREATING"
        if "RestoreSummary" in description:
            description["RestoreSummary"]["RestoreInProgress"] = True
    return description


def describe_new(context: Context, schema: TableSchema) -> dict[str, Any]:
    """A table in the answer to its creation."""
    description = describe(context, schema)
    description["TableStatus"] = "CREATING"
    if "BillingModeSummary" in description:
        del description["BillingModeSummary"]["LastUpdateToPayPerRequestDateTime"]
    _unwarm(description, schema.definition)
    given = {index["IndexName"]: index for index in schema.definition.get("GlobalSecondaryIndexes", ())}
    for index in description.get("GlobalSecondaryIndexes", ()):
        index["IndexStatus"] = "CREATING"
        _unwarm(index, given[index["IndexName"]])
    return description


def describe_changing(context: Context, old: TableSchema, new: TableSchema, statistics: Statistics) -> dict[str, Any]:
    """A table in the answer to a change of it: capacity is still what it was."""
    before, after = describe(context, old, statistics), describe(context, new, statistics)
    after["TableStatus"] = "UPDATING"
    same_billing = old.definition["BillingMode"] == new.definition["BillingMode"]
    if same_billing:
        _keep_units(before, after)
    was = {index["IndexName"]: index for index in before.get("GlobalSecondaryIndexes", ())}
    shown: list[dict[str, Any]] = []
    for index in after.get("GlobalSecondaryIndexes", ()):
        known = was.pop(index["IndexName"], None)
        if known is None:
            index.update(IndexStatus="CREATING", Backfilling=False, IndexSizeBytes=0, ItemCount=0)
            index.pop("WarmThroughput")
        elif index["ProvisionedThroughput"] != known["ProvisionedThroughput"]:
            index["IndexStatus"] = "UPDATING"
            if same_billing:
                _keep_units(known, index)
        shown.append(index)
    shown.extend({**index, "IndexStatus": "DELETING"} for index in was.values())
    if shown:
        after["GlobalSecondaryIndexes"] = shown
    return after


def describe_leaving(context: Context, schema: TableSchema, statistics: Statistics) -> dict[str, Any]:
    """A table in the answer to its deletion."""
    description = {**describe(context, schema, statistics), "TableStatus": "DELETING"}
    return {member: description[member] for member in _LEAVING if member in description}


def _index(
    context: Context, schema: TableSchema, index: Mapping[str, Any], statistics: Statistics, *, is_global: bool
) -> dict[str, Any]:
    items, size = statistics.get(index["IndexName"], (0, 0))
    described = {
        "IndexName": index["IndexName"],
        "KeySchema": index["KeySchema"],
        "Projection": index["Projection"],
        "IndexSizeBytes": size,
        "ItemCount": items,
        "IndexArn": index_arn(context.region, schema.name, index["IndexName"]),
    }
    if is_global:
        described["IndexStatus"] = "ACTIVE"
        if schema.index[index["IndexName"]].filling:
            described.update(IndexStatus="CREATING", Backfilling=True)
        described["ProvisionedThroughput"] = _throughput(context, index)
        described["WarmThroughput"] = _warmth(index, schema.definition["BillingMode"])
        _add_limits(described, index)
    return described


def _throughput(context: Context, holder: Mapping[str, Any]) -> dict[str, Any]:
    units: Mapping[str, Any] = holder.get("ProvisionedThroughput") or {}
    decreases = units.get("Decreases", ())
    today = context.clock.now() // _DAY
    described: dict[str, Any] = {
        "NumberOfDecreasesToday": sum(moment // _DAY == today for moment in decreases),
        "ReadCapacityUnits": units.get("ReadCapacityUnits", 0),
        "WriteCapacityUnits": units.get("WriteCapacityUnits", 0),
    }
    if "Increased" in units:
        described["LastIncreaseDateTime"] = _moment(units["Increased"])
    if decreases:
        described["LastDecreaseDateTime"] = _moment(decreases[-1])
    return described


def _keep_units(before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
    for unit in ("ReadCapacityUnits", "WriteCapacityUnits", "NumberOfDecreasesToday"):
        after["ProvisionedThroughput"][unit] = before["ProvisionedThroughput"][unit]


def _warmth(holder: Mapping[str, Any], billing: str) -> dict[str, Any]:
    return {**warmth_of(holder, billing), "Status": "ACTIVE"}


def _unwarm(described: dict[str, Any], holder: Mapping[str, Any]) -> None:
    if holder.get("WarmThroughput") is None:
        del described["WarmThroughput"]
    else:
        described["WarmThroughput"]["Status"] = "UPDATING"


def _add_limits(described: dict[str, Any], holder: Mapping[str, Any]) -> None:
    limits = holder.get("OnDemandThroughput")
    if limits is not None:
        described["OnDemandThroughput"] = {
            maximum: limits.get(maximum) or -1 for maximum in ("MaxReadRequestUnits", "MaxWriteRequestUnits")
        }


def _moment(seconds: float) -> float:
    return round(seconds, 3)
