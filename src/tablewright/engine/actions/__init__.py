"""One file per API operation. An action takes the context and a request of the right shape, and answers it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tablewright.engine.actions.batch_get_item import batch_get_item
from tablewright.engine.actions.batch_write_item import batch_write_item
from tablewright.engine.actions.create_table import create_table
from tablewright.engine.actions.delete_item import delete_item
from tablewright.engine.actions.delete_table import delete_table
from tablewright.engine.actions.describe_continuous_backups import describe_continuous_backups
from tablewright.engine.actions.describe_stream import describe_stream
from tablewright.engine.actions.describe_table import describe_table
from tablewright.engine.actions.describe_time_to_live import describe_time_to_live
from tablewright.engine.actions.get_item import get_item
from tablewright.engine.actions.get_records import get_records
from tablewright.engine.actions.get_shard_iterator import get_shard_iterator
from tablewright.engine.actions.list_streams import list_streams
from tablewright.engine.actions.list_tables import list_tables
from tablewright.engine.actions.put_item import put_item
from tablewright.engine.actions.query import query
from tablewright.engine.actions.restore_table_to_point_in_time import restore_table_to_point_in_time
from tablewright.engine.actions.scan import scan
from tablewright.engine.actions.transact_get_items import transact_get_items
from tablewright.engine.actions.transact_write_items import transact_write_items
from tablewright.engine.actions.update_continuous_backups import update_continuous_backups
from tablewright.engine.actions.update_item import update_item
from tablewright.engine.actions.update_table import update_table
from tablewright.engine.actions.update_time_to_live import update_time_to_live
from tablewright.engine.context import Context

Action = Callable[[Context, Mapping[str, Any]], dict[str, Any]]

ACTIONS: Mapping[str, Action] = {
    "BatchGetItem": batch_get_item,
    "BatchWriteItem": batch_write_item,
    "CreateTable": create_table,
    "DeleteItem": delete_item,
    "DeleteTable": delete_table,
    "DescribeContinuousBackups": describe_continuous_backups,
    "DescribeStream": describe_stream,
    "DescribeTable": describe_table,
    "DescribeTimeToLive": describe_time_to_live,
    "GetItem": get_item,
    "GetRecords": get_records,
    "GetShardIterator": get_shard_iterator,
    "ListStreams": list_streams,
    "ListTables": list_tables,
    "PutItem": put_item,
    "Query": query,
    "RestoreTableToPointInTime": restore_table_to_point_in_time,
    "Scan": scan,
    "TransactGetItems": transact_get_items,
    "TransactWriteItems": transact_write_items,
    "UpdateContinuousBackups": update_continuous_backups,
    "UpdateItem": update_item,
    "UpdateTable": update_table,
    "UpdateTimeToLive": update_time_to_live,
}
