"""Expired items: time to live deletes within days, so a session that was told to hides them until then."""

from __future__ import annotations

from decimal import Decimal

from msgspec.structs import replace

from tablewright.client.context import Context
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.paths import KeyPath
from tablewright.compiler.reads import KeyQuery, MixedPlan, QueryPlan
from tablewright.compiler.views import expiry_attribute, holds_expiry
from tablewright.errors import ArgumentError
from tablewright.expressions import ast
from tablewright.expressions.builder import all_of
from tablewright.values.types import Item


def shown(context: Context, plan: EntityPlan, item: Item | None) -> Item | None:
    """The item; None for a tombstone, or where expired items are hidden, for one of those."""
    found = plan.alive(item)
    if found is None or not context.options.hide_expired:
        return found
    attribute = expiry_attribute(plan)
    moment = found.get(attribute, {}).get("N") if attribute is not None else None
    return found if moment is None or Decimal(moment) > _now(context) else None


def hiding(context: Context, compiled: QueryPlan | MixedPlan, queries: list[KeyQuery]) -> list[KeyQuery]:
    """The queries with a filter on expired items, where the session hides them."""
    plans = [p.query.plan for p in compiled.parts] if isinstance(compiled, MixedPlan) else [compiled.plan]
    expiring = [plan for plan in plans if expiry_attribute(plan) is not None]
    if not expiring:
        return queries
    refuse_unseen(expiring[0], compiled.served.path)
    attribute = ast.Attribute((str(expiry_attribute(expiring[0])),))  # a table has one
    # What has no such attribute, or no number in it, never expires.
    alive = ast.Not(ast.Compare("<=", attribute, ast.Value({"N": str(_now(context))})))
    return [replace(q, filter=alive if q.filter is None else all_of(q.filter, alive)) for q in queries]


def refuse_unseen(plan: EntityPlan, path: KeyPath) -> None:
    """Refuses a read in which nobody can tell what has expired."""
    attribute = expiry_attribute(plan)
    if any(k.attribute.name == attribute for k in (*path.pk, *path.sk)):
        raise ArgumentError(
            f"{path.name} is sorted by the time that {plan.name} expires at, and DynamoDB does not filter by keys.",
            hint=f"Ask for it: {plan.name}.{plan.options.ttl} > now; or read in a session without hide_expired.",
        )
    if not holds_expiry(plan, path):
        raise ArgumentError(
            f"{path.name} does not hold {attribute!r}, so expired {plan.name} cannot be hidden.",
            hint="Project it, or read in a session without hide_expired.",
        )


def _now(context: Context) -> int:
    return int(context.options.clock().timestamp())
