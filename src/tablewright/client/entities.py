"""Items as the entities that a read or write promised, whether they came as dicts or as records of a response."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.strangers import promised
from tablewright.values.types import Item


def entity_from(plan: EntityPlan, item: Item) -> Any:
    """An item, or a record of one, as the entity that the read promised."""
    if item.__class__ is not dict:
        return entity_reader(plan)(item)
    return promised(plan.entity, item, plan.decode)


def entity_reader(plan: EntityPlan) -> Callable[[Item], Any]:
    """The same for many items of one read."""
    form = plan.forms.get()
    return partial(entity_from, plan) if form is None else form.entity
