"""Every operation that the engine answers. Its action and the shape of its request are loaded when it is first asked for:
most programs use a few of some fifty, and should not wait for the others at every start."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, TypeAlias

from tablewright.engine.context import Context
from tablewright.engine.validation.shapes import Struct

Action = Callable[[Context, Mapping[str, Any]], dict[str, Any]]

_FAMILIES: Mapping[str, tuple[str, ...]] = {
    "validation.item_requests": (
        "BatchGetItem",
        "BatchWriteItem",
        "DeleteItem",
        "GetItem",
        "PutItem",
        "Query",
        "Scan",
        "TransactGetItems",
        "TransactWriteItems",
        "UpdateItem",
    ),
    "validation.table_requests": ("CreateTable", "DeleteTable", "DescribeTable", "ListTables", "UpdateTable"),
    "validation.keeping_requests": (
        "DescribeContinuousBackups",
        "DescribeTimeToLive",
        "RestoreTableToPointInTime",
        "UpdateContinuousBackups",
        "UpdateTimeToLive",
    ),
    "validation.stream_requests": ("DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"),
    "validation.copy_requests": (
        "CreateBackup",
        "DeleteBackup",
        "DescribeBackup",
        "DescribeExport",
        "DescribeImport",
        "ExportTableToPointInTime",
        "ImportTable",
        "ListBackups",
        "ListExports",
        "ListImports",
        "RestoreTableFromBackup",
    ),
    "validation.admin_requests": (
        "DeleteResourcePolicy",
        "DescribeContributorInsights",
        "DescribeEndpoints",
        "DescribeGlobalTable",
        "DescribeKinesisStreamingDestination",
        "DescribeLimits",
        "DescribeTableReplicaAutoScaling",
        "GetResourcePolicy",
        "ListContributorInsights",
        "ListGlobalTables",
        "ListTagsOfResource",
        "PutResourcePolicy",
        "TagResource",
        "UntagResource",
    ),
    "partiql.requests": ("BatchExecuteStatement", "ExecuteStatement", "ExecuteTransaction"),
}
"""The operations by the module, below this package, that holds the shapes of their requests."""

_MODULES = {name: module for module, names in _FAMILIES.items() for name in names}

OPERATIONS = frozenset(_MODULES)
"""The names of all operations that an engine answers."""


UNSUPPORTED = frozenset(
    {
        "CancelBulkOperation",
        "CreateGlobalTable",
        "DescribeBulkOperation",
        "DescribeGlobalTableSettings",
        "DisableKinesisStreamingDestination",
        "EnableKinesisStreamingDestination",
        "ListBulkOperations",
        "SearchVectors",
        "StartBulkPutItems",
        "UpdateContributorInsights",
        "UpdateGlobalTable",
        "UpdateGlobalTableSettings",
        "UpdateKinesisStreamingDestination",
        "UpdateTableReplicaAutoScaling",
    }
)
"""Operations that the service has and an engine refuses."""


Operation: TypeAlias = tuple[Action, Struct]
"""How one operation is answered: what does it, and the shape of its requests."""


class _Operations(dict[str, Operation]):
    """Loads an operation at the first look: its action is the function in `actions/` that has its name."""

    def __missing__(self, name: str) -> Operation:
        module = _MODULES[name]  # a KeyError for what is no operation
        function = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).removeprefix("_")
        action: Action = getattr(import_module(f"tablewright.engine.actions.{function}"), function)
        shape: Struct = import_module(f"tablewright.engine.{module}").SHAPES[name]
        loaded = self[name] = action, shape
        return loaded


LOADED = _Operations()
"""Operations by name; a name that is none raises KeyError."""
