"""Keys on indexes, as a model makes them of a stored item."""

from __future__ import annotations

from typing import Any

from tablewright.compiler.entity_plan import EntityPlan, IndexBinding
from tablewright.evolve.migrations.works.guarding import values_of
from tablewright.values.types import Item


def index_keys(plan: EntityPlan, item: Item, bindings: tuple[IndexBinding, ...]) -> dict[str, Any]:
    """The attributes that an item should have for these indexes; None for one that it should not have."""
    found: dict[str, Any] = {}
    for binding in bindings:
        values = values_of(plan, item, sources_of(binding))
        made = binding.compute(values) or {}
        found |= {name: made.get(name) for name in binding.written}
    return found


def sources_of(binding: IndexBinding) -> frozenset[str]:
    """The fields that keys on an index depend on."""
    return binding.sources | binding.required | {key.field.name for key in binding.shared}
