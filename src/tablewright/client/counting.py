"""Sharded counters as steps: add to one shard, sum up all of them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, TypeVar

from tablewright.client.calls import Steps
from tablewright.client.context import Context
from tablewright.client.fetching import fetch_items
from tablewright.client.performing import perform
from tablewright.client.upserting import plan_upsert
from tablewright.client.writes.upsert import Upsert
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.errors import ArgumentError
from tablewright.model.change import Increment
from tablewright.model.counters import Counted

N = TypeVar("N", int, Decimal)


def count_up(context: Context, counted: Counted[Any], by: Any, spread: str | None) -> Steps[None]:
    """Adds to a random shard, or to that of a text; the shard is made by whoever counts on it first."""
    yield from perform(context, plan_count(context, counted, by, spread))


def plan_count(context: Context, counted: Counted[Any], by: Any, spread: str | None, *, look: bool = False) -> Upsert:
    """The write of a count; in a transaction it looks first whether its shard is there."""
    plan = _plan(context, counted)
    counter = counted.counter
    if spread is None:
        number = min(int(context.options.retry.random() * counter.of), counter.of - 1)
    elif isinstance(spread, str):
        number = counter.shard_for(spread)
    else:
        raise ArgumentError(f"count_up(spread=...) is a text, not {type(spread).__name__}.", field="spread")
    key = plan.locate({**counted.fields, counter.shard: number})[0]
    plan.fields[counter.count].accept(by)
    entity = plan.entity(**key, **{counter.count: by})
    return plan_upsert(context, entity, [Increment((counter.count,), by)], look=look)


def total(context: Context, counted: Counted[N]) -> Steps[N]:
    """The sum of all shards, each as of some moment during the call."""
    plan = _plan(context, counted)
    counter = counted.counter
    keys = [plan.locate({**counted.fields, counter.shard: n})[1] for n in range(counter.of)]
    found = yield from fetch_items(context, keys, strong=True)
    items = [item for item in found.values() if plan.alive(item) is not None]
    return sum((plan.values_in(item, [counter.count])[counter.count] or 0 for item in items), start=0)  # type: ignore[return-value]


def _plan(context: Context, counted: object) -> EntityPlan:
    if not isinstance(counted, Counted):
        raise ArgumentError(
            f"{type(counted).__name__} is no sharded counter.", hint='Name one: page_views(page="home").'
        )
    counter = counted.counter
    plan = context.plan.of(counter.entity)
    if counter.shard not in plan.key_fields or counter.count in plan.key_fields:
        raise ArgumentError(
            f"{plan.name} cannot be a sharded counter: {counter.shard!r} must be part of its primary key, and "
            f"{counter.count!r} must not.",
            hint=f'Keys("...#{{{counter.shard}:2}}", "...").',
        )
    return plan
