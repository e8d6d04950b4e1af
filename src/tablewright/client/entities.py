"""Items as the entities that a read or write promised, whether they came as dicts or as records of a response."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tablewright.client.writes.base import foreign_type
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.records import Stranger
from tablewright.model.entity import with_article
from tablewright.values.types import Item


def entity_from(plan: EntityPlan, item: Item) -> Any:
    """An item, or a record of one, as the entity that the read promised."""
    if item.__class__ is not dict:
        return entity_reader(plan)(item)
    kind = item.get(plan.type_attribute)
    if kind is not None and kind.get("S") != plan.type_name:
        raise foreign_type(plan, item, f"A read of {with_article(plan.name)}")
    return plan.decode(item)


def entity_reader(plan: EntityPlan) -> Callable[[Item], Any]:
    """The same for many items of one read."""
    form = plan.forms.get()
    if form is None:
        return partial(entity_from, plan)
    make = form.entity

    def read(item: Item) -> Any:
        if item.__class__ is dict:
            return entity_from(plan, item)
        try:
            return make(item)
        except Stranger as stranger:
            kind = {plan.type_attribute: {"S": str(stranger)}}
            raise foreign_type(plan, kind, f"A read of {with_article(plan.name)}") from None

    return read
