"""Streams in the definitions of tables: when they may be switched on and off."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from tablewright.engine.schema import TableSchema
from tablewright.errors import RequestRefused

_INVALID = "One or more parameter values were invalid: "


def settle_new_stream(definition: dict[str, Any], request: Mapping[str, Any]) -> None:
    """What CreateTable makes of its StreamSpecification."""
    wanted = request.get("StreamSpecification")
    if wanted is None:
        return
    view = wanted.get("StreamViewType")
    if wanted["StreamEnabled"]:
        if view is None:
            _refuse("Table is being created with a stream enabled, UpdateViewType is required")
        return
    if view is not None:
        _refuse("Table is being created with a stream disabled, UpdateViewType should not be specified")
    del definition["StreamSpecification"]


def settle_changed_stream(definition: dict[str, Any], request: Mapping[str, Any], schema: TableSchema) -> None:
    """What UpdateTable makes of its StreamSpecification; the label of the last stream stays."""
    wanted = request.get("StreamSpecification")
    if wanted is None:
        return
    view = wanted.get("StreamViewType")
    if wanted["StreamEnabled"] and view is None:
        _refuse("If stream is being enabled then UpdateViewType is required")
    if not wanted["StreamEnabled"] and view is not None:
        _refuse("If stream is being disabled, then UpdateViewType must not be specified")
    if request.get("ProvisionedThroughput") is not None:
        _refuse("You cannot modify stream status while updating table IOPS")
    updates = request.get("GlobalSecondaryIndexUpdates") or ()
    if any(update.get("Create") is not None or update.get("Delete") is not None for update in updates):
        _refuse("You cannot create or delete index while changing stream status")
    streaming = schema.definition.get("StreamSpecification") is not None
    if wanted["StreamEnabled"] and streaming:
        raise RequestRefused(f"Table already has an enabled stream: TableName: {schema.name}")
    if not wanted["StreamEnabled"]:
        if not streaming:
            raise RequestRefused(f"Table has no stream to disable: TableName: {schema.name}")
        del definition["StreamSpecification"]


def _refuse(message: str) -> NoReturn:
    raise RequestRefused(f"{_INVALID}{message}")
