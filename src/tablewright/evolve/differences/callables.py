"""Access patterns and declared changes as data: how they are called, and what they mean for whoever calls them.

They are read variant by variant, each named by the parameters that are given in it, so that a parameter more does not
make strangers of the others. Fields stand in them as `{type|field}`, so that other names in code are no other meaning.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from msgspec import Struct

from tablewright.compiler.proofs.requests import one_at_most
from tablewright.compiler.reads import CollectionPlan, GetPlan, QueryPlan, ReadPlan, parts_of
from tablewright.evolve.differences.shapes import Shape, shape_of
from tablewright.evolve.differences.texts import condition_text, constant_text, field_text, type_text
from tablewright.model.change import Change
from tablewright.model.conditions import conjuncts
from tablewright.model.operations import Collection, Mixed, Query, reads_in
from tablewright.model.pattern import Pattern
from tablewright.model.signature import Parameters, type_hints
from tablewright.table import Table


class CallDescription(Struct, frozen=True):
    """How something is called."""

    parameters: Mapping[str, str]
    defaults: Mapping[str, str]
    """Those of parameters that may be left out."""
    shapes: Mapping[str, Shape]
    """Which values each parameter takes."""

    @property
    def optional(self) -> frozenset[str]:
        """Parameters that may be left out."""
        return frozenset(self.defaults)


class PatternDescription(Struct, frozen=True):
    """One access pattern."""

    call: CallDescription
    result: str
    parts: Mapping[str, str]
    """What each part of the result holds, where it is a view or a collection."""
    requests: tuple[str, ...]
    indexes: frozenset[str]
    """The indexes that it reads, if it is not the table."""
    entities: frozenset[str]
    """The stored types that it returns."""
    reads: frozenset[tuple[str, str]]
    """Each of those with the index that it is read from, which is empty for the table itself."""
    meets: frozenset[str]
    """Other entities, as they are called in code, whose items may lie between."""
    fails_at_unknown: bool
    """Whether an item of a type that the model does not know ends it."""
    selects: Mapping[str, tuple[str, ...]]
    """By variant: the conditions that items must meet, wherever they are checked."""
    refuses: frozenset[str]
    """Variants that it does not take: an argument without the one that it comes after."""
    order: Mapping[str, tuple[str, ...]]
    """By variant: the fields that the result is sorted by, the first of them with the direction."""
    certain: bool
    """Whether it is a get that no second item can spoil."""
    strong: bool
    skips_unknown: bool
    page_limit: int | None


class ChangeDescription(Struct, frozen=True):
    """One declared change."""

    entity: str
    """The stored type of what it changes."""
    call: CallDescription
    does: Mapping[str, tuple[str, ...]]
    """By variant: what it assigns, adds and removes."""
    requires: Mapping[str, tuple[str, ...]]
    """By variant: what must hold for it."""


def describe_pattern(table: Table, pattern: Pattern[..., Any]) -> PatternDescription:
    """The description of a pattern."""
    plans = table.plan.patterns[pattern.name]
    reads = [read for plan in plans.values() for read in parts_of(plan)]
    call = _call(pattern.function, pattern.parameters)
    operation: Any = next(iter(pattern.variants.values()))
    labels = _labels(pattern.function, pattern.parameters)
    limits = [read.page_limit for read in reads_in(operation) if isinstance(read, Query)]
    return PatternDescription(
        call=call,
        result=type_text(type_hints(pattern.function).get("return", Any)),
        parts=_parts(operation),
        requests=tuple(dict.fromkeys(str(plan.shown()) for plan in plans.values())),
        indexes=frozenset(n for read in reads if (n := read.served.path.index_name) is not None),
        entities=frozenset(read.plan.options.type for read in reads),
        reads=frozenset((read.plan.options.type, read.served.path.index_name or "") for read in reads),
        meets=frozenset(n for plan in plans.values() if isinstance(plan, CollectionPlan) for n in plan.over_reads),
        fails_at_unknown=isinstance(operation, Mixed) and not operation.skips_unknown,
        selects={labels[key]: _selected(variant) for key, variant in pattern.variants.items()},
        refuses=frozenset(label for key, label in labels.items() if key not in pattern.variants),
        order={labels[key]: _order(plan) for key, plan in plans.items()},
        certain=all(isinstance(read, GetPlan) and one_at_most(read.plan, read.served) for read in reads),
        strong=bool(operation.strong),
        skips_unknown=bool(getattr(operation, "skips_unknown", False)),
        page_limit=limits[0] if limits else None,
    )


def describe_change(change: Change[Any, ...]) -> ChangeDescription:
    """The description of a declared change."""
    labels = _labels(change.function, change.parameters)
    where = partial(field_text, change.entity)

    def action_text(action: Any) -> str:
        values = [constant_text(getattr(action, n)) for n in action.__struct_fields__ if n != "path"]
        return " ".join([type(action).__name__.lower(), where(action.path), *values])

    return ChangeDescription(
        entity=change.entity.__options__.type,
        call=_call(change.function, change.parameters),
        does={labels[key]: tuple(sorted(map(action_text, plan.actions))) for key, plan in change.variants.items()},
        requires={
            labels[key]: tuple(sorted(condition_text(c, where) for c in plan.conditions))
            for key, plan in change.variants.items()
        },
    )


def _call(function: Callable[..., Any], parameters: Parameters) -> CallDescription:
    signature = inspect.signature(function).parameters
    return CallDescription(
        parameters={name: type_text(a) for name, a in parameters.annotations.items()},
        defaults={
            n: constant_text(signature[n].default)
            for n in parameters.names
            if signature[n].default is not inspect.Parameter.empty
        },
        shapes={name: shape_of(a) for name, a in parameters.annotations.items()},
    )


def _labels(function: Callable[..., Any], parameters: Parameters) -> dict[tuple[object, ...], str]:
    """The name of each variant: what is given in it, and not by default."""
    signature = inspect.signature(function).parameters

    def label(key: tuple[object, ...]) -> str:
        given = dict(zip(parameters.names, key, strict=True))
        named = [
            name if not isinstance(how, bool) else f"{name}={how}"
            for name, how in given.items()
            if how is not None and not (isinstance(how, bool) and how is signature[name].default)
        ]
        return ", ".join(sorted(named))

    return {key: label(key) for key, _ in parameters.variants()}


def _parts(operation: Any) -> dict[str, str]:
    if isinstance(operation, Collection):
        return {p.name: ("many " if p.many else "one ") + type_text(p.query.result) for p in operation.parts}
    view = getattr(operation, "view", None)
    return {} if view is None else {n: str(m.shape) for n, m in shape_of(view).members.items()}


def _selected(operation: Any) -> tuple[str, ...]:
    found: set[str] = set()
    for read in reads_in(operation):
        for condition in (*read.conditions, *read.filters):
            found |= {condition_text(part, partial(field_text, read.entity)) for part in conjuncts(condition)}
    return tuple(sorted(found))


def _order(plan: ReadPlan) -> tuple[str, ...]:
    """What the result is sorted by: the fields of the sort key that the read leaves open."""
    if isinstance(plan, GetPlan):
        return ()
    read = parts_of(plan)[0]
    assert isinstance(read, QueryPlan)
    names = [name for key in read.served.path.sk for name in key.fields if name not in read.served.known]
    paths = [field_text(read.plan.entity, (name,)) for name in dict.fromkeys(names)]
    return (f"{paths[0]}, {'descending' if read.descending else 'ascending'}", *paths[1:]) if paths else ()
