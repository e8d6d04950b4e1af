"""Items that expire: time to live takes them from one side sooner than from the other, within days, and that is no difference."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Final, TypeVar

from tablewright.compiler.wirecodec import parse_datetime
from tablewright.evolve.moving.mapping import Moving
from tablewright.model.entity import Entity
from tablewright.table import Table
from tablewright.values.types import Item

E = TypeVar("E", bound=Entity)
_LEFT_ALONE: Final = timedelta(days=1826).total_seconds()
"""Time to live takes what expired longer ago for a mistake, and leaves it."""


def expiry_of(moving: Moving, item: Item) -> Decimal | None:
    """When an item of the new table expires, in seconds since 1970; None for never."""
    name = moving.table.ttl_attribute
    told = None if name is None else item.get(name, {}).get("N")
    return None if told is None else Decimal(told)


def is_over(expires: Decimal | None, now: str) -> bool:
    """Whether time to live has taken an item, or is about to."""
    return expires is not None and 0 <= Decimal(parse_datetime(now).timestamp()) - expires < _LEFT_ALONE


def without_expired(table: Table, entities: Sequence[E], now: str) -> list[E]:
    """Those of an answer that have not expired."""
    return [each for each in entities if not is_over(_expiry_in(table, each), now)]


def _expiry_in(table: Table, entity: Entity) -> Decimal | None:
    plan = table.plan.of(type(entity))
    name = plan.options.ttl
    value = None if name is None else getattr(entity, name)
    return None if name is None or value is None else Decimal(plan.fields[name].encode(value)["N"])
