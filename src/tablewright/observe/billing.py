"""How a table is paid for, as its description says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.observe.snapshot import TABLE, BillingMode, ReadyUnits


def billing_mode(described: Mapping[str, Any]) -> BillingMode:
    """The mode, and what is provisioned for the table and each global index."""
    if described.get("BillingModeSummary", {}).get("BillingMode") == "PAY_PER_REQUEST":
        return BillingMode("on-demand")
    places = {TABLE: described, **{i["IndexName"]: i for i in described.get("GlobalSecondaryIndexes", ())}}
    ready = {
        name: ReadyUnits(float(told["ReadCapacityUnits"]), float(told["WriteCapacityUnits"]))
        for name, place in places.items()
        if (told := place.get("ProvisionedThroughput")) is not None
    }
    return BillingMode("provisioned", ready) if ready.get(TABLE, ReadyUnits(0, 0)).reads else BillingMode()
