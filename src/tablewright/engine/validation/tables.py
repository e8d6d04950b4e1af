"""Definitions of tables: what CreateTable and UpdateTable may ask for, and the definition that is stored."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from tablewright.engine.schema import TableSchema
from tablewright.engine.validation.indexes import (
    MAX_GLOBAL_INDEXES,
    check_all_used,
    check_global_index,
    check_global_indexes,
    check_local_indexes,
    check_projected,
    check_table_keys,
    refuse_number,
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
    names: set[str] = set()
    if local is not None:
        check_local_indexes(keys, definitions, local, names)
    if indexes is not None:
        check_global_indexes(definitions, indexes, names, billing)
    check_projected(local, indexes)
    check_all_used(definitions, used_names(keys, local, indexes), has_indexes=bool(local or indexes))
    _check_encryption(request)
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
    if billing == "PAY_PER_REQUEST":
        definition["PayPerRequestSince"] = now
    settle_new_stream(definition, request)
    for index in (*(local or ()), *(indexes or ())):
        _number(definition, index["IndexName"])
    return definition


def check_changes(request: Mapping[str, Any]) -> None:
    """Refuse an UpdateTable that makes no sense, whichever table it is for."""
    _refuse_unsupported(request)
    updates: Sequence[Mapping[str, Any]] = request.get("GlobalSecondaryIndexUpdates") or ()
    if not updates and all(request.get(name) is None for name in (*_CAPACITY, "BillingMode", *_SETTINGS)):
        raise RequestRefused(
            "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates or "
            "SSESpecification or ReplicaUpdates is required"
        )
    throughput = request.get("ProvisionedThroughput")
    if throughput is None:
        if request.get("BillingMode") == "PROVISIONED":
            _refuse("ProvisionedThroughput must be specified when BillingMode is PROVISIONED")
    else:
        check_bounds(throughput)
    kinds = ("GlobalSecondaryIndexUpdate.Update", "GlobalSecondaryIndexUpdate.Create")
    named: set[str] = set()
    for update in updates:
        given = [change for change in map(update.get, ("Update", "Create", "Delete")) if change is not None]
        if not given:
            _refuse(f"One of {kinds[0]}, {kinds[1]}, GlobalSecondaryIndexUpdate.Delete must not be null")
        if len(given) > 1:
            _refuse(f"Only one of {kinds[0]}, {kinds[1]}, GlobalSecondaryIndexUpdate.Delete may be specified")
        name = given[0]["IndexName"]
        if name in named:
            _refuse(f"Only one global secondary index update per index is allowed simultaneously. Index: {name}")
        named.add(name)
    _check_encryption(request)


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
    settle_changed_stream(definition, request, schema)
    _change_indexes(definition, request.get("AttributeDefinitions") or (), updates, now)
    return definition


def _change_indexes(
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
            change_index(definition, _find(indexes, change["IndexName"]), change, now)
        elif delete is not None:
            indexes.remove(_find(indexes, delete["IndexName"]))
            del definition["IndexNumbers"][delete["IndexName"]]
    used = used_names(definition["KeySchema"], definition.get("LocalSecondaryIndexes"), indexes)
    # What no key uses is forgotten without a word, as on the service.
    definition["AttributeDefinitions"] = [one for name, one in types.items() if name in used]
    definition["GlobalSecondaryIndexes"] = indexes


def _create_index(
    definition: Definition, indexes: list[Any], create: Mapping[str, Any], definitions: Sequence[Mapping[str, str]]
) -> None:
    name = create["IndexName"]
    # The request must define the keys of its index, also those that the table has defined before.
    check_global_index(create, definitions, definition["BillingMode"])
    if name in definition["IndexNumbers"]:
        raise RequestRefused("Attempting to create an index which already exists")
    if len(indexes) >= MAX_GLOBAL_INDEXES:
        refuse_number()
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


def _find(indexes: Sequence[Any], name: str) -> Any:
    for index in indexes:
        if index["IndexName"] == name:
            return index
    raise ResourceNotFound("Requested resource not found")


def _check_encryption(request: Mapping[str, Any]) -> None:
    encryption = request.get("SSESpecification") or {}
    if encryption.get("SSEType") == "AES256":
        _refuse("SSEType AES256 is not supported")
    if encryption.get("KMSMasterKeyId") is not None and not encryption.get("Enabled"):
        _refuse("KMSMasterKeyId can only be specified when SSE is enabled")


def _refuse_unsupported(request: Mapping[str, Any]) -> None:
    for parameter, feature in _UNSUPPORTED.items():
        if request.get(parameter):
            raise RequestRefused(f"{parameter} is not supported: the engine has no {feature}.")


def _refuse(message: str) -> NoReturn:
    raise RequestRefused(f"{_INVALID}{message}")
