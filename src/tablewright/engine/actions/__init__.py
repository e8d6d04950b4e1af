"""One file per API operation. An action takes the context and a request of the right shape, and answers it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tablewright.engine.actions.batch_execute_statement import batch_execute_statement
from tablewright.engine.actions.batch_get_item import batch_get_item
from tablewright.engine.actions.batch_write_item import batch_write_item
from tablewright.engine.actions.create_backup import create_backup
from tablewright.engine.actions.create_table import create_table
from tablewright.engine.actions.delete_backup import delete_backup
from tablewright.engine.actions.delete_item import delete_item
from tablewright.engine.actions.delete_resource_policy import delete_resource_policy
from tablewright.engine.actions.delete_table import delete_table
from tablewright.engine.actions.describe_backup import describe_backup
from tablewright.engine.actions.describe_continuous_backups import describe_continuous_backups
from tablewright.engine.actions.describe_contributor_insights import describe_contributor_insights
from tablewright.engine.actions.describe_endpoints import describe_endpoints
from tablewright.engine.actions.describe_export import describe_export
from tablewright.engine.actions.describe_global_table import describe_global_table
from tablewright.engine.actions.describe_import import describe_import
from tablewright.engine.actions.describe_kinesis_streaming_destination import describe_kinesis_streaming_destination
from tablewright.engine.actions.describe_limits import describe_limits
from tablewright.engine.actions.describe_stream import describe_stream
from tablewright.engine.actions.describe_table import describe_table
from tablewright.engine.actions.describe_table_replica_auto_scaling import describe_table_replica_auto_scaling
from tablewright.engine.actions.describe_time_to_live import describe_time_to_live
from tablewright.engine.actions.execute_statement import execute_statement
from tablewright.engine.actions.execute_transaction import execute_transaction
from tablewright.engine.actions.export_table_to_point_in_time import export_table_to_point_in_time
from tablewright.engine.actions.get_item import get_item
from tablewright.engine.actions.get_records import get_records
from tablewright.engine.actions.get_resource_policy import get_resource_policy
from tablewright.engine.actions.get_shard_iterator import get_shard_iterator
from tablewright.engine.actions.import_table import import_table
from tablewright.engine.actions.list_backups import list_backups
from tablewright.engine.actions.list_contributor_insights import list_contributor_insights
from tablewright.engine.actions.list_exports import list_exports
from tablewright.engine.actions.list_global_tables import list_global_tables
from tablewright.engine.actions.list_imports import list_imports
from tablewright.engine.actions.list_streams import list_streams
from tablewright.engine.actions.list_tables import list_tables
from tablewright.engine.actions.list_tags_of_resource import list_tags_of_resource
from tablewright.engine.actions.put_item import put_item
from tablewright.engine.actions.put_resource_policy import put_resource_policy
from tablewright.engine.actions.query import query
from tablewright.engine.actions.restore_table_from_backup import restore_table_from_backup
from tablewright.engine.actions.restore_table_to_point_in_time import restore_table_to_point_in_time
from tablewright.engine.actions.scan import scan
from tablewright.engine.actions.tag_resource import tag_resource
from tablewright.engine.actions.transact_get_items import transact_get_items
from tablewright.engine.actions.transact_write_items import transact_write_items
from tablewright.engine.actions.untag_resource import untag_resource
from tablewright.engine.actions.update_continuous_backups import update_continuous_backups
from tablewright.engine.actions.update_item import update_item
from tablewright.engine.actions.update_table import update_table
from tablewright.engine.actions.update_time_to_live import update_time_to_live
from tablewright.engine.context import Context

Action = Callable[[Context, Mapping[str, Any]], dict[str, Any]]

ACTIONS: Mapping[str, Action] = {
    "BatchExecuteStatement": batch_execute_statement,
    "BatchGetItem": batch_get_item,
    "BatchWriteItem": batch_write_item,
    "CreateBackup": create_backup,
    "CreateTable": create_table,
    "DeleteBackup": delete_backup,
    "DeleteItem": delete_item,
    "DeleteResourcePolicy": delete_resource_policy,
    "DeleteTable": delete_table,
    "DescribeBackup": describe_backup,
    "DescribeContinuousBackups": describe_continuous_backups,
    "DescribeContributorInsights": describe_contributor_insights,
    "DescribeEndpoints": describe_endpoints,
    "DescribeExport": describe_export,
    "DescribeGlobalTable": describe_global_table,
    "DescribeImport": describe_import,
    "DescribeKinesisStreamingDestination": describe_kinesis_streaming_destination,
    "DescribeLimits": describe_limits,
    "DescribeStream": describe_stream,
    "DescribeTable": describe_table,
    "DescribeTableReplicaAutoScaling": describe_table_replica_auto_scaling,
    "DescribeTimeToLive": describe_time_to_live,
    "ExecuteStatement": execute_statement,
    "ExecuteTransaction": execute_transaction,
    "ExportTableToPointInTime": export_table_to_point_in_time,
    "GetItem": get_item,
    "GetRecords": get_records,
    "GetResourcePolicy": get_resource_policy,
    "GetShardIterator": get_shard_iterator,
    "ImportTable": import_table,
    "ListBackups": list_backups,
    "ListContributorInsights": list_contributor_insights,
    "ListExports": list_exports,
    "ListGlobalTables": list_global_tables,
    "ListImports": list_imports,
    "ListStreams": list_streams,
    "ListTables": list_tables,
    "ListTagsOfResource": list_tags_of_resource,
    "PutItem": put_item,
    "PutResourcePolicy": put_resource_policy,
    "Query": query,
    "RestoreTableFromBackup": restore_table_from_backup,
    "RestoreTableToPointInTime": restore_table_to_point_in_time,
    "Scan": scan,
    "TagResource": tag_resource,
    "TransactGetItems": transact_get_items,
    "TransactWriteItems": transact_write_items,
    "UntagResource": untag_resource,
    "UpdateContinuousBackups": update_continuous_backups,
    "UpdateItem": update_item,
    "UpdateTable": update_table,
    "UpdateTimeToLive": update_time_to_live,
}
