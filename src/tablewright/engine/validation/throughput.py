"""Billing modes and capacity in the definitions of tables: what may stand together, and what a change makes of them."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from tablewright.errors import RequestRefused

Definition = dict[str, Any]

_INVALID = "One or more parameter values were invalid: "
_HIGHEST = 1_000_000_000_000
_UNITS = ("ReadCapacityUnits", "WriteCapacityUnits")
_MAXIMA = ("MaxReadRequestUnits", "MaxWriteRequestUnits")
_RATES = ("ReadUnitsPerSecond", "WriteUnitsPerSecond")
_SETTINGS = ("OnDemandThroughput", "WarmThroughput")
ON_DEMAND_WARMTH = {"ReadUnitsPerSecond": 12_000, "WriteUnitsPerSecond": 4_000}
"""What a table or index that is paid for by request can bear from its first moment."""
_ON_DEMAND_PAGE = (
    "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/on-demand-capacity-mode.html"
    "#on-demand-capacity-mode-initial"
)


def check_billing(request: Mapping[str, Any]) -> None:
    """Refuse a CreateTable whose capacity does not go with its billing mode."""
    throughput = request.get("ProvisionedThroughput")
    if request.get("BillingMode") == "PAY_PER_REQUEST":
        if throughput is not None:
            _refuse_units()
    elif throughput is None:
        _refuse("ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED")
    else:
        check_bounds(throughput)
    _check_new_settings(request, request.get("BillingMode") or "PROVISIONED")


def check_bounds(throughput: Mapping[str, int]) -> None:
    """Refuse numbers of units that cannot be."""
    for unit in _UNITS:
        if throughput[unit] > _HIGHEST:
            raise RequestRefused(f"Given value {throughput[unit]} for {unit} is out of bounds")


def check_index_throughput(index: Mapping[str, Any], billing: str, *, joins: bool) -> None:
    """Refuse an index whose capacity does not go with the table's billing mode; `joins` one that is there already."""
    name, throughput = index["IndexName"], index.get("ProvisionedThroughput")
    if billing == "PAY_PER_REQUEST":
        if throughput is not None and joins:
            _refuse_units(f" for index: {name}")
        if throughput is not None:
            _refuse(
                f"ProvisionedThroughput should not be specified for index: {name} when BillingMode is PAY_PER_REQUEST"
            )
    elif throughput is None and joins:
        _refuse(f"Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: {name}")
    elif throughput is None:
        _refuse(f"ProvisionedThroughput is not specified for index: {name}")
    else:
        check_bounds(throughput)
    _check_new_settings(index, billing, name)


def _check_new_settings(holder: Mapping[str, Any], billing: str, index: str | None = None) -> None:
    """Refuse limits on demand and warmth that a new table or index cannot have."""
    limits = _given(holder, "OnDemandThroughput", _MAXIMA)
    if limits and billing != "PAY_PER_REQUEST":
        of = "" if index is None else f" for index: {index}"
        _refuse(
            f"{next(iter(limits))} for OnDemandThroughput{of} cannot be specified when table BillingMode is PROVISIONED."
        )
    _check_range(limits, index, lowest=1)
    if billing == "PAY_PER_REQUEST":
        what: dict[str, str] = dict.fromkeys(_RATES, f"initial throughput for OnDemand. See: {_ON_DEMAND_PAGE}")
    else:
        what = {rate: f"{unit} of ProvisionedThroughput" for rate, unit in zip(_RATES, _UNITS, strict=True)}
    _check_warmth(holder, _least_warmth(holder, billing), index, what)


def _check_changed_settings(
    wanted: Mapping[str, Any], holder: Mapping[str, Any], billing: str, index: str | None = None
) -> None:
    """Refuse limits on demand and warmth that the holder of others cannot get."""
    limits = _given(wanted, "OnDemandThroughput", _MAXIMA)
    if limits and billing != "PAY_PER_REQUEST":
        of = "" if index is None else f" for index : {index}"
        _refuse(
            f"{next(iter(limits))} for OnDemandThroughput{of} cannot be specified when the table BillingMode is "
            "PROVISIONED"
        )
    _check_range(limits, index, lowest=-1)
    what: dict[str, str] = dict.fromkeys(_RATES, "current WarmThroughput, decreasing WarmThroughput is not supported")
    _check_warmth(wanted, warmth_of(holder, billing), index, what)


def _check_range(limits: Mapping[str, int], index: str | None, lowest: int) -> None:
    for maximum, value in limits.items():
        if value == 0 or value < lowest:
            of = "table" if index is None else f"index : {index}"
            _refuse(f"Requested {maximum} for OnDemandThroughput for {of} is outside of valid range")


def _check_warmth(
    wanted: Mapping[str, Any], least: Mapping[str, int], index: str | None, what: Mapping[str, str]
) -> None:
    for rate, value in _given(wanted, "WarmThroughput", _RATES).items():
        if value < least[rate]:
            of = "table" if index is None else f"index {index}"
            _refuse(f"Requested {rate} for WarmThroughput for {of} is lower than {what[rate]}")


def _given(holder: Mapping[str, Any], member: str, names: Sequence[str]) -> dict[str, int]:
    values: Mapping[str, Any] = holder.get(member) or {}
    return {name: values[name] for name in names if values.get(name) is not None}


def warmth_of(holder: Mapping[str, Any], billing: str) -> dict[str, int]:
    """How warm a table or index is: as it was asked to be, and never less than its capacity."""
    least = _least_warmth(holder, billing)
    asked = holder.get("WarmThroughput") or {}
    return {rate: max(asked.get(rate) or 0, least[rate]) for rate in _RATES}


def change_billing(
    definition: Definition, request: Mapping[str, Any], updates: Sequence[Mapping[str, Any]], now: float
) -> None:
    """Settle billing mode and capacity of a table and its global indexes in an UpdateTable."""
    throughput, billing = request.get("ProvisionedThroughput"), request.get("BillingMode")
    before = definition["BillingMode"]
    mode = billing or before
    indexes: Sequence[Any] = definition.get("GlobalSecondaryIndexes") or ()
    if mode == "PAY_PER_REQUEST":
        if throughput is not None:
            _refuse_units()
        if before != mode:
            definition["PayPerRequestSince"] = now
            for holder in (definition, *indexes):
                _set_units(holder, None, now)
    elif throughput is not None:
        if before == mode and _same(throughput, definition["ProvisionedThroughput"]):
            _refuse_same(throughput)
        _set_units(definition, throughput, now)
        if before != mode:
            _provide_for_indexes(definition, indexes, updates)
    definition["BillingMode"] = mode
    _check_changed_settings(request, definition, mode)
    _merge_settings(definition, request)


def change_index(definition: Definition, index: Definition, change: Mapping[str, Any], now: float) -> None:
    """Settle the Update of one index in an UpdateTable."""
    mode, name = definition["BillingMode"], index["IndexName"]
    throughput = change.get("ProvisionedThroughput")
    settings = any(change.get(member) for member in _SETTINGS)
    if mode == "PAY_PER_REQUEST" and (throughput is not None or not settings):
        _refuse(
            f"The only Updates for index: {name} when TableThroughputMode is PAY_PER_REQUEST can be to "
            "OnDemandThroughput, WarmThroughput"
        )
    if throughput is not None:
        check_bounds(throughput)
        if index.get("ProvisionedThroughput") is not None and _same(throughput, index["ProvisionedThroughput"]):
            read, write = throughput["ReadCapacityUnits"], throughput["WriteCapacityUnits"]
            raise RequestRefused(
                f"The provisioned throughput for the index {name} will not change. The requested value equals the "
                f"current value. Current ReadCapacityUnits provisioned for the index: {read}. Requested "
                f"ReadCapacityUnits: {read}. Current WriteCapacityUnits provisioned for the index: {write}. Requested "
                f"WriteCapacityUnits: {write}. Refer to the Amazon DynamoDB Developer Guide for current limits and how "
                "to request higher limits."
            )
        _set_units(index, throughput, now)
    elif not settings:
        _refuse(f"ProvisionedThroughput must be specified for index: {name}")
    _check_changed_settings(change, index, mode, name)
    _merge_settings(index, change)


def _provide_for_indexes(definition: Definition, indexes: Sequence[Any], updates: Sequence[Mapping[str, Any]]) -> None:
    given = {
        update["Update"]["IndexName"]
        for update in updates
        if update.get("Update") is not None and update["Update"].get("ProvisionedThroughput") is not None
    }
    missing = [index["IndexName"] for index in indexes if index["IndexName"] not in given]
    if missing:
        _refuse(f"ProvisionedThroughput must be specified for index: {','.join(missing)}")
    for holder in (definition, *indexes):
        holder.pop("OnDemandThroughput", None)


def _set_units(holder: Definition, wanted: Mapping[str, int] | None, now: float) -> None:
    """Record units and when they last went up and down; none are wanted of what is paid for by request."""
    before: Mapping[str, Any] = holder.get("ProvisionedThroughput") or {}
    units: dict[str, Any] = {unit: wanted[unit] if wanted is not None else 0 for unit in _UNITS}
    units.update({moment: before[moment] for moment in ("Increased", "Decreases") if moment in before})
    if any(units[unit] > before.get(unit, 0) for unit in _UNITS):
        units["Increased"] = now
    if any(units[unit] < before.get(unit, 0) for unit in _UNITS):
        today = [moment for moment in units.get("Decreases", ()) if moment // 86_400 == now // 86_400]
        units["Decreases"] = [*today, now]
    holder["ProvisionedThroughput"] = units


def _merge_settings(holder: Definition, wanted: Mapping[str, Any]) -> None:
    for member in _SETTINGS:
        if wanted.get(member):
            holder[member] = {**holder.get(member, {}), **copy.deepcopy(dict(wanted[member]))}


def _least_warmth(holder: Mapping[str, Any], billing: str) -> dict[str, int]:
    if billing == "PAY_PER_REQUEST":
        return ON_DEMAND_WARMTH
    units = holder.get("ProvisionedThroughput") or {}
    return {rate: units.get(unit, 0) for rate, unit in zip(_RATES, _UNITS, strict=True)}


def _same(wanted: Mapping[str, int], units: Mapping[str, Any]) -> bool:
    return all(wanted[unit] == units[unit] for unit in _UNITS)


def _refuse_same(throughput: Mapping[str, int]) -> NoReturn:
    read, write = throughput["ReadCapacityUnits"], throughput["WriteCapacityUnits"]
    raise RequestRefused(
        "The provisioned throughput for the table will not change. The requested value equals the current value. "
        f"Current ReadCapacityUnits provisioned for the table: {read}. Requested ReadCapacityUnits: {read}. "
        f"Current WriteCapacityUnits provisioned for the table: {write}. Requested WriteCapacityUnits: {write}. "
        "Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits."
    )


def _refuse_units(of: str = "") -> NoReturn:
    _refuse(
        f"Neither ReadCapacityUnits nor WriteCapacityUnits can be specified{of} when BillingMode is PAY_PER_REQUEST"
    )


def _refuse(message: str) -> NoReturn:
    raise RequestRefused(f"{_INVALID}{message}")
