"""Backups as requests name them and as answers tell them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.arns import backup_arn, backup_of, table_arn
from tablewright.engine.context import Context
from tablewright.engine.storage import backups
from tablewright.engine.storage.backups import Backup
from tablewright.errors import RequestRefused, ResourceNotFound


def parse_backup(arn: str) -> tuple[str, str]:
    """The table and the stamp in a backup's ARN."""
    found = backup_of(arn)
    if found is None:
        raise RequestRefused(f"Invalid backup ARN: {arn}")
    return found


def require_backup(connection: Any, arn: str) -> Backup:
    """The backup of this ARN."""
    backup = backups.find_backup(connection, *parse_backup(arn))
    if backup is None:
        raise ResourceNotFound(f"Backup not found: {arn}", wire_name="BackupNotFoundException")
    return backup


def describe_details(context: Context, backup: Backup, status: str = "AVAILABLE") -> dict[str, Any]:
    """The BackupDetails of a backup. It is whole as soon as it is there."""
    return {
        "BackupArn": backup_arn(context.region, backup.table, backup.stamp),
        "BackupName": backup.name,
        "BackupSizeBytes": backup.size,
        "BackupStatus": status,
        "BackupType": "USER",
        "BackupCreationDateTime": round(backup.created, 3),
    }


def describe_summary(context: Context, backup: Backup) -> dict[str, Any]:
    """A backup as ListBackups tells it."""
    return {
        "TableName": backup.table,
        "TableId": backup.table_id,
        "TableArn": table_arn(context.region, backup.table),
        **describe_details(context, backup),
    }


def describe_backup(context: Context, backup: Backup, status: str = "AVAILABLE") -> dict[str, Any]:
    """The BackupDescription of a backup: the backup, and what the table was like."""
    definition = backup.definition
    source: dict[str, Any] = {
        "TableName": backup.table,
        "TableId": backup.table_id,
        "TableArn": table_arn(context.region, backup.table),
        "TableSizeBytes": backup.size,
        "KeySchema": definition["KeySchema"],
        "TableCreationDateTime": round(definition["CreationDateTime"], 3),
        "ProvisionedThroughput": _units(definition),
        "ItemCount": backup.items,
        "BillingMode": definition["BillingMode"],
    }
    if definition.get("OnDemandThroughput"):
        source["OnDemandThroughput"] = definition["OnDemandThroughput"]
    return {
        "BackupDetails": describe_details(context, backup, status),
        "SourceTableDetails": source,
        "SourceTableFeatureDetails": _features(definition),
    }


def _features(definition: Mapping[str, Any]) -> dict[str, Any]:
    features: dict[str, Any] = {}
    for member in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
        indexes = definition.get(member) or ()
        if indexes:
            features[member] = [
                {
                    **{part: index[part] for part in ("IndexName", "KeySchema", "Projection")},
                    **({"ProvisionedThroughput": _units(index)} if member.startswith("G") else {}),
                }
                for index in indexes
            ]
    if definition.get("StreamSpecification"):
        features["StreamDescription"] = definition["StreamSpecification"]
    if definition.get("TimeToLive"):
        name = definition["TimeToLive"]["AttributeName"]
        features["TimeToLiveDescription"] = {"TimeToLiveStatus": "ENABLED", "AttributeName": name}
    if (definition.get("SSESpecification") or {}).get("Enabled"):
        features["SSEDescription"] = {"Status": "ENABLED", "SSEType": "KMS"}
    return features


def _units(holder: Mapping[str, Any]) -> dict[str, int]:
    units = holder.get("ProvisionedThroughput") or {}
    return {unit: units.get(unit, 0) for unit in ("ReadCapacityUnits", "WriteCapacityUnits")}
