"""Limits: what a field's declaration allows, as conditions on the stored item, for changes made without reading it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Context, Decimal
from typing import Annotated, Any, get_args, get_origin

from msgspec import Struct

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.errors import ArgumentError, ConditionalCheckError, FieldTypeError, NumberError, TablewrightError
from tablewright.expressions import ast
from tablewright.expressions.builder import any_of
from tablewright.model.annotations import members, plain, without_none
from tablewright.model.conditions import FieldPath, path_text
from tablewright.values.numbers import format_number
from tablewright.values.types import AttributeValue

_EXACT = Context(prec=400)
"""Enough digits for every sum and remainder of two numbers that DynamoDB can hold."""


class Limit(Struct, frozen=True):
    """A condition that keeps a field within what its declaration allows, and the error when it would not."""

    condition: ast.Condition
    error: Callable[[], TablewrightError]


def parent_limits(plan: EntityPlan, path: FieldPath, stored: ast.Path, *, element: bool) -> Iterator[Limit]:
    """A change inside a field needs the map or list that it is inside of; one of a list's element, that element."""
    if len(path) == 1:
        return
    inside = path_text(path[:-1])

    def no_parent() -> TablewrightError:
        return ArgumentError(
            f"{plan.name}.{path_text(path)} cannot be changed: the stored item has no {inside}.",
            field=path_text(path),
            hint=f"Nothing was written; assign {inside} as a whole.",
        )

    tag = "M" if isinstance(path[-1], str) else "L"
    yield Limit(ast.AttributeType(ast.Attribute(stored[:-1]), ast.Value({"S": tag})), no_parent)
    if tag == "L" and element:

        def no_element() -> TablewrightError:
            return ArgumentError(
                f"{plan.name}.{path_text(path)} cannot be changed: the stored list is shorter.",
                field=path_text(path),
                hint="Nothing was written; use append to make a list longer.",
            )

        yield Limit(ast.AttributeExists(stored), no_element)


def list_limits(plan: EntityPlan, path: FieldPath, stored: ast.Path, added: int, start: int) -> Iterator[Limit]:
    """The declared maximum of a list that is appended to."""
    lengths = [m.max_length for m in _marks(plan.paths.annotation(path)) if _given(m, "max_length")]
    if not lengths:
        return
    most = min(lengths)
    fits: ast.Condition = ast.Compare("<=", ast.Size(ast.Attribute(stored)), _number(Decimal(most - added)))
    if start + added <= most:
        fits = any_of(ast.AttributeNotExists(stored), fits)
    yield Limit(fits, _passes(plan, path, f"at most {most} long"))


def increment(
    plan: EntityPlan, path: FieldPath, stored: ast.Path, amount: Any, default: Any, limits: list[Limit]
) -> ast.UpdateAction:
    """SET path = if_not_exists(path, start) + amount, with limits for the declared bounds."""
    annotation = plan.paths.annotation(path)
    kind, name = plain(without_none(annotation)), path_text(path)
    if kind not in (int, Decimal, float):
        raise FieldTypeError(
            f"{plan.name}.{name} is no number and cannot be added to.",
            field=name,
            constraint="number",
            hint="A value that is made of the old one is written by db.revise() or db.edit(), which read first.",
        )
    allowed: Any = {int: int, Decimal: int | Decimal, float: int | Decimal | float}[kind]
    if isinstance(amount, bool) or not isinstance(amount, allowed):
        raise FieldTypeError(
            f"{plan.name}.{name} cannot be increased by {type(amount).__name__}.", field=name, constraint="number"
        )
    start = _exact(0 if default is None else default)
    try:
        step = _exact(amount)
        value = ast.Arithmetic("+", ast.IfNotExists(stored, _number(start)), _number(step))
    except NumberError as error:
        raise NumberError(f"{plan.name}.{name}: {error.message}", field=name, constraint=error.constraint) from None
    for mark in _marks(annotation):
        _refuse_step(plan, name, mark, step)
        for op, bound in _bounds(mark):
            holds: ast.Condition = ast.Compare(op, ast.Attribute(stored), _number(_EXACT.subtract(bound, step)))  # type: ignore[arg-type]
            if _meets(op, _EXACT.add(start, step), bound):
                holds = any_of(ast.AttributeNotExists(stored), holds)
            limits.append(Limit(holds, _passes(plan, path, f"{op} {bound:f}")))
    return ast.SetAction(stored, value)


def _refuse_step(plan: EntityPlan, name: str, mark: Any, step: Decimal) -> None:
    """What would take a number off its grid, wherever it stands."""
    places = getattr(mark, "decimal_places", None)
    if places is not None and _EXACT.remainder(step, _EXACT.scaleb(Decimal(1), -places)):
        raise FieldTypeError(
            f"{plan.name}.{name} has {places} decimal places, and the amount has more.",
            field=name,
            constraint="decimal_places",
        )
    multiple = getattr(mark, "multiple_of", None)
    if multiple is not None and _EXACT.remainder(step, _exact(multiple)):
        raise FieldTypeError(
            f"{plan.name}.{name} holds multiples of {multiple}, and the amount is none.",
            field=name,
            constraint="multiple_of",
        )


def _bounds(mark: Any) -> Iterator[tuple[str, Decimal]]:
    """The bounds that a marker declares, as comparisons."""
    for rule, op in (("ge", ">="), ("gt", ">"), ("le", "<="), ("lt", "<")):
        bound = getattr(mark, rule, None)
        if isinstance(bound, int | Decimal | float) and not isinstance(bound, bool):
            yield op, _exact(bound)
    digits = getattr(mark, "max_digits", None)
    if digits is not None:
        places = getattr(mark, "decimal_places", None)
        limit = _EXACT.scaleb(Decimal(1), digits - (places or 0))
        yield "<", limit
        yield ">", -limit


def _meets(op: str, value: Decimal, bound: Decimal) -> bool:
    return {">=": value >= bound, ">": value > bound, "<=": value <= bound, "<": value < bound}[op]


def _exact(value: int | Decimal | float) -> Decimal:
    return Decimal(repr(value)) if isinstance(value, float) else Decimal(value)


def _number(value: Decimal) -> ast.Value:
    wire: AttributeValue = {"N": format_number(value)}
    return ast.Value(wire)


def _marks(annotation: Any) -> Iterator[Any]:
    """The markers of an annotation, also below an optional."""
    if get_origin(annotation) is Annotated:
        inner, *marks = get_args(annotation)
        yield from _marks(inner)
        yield from marks
    elif len(members(annotation)) > 1:
        for member in get_args(annotation):
            yield from _marks(member)


def _given(mark: Any, rule: str) -> bool:
    return getattr(mark, rule, None) is not None


def _passes(plan: EntityPlan, path: FieldPath, rule: str) -> Callable[[], TablewrightError]:
    name = path_text(path)

    def error() -> TablewrightError:
        return ConditionalCheckError(
            f"{plan.name}.{name} must stay {rule}, and this change would pass that.",
            condition=rule,
            hint="Nothing was written.",
            context={"entity": plan.name, "field": name},
        )

    return error
