"""Tallies: how many items a query finds and what they sum up to, for each partition that it asks and in all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from msgspec import Struct

from tablewright.client.calls import Call, Steps, check_function
from tablewright.client.context import Context
from tablewright.client.entities import entity_from
from tablewright.client.expiry import hiding
from tablewright.compiler.reads import KeyQuery, QueryPlan
from tablewright.errors import ArgumentError
from tablewright.model.operations import Op
from tablewright.transport.answers import next_start

Number = int | float | Decimal


class TallyPart(Struct, frozen=True):
    """One partition of a tally: what chose it, such as {"month": "2025-02"}, how many items it holds, and their sum."""

    chosen: Mapping[str, Any]
    """The bucket, shard or value of this partition."""
    count: int
    """How many items it holds."""
    total: Number
    """What they sum up to."""


class Tally(Struct, frozen=True):
    """Numbers of a query: in all, and for each bucket, shard or listed value that it asked. `total` is 0 where nothing was
    summed up."""

    count: int
    """How many items there are."""
    total: Number
    """What they sum up to."""
    parts: tuple[TallyPart, ...]
    """The same for each partition that was asked."""


def take_tally(context: Context, operation: Op[Any, Any], of: Callable[[Any], Any] | None) -> Steps[Tally]:
    """One partition after the other, one page in memory; without a value to sum up, no item is fetched."""
    compiled = context.compiled(operation)
    if not isinstance(compiled, QueryPlan):
        raise ArgumentError("tally() takes a query.", hint="db.tally(readings(...)), with a pattern that is a query.")
    if of is not None:
        check_function("tally(of=...)", of, "Pass a function that takes an entity and returns a number.")
    queries = compiled.queries(operation.arguments, context.table)
    if context.options.hide_expired:
        queries = hiding(context, compiled, queries)
    parts: list[TallyPart] = []
    for query in queries:
        parts.append((yield from _part(compiled, query, of)))
    return Tally(sum(p.count for p in parts), sum((p.total for p in parts), 0), tuple(parts))


def _part(compiled: QueryPlan, query: KeyQuery, of: Callable[[Any], Any] | None) -> Steps[TallyPart]:
    count, total, start = 0, 0, None
    while True:
        request = query.request(count=of is None)
        if start is not None:
            request["ExclusiveStartKey"] = start
        response = yield Call("Query", request, True, query.pattern)
        count += response["Count"] if of is None else len(response["Items"])
        if of is not None:
            total = sum((_number(of(entity_from(compiled.plan, item))) for item in response["Items"]), total)
        start = next_start(response)
        if start is None:
            return TallyPart(query.chosen, count, total)


def _number(value: object) -> Any:
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise ArgumentError(
            f"tally() cannot sum up {type(value).__name__}.", hint="Give a function that returns numbers."
        )
    return value
