"""The shapes of requests about copies of tables: backups, exports and imports."""

from __future__ import annotations

from collections.abc import Mapping

from tablewright.engine.validation.keeping_requests import Moment
from tablewright.engine.validation.names import NAME_PATTERN, TableName
from tablewright.engine.validation.shapes import Members, Number, Struct, Text
from tablewright.engine.validation.table_requests import (
    BILLING,
    DEFINITIONS,
    GLOBAL_INDEXES,
    LOCAL_INDEXES,
    ON_DEMAND,
    SSE,
    TABLE_KEYS,
    THROUGHPUT,
)

_NAME = Text(required=True, pattern=NAME_PATTERN, low=3, high=255)
_BACKUP = Text(required=True, low=37, high=1024)
_JOB = Text(required=True, low=37, high=1024)
_TOKEN = Text(pattern=r"[^\$]+")
_BUCKET = Text(required=True, pattern=r"[a-z0-9A-Z]+[\.\-\w]*[a-z0-9A-Z]+", high=255)
_PREFIX = Text(high=1024)
_OWNER = Text(pattern="[0-9]{12}")

SHAPES: Mapping[str, Struct] = {
    "CreateBackup": Struct({"TableName": TableName(), "BackupName": _NAME}),
    "DeleteBackup": Struct({"BackupArn": _BACKUP}),
    "DescribeBackup": Struct({"BackupArn": _BACKUP}),
    "DescribeExport": Struct({"ExportArn": _JOB}),
    "DescribeImport": Struct({"ImportArn": _JOB}),
    "ExportTableToPointInTime": Struct(
        {
            "TableArn": Text(required=True, low=1, high=1024),
            "ExportTime": Moment(),
            "ClientToken": _TOKEN,
            "S3Bucket": _BUCKET,
            "S3BucketOwner": _OWNER,
            "S3Prefix": _PREFIX,
            "S3SseAlgorithm": Text(choices=("AES256", "KMS")),
            "S3SseKmsKeyId": Text(low=1, high=2048),
            "ExportFormat": Text(choices=("DYNAMODB_JSON", "ION")),
            "ExportType": Text(choices=("FULL_EXPORT", "INCREMENTAL_EXPORT")),
        }
    ),
    "ImportTable": Struct(
        {
            "ClientToken": _TOKEN,
            "S3BucketSource": Struct(
                {"S3BucketOwner": _OWNER, "S3Bucket": _BUCKET, "S3KeyPrefix": _PREFIX}, required=True
            ),
            "InputFormat": Text(required=True, choices=("DYNAMODB_JSON", "ION", "CSV")),
            "InputFormatOptions": Struct(
                {
                    "Csv": Struct(
                        {
                            "Delimiter": Text(low=1, high=1, pattern=r"[,;:|\t ]"),
                            "HeaderList": Members(Text(low=1, high=65536), low=1, high=255),
                        }
                    )
                }
            ),
            "InputCompressionType": Text(choices=("GZIP", "ZSTD", "NONE")),
            "TableCreationParameters": Struct(
                {
                    "TableName": _NAME,
                    "AttributeDefinitions": DEFINITIONS,
                    "KeySchema": TABLE_KEYS,
                    "BillingMode": BILLING,
                    "ProvisionedThroughput": THROUGHPUT,
                    "OnDemandThroughput": ON_DEMAND,
                    "SSESpecification": SSE,
                    "GlobalSecondaryIndexes": GLOBAL_INDEXES,
                },
                required=True,
            ),
        }
    ),
    "ListExports": Struct(
        {"TableArn": Text(low=1, high=1024), "MaxResults": Number(low=1, high=25), "NextToken": Text()}
    ),
    "ListImports": Struct(
        {
            "TableArn": Text(low=1, high=1024),
            "PageSize": Number(low=1, high=25),
            "NextToken": Text(pattern="([0-9a-f]{16})+", low=112, high=1024),
        }
    ),
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
