"""What a read should find, worked out the slow way: every entity is looked at, and no key is asked."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cmp_to_key
from typing import Any

from tablewright.compiler.fields import CREATED, UPDATED
from tablewright.compiler.plan import TablePlan
from tablewright.compiler.reads import CollectionPlan, MixedPlan, QueryPlan
from tablewright.errors import ArgumentError
from tablewright.model.conditions import (
    AllOf,
    AnyOf,
    Between,
    Compare,
    Condition,
    Contains,
    Exists,
    IsIn,
    Missing,
    Negated,
    SizeIs,
    StartsWith,
    Test,
    substitute,
)
from tablewright.model.entity import Entity, Stored, stored

_OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def matching(read: Any, arguments: Mapping[str, Any], data: Iterable[Entity]) -> list[Entity]:
    """The entities that a get or a query of these arguments should find, in no particular order."""
    tests = [substitute(c, arguments) for c in (*read.conditions, *read.filters)]
    return [e for e in data if type(e) is read.entity and all(holds(t, e) for t in tests)]


def holds(condition: Condition, entity: Entity) -> bool:
    """Whether an entity meets a condition without parameters."""
    match condition:
        case AllOf(parts):
            return all(holds(c, entity) for c in parts)
        case AnyOf(parts):
            return any(holds(c, entity) for c in parts)
        case Negated(inner):
            return not holds(inner, entity)
        case Test():
            return _passes(condition, value_at(entity, condition.path))
    raise ArgumentError(f"A {type(condition).__name__} cannot be tried on an entity.")


def value_at(value: Any, path: Sequence[str | int]) -> Any:
    """What stands at a path of an entity; None where nothing does."""
    if isinstance(value, Entity) and path[0] in (CREATED, UPDATED) and path[0] not in type(value).model_fields:
        return getattr(stored(value), str(path[0]), None)
    for step in path:
        if isinstance(value, Mapping) or (isinstance(step, int) and isinstance(value, list | tuple)):
            try:
                value = value[step]  # type: ignore[index]
            except (KeyError, IndexError):
                return None
        else:
            value = getattr(value, str(step), None)
    return value


def _passes(test: Test, value: Any) -> bool:
    match test:
        case Exists():
            return value is not None
        case Missing():
            return value is None
        case Compare(_, _, "<>", other):
            return bool(value != other)
        case IsIn(_, _, chosen):
            return value in chosen
    if value is None:
        return False
    match test:
        case Compare(_, _, op, other):
            return _OPERATORS[op](value, other)
        case Between(_, _, low, high):
            return bool(low <= value <= high)
        case StartsWith(_, _, prefix):
            return bool(value.startswith(prefix))
        case Contains(_, _, member):
            return member in value
        case SizeIs(_, _, op, other):
            return _OPERATORS[op](len(value), other)
    raise ArgumentError(f"A {type(test).__name__} cannot be tried on an entity.")


def in_order(plan: TablePlan, compiled: QueryPlan | CollectionPlan | MixedPlan, found: Iterable[Any]) -> list[Any]:
    """Entities in the order of the sort key that serves a query."""
    query = compiled if isinstance(compiled, QueryPlan) else compiled.parts[0].query
    descending = compiled.descending if isinstance(compiled, MixedPlan) else query.descending
    names = [key.attribute.name for key in query.served.path.sk]

    def compared(one: Entity, other: Entity) -> int:
        return _order(plan, names, one, other)

    return sorted(found, key=cmp_to_key(compared), reverse=descending)


def same_place(plan: TablePlan, compiled: QueryPlan | MixedPlan, one: Entity, other: Entity) -> bool:
    """Whether the sort key does not tell two entities apart, so that either may come first."""
    names = [key.attribute.name for key in compiled.served.path.sk]
    return _order(plan, names, one, other) == 0


def _order(plan: TablePlan, names: Sequence[str], one: Entity, other: Entity) -> int:
    first, second = _keys(plan, one), _keys(plan, other)
    for name in names:
        a, b = _comparable(first[name]), _comparable(second[name])
        if a != b:
            return -1 if a < b else 1
    return 0


def _keys(plan: TablePlan, entity: Entity) -> dict[str, Any]:
    own = plan.of(type(entity))
    values = {name: getattr(entity, name) for name in own.fields}
    kept = stored(entity) or Stored()
    values |= {CREATED: kept.created_at, UPDATED: kept.updated_at, **values}
    keys = own.key(values)
    for binding in own.bindings:
        if all(values.get(n) is not None for n in binding.required if n in values):
            keys |= {key.attribute.name: key.encode(values) for key in binding.keys}
    return keys


def _comparable(value: Mapping[str, Any]) -> Any:
    from decimal import Decimal

    ((tag, content),) = value.items()
    return Decimal(content) if tag == "N" else content.encode() if tag == "S" else content
