"""Keys and secondary indexes in the definitions of tables: which the service allows, and its words for the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from tablewright.engine.validation.throughput import check_index_throughput
from tablewright.errors import RequestRefused

MAX_GLOBAL_INDEXES = 20
MAX_LOCAL_INDEXES = 5
MAX_KEY_ATTRIBUTES = 4
MAX_PROJECTED = 100

_INVALID = "One or more parameter values were invalid: "

Keys = Sequence[Mapping[str, str]]
Indexes = Sequence[Mapping[str, Any]]


def names_of(elements: Keys) -> list[str]:
    """The attribute names in a key schema or in attribute definitions."""
    return [element["AttributeName"] for element in elements]


def check_table_keys(request: Mapping[str, Any]) -> None:
    """Refuse a table's key schema, or definitions that do not go with it."""
    defined, keys = names_of(request["AttributeDefinitions"]), request["KeySchema"]
    for position, name in enumerate(defined):
        if name in defined[:position]:
            raise RequestRefused(f"Attribute Name is duplicated: {name}")
    if len(keys) > len(defined):
        raise RequestRefused("Invalid KeySchema: Some index key attribute have no definition")
    check_defined(names_of(keys), defined)
    _check_pair(keys)
    if request.get("LocalSecondaryIndexes") is None and request.get("GlobalSecondaryIndexes") is None:
        check_all_used(request["AttributeDefinitions"], set(names_of(keys)), has_indexes=False)


def check_all_used(definitions: Keys, used: set[str], *, has_indexes: bool) -> None:
    """Refuse definitions of attributes that are in no key."""
    defined = names_of(definitions)
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


def used_names(keys: Keys, *indexes: Indexes | None) -> set[str]:
    """The attributes in the keys of a table and its indexes."""
    used = set(names_of(keys))
    for group in indexes:
        for index in group or ():
            used.update(names_of(index["KeySchema"]))
    return used


def check_local_indexes(keys: Keys, indexes: Indexes, names: set[str]) -> None:
    """Refuse local indexes that a table with these keys cannot have."""
    if not indexes:
        _refuse("List of LocalSecondaryIndexes is empty")
    if len(keys) != 2:
        _refuse("Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex")
    table_hash = keys[0]["AttributeName"]
    for index in indexes:
        index_keys, name = index["KeySchema"], index["IndexName"]
        _check_pair(index_keys)
        if len(index_keys) != 2:
            _refuse(f"Index KeySchema does not have a range key for index: {name}")
        if index_keys[0]["AttributeName"] != table_hash:
            _refuse(
                f"Index KeySchema does not have the same leading hash key as table KeySchema for index: {name}. "
                f"index hash key: {index_keys[0]['AttributeName']}, table hash key: {table_hash}"
            )
        _check_projection(index)
        _check_new_name(index, names)
    if len(indexes) > MAX_LOCAL_INDEXES:
        _refuse(f"Number of LocalSecondaryIndexes exceeds per-table limit of {MAX_LOCAL_INDEXES}")


def check_global_indexes(indexes: Indexes, names: set[str], billing: str) -> None:
    """Refuse global indexes of a new table."""
    if not indexes:
        _refuse("List of GlobalSecondaryIndexes is empty")
    for index in indexes:
        check_global_index(index, billing, joins=False)
        _check_new_name(index, names)
    if len(indexes) > MAX_GLOBAL_INDEXES:
        _refuse(f"GlobalSecondaryIndex count exceeds the per-table limit of {MAX_GLOBAL_INDEXES}")


def check_global_index(index: Mapping[str, Any], billing: str, *, joins: bool) -> None:
    """Refuse one global index for its keys, projection or capacity; `joins` a table that is there already."""
    keys = index["KeySchema"]
    roles = [element["KeyType"] for element in keys]
    if len(keys) <= 2 and roles != ["HASH", "HASH"]:
        _check_pair(keys)
    if roles[0] != "HASH":
        raise RequestRefused("Invalid KeySchema: The first KeySchemaElement is not a HASH key type")
    if roles != sorted(roles):
        _refuse("All HASH key attributes must precede RANGE key attributes in the KeySchema")
    for role in ("HASH", "RANGE"):
        if roles.count(role) > MAX_KEY_ATTRIBUTES:
            _refuse(f"The KeySchema exceeds the maximum allowed number of {role} key attributes")
    if len(set(names_of(keys))) < len(keys):
        raise RequestRefused("The KeySchema contains multiple key attributes with the same name")
    _check_projection(index)
    check_index_throughput(index, billing, joins=joins)


def check_projected(*groups: Indexes | None) -> None:
    """Refuse indexes that together project too many attributes by name."""
    indexes = [index for group in groups for index in group or ()]
    if sum(len(index["Projection"].get("NonKeyAttributes") or ()) for index in indexes) > MAX_PROJECTED:
        _refuse(f"Total number of projected attributes in all indexes exceeds the per-table limit of {MAX_PROJECTED}")


def check_defined(names: Sequence[str], defined: Sequence[str]) -> None:
    """Refuse keys of attributes that are not defined."""
    if any(name not in defined for name in names):
        _refuse(
            "Some index key attributes are not defined in AttributeDefinitions. "
            f"Keys: [{', '.join(names)}], AttributeDefinitions: [{', '.join(defined)}]"
        )


def _check_pair(keys: Keys) -> None:
    """A HASH attribute and perhaps a RANGE attribute: tables, local indexes and most global ones."""
    if len(keys) > 1 and keys[0]["AttributeName"] == keys[1]["AttributeName"]:
        raise RequestRefused("Both the Hash Key and the Range Key element in the KeySchema have the same name")
    if keys[0]["KeyType"] != "HASH":
        raise RequestRefused("Invalid KeySchema: The first KeySchemaElement is not a HASH key type")
    if len(keys) > 1 and keys[1]["KeyType"] != "RANGE":
        raise RequestRefused("Invalid KeySchema: The second KeySchemaElement is not a RANGE key type")


def _check_projection(index: Mapping[str, Any]) -> None:
    kind, included = index["Projection"].get("ProjectionType"), index["Projection"].get("NonKeyAttributes")
    if kind is None:
        _refuse("Unknown ProjectionType: null")
    if included is not None and kind != "INCLUDE":
        _refuse(f"ProjectionType is {kind}, but NonKeyAttributes is specified")
    if kind == "INCLUDE" and not included:
        _refuse("ProjectionType is INCLUDE, but NonKeyAttributes is not specified")
    seen: set[str] = set()
    for name in included or ():
        if name in seen:
            _refuse(f"Duplicate element in NonKeyAttributes: {name}")
        seen.add(name)


def _check_new_name(index: Mapping[str, Any], names: set[str]) -> None:
    if index["IndexName"] in names:
        _refuse(f"Duplicate index name: {index['IndexName']}")
    names.add(index["IndexName"])


def _refuse(message: str) -> NoReturn:
    raise RequestRefused(f"{_INVALID}{message}")
