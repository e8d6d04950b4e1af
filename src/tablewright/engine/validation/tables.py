"""Definitions of tables: what CreateTable and UpdateTable may ask for, and the definition that is stored."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from tablewright.engine.schema import TableSchema
from tablewright.engine.validation.streams import settle_changed_stream, settle_new_stream
from tablewright.errors import LimitExceeded, RequestRefused, ResourceNotFound

MAX_GLOBAL_INDEXES = 20
MAX_LOCAL_INDEXES = 5
MAX_KEY_ATTRIBUTES = 4
MAX_PROJECTED = 100

_INVALID = "One or more parameter values were invalid: "
_SETTINGS = ("StreamSpecification", "SSESpecification", "TableClass", "DeletionProtectionEnabled")

Definition = dict[str, Any]


def new_definition(request: Mapping[str, Any], now: float) -> Definition:
    """The definition of a table that CreateTable asks for."""
    _check_billing(request)
    _check_table_keys(request)
    names: set[str] = set()
    local, indexes = request.get("LocalSecondaryIndexes"), request.get("GlobalSecondaryIndexes")
    if local is not None:
        _check_local_indexes(request, local, names)
    if indexes is not None:
        if not indexes:
            _refuse("List of GlobalSecondaryIndexes is empty")
        for index in indexes:
            _check_global_index(index, _defined(request["AttributeDefinitions"]), names)
            _check_index_throughput(index, request.get("BillingMode"))
        if len(indexes) > MAX_GLOBAL_INDEXES:
            _refuse(f"GlobalSecondaryIndex count exceeds the per-table limit of {MAX_GLOBAL_INDEXES}")
    _check_projected((*(local or ()), *(indexes or ())))
    used = _used_names(request["KeySchema"], local, indexes)
    _check_all_used(request["AttributeDefinitions"], used, has_indexes=bool(local or indexes))
    definition: Definition = {
        "AttributeDefinitions": request["AttributeDefinitions"],
        "KeySchema": request["KeySchema"],
        "BillingMode": request.get("BillingMode") or "PROVISIONED",
        "CreationDateTime": now,
        "IndexNumbers": {},
        "NextIndex": 1,
    }
    for member in ("ProvisionedThroughput", "LocalSecondaryIndexes", "GlobalSecondaryIndexes", *_SETTINGS):
        if request.get(member) is not None:
            definition[member] = request[member]
    settle_new_stream(definition, request)
    for index in (*(local or ()), *(indexes or ())):
        _number(definition, index["IndexName"])
    return copy.deepcopy(definition)


def changed_definition(request: Mapping[str, Any], schema: TableSchema, now: float) -> Definition:
    """A table's definition after UpdateTable."""
    definition: Definition = copy.deepcopy(dict(schema.definition))
    updates: Sequence[Mapping[str, Any]] = request.get("GlobalSecondaryIndexUpdates") or ()
    throughput, billing = request.get("ProvisionedThroughput"), request.get("BillingMode")
    if not updates and throughput is None and billing is None and all(request.get(name) is None for name in _SETTINGS):
        raise RequestRefused(
            "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates or "
            "SSESpecification or ReplicaUpdates is required"
        )
    _change_billing(definition, billing, throughput, now)
    for name in _SETTINGS:
        if request.get(name) is not None:
            definition[name] = copy.deepcopy(request[name])
    settle_changed_stream(definition, request, schema)
    _change_indexes(definition, request.get("AttributeDefinitions") or (), updates)
    return definition


# ----------------------------------------------------------------------------------------------------- billing


def _check_billing(request: Mapping[str, Any]) -> None:
    throughput = request.get("ProvisionedThroughput")
    if request.get("BillingMode") == "PAY_PER_REQUEST":
        if throughput is not None:
            _refuse(
                "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST"
            )
    elif throughput is None:
        _refuse("ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED")


def _check_index_throughput(index: Mapping[str, Any], billing: str | None) -> None:
    if billing == "PAY_PER_REQUEST":
        if index.get("ProvisionedThroughput") is not None:
            _refuse(
                f"ProvisionedThroughput should not be specified for index: {index['IndexName']} when BillingMode is "
                "PAY_PER_REQUEST"
            )
    elif index.get("ProvisionedThroughput") is None:
        _refuse(f"ProvisionedThroughput must be specified for index: {index['IndexName']}")


def _change_billing(definition: Definition, billing: str | None, throughput: Any, now: float) -> None:
    mode = billing or definition["BillingMode"]
    if mode == "PAY_PER_REQUEST":
        if throughput is not None:
            _refuse(
                "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST"
            )
        if definition["BillingMode"] != mode:
            definition["PayPerRequestSince"] = now
            definition.pop("ProvisionedThroughput", None)
            for index in definition.get("GlobalSecondaryIndexes", ()):
                index.pop("ProvisionedThroughput", None)
    elif throughput is not None:
        if throughput == definition.get("ProvisionedThroughput"):
            _refuse_same(throughput)
        definition["ProvisionedThroughput"] = dict(throughput)
    elif definition["BillingMode"] != mode:
        _refuse("ProvisionedThroughput must be specified when BillingMode is PROVISIONED")
    definition["BillingMode"] = mode


def _refuse_same(throughput: Mapping[str, int]) -> NoReturn:
    read, write = throughput["ReadCapacityUnits"], throughput["WriteCapacityUnits"]
    raise RequestRefused(
        "The provisioned throughput for the table will not change. The requested value equals the current value. "
        f"Current ReadCapacityUnits provisioned for the table: {read}. Requested ReadCapacityUnits: {read}. "
        f"Current WriteCapacityUnits provisioned for the table: {write}. Requested WriteCapacityUnits: {write}. "
        "Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits."
    )


# -------------------------------------------------------------------------------------------------------- keys


def _names(schema: Sequence[Mapping[str, str]]) -> list[str]:
    return [element["AttributeName"] for element in schema]


def _defined(definitions: Sequence[Mapping[str, str]]) -> list[str]:
    return [definition["AttributeName"] for definition in definitions]


def _check_table_keys(request: Mapping[str, Any]) -> None:
    defined, keys = _defined(request["AttributeDefinitions"]), request["KeySchema"]
    if len(set(defined)) < len(defined):
        _refuse("Cannot have two attributes with the same name")
    _check_defined(_names(keys), defined)
    _check_pair(keys)


def _check_defined(names: Sequence[str], defined: Sequence[str]) -> None:
    if any(name not in defined for name in names):
        _refuse(
            "Some index key attributes are not defined in AttributeDefinitions. "
            f"Keys: [{', '.join(names)}], AttributeDefinitions: [{', '.join(defined)}]"
        )


def _check_pair(keys: Sequence[Mapping[str, str]]) -> None:
    """A HASH attribute and perhaps a RANGE attribute: tables and local indexes."""
    if len(keys) > 1 and keys[0]["AttributeName"] == keys[1]["AttributeName"]:
        raise RequestRefused("Both the Hash Key and the Range Key element in the KeySchema have the same name")
    if keys[0]["KeyType"] != "HASH":
        raise RequestRefused("Invalid KeySchema: The first KeySchemaElement is not a HASH key type")
    if len(keys) > 1 and keys[1]["KeyType"] != "RANGE":
        raise RequestRefused("Invalid KeySchema: The second KeySchemaElement is not a RANGE key type")


def _check_all_used(definitions: Sequence[Mapping[str, str]], used: set[str], *, has_indexes: bool) -> None:
    defined = _defined(definitions)
    if set(defined) == used:
        return
    if not has_indexes:
        _refuse(
            "Number of attributes in KeySchema does not exactly match number of attributes defined in "
            "AttributeDefinitions"
        )
    _refuse(
        "Some AttributeDefinitions are not used. "
        f"AttributeDefinitions: [{', '.join(defined)}], keys used: [{', '.join(sorted(used))}]"
    )


def _used_names(keys: Sequence[Mapping[str, str]], *indexes: Sequence[Mapping[str, Any]] | None) -> set[str]:
    used = set(_names(keys))
    for group in indexes:
        for index in group or ():
            used.update(_names(index["KeySchema"]))
    return used


# ----------------------------------------------------------------------------------------------------- indexes


def _check_local_indexes(request: Mapping[str, Any], indexes: Sequence[Mapping[str, Any]], names: set[str]) -> None:
    if not indexes:
        _refuse("List of LocalSecondaryIndexes is empty")
    if len(request["KeySchema"]) != 2:
        _refuse("Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex")
    table_hash = request["KeySchema"][0]["AttributeName"]
    for index in indexes:
        keys, name = index["KeySchema"], index["IndexName"]
        _check_defined(_names(keys), _defined(request["AttributeDefinitions"]))
        _check_pair(keys)
        if len(keys) != 2:
            _refuse(f"Index KeySchema does not have a range key for index: {name}")
        if keys[0]["AttributeName"] != table_hash:
            _refuse(
                f"Index KeySchema does not have the same leading hash key as table KeySchema for index: {name}. "
                f"index hash key: {keys[0]['AttributeName']}, table hash key: {table_hash}"
            )
        _check_projection(index, names)
    if len(indexes) > MAX_LOCAL_INDEXES:
        _refuse(f"Number of LocalSecondaryIndexes exceeds per-table limit of {MAX_LOCAL_INDEXES}")


def _check_global_index(index: Mapping[str, Any], defined: Sequence[str], names: set[str]) -> None:
    keys = index["KeySchema"]
    _check_defined(_names(keys), defined)
    roles = [element["KeyType"] for element in keys]
    if len(keys) <= 2 and roles != ["HASH", "HASH"]:
        _check_pair(keys)
    if roles[0] != "HASH":
        raise RequestRefused("Invalid KeySchema: The first KeySchemaElement is not a HASH key type")
    if roles != sorted(roles):
        raise RequestRefused("All HASH key attributes must precede RANGE key attributes in the KeySchema")
    for role in ("HASH", "RANGE"):
        if roles.count(role) > MAX_KEY_ATTRIBUTES:
            raise RequestRefused(f"The KeySchema exceeds the maximum allowed number of {role} key attributes")
    if len(set(_names(keys))) < len(keys):
        raise RequestRefused("Both the Hash Key and the Range Key element in the KeySchema have the same name")
    _check_projection(index, names)


def _check_projection(index: Mapping[str, Any], names: set[str]) -> None:
    kind, included = index["Projection"].get("ProjectionType"), index["Projection"].get("NonKeyAttributes")
    if kind is None:
        _refuse("Unknown ProjectionType: null")
    if included is not None and kind != "INCLUDE":
        _refuse(f"ProjectionType is {kind}, but NonKeyAttributes is specified")
    if kind == "INCLUDE" and not included:
        _refuse("ProjectionType is INCLUDE, but NonKeyAttributes is not specified")
    if included is not None and len(set(included)) < len(included):
        _refuse("Cannot have two attributes with the same name")
    if index["IndexName"] in names:
        _refuse(f"Duplicate index name: {index['IndexName']}")
    names.add(index["IndexName"])


def _check_projected(indexes: Sequence[Mapping[str, Any]]) -> None:
    if sum(len(index["Projection"].get("NonKeyAttributes") or ()) for index in indexes) > MAX_PROJECTED:
        _refuse(f"Total number of projected attributes in all indexes exceeds the per-table limit of {MAX_PROJECTED}")


def _number(definition: Definition, name: str) -> None:
    # Like a table's number, an index's number is never used again.
    definition["IndexNumbers"][name] = definition["NextIndex"]
    definition["NextIndex"] += 1


def _change_indexes(
    definition: Definition, definitions: Sequence[Mapping[str, str]], updates: Sequence[Mapping[str, Any]]
) -> None:
    types = {one["AttributeName"]: one for one in definition["AttributeDefinitions"]}
    for one in definitions:
        if types.setdefault(one["AttributeName"], dict(one))["AttributeType"] != one["AttributeType"]:
            _refuse("Attribute redefined with another type: " + one["AttributeName"])
    indexes: list[Any] = definition.get("GlobalSecondaryIndexes", [])
    if sum(update.get("Create") is not None or update.get("Delete") is not None for update in updates) > 1:
        raise LimitExceeded(
            "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table"
        )
    for update in updates:
        create, change, delete = update.get("Create"), update.get("Update"), update.get("Delete")
        if create is not None:
            _create_index(definition, indexes, create, list(types))
        elif change is not None:
            found = _find(indexes, change["IndexName"])
            if definition["BillingMode"] == "PAY_PER_REQUEST":
                _check_index_throughput(change, "PAY_PER_REQUEST")
            found["ProvisionedThroughput"] = dict(change["ProvisionedThroughput"])
        elif delete is not None:
            indexes.remove(_find(indexes, delete["IndexName"]))
            del definition["IndexNumbers"][delete["IndexName"]]
        else:
            _refuse(
                "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
                "GlobalSecondaryIndexUpdate.Delete must not be null"
            )
    used = _used_names(definition["KeySchema"], definition.get("LocalSecondaryIndexes"), indexes)
    definition["AttributeDefinitions"] = [one for name, one in types.items() if name in used]
    definition["GlobalSecondaryIndexes"] = indexes


def _create_index(definition: Definition, indexes: list[Any], create: Mapping[str, Any], defined: list[str]) -> None:
    name = create["IndexName"]
    if name in definition["IndexNumbers"]:
        _refuse(f"Duplicate index name: {name}")
    _check_global_index(create, defined, set())
    _check_index_throughput(create, definition["BillingMode"])
    if len(indexes) >= MAX_GLOBAL_INDEXES:
        _refuse(f"GlobalSecondaryIndex count exceeds the per-table limit of {MAX_GLOBAL_INDEXES}")
    indexes.append(copy.deepcopy(dict(create)))
    _check_projected((*definition.get("LocalSecondaryIndexes", ()), *indexes))
    _number(definition, name)


def _find(indexes: Sequence[Any], name: str) -> Any:
    for index in indexes:
        if index["IndexName"] == name:
            return index
    raise ResourceNotFound("Requested resource not found")


def _refuse(message: str) -> NoReturn:
    raise RequestRefused(f"{_INVALID}{message}")
