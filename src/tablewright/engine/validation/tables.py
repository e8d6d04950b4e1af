"""Definitions of tables: what CreateTable and UpdateTable may ask for, and the definition that is stored."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from tablewright.engine.schema import TableSchema
from tablewright.engine.validation.indexes import (
    MAX_GLOBAL_INDEXES,
    check_all_used,
    check_defined,
    check_global_index,
    check_global_indexes,
    check_local_indexes,
    check_projected,
    check_table_keys,
    names_of,
    used_names,
)
from tablewright.engine.validation.members import known_members
from tablewright.engine.validation.streams import settle_changed_stream, settle_new_stream
from tablewright.engine.validation.table_requests import SHAPES
from tablewright.engine.validation.throughput import change_billing, change_index, check_billing, check_bounds
from tablewright.errors import LimitExceeded, RequestRefused, ResourceNotFound

Definition = dict[str, Any]

_INVALID = "One or more parameter values were invalid: "
_SETTINGS = ("StreamSpecification", "SSESpecification", "TableClass", "DeletionProtectionEnabled")
_CAPACITY = ("ProvisionedThroughput", "OnDemandThroughput", "WarmThroughput")
_CLASSES = ("STANDARD", "STANDARD_INFREQUENT_ACCESS")
_ALONE = {
    "SSESpecification": "Server-Side Encryption",
    "TableClass": "TableClass",
    "DeletionProtectionEnabled": "DeletionProtection",
}
_UNSUPPORTED = {
    "ReplicaUpdates": "global tables",
    "GlobalTableSourceArn": "global tables",
    "GlobalTableWitnessUpdates": "global tables",
    "VectorIndexes": "vector indexes",
    "VectorIndexUpdates": "vector indexes",
}


def new_definition(request: Mapping[str, Any], now: float) -> Definition:
    """The definition of a table that CreateTable asks for."""
    _refuse_unsupported(request)
    request = known_members(SHAPES["CreateTable"], request)
    billing = request.get("BillingMode") or "PROVISIONED"
    check_billing(request)
    check_table_keys(request)
    definitions, keys = request["AttributeDefinitions"], request["KeySchema"]
    local, indexes = request.get("LocalSecondaryIndexes"), request.get("GlobalSecondaryIndexes")
    if local or indexes:
        # Before anything else of the indexes.
        for index in (*(local or ()), *(indexes or ())):
            check_defined(names_of(index["KeySchema"]), names_of(definitions))
        check_all_used(definitions, used_names(keys, local, indexes), has_indexes=True)
    names: set[str] = set()
    if local is not None:
        check_local_indexes(keys, local, names)
    if indexes is not None:
        check_global_indexes(indexes, names, billing)
    check_projected(local, indexes)
    _check_encryption(request)
    _check_class(request)
    definition: Definition = {
        "AttributeDefinitions": definitions,
        "KeySchema": keys,
        "BillingMode": billing,
        "CreationDateTime": now,
        "IndexNumbers": {},
        "NextIndex": 1,
    }
    for member in (*_CAPACITY, "LocalSecondaryIndexes", "GlobalSecondaryIndexes", *_SETTINGS):
        if request.get(member) is not None:
            definition[member] = request[member]
    for holder in (definition, *(indexes or ())):
        _drop_empty(holder)
    if billing == "PAY_PER_REQUEST":
        definition["PayPerRequestSince"] = now
    settle_new_stream(definition, request)
    for index in (*(local or ()), *(indexes or ())):
        _number(definition, index["IndexName"])
    return definition


def check_changes(request: Mapping[str, Any]) -> None:
    """Refuse an UpdateTable that makes no sense, whichever table it is for."""
    _refuse_unsupported(request)
    given = [name for name in (*_CAPACITY, "BillingMode", *_SETTINGS) if request.get(name) not in (None, {})]
    updates: Sequence[Mapping[str, Any]] | None = request.get("GlobalSecondaryIndexUpdates")
    if not updates and not given and request.get("SSESpecification") is None:
        raise RequestRefused(
            "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates, "
            "SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, MultiRegionConsistency, "
            "DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is required"
        )
    if updates is not None and not updates:
        _refuse("List of GlobalSecondaryIndexUpdates is empty")
    throughput = request.get("ProvisionedThroughput")
    if throughput is None:
        if request.get("BillingMode") == "PROVISIONED":
            _refuse("ProvisionedThroughput must be specified when BillingMode is PROVISIONED")
    else:
        check_bounds(throughput)
    _check_index_changes(updates or (), request.get("AttributeDefinitions"))
    _check_together(given, updates or ())
    _check_encryption(request)
    _check_class(request)


def _check_index_changes(updates: Sequence[Mapping[str, Any]], definitions: Sequence[Any] | None) -> None:
    """Refuse changes of indexes that cannot stand so, or not beside one another."""
    kinds = ("GlobalSecondaryIndexUpdate.Update", "GlobalSecondaryIndexUpdate.Create")
    named: set[str] = set()
    for update in updates:
        given = [change for change in map(update.get, ("Update", "Create", "Delete")) if change is not None]
        if not given:
            _refuse(f"One of {kinds[0]}, {kinds[1]}, GlobalSecondaryIndexUpdate.Delete must not be null")
        if len(given) > 1:
            _refuse("Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object")
        name = given[0]["IndexName"]
        if name in named:
            _refuse(f"Only one global secondary index update per index is allowed simultaneously. Index: {name}")
        named.add(name)
        if update.get("Create") is not None and not definitions:
            _refuse(f"AttributeDefinitions is not specified for index: {name}")
        if update.get("Update") is not None and update["Update"].get("WarmThroughput") == {}:
            _refuse(
                "WarmThroughput must have at least one of ReadUnitsPerSecond or WriteUnitsPerSecond specified for "
                f"index: {name}"
            )


def _check_together(given: Sequence[str], updates: Sequence[Mapping[str, Any]]) -> None:
    """Refuse changes that a request cannot ask for together: most of them stand alone."""
    together = [*given, *(["GlobalSecondaryIndexUpdates"] if updates else [])]
    if len(together) < 2:
        return
    moves = any(update.get("Create") is not None or update.get("Delete") is not None for update in updates)
    for name, what in _ALONE.items():
        if name in given:
            _refuse(f"{what} modification must be the only operation in the request")
    if "OnDemandThroughput" in given and set(together) != {"OnDemandThroughput", "BillingMode"}:
        _refuse("OnDemandThroughput can only be combined with BillingMode in an UpdateTable request")
    if "WarmThroughput" in given:
        if any(update.get("Create") is not None for update in updates):
            _refuse("Create global secondary index cannot be specified when updating WarmThroughput")
        _refuse("WarmThroughput must be the only operation in the request")
    if "ProvisionedThroughput" in given and moves:
        _refuse("You cannot create or delete index while updating table IOPS")


def changed_definition(request: Mapping[str, Any], schema: TableSchema, now: float) -> Definition:
    """A table's definition after an UpdateTable that `check_changes` found possible."""
    request = known_members(SHAPES["UpdateTable"], request)
    definition: Definition = copy.deepcopy(dict(schema.definition))
    updates: Sequence[Mapping[str, Any]] = request.get("GlobalSecondaryIndexUpdates") or ()
    moved = [update for update in updates if update.get("Create") is not None or update.get("Delete") is not None]
    filling = schema.filling
    # An index that is being created can be deleted, but no other.
    if len(moved) > 1 or (filling is not None and any(_name_deleted(update) != filling.name for update in moved)):
        raise LimitExceeded(
            "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table"
        )
    change_billing(definition, request, updates, now)
    for name in _SETTINGS:
        if request.get(name) is not None:
            definition[name] = request[name]
    _settle_encryption(definition, request.get("SSESpecification"), schema)
    settle_changed_stream(definition, request, schema)
    _change_indexes(schema.name, definition, request.get("AttributeDefinitions") or (), updates, now)
    return definition


def _change_indexes(
    table: str,
    definition: Definition,
    definitions: Sequence[Mapping[str, str]],
    updates: Sequence[Mapping[str, Any]],
    now: float,
) -> None:
    types = {one["AttributeName"]: one for one in definition["AttributeDefinitions"]}
    keys = {key["AttributeName"] for one in updates if one.get("Create") for key in one["Create"]["KeySchema"]}
    for one in definitions:
        name = one["AttributeName"]
        # A type that is known already stands; another is only a fault where the request uses it.
        if types.setdefault(name, dict(one))["AttributeType"] != one["AttributeType"] and name in keys:
            _refuse_types(updates, types, definitions)
    indexes: list[Any] = definition.get("GlobalSecondaryIndexes", [])
    for update in updates:
        create, change, delete = update.get("Create"), update.get("Update"), update.get("Delete")
        if create is not None:
            _create_index(definition, indexes, create, definitions)
        elif change is not None:
            change_index(definition, _find(table, definition, change["IndexName"], "update"), change, now)
        elif delete is not None:
            indexes.remove(_find(table, definition, delete["IndexName"], "delete"))
            del definition["IndexNumbers"][delete["IndexName"]]
    used = used_names(definition["KeySchema"], definition.get("LocalSecondaryIndexes"), indexes)
    # What no key uses is forgotten without a word, as on the service.
    definition["AttributeDefinitions"] = [one for name, one in types.items() if name in used]
    definition["GlobalSecondaryIndexes"] = indexes


def _create_index(
    definition: Definition, indexes: list[Any], create: dict[str, Any], definitions: Sequence[Mapping[str, str]]
) -> None:
    name = create["IndexName"]
    # The request must define the keys of its index, also those that the table has defined before.
    check_defined(names_of(create["KeySchema"]), names_of(definitions))
    check_global_index(create, definition["BillingMode"], joins=True)
    if name in definition["IndexNumbers"]:
        raise RequestRefused("Attempting to create an index which already exists")
    if len(indexes) >= MAX_GLOBAL_INDEXES:
        raise LimitExceeded(
            "Subscriber limit exceeded: Number of global secondary indexes exceeds per-table limit of "
            f"{MAX_GLOBAL_INDEXES}"
        )
    _drop_empty(create)
    indexes.append(create)
    check_projected(definition.get("LocalSecondaryIndexes"), indexes)
    _number(definition, name)


def _refuse_types(
    updates: Sequence[Mapping[str, Any]],
    known: Mapping[str, Mapping[str, str]],
    definitions: Sequence[Mapping[str, str]],
) -> NoReturn:
    """Refuse an index whose keys the request gives other types than the table has given them."""
    before = {name: one["AttributeType"] for name, one in known.items()}
    given = {one["AttributeName"]: one["AttributeType"] for one in definitions}
    existing, new = given | before, before | given
    keys = [key for update in updates if update.get("Create") for key in update["Create"]["KeySchema"]]

    def schema(types: Mapping[str, str]) -> str:
        named = [(key["AttributeName"], key["KeyType"]) for key in keys]
        return ", ".join(f"SchemaElement: key{{{name}:{types[name]}:{role}}}" for name, role in named if name in types)

    _refuse(
        "Attributes cannot be redefined. Please check that your attribute has the same type as previously defined. "
        f"Existing schema: Schema:[{schema(existing)}] New schema: Schema:[{schema(new)}]"
    )


def _name_deleted(update: Mapping[str, Any]) -> str | None:
    delete = update.get("Delete")
    return None if delete is None else delete["IndexName"]


def _number(definition: Definition, name: str) -> None:
    # Like a table's number, an index's number is never used again.
    definition["IndexNumbers"][name] = definition["NextIndex"]
    definition["NextIndex"] += 1


def _find(table: str, definition: Definition, name: str, what: str) -> Any:
    for index in definition.get("GlobalSecondaryIndexes", ()):
        if index["IndexName"] == name:
            return index
    if name in definition["IndexNumbers"]:
        raise RequestRefused(f"Cannot {what} an index that is not a GlobalSecondaryIndex: {name}")
    raise ResourceNotFound(f"Requested resource not found: Index {name} for table {table}")


def _drop_empty(holder: Definition) -> None:
    for member in ("OnDemandThroughput", "WarmThroughput"):
        if not holder.get(member):
            holder.pop(member, None)


def _check_encryption(request: Mapping[str, Any]) -> None:
    encryption = request.get("SSESpecification") or {}
    enabled, key = encryption.get("Enabled"), encryption.get("KMSMasterKeyId")
    if enabled is False:
        for member in ("SSEType", "KMSMasterKeyId"):
            if encryption.get(member) is not None:
                _refuse(f"{member} can not be specified if Enabled is false")
    if encryption.get("SSEType") == "AES256":
        _refuse("SSEType AES256 is not supported")
    if key is not None and encryption.get("SSEType") is None:
        _refuse("SSEType KMS is required if KMSMasterKeyId is specified")


def _settle_encryption(definition: Definition, wanted: Mapping[str, Any] | None, schema: TableSchema) -> None:
    """What UpdateTable makes of its SSESpecification: a type stands for being enabled."""
    if wanted is None:
        return
    enabled = wanted.get("Enabled", wanted.get("SSEType") is not None)
    if not enabled and not (schema.definition.get("SSESpecification") or {}).get("Enabled"):
        _refuse("Table is already encrypted by default")
    definition["SSESpecification"] = {**wanted, "Enabled": enabled}


def _check_class(request: Mapping[str, Any]) -> None:
    if request.get("TableClass") not in (None, *_CLASSES):
        raise RequestRefused(
            "Invalid table-class parameter provided. Please try again with a valid table-class value: "
            f"[{', '.join(_CLASSES)}]."
        )


def _refuse_unsupported(request: Mapping[str, Any]) -> None:
    for parameter, feature in _UNSUPPORTED.items():
        if request.get(parameter):
            raise RequestRefused(f"{parameter} is not supported: the engine has no {feature}.")


def _refuse(message: str) -> NoReturn:
    raise RequestRefused(f"{_INVALID}{message}")
