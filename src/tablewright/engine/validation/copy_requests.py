"""The shapes of requests about copies of tables: backups, exports and imports."""

from __future__ import annotations

from collections.abc import Mapping

from tablewright.engine.validation.keeping_requests import Moment
from tablewright.engine.validation.names import NAME_PATTERN, TableName
from tablewright.engine.validation.shapes import Number, Struct, Text
from tablewright.engine.validation.table_requests import (
    BILLING,
    GLOBAL_INDEXES,
    LOCAL_INDEXES,
    ON_DEMAND,
    SSE,
    THROUGHPUT,
)

_NAME = Text(required=True, pattern=NAME_PATTERN, low=3, high=255)
_BACKUP = Text(required=True, low=37, high=1024)

COPY_SHAPES: Mapping[str, Struct] = {
    "CreateBackup": Struct({"TableName": TableName(), "BackupName": _NAME}),
    "DeleteBackup": Struct({"BackupArn": _BACKUP}),
    "DescribeBackup": Struct({"BackupArn": _BACKUP}),
    "ListBackups": Struct(
        {
            "TableName": TableName(required=False),
            "Limit": Number(low=1, high=100),
            "TimeRangeLowerBound": Moment(),
            "TimeRangeUpperBound": Moment(),
            "ExclusiveStartBackupArn": Text(low=37, high=1024),
            "BackupType": Text(choices=("USER", "SYSTEM", "AWS_BACKUP", "ALL")),
        }
    ),
    "RestoreTableFromBackup": Struct(
        {
            "TargetTableName": _NAME,
            "BackupArn": _BACKUP,
            "BillingModeOverride": BILLING,
            "GlobalSecondaryIndexOverride": GLOBAL_INDEXES,
            "LocalSecondaryIndexOverride": LOCAL_INDEXES,
            "ProvisionedThroughputOverride": THROUGHPUT,
            "OnDemandThroughputOverride": ON_DEMAND,
            "SSESpecificationOverride": SSE,
        }
    ),
}
