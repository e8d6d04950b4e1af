"""The condition language on plain attributes: `attr("total") > 10` in filters and conditions, `sort_key` in queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from tablewright.client.plain.shape import KeyShape, key_value
from tablewright.errors import ArgumentError
from tablewright.expressions import ast
from tablewright.expressions.ast import paths_of
from tablewright.expressions.builder import all_of
from tablewright.model import conditions as model
from tablewright.model.comparing import SortKey
from tablewright.model.indexes import KeyAttribute
from tablewright.model.keys import OwnEntity
from tablewright.values.ordering import sort_bytes
from tablewright.values.wire import to_wire

_NULL = ast.Value({"S": "NULL"})


class _AnySortKey:
    """Owner of `sort_key`, whatever the attribute is called in the table or index that is read."""


sort_key = SortKey(_AnySortKey, ("sort key",), Any)
"""The sort key of whatever a plain query reads: `sort_key >= "ORDER#"`, `between(sort_key, "A", "B")`,
`starts_with(sort_key, "ORDER#")`. On an index with several sort attributes it is compared with a list: all but the last
value are equalities."""

Conditions = Any
"""A condition on attributes, or a list of several, all of which must hold."""


def plain_condition(given: object, word: str) -> ast.Condition | None:
    """A condition (or several) on attributes of an item."""
    if given is None:
        return None
    listed: Sequence[object] = given if isinstance(given, list | tuple) else [given]
    terms = [_expression(model.as_condition(c, word)) for c in listed]
    return all_of(*terms) if terms else None


def filter_condition(given: object, key: KeyShape) -> ast.Condition | None:
    """A filter of a query, which may not name the key that is queried."""
    condition = plain_condition(given, "filter")
    if condition is not None:
        names = {a.name for a in key.attributes}
        for path in paths_of(condition):
            if path[0] in names:
                raise ArgumentError(
                    f"The filter names {path[0]!r}, a key attribute of {key.shown}.",
                    field=str(path[0]),
                    hint="DynamoDB refuses that; make it a condition on the key.",
                )
    return condition


def _expression(condition: model.Condition) -> ast.Condition:
    match condition:
        case model.AllOf(parts):
            return all_of(*map(_expression, parts))
        case model.AnyOf(parts) if parts:
            terms = tuple(map(_expression, parts))
            return terms[0] if len(terms) == 1 else ast.Or(terms)
        case model.Negated(inner):
            return ast.Not(_expression(inner))
        case model.Test():
            return _test(condition)
    raise ArgumentError(f"{type(condition).__name__} is not a condition on attributes.")


def _test(test: model.Test) -> ast.Condition:
    if test.owner is not OwnEntity:
        raise ArgumentError(
            "A condition of a plain table names something else than an attribute.",
            hint='Write attr("name") > value; sort_key stands in the key condition of a query only.',
        )
    attribute = ast.Attribute(test.path)
    match test:
        case model.Compare(_, _, op, value):
            return ast.Compare(op, attribute, _value(value))
        case model.Between(_, _, low, high):
            return ast.Between(attribute, _value(low), _value(high))
        case model.IsIn(_, _, values):
            return ast.In(attribute, tuple(map(_value, values)))
        case model.StartsWith(_, _, prefix):
            return ast.BeginsWith(attribute, _value(prefix))
        case model.Contains(_, _, member):
            return ast.Contains(attribute, _value(member))
        case model.SizeIs(_, _, op, value):
            return ast.Compare(op, ast.Size(attribute), _value(value))
        case model.Exists():
            return ast.And((ast.AttributeExists(test.path), ast.Not(ast.AttributeType(attribute, _NULL))))
        case model.Missing():
            return ast.Or((ast.AttributeNotExists(test.path), ast.AttributeType(attribute, _NULL)))
    raise ArgumentError(f"{type(test).__name__} is not a known test.")


def _value(value: object) -> ast.Value:
    return ast.Value(to_wire(value))


# -------------------------------------------------------------------------------------------------- key conditions


def key_terms(key: KeyShape, partition: object, sort: object) -> tuple[ast.Condition, ...]:
    """The key condition of a query: every partition attribute by equality, then sort attributes from the left."""
    values = _listed(key, key.pk, partition, "partition")
    if len(values) != len(key.pk):
        raise ArgumentError(
            f"The partition of {key.shown} has {len(key.pk)} attributes: {_names(key.pk)}; {len(values)} were given.",
            hint="Every one of them needs a value.",
        )
    terms = [_equal(a, v, partition=True) for a, v in zip(key.pk, values, strict=True)]
    return tuple(terms) if sort is None else (*terms, *_sort_terms(key, sort))


def _sort_terms(key: KeyShape, sort: object) -> list[ast.Condition]:
    if not key.sk:
        raise ArgumentError(f"{key.shown} has no sort key.", hint="Leave the condition out.")
    if not isinstance(sort, model.Condition):
        return [_equal(a, v) for a, v in zip(key.sk, _leading(key, sort), strict=False)]
    if not isinstance(sort, model.Test) or sort.owner is not _AnySortKey:
        raise ArgumentError(
            "The sort key takes one condition, on sort_key.",
            hint='Write sort_key >= "A", between(sort_key, "A", "B") or starts_with(sort_key, "A"); other conditions go '
            "into filter=.",
        )
    match sort:
        case model.Compare(_, _, "=", value):
            return _sort_terms(key, value)
        case model.Compare(_, _, "<" | "<=" | ">" | ">=" as op, value):
            fixed, last, end = _split(key, value)
            return [*fixed, ast.Compare(op, ast.Attribute((last.name,)), end)]
        case model.Between(_, _, low, high):
            fixed, last, first = _split(key, low)
            others, _, end = _split(key, high)
            if fixed != others:
                raise ArgumentError(
                    "between() on a sort key of several attributes needs bounds with the same leading values.",
                    hint="DynamoDB compares one attribute; make two queries.",
                )
            if sort_bytes(first.wire) > sort_bytes(end.wire):
                raise ArgumentError("between() was given its bounds the wrong way round.", hint="The lower one first.")
            return [*fixed, ast.Between(ast.Attribute((last.name,)), first, end)]
        case model.StartsWith(_, _, prefix):
            fixed, last, start = _split(key, prefix)
            if last.tag == "N":
                raise ArgumentError(f"{last.name!r} is a number, and numbers have no beginning.", field=last.name)
            return [*fixed, ast.BeginsWith(ast.Attribute((last.name,)), start)]
    raise ArgumentError(
        "A sort key takes ==, <, <=, >, >=, between() and starts_with() only.",
        hint="Read a wider range and leave the rest to filter=, on other attributes, or to Python.",
    )


def _split(key: KeyShape, given: object) -> tuple[list[ast.Condition], KeyAttribute, ast.Value]:
    """The equalities on the left, the attribute that carries the operator, and its operand."""
    values = _leading(key, given)
    last = key.sk[len(values) - 1]
    fixed = [_equal(a, v) for a, v in zip(key.sk, values[:-1], strict=False)]
    return fixed, last, ast.Value(key_value(last, values[-1], partition=False))


def _leading(key: KeyShape, given: object) -> Sequence[object]:
    values = _listed(key, key.sk, given, "sort key")
    if not 1 <= len(values) <= len(key.sk):
        raise ArgumentError(
            f"The sort key of {key.shown} has {len(key.sk)} attributes: {_names(key.sk)}; {len(values)} were given.",
            hint="Give the leading ones, without gaps.",
        )
    return values


def _listed(key: KeyShape, side: Sequence[KeyAttribute], given: object, word: str) -> Sequence[object]:
    if isinstance(given, list | tuple):
        return given
    if isinstance(given, model.Condition | Mapping | AbstractSet):
        raise ArgumentError(
            f"The {word} of {key.shown} takes {'a value' if len(side) == 1 else 'a list of values'}, not "
            f"{type(given).__name__}.",
            hint="A partition is fixed by equality; a condition goes on sort_key."
            if word == "partition"
            else f"The attributes are {_names(side)}.",
        )
    return [given]


def _equal(attribute: KeyAttribute, value: object, *, partition: bool = False) -> ast.Condition:
    return ast.Compare(
        "=", ast.Attribute((attribute.name,)), ast.Value(key_value(attribute, value, partition=partition))
    )


def _names(side: Sequence[KeyAttribute]) -> str:
    return ", ".join(a.name for a in side)
