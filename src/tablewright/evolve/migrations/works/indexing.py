"""Keys on indexes, as a model makes them of a stored item."""

from __future__ import annotations

from typing import Any

from tablewright.compiler.entity_plan import EntityPlan, IndexBinding
from tablewright.compiler.wirerecords import NO_DEFAULT
from tablewright.evolve.migrations.works.guarding import values_of
from tablewright.values.types import Item


def index_keys(plan: EntityPlan, item: Item, bindings: tuple[IndexBinding, ...]) -> dict[str, Any]:
    """The attributes that an item should have for these indexes; None for one that it should not have."""
    found: dict[str, Any] = {}
    defaults: Item = {}
    for binding in bindings:
        values = values_of(plan, {**item, **defaults}, sources_of(binding))
        made = binding.compute(values)
        if made is not None:
            defaults |= _defaults(plan, {**item, **defaults}, binding, values)
        found |= {name: (made or {}).get(name) for name in binding.written}
    return found | defaults


def _defaults(plan: EntityPlan, item: Item, binding: IndexBinding, values: dict[str, Any]) -> Item:
    """Defaults that have to be stored with the keys: those that are other ones each time, and those of fields that an index has
    themselves. An older item gets them when it is upgraded."""
    if plan.versions is not None and plan.versions.is_old(item):
        return {}
    own = {key.field.name for key in binding.shared}
    missing = [f for n in sources_of(binding) if (f := plan.fields.get(n)) is not None and len(f.path) == 1]
    return {
        field.path[0]: field.encode(values[field.name])
        for field in missing
        if field.path[0] not in item and values[field.name] is not None and not field.absent(values[field.name])
        if field.name in own or (field.default is not None and field.known is NO_DEFAULT)
    }


def sources_of(binding: IndexBinding) -> frozenset[str]:
    """The fields that keys on an index depend on."""
    return binding.sources | binding.required | {key.field.name for key in binding.shared}
