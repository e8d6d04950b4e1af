"""How documents say what a model says: conditions, docstrings, types, and which patterns read through which key."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.plan import TablePlan
from tablewright.compiler.reads import CollectionPlan, QueryPlan, ReadPlan, parts_of
from tablewright.compiler.served import Served
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
    path_text,
)
from tablewright.model.entity import Entity
from tablewright.model.pattern import Pattern
from tablewright.model.symbols import Symbol

Uses = Mapping[str | None, Mapping[str, tuple[str, ...]]]


def said(subject: Any) -> str:
    """What a class or function says of itself, its lines as they are."""
    return inspect.cleandoc(getattr(subject, "__doc__", None) or "")


def docline(subject: Any) -> str:
    """The first paragraph of that, on one line."""
    return " ".join(said(subject).partition("\n\n")[0].split())


def uses(plan: TablePlan) -> Uses:
    """By the name of an index, None for the table itself: by entity, the patterns that read it there."""
    found: dict[str | None, dict[str, dict[str, None]]] = {}
    for name, variants in plan.patterns.items():
        for variant in variants.values():
            for entity, served in reads_of(variant):
                found.setdefault(served.path.index_name, {}).setdefault(entity.name, {})[name] = None
    return {index: {e: tuple(names) for e, names in entities.items()} for index, entities in found.items()}


def reads_of(plan: ReadPlan) -> Iterator[tuple[EntityPlan, Served]]:
    """The entities that a read asks for, each with the key that serves it."""
    for part in parts_of(plan):
        yield part.plan, part.served


def response(pattern: Pattern[..., Any], plan: TablePlan) -> str:
    """What a pattern gives back, in words: `Order or nothing`, `list of Order`, `ProductPage (Product, Review)`."""
    variant = next(iter(plan.patterns[pattern.name].values()))
    operation = next(iter(pattern.variants.values()))
    if isinstance(variant, CollectionPlan):
        names = ", ".join(dict.fromkeys(part.query.plan.name for part in variant.parts))
        make = getattr(getattr(operation, "make", None), "__name__", "")
        return f"{make} ({names})" if make else f"list of {names.replace(', ', ' and ')}"
    view = getattr(operation, "view", None)
    name = variant.plan.name if view is None else f"{view.__name__} ({variant.plan.name})"
    return f"list of {name}" if isinstance(variant, QueryPlan) else f"{name} or nothing"


def condition(given: Condition) -> str:
    """A condition in words; parameters stand in braces."""
    match given:
        case AllOf(parts):
            return " and ".join(_inner(part) for part in parts)
        case AnyOf(parts):
            return " or ".join(_inner(part) for part in parts)
        case Negated(inner):
            return f"not {_inner(inner)}"
        case Compare(_, path, op, value):
            return f"{path_text(path)} {op} {_value(value)}"
        case Between(_, path, low, high):
            return f"{path_text(path)} from {_value(low)} to {_value(high)}"
        case StartsWith(_, path, prefix):
            return f"{path_text(path)} begins with {_value(prefix)}"
        case Contains(_, path, member):
            return f"{path_text(path)} contains {_value(member)}"
        case IsIn(_, path, [only]):
            return f"{path_text(path)} = {_value(only)}"
        case IsIn(_, path, values):
            return f"{path_text(path)} is one of {_value(values)}"
        case Exists(_, path):
            return f"{path_text(path)} has a value"
        case Missing(_, path):
            return f"{path_text(path)} has no value"
        case SizeIs(_, path, op, value):
            return f"the size of {path_text(path)} {op} {_value(value)}"
        case _:  # pragma: no cover - every condition is one of these
            raise AssertionError(type(given).__name__)


def _inner(given: Condition) -> str:
    text = condition(given)
    return f"({text})" if isinstance(given, AllOf | AnyOf) else text


def _value(value: Any) -> str:
    if type(value) is Symbol:
        return f"{{{value.name}}}"
    if isinstance(value, list | tuple | set | frozenset):
        shown = [_value(v) for v in value]
        return ", ".join(sorted(shown) if isinstance(value, set | frozenset) else shown)
    if isinstance(value, Enum):
        return _value(value.value)
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)


def entity_name(entity: type[Entity] | str) -> str:
    """The name of an end of a relationship."""
    return entity if isinstance(entity, str) else entity.__name__
