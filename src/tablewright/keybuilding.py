"""Keys built by hand: functions without state that build keys and cut them, on the same codec as the model's own keys.

A model does all of this by itself. These are for code beside it: scripts, raw requests, stream consumers, other tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, overload

from tablewright.compiler.entity_plan import EntityPlan, IndexBinding
from tablewright.errors import ArgumentError, MissingKeyPartError, UnknownEntityTypeError, UnknownIndexError
from tablewright.model.entity import Entity, did_you_mean
from tablewright.model.indexes import AttributeNames
from tablewright.table import Table
from tablewright.values.keybuilding.buckets import time_bucket, time_series_key, ttl_timestamp
from tablewright.values.keybuilding.multi import (
    hierarchical_multi_key,
    multi_attribute_key,
    multi_tenant_key,
    time_series_multi_key,
    validate_multi_attribute_key,
)
from tablewright.values.keybuilding.shards import (
    ShardedKey,
    all_shard_keys,
    distributed_key,
    get_shard_number,
    sharded_write,
)
from tablewright.values.keybuilding.texts import (
    KeyPair,
    adjacency_keys,
    composite_key,
    entity_key,
    gsi_key,
    hierarchical_key,
    key_range,
    parse_composite_key,
    parse_entity_key,
    parse_hierarchical_key,
)
from tablewright.values.keycodec import KeyRange
from tablewright.values.types import AttributeValue, Item

T = TypeVar("T")
V = TypeVar("V")

__all__ = [
    "KeyPair",
    "KeyRange",
    "ShardedKey",
    "adjacency_keys",
    "all_shard_keys",
    "build_sort_key",
    "composite_key",
    "distributed_key",
    "entity_key",
    "get_shard_number",
    "gsi_key",
    "hierarchical_key",
    "hierarchical_multi_key",
    "increment_version",
    "index_key",
    "key_range",
    "multi_attribute_key",
    "multi_tenant_key",
    "parse_composite_key",
    "parse_entity_key",
    "parse_hierarchical_key",
    "primary_key",
    "sharded_write",
    "sparse_index_value",
    "time_bucket",
    "time_series_key",
    "time_series_multi_key",
    "ttl_timestamp",
    "validate_multi_attribute_key",
    "version_attribute",
]


# ---------------------------------------------------------------------------------------- keys of declared entities


def primary_key(entity: type[Entity], /, **fields: Any) -> Item:
    """The primary key of an item, for raw requests: `primary_key(User, username="alice")` is `{"PK": {"S": ...}, ...}`.

    The fields are checked as the entity says; all that the key is made of must be given, and nothing else.
    """
    plan = _plan(entity)
    return plan.locate(fields)[1]


def index_key(entity: type[Entity], index: str, /, **fields: Any) -> Item:
    """The key of an item on an index, for raw requests: `index_key(User, "GSI1", email="a@b.c")`."""
    plan = _plan(entity)
    binding = _binding(plan, index)
    for name in fields:
        if name not in binding.required:
            raise ArgumentError(
                f"{plan.name}.{name} is no part of the key on {index}.{did_you_mean(name, binding.required)}",
                field=name,
            )
    for name in sorted(binding.required - fields.keys()):
        raise MissingKeyPartError(
            f"{plan.name}: the key on {index} needs {name}.", field=name, constraint="required", hint="Give it."
        )
    values = {name: plan.sources[name].accept(value) for name, value in fields.items()}
    return {key.attribute.name: key.encode(values) for key in binding.keys}


def build_sort_key(table: Table, entity_type: str, /, **fields: Any) -> AttributeValue:
    """The sort key of an item by the name of its type, as items carry it; a type that the model lacks is refused."""
    plan = table.plan.by_type.get(entity_type)
    if plan is None:
        raise UnknownEntityTypeError(
            f"{table.name} has no entity of the type {entity_type!r}.{did_you_mean(str(entity_type), table.plan.by_type)}"
        )
    if plan.sk is None:
        raise ArgumentError(f"{table.name} has no sort key.")
    return plan.locate(fields)[1][plan.sk.attribute.name]


def _plan(entity: type[Entity]) -> EntityPlan:
    table = getattr(entity, "__table__", None)
    if not isinstance(table, Table):
        raise ArgumentError("The first argument is no entity of a table.", hint='primary_key(User, username="alice")')
    return table.plan.of(entity)


def _binding(plan: EntityPlan, index: str) -> IndexBinding:
    for binding in plan.bindings:
        if binding.index.name == index:
            return binding
    known = [b.index.name for b in plan.bindings]
    raise UnknownIndexError(f"{plan.name} has no keys on {index!r}.{did_you_mean(str(index), known)}")


# --------------------------------------------------------------------------------------------- versions and sparseness


def version_attribute(names: AttributeNames | None = None) -> str:
    """The attribute that holds the version of an item: that of a table with these names, or the usual one."""
    return (names or AttributeNames()).version


def increment_version(version: int) -> int:
    """The version after this one."""
    if not isinstance(version, int) or isinstance(version, bool) or version < 0:
        raise ArgumentError("A version is a whole number from 0 on.", constraint="version >= 0")
    return version + 1


@overload
def sparse_index_value(condition: bool, value: Mapping[str, V]) -> dict[str, V]: ...
@overload
def sparse_index_value(condition: bool, value: T) -> T | None: ...
def sparse_index_value(condition: bool, value: Any) -> Any:
    """The value while the condition holds, else None. A mapping of index attributes, to be merged into an item, becomes
    an empty one: `{**item, **sparse_index_value(verified, {"GSI1PK": "VERIFIED"})}`."""
    if not isinstance(condition, bool):
        raise ArgumentError("sparse_index_value() takes True or False first.", constraint="bool")
    if isinstance(value, Mapping):
        return dict(value) if condition else {}
    return value if condition else None
