"""Whether a proposed model answers as its patterns say: random items on the embedded engine against a filter over all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, Literal, get_args, get_origin

from hypothesis import strategies as st

from tablewright import Entity, Results, Table
from tablewright.model.annotations import field_annotation, optional, plain, without_none
from tablewright.model.conditions import Compare, IsIn
from tablewright.model.operations import Collection, Get, Mixed, Query
from tablewright.model.pattern import Pattern
from tablewright.testing.naive import matching

TIMES = [datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=h) for h in (0, 1, 30)]
WORDS = ["a", "a#", "aa", "A", "META"]


def values(annotation: Any) -> st.SearchStrategy[Any]:
    """A few values of a type, so that items meet."""
    kind = plain(without_none(annotation))
    if get_origin(kind) is Literal:
        some: st.SearchStrategy[Any] = st.sampled_from(get_args(kind))
    elif kind is bool:
        some = st.booleans()
    elif kind is str:
        some = st.sampled_from(WORDS)
    elif kind is int:
        some = st.sampled_from([1, 2, 10])
    elif kind is datetime:
        some = st.sampled_from(TIMES)
    elif get_origin(kind) is list:
        some = st.lists(values(get_args(kind)[0]), min_size=1, max_size=3, unique=True)
    elif kind is bytes:
        some = st.sampled_from([b"\x00", b"\x01", b"\x01\x00", b"\xff"])
    else:
        assert kind is Decimal
        some = st.sampled_from([Decimal(1), Decimal("2.5"), Decimal("-0.5")])
    return st.none() | some if optional(annotation) else some


@st.composite
def items(draw: st.DrawFn, table: Table, identities: Mapping[str, Sequence[str]], most: int = 5) -> list[Entity]:
    """Items of every entity, no two of which have the same identity or break a unique rule."""
    found: list[Entity] = []
    for entity in table.entities.values():
        strategy = st.fixed_dictionaries({n: values(field_annotation(f)) for n, f in entity.model_fields.items()})
        rules = [tuple(identities[entity.__name__]), *(u.fields for u in entity.keys.unique)]
        taken: set[tuple[Any, ...]] = set()
        for given in draw(st.lists(strategy, max_size=most)):
            marks = {(number, *(given[n] for n in rule)) for number, rule in enumerate(rules)}
            if not marks & taken:
                taken |= marks
                found.append(entity(**given))
    return found


def check(
    data: st.DataObject,
    table: Table,
    stored: Sequence[Entity],
    identities: Mapping[str, Sequence[str]],
    *,
    single: bool = True,
) -> None:
    """Every pattern, in each of its variants, answers what a filter over all items answers, in the order it promises."""
    with table.open("memory:", **({"stage": "test"} if "{stage}" in table.name else {})) as db:
        for entity in stored:
            db.put(entity)
        for pattern in table.patterns.values():
            for variant in pattern.variants:
                arguments = _arguments(data, pattern, variant)
                operation = pattern.variants[variant]
                with db.measure() as meter:
                    answer = db.run(pattern, **arguments)
                    answer = answer.all() if isinstance(answer, Results) else answer
                # A range that holds nothing needs no request.
                assert not single or len(meter.requests) <= 1, pattern.name
                _compare(pattern.name, operation, arguments, answer, stored, identities)


def _arguments(data: st.DataObject, pattern: Pattern[..., Any], variant: tuple[object, ...]) -> dict[str, Any]:
    chosen = next(dict(given) for key, given in pattern.parameters.variants() if key == variant)
    for name, given in chosen.items():
        if given is not None and given is not True and given is not False:
            chosen[name] = data.draw(values(without_none(pattern.parameters.annotations[name])))
    return chosen


def _compare(
    name: str,
    operation: Any,
    arguments: dict[str, Any],
    answer: Any,
    stored: Sequence[Entity],
    identities: Mapping[str, Sequence[str]],
) -> None:
    match operation:
        case Get():
            expected = matching(operation, arguments, stored)
            assert ([] if answer is None else [answer]) == expected, name
        case Query():
            _same(name, operation, list(answer), matching(operation, arguments, stored))
        case Mixed():
            found = list(answer)
            for query in operation.queries:
                mine = [e for e in found if type(e) is query.entity]
                _same(name, query, mine, matching(query, arguments, stored))
            _in_order_across(name, operation, found, identities)
        case Collection():
            for part in operation.parts:
                expected = matching(part.query, arguments, stored)
                got = getattr(answer, part.name)
                if part.many:
                    _same(f"{name}.{part.name}", part.query, got, expected)
                else:
                    assert ([] if got is None else [got]) == expected[:1] if len(expected) < 2 else got in expected


def _in_order_across(
    name: str, operation: Mixed[Any], found: Sequence[Entity], identities: Mapping[str, Sequence[str]]
) -> None:
    """Kinds that are sorted alike, and of which there can be several each, are in one order."""
    orders: dict[type, tuple[str, ...]] = {}
    for query in operation.queries:
        leaves = [leaf for condition in query.conditions for leaf in condition.leaves()]
        fixed = {
            leaf.field for leaf in leaves if isinstance(leaf, IsIn) or (isinstance(leaf, Compare) and leaf.op == "=")
        }
        if fixed.issuperset(identities[query.entity.__name__]):
            return
        orders[query.entity] = query.order or tuple(leaf.field for leaf in leaves if leaf.field not in fixed)
    if len({len(order) for order in orders.values()}) == 1:
        keys = [tuple(getattr(entity, field) for field in orders[type(entity)]) for entity in found]
        assert keys == sorted(keys, reverse=operation.queries[0].descending), f"{name} is not in order across its kinds"


def _same(name: str, query: Query[Any], found: list[Any], expected: list[Any]) -> None:
    def text(entity: Any) -> str:
        return repr(sorted(entity.model_dump().items()))

    assert sorted(map(text, found)) == sorted(map(text, expected)), name
    keys = [tuple(getattr(e, field) for field in query.order) for e in found]
    assert keys == sorted(keys, reverse=query.descending), f"{name} is not in order"
