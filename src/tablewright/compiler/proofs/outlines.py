"""Requests as they are sent, with parameters in braces where values will stand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tablewright.compiler.conditions import to_expression
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.field_paths import PathPlans
from tablewright.compiler.reads import SOUGHT, CollectionPlan, GetPlan, KeyQuery, QueryPlan, ReadPlan
from tablewright.compiler.showing import ShownTerm, shown_equal
from tablewright.expressions import ast
from tablewright.expressions.builder import ExpressionBuilder, all_of
from tablewright.model import conditions as model
from tablewright.model.symbols import has_symbols, is_symbol

Request = dict[str, Any]


def outline(plan: ReadPlan, table: str) -> tuple[Request, list[ShownTerm]]:
    """The request of a compiled read, and its key condition."""
    if isinstance(plan, CollectionPlan):
        terms = _of_collection(plan)
        first = plan.parts[0].query
        query = KeyQuery(
            table,
            first.served.path.index_name,
            _expressions(terms),
            plan.visible,
            plan.strong,
            first.descending,
        )
        return query.request(), terms
    terms = plan.served.terms()
    if isinstance(plan, GetPlan) and plan.served.path.index is None:
        return _get_item(plan, table, terms), terms
    index = plan.served.path.index
    query = KeyQuery(
        table,
        plan.served.path.index_name,
        _expressions(terms),
        _filter(plan),
        plan.strong,
        isinstance(plan, QueryPlan) and plan.descending,
        plan.projection,
        index is not None and index.local and index.projection != "ALL" and not plan.projection,
    )
    request = query.request()
    if isinstance(plan, GetPlan):
        request["Limit"] = SOUGHT
    return request, terms


def _get_item(plan: GetPlan, table: str, terms: list[ShownTerm]) -> Request:
    request: Request = {"TableName": table, "Key": {t.attribute: {t.tag: t.operands[0]} for t in terms}}
    if plan.projection:
        request |= ExpressionBuilder().project(*plan.projection).build()
    if plan.strong:
        request["ConsistentRead"] = True
    return request


def _expressions(terms: Iterable[ShownTerm]) -> tuple[ast.Condition, ...]:
    return tuple(_expression(term) for term in terms)


def _expression(term: ShownTerm) -> ast.Condition:
    attribute = ast.Attribute((term.attribute,))
    values = [ast.Value({term.tag: text}) for text in term.operands]
    match term.operator:
        case "BETWEEN":
            return ast.Between(attribute, values[0], values[1])
        case "begins_with":
            return ast.BeginsWith(attribute, values[0])
        case operator:
            return ast.Compare(operator, attribute, values[0])  # type: ignore[arg-type]


# ------------------------------------------------------------------------------------------------------- collections


def _of_collection(plan: CollectionPlan) -> list[ShownTerm]:
    served = plan.parts[0].query.served
    terms = [shown_equal(key, served.known) for key in served.path.pk]
    parts = [p.query.served.sort.terms(p.query.served.known) for p in plan.parts]
    sort = served.path.sk[0].attribute
    lows = [_low(terms) for terms in parts]
    highs = [_high(terms) for terms in parts]
    low = None if None in lows else _extreme([text for text in lows if text is not None], "least")
    high = None if None in highs else _extreme([text for text in highs if text is not None], "greatest")
    if low is not None and low == high:
        return [*terms, ShownTerm(sort.name, sort.tag, "=", (low,))]
    if low is not None and high is not None:
        return [*terms, ShownTerm(sort.name, sort.tag, "BETWEEN", (low, high))]
    if low is not None or high is not None:
        return [*terms, ShownTerm(sort.name, sort.tag, ">=" if high is None else "<=", (low or high or "",))]
    return terms


def _low(terms: Sequence[ShownTerm]) -> str | None:
    return next((t.operands[0] for t in terms if t.operator not in ("<", "<=")), None)


def _high(terms: Sequence[ShownTerm]) -> str | None:
    return next((t.operands[-1] for t in terms if t.operator in ("=", "BETWEEN", "<", "<=")), None)


def _extreme(texts: list[str], which: str) -> str:
    """The least or greatest of some bounds, as far as their literals tell; else all of them by name."""
    distinct = sorted(dict.fromkeys(texts))
    # Where the first and the last of them differ is where any two of them begin to.
    differ = next((i for i, (a, b) in enumerate(zip(distinct[0], distinct[-1], strict=False)) if a != b), None)
    if differ is None or all(text[differ : differ + 1] != "{" for text in distinct):
        return distinct[0 if which == "least" else -1]
    return f"the {which} of {', '.join(distinct)}"


# ------------------------------------------------------------------------------------------------------------ filters


def _filter(plan: GetPlan | QueryPlan) -> ast.Condition | None:
    """What is dropped after it was read."""
    visible = plan.plan.visible(plan.served.path.index)
    own = [] if isinstance(plan, GetPlan) else [_condition(c, plan.plan) for c in plan.filters]
    every = own if visible is None else [visible, *own]
    return all_of(*every) if every else None


def _condition(condition: model.Condition, plan: EntityPlan) -> ast.Condition:
    match condition:
        case model.AllOf(parts):
            return ast.And(tuple(_condition(c, plan) for c in parts))
        case model.AnyOf(parts):
            return ast.Or(tuple(_condition(c, plan) for c in parts))
        case model.Negated(inner):
            return ast.Not(_condition(inner, plan))
        case model.Test() if any(has_symbols(value) for value in condition.operands()):
            return _test(condition, plan.paths)
    return to_expression(condition, plan.paths)


def _test(test: model.Test, paths: PathPlans) -> ast.Condition:
    """A test that names parameters."""
    attribute = ast.Attribute(paths.stored(test.path))
    tag = (paths.root(test.path).codec.tag if len(test.path) == 1 else None) or "S"

    def value(given: Any, of: str = tag) -> ast.Value:
        text = f"{{{given.name}}}" if is_symbol(given) else str(given)
        return ast.Value({of: text})

    match test:
        case model.Compare(_, _, op, given):
            return ast.Compare(op, attribute, value(given))
        case model.Between(_, _, low, high):
            return ast.Between(attribute, value(low), value(high))
        case model.StartsWith(_, _, prefix):
            return ast.BeginsWith(attribute, value(prefix, "S"))
        case model.Contains(_, _, member):
            return ast.Contains(attribute, value(member, "S"))
        case model.IsIn(_, _, values):
            return ast.In(attribute, (value(values),) if is_symbol(values) else tuple(value(v) for v in values))
        case model.SizeIs(_, _, op, given):
            return ast.Compare(op, ast.Size(attribute), value(given, "N"))
    return to_expression(test, paths)
