"""Locks: what a caller, or an entity that was read, expects of the stored item."""

from __future__ import annotations

from datetime import datetime

from tablewright.client.unsaid import UNSET, Expectation, Lock, Unset
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.wirecodec import format_datetime
from tablewright.errors import ArgumentError
from tablewright.model.entity import Entity, stored


def is_locked(plan: EntityPlan) -> bool:
    """Whether items of this entity carry something to compare."""
    return plan.options.version or plan.options.lock


def lock_of(plan: EntityPlan, entity: Entity | None) -> tuple[Lock, str | None]:
    """What an entity that was read expects of the stored item, and when that was created."""
    known = stored(entity) if entity is not None and is_locked(plan) else None
    if known is None:
        return UNSET, None
    return known.updated if plan.options.lock else known.version, known.created


def checked_lock(plan: EntityPlan, expected: Expectation) -> Lock:
    """The caller's expectation as it is stored; one that does not fit the entity is refused."""
    if isinstance(expected, Unset):
        return expected
    if not is_locked(plan):
        raise ArgumentError(
            f"{plan.name} has no version to expect.", hint=f"Declare it: class {plan.name}(..., version=True)."
        )
    if expected is None:
        return None
    if plan.options.lock:
        if not isinstance(expected, datetime) or expected.tzinfo is None:
            raise ArgumentError(
                f"{plan.name} is locked by time: expected_version is the time of its last write, with a time zone.",
                hint="Pass stored(entity).updated_at, or None for an item without one.",
            )
        return format_datetime(expected)
    if not isinstance(expected, int) or isinstance(expected, bool) or expected < 1:
        raise ArgumentError("expected_version is a whole number from 1 on, or None for an item without a version.")
    return expected
