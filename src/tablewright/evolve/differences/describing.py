"""A model as data, with everything that items, indexes and callers depend on, and nothing else.

Two of them can be compared although they were never in one process: a description is what is left of a model when its
module is gone.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from tablewright.compiler.entity_plan import EntityPlan, IndexBinding
from tablewright.compiler.reads import CollectionPlan, GetPlan, QueryPlan, ReadPlan
from tablewright.evolve.differences.shapes import Shape, shape_of
from tablewright.model.annotations import describe
from tablewright.model.conditions import AllOf, AnyOf, Condition, Negated, Test, path_text
from tablewright.model.indexes import Index
from tablewright.model.keys import Bucket, Derived
from tablewright.model.pattern import Pattern
from tablewright.model.signature import type_hints
from tablewright.table import Table


class FieldDescription(Struct, frozen=True):
    """One field."""

    attribute: str
    """Where it is stored: the attribute, with the map that it lies in."""
    shape: Shape
    required: bool
    default: str | None
    """The default, where it is a constant."""
    sealed: str = ""
    """How the value is made opaque."""


class KeysDescription(Struct, frozen=True):
    """The keys of an entity on the table or on one index."""

    pk: tuple[str, ...]
    sk: tuple[str, ...]
    when: str | None = None
    derived: Mapping[str, str] = {}


class EntityDescription(Struct, frozen=True):
    """One entity."""

    name: str
    type: str
    fields: Mapping[str, FieldDescription]
    keys: KeysDescription
    indexes: Mapping[str, KeysDescription]
    uniques: Mapping[str, str]
    """The template of each rule's marker."""
    options: Mapping[str, str]
    ttl: str | None = None
    schema_version: int | None = None


class IndexDescription(Struct, frozen=True):
    """One index."""

    keys: tuple[str, ...]
    projection: str
    local: bool


class PatternDescription(Struct, frozen=True):
    """One access pattern."""

    parameters: Mapping[str, str]
    optional: frozenset[str]
    """Parameters that have a default."""
    result: str
    requests: tuple[str, ...]
    indexes: frozenset[str]
    """The indexes that it reads, if it is not the table."""
    entities: frozenset[str]
    """The stored types that it returns."""


class ModelDescription(Struct, frozen=True):
    """A whole table."""

    name: str
    key: tuple[str, ...]
    settings: Mapping[str, str]
    stream: str | None
    indexes: Mapping[str, IndexDescription]
    entities: Mapping[str, EntityDescription]
    """By stored type."""
    patterns: Mapping[str, PatternDescription]
    changes: Mapping[str, Mapping[str, str]]
    """The parameters of each declared change."""


def describe_model(table: Table) -> ModelDescription:
    """The description of a table."""
    style = table.key_style
    names = {f"the attribute for {k}": v for k, v in asdict(table.names).items() if k not in ("pk", "sk")}
    return ModelDescription(
        name=table.name,
        key=tuple(f"{a.name} ({a.tag})" for a in (table.pk, table.sk) if a is not None),
        settings={"the key style": f"{style.separator} {style.escape} {style.strict}", **names},
        stream=table.stream,
        indexes={name: _index(index) for name, index in table.indexes.items()},
        entities={plan.options.type: _entity(plan) for plan in table.plan.entities.values()},
        patterns={name: _pattern(p, table.plan.patterns[name]) for name, p in table.patterns.items()},
        changes={
            name: {
                "entity": change.entity.__name__,
                **{n: _type_text(a) for n, a in change.parameters.annotations.items()},
            }
            for name, change in table.changes.items()
        },
    )


def _index(index: Index) -> IndexDescription:
    keys = tuple(f"{side} {a.name} ({a.tag})" for side in ("pk", "sk") for a in getattr(index, side))
    projection = ", ".join(sorted(index.include)) if index.include else index.projection
    return IndexDescription(keys, projection, index.local)


def _entity(plan: EntityPlan) -> EntityDescription:
    options, own = plan.options, (plan.pk, plan.sk)
    pk, sk = str(plan.pk), () if plan.sk is None else (str(plan.sk),)
    flags = {"version": options.version, "lock": options.lock, "timestamps": options.timestamps}
    soft = options.soft_delete
    return EntityDescription(
        name=plan.name,
        type=options.type,
        fields={name: _field(plan, name) for name in plan.fields},
        keys=KeysDescription((pk,), sk, derived=_derived(plan, [k for k in own if k is not None])),
        indexes={b.index.name: _binding(plan, b) for b in plan.bindings},
        uniques={u.name: str(u.keys[0]) for u in plan.uniques},
        options={
            **{name: "yes" for name, on in flags.items() if on},
            **({} if soft is None else {"soft_delete": f"{soft.keep}, {soft.feed}"}),
        },
        ttl=None if options.ttl is None else options.stored.get(options.ttl, options.ttl),
        schema_version=options.schema_version,
    )


def _field(plan: EntityPlan, name: str) -> FieldDescription:
    field = plan.fields[name]
    info: Any = plan.entity.model_fields[name]
    default = None if info.is_required() or info.default_factory is not None else _constant(info.default)
    sealed = "" if field.sealing is None else field.sealing.words
    return FieldDescription(".".join(field.path), shape_of(field.annotation), info.is_required(), default, sealed)


def _constant(value: Any) -> str:
    """A constant as text, without where in memory it lies."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))


def _binding(plan: EntityPlan, binding: IndexBinding) -> KeysDescription:
    when = None if binding.condition is None else condition_text(binding.condition)
    derived = _derived(plan, list(binding.keys))
    return KeysDescription(tuple(map(str, binding.pk)), tuple(map(str, binding.sk)), when, derived)


def _derived(plan: EntityPlan, keys: list[Any]) -> dict[str, str]:
    used = {name for key in keys for name in getattr(key, "derived", ())}
    return {name: _derived_text(plan.entity.keys.derive[name]) for name in sorted(used)}


def _derived_text(spec: Derived) -> str:
    if isinstance(spec, Bucket):
        return f"{spec.by} of {spec.field}"
    return f"one of {spec.of} by {', '.join(spec.fields)}"


def condition_text(condition: Condition) -> str:
    """A condition in words that are the same for the same condition."""
    match condition:
        case AllOf(parts):
            return f"({' and '.join(map(condition_text, parts))})"
        case AnyOf(parts):
            return f"({' or '.join(map(condition_text, parts))})"
        case Negated(inner):
            return f"not {condition_text(inner)}"
        case Test():
            operands = ", ".join(map(_constant, condition.operands()))
            return f"{path_text(condition.path)} {type(condition).__name__.lower()} {operands}".strip()
    return type(condition).__name__


def _pattern(pattern: Pattern[..., Any], plans: Mapping[tuple[object, ...], ReadPlan]) -> PatternDescription:
    parameters = inspect.signature(pattern.function).parameters
    reads: list[GetPlan | QueryPlan] = []
    for plan in plans.values():
        reads += [part.query for part in plan.parts] if isinstance(plan, CollectionPlan) else [plan]
    return PatternDescription(
        parameters={name: _type_text(a) for name, a in pattern.parameters.annotations.items()},
        optional=frozenset(n for n, p in parameters.items() if p.default is not inspect.Parameter.empty),
        result=_type_text(type_hints(pattern.function).get("return", Any)),
        requests=tuple(dict.fromkeys(str(plan.shown()) for plan in plans.values())),
        indexes=frozenset(n for read in reads if (n := read.served.path.index_name) is not None),
        entities=frozenset(read.plan.options.type for read in reads),
    )


def _type_text(annotation: Any) -> str:
    """A type without the modules that its names come from, since the two models may lie in different ones."""
    return re.sub(r"(?:\w+\.|<locals>\.)+(?=\w)", "", describe(annotation))
