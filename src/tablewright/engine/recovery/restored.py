"""The definition of a restored table: that of its source, without what is switched on later, with overrides."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NoReturn

from tablewright.engine.storage.catalogue import Catalogue
from tablewright.engine.validation.copy_requests import SHAPES
from tablewright.engine.validation.members import known_members
from tablewright.errors import RequestRefused, ResourceInUse

# Streams, time to live, recovery, tags, protection and table class stay behind, as on the service.
_KEPT = (
    "AttributeDefinitions",
    "KeySchema",
    "BillingMode",
    "ProvisionedThroughput",
    "OnDemandThroughput",
    "LocalSecondaryIndexes",
    "GlobalSecondaryIndexes",
    "SSESpecification",
)
_UNITS = ("ReadCapacityUnits", "WriteCapacityUnits")
_INDEXES = {
    "LocalSecondaryIndexes": "LocalSecondaryIndexOverride",
    "GlobalSecondaryIndexes": "GlobalSecondaryIndexOverride",
}


def restored_definition(source: Mapping[str, Any], request: Mapping[str, Any], now: float) -> dict[str, Any]:
    """What a restore makes of the source's definition and the request's overrides."""
    request = known_members(SHAPES["RestoreTableFromBackup"], request)
    definition = {name: copy.deepcopy(source[name]) for name in _KEPT if name in source}
    for member, override in _INDEXES.items():
        if request.get(override) is not None:
            definition[member] = _chosen(definition.get(member, ()), request[override])
    _settle_billing(definition, request)
    if request.get("SSESpecificationOverride") is not None:
        definition["SSESpecification"] = request["SSESpecificationOverride"]
    indexes = [index for member in _INDEXES for index in definition.get(member, ())]
    used = {key["AttributeName"] for one in (definition, *indexes) for key in one["KeySchema"]}
    definition["AttributeDefinitions"] = [
        one for one in definition["AttributeDefinitions"] if one["AttributeName"] in used
    ]
    for member in _INDEXES:
        if not definition.get(member):
            definition.pop(member, None)
    definition["IndexNumbers"] = {index["IndexName"]: number for number, index in enumerate(indexes, 1)}
    definition["NextIndex"] = len(indexes) + 1
    definition["CreationDateTime"] = now
    if definition["BillingMode"] == "PAY_PER_REQUEST":
        definition["PayPerRequestSince"] = now
    return definition


def refuse_source(catalogue: Catalogue, kind: Literal["Backup", "Table"], number: int) -> None:
    """Refuse to take away what a table is still being restored from."""
    for table in catalogue.tables.values():
        if table.restoring and table.schema.definition["Restoring"].get(kind) == number:
            if kind == "Backup":
                raise ResourceInUse(
                    f"Backup is being used to restore the table {table.name}", wire_name="BackupInUseException"
                )
            raise ResourceInUse(
                f"Attempt to change a resource which is still in use: Table {table.name} is being restored from it"
            )


def _chosen(known: Sequence[Mapping[str, Any]], wanted: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    by_name = {index["IndexName"]: index for index in known}
    chosen: list[dict[str, Any]] = []
    for index in wanted:
        name = index["IndexName"]
        there = by_name.get(name)
        if there is None or any(there[part] != index[part] for part in ("KeySchema", "Projection")):
            _refuse(
                f"Index {name} does not match a secondary index that existed in the source table and cannot be "
                "created during the restore operation"
            )
        if any(one["IndexName"] == name for one in chosen):
            _refuse(f"Duplicate index name: {name}")
        chosen.append({**there, **index})
    return copy.deepcopy(chosen)


def _settle_billing(definition: dict[str, Any], request: Mapping[str, Any]) -> None:
    billing, throughput = request.get("BillingModeOverride"), request.get("ProvisionedThroughputOverride")
    on_demand = request.get("OnDemandThroughputOverride")
    mode = billing or definition["BillingMode"]
    indexes = definition.get("GlobalSecondaryIndexes", ())
    if mode == "PAY_PER_REQUEST":
        if throughput is not None and billing is not None:
            _refuse("Cannot override ProvisionedThroughput if BillingMode is overridden to PAY_PER_REQUEST")
        if throughput is not None:
            _refuse("Cannot override ProvisionedThroughput unless BillingMode is PROVISIONED")
        definition.pop("ProvisionedThroughput", None)
        for index in indexes:
            index.pop("ProvisionedThroughput", None)
        if on_demand is not None:
            definition["OnDemandThroughput"] = dict(on_demand)
    else:
        if throughput is None and billing is not None:
            _refuse("Must override ProvisionedThroughput if BillingMode is overridden to PROVISIONED")
        if on_demand is not None:
            _refuse(
                "Cannot override MaxReadRequestUnits for OnDemandThroughput unless BillingModeOverride is "
                "PAY_PER_REQUEST"
            )
        definition.pop("OnDemandThroughput", None)
        if throughput is not None:
            definition["ProvisionedThroughput"] = dict(throughput)
        for index in indexes:
            index.pop("OnDemandThroughput", None)
            if index.get("ProvisionedThroughput") is None:
                _refuse(f"Must specify provisioned throughput for index {index['IndexName']}")
    definition["BillingMode"] = mode
    for holder in (definition, *indexes):
        units = holder.get("ProvisionedThroughput")
        if units is not None:
            # When the source's units went up and down is no part of the new table's story.
            holder["ProvisionedThroughput"] = {unit: units[unit] for unit in _UNITS}


def _refuse(message: str) -> NoReturn:
    raise RequestRefused(f"Invalid Request: {message}")
