"""The shapes of requests about how long things are kept: time to live and point-in-time recovery."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tablewright.engine.validation.names import TableName
from tablewright.engine.validation.shapes import Flag, Number, Struct, Text
from tablewright.engine.validation.table_requests import (
    BILLING,
    GLOBAL_INDEXES,
    LOCAL_INDEXES,
    ON_DEMAND,
    OWN_TABLE,
    SSE,
    THROUGHPUT,
)
from tablewright.errors import RequestRefused


@dataclass(frozen=True, slots=True)
class Moment:
    """A point in time as seconds since 1970."""

    required: bool = False

    @property
    def only(self) -> type | None:
        """The type, if being of it is all that the shape asks."""
        return None

    def fits(self, value: Any) -> bool:
        """Whether the value has this shape."""
        return value.__class__ is int or value.__class__ is float

    def explain(self, value: Any, path: str, faults: list[str]) -> None:
        """Refuse what is not a number."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise RequestRefused(f"{path} must be a number of seconds", wire_name="SerializationException")


SHAPES: Mapping[str, Struct] = {
    "DescribeContinuousBackups": Struct({"TableName": OWN_TABLE}),
    "DescribeTimeToLive": Struct({"TableName": OWN_TABLE}),
    "RestoreTableToPointInTime": Struct(
        {
            "SourceTableArn": Text(low=1, high=1024),
            "SourceTableName": TableName(required=False),
            "TargetTableName": TableName(),
            "UseLatestRestorableTime": Flag(),
            "RestoreDateTime": Moment(),
            "BillingModeOverride": BILLING,
            "GlobalSecondaryIndexOverride": GLOBAL_INDEXES,
            "LocalSecondaryIndexOverride": LOCAL_INDEXES,
            "ProvisionedThroughputOverride": THROUGHPUT,
            "OnDemandThroughputOverride": ON_DEMAND,
            "SSESpecificationOverride": SSE,
        }
    ),
    "UpdateContinuousBackups": Struct(
        {
            "TableName": OWN_TABLE,
            "PointInTimeRecoverySpecification": Struct(
                {
                    "PointInTimeRecoveryEnabled": Flag(required=True),
                    "RecoveryPeriodInDays": Number(low=1, high=35),
                },
                required=True,
            ),
        }
    ),
    "UpdateTimeToLive": Struct(
        {
            "TableName": OWN_TABLE,
            "TimeToLiveSpecification": Struct(
                {"Enabled": Flag(required=True), "AttributeName": Text(required=True, low=1, high=255)}, required=True
            ),
        }
    ),
}
