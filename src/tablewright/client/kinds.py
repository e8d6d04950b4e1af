"""What a whole table is read for: the items of one entity or of several, as entities or as views of them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, TypeAlias, TypeVar

from pydantic import BaseModel

from tablewright.client.context import Context
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.noted import COPY_OF
from tablewright.compiler.paths import key_paths
from tablewright.compiler.views import check_view, projected_paths, view_plan
from tablewright.errors import ArgumentError
from tablewright.expressions import ExpressionBuilder, ast
from tablewright.model.entity import Entity
from tablewright.values.types import Item

E = TypeVar("E", bound=Entity)
Kind: TypeAlias = type[E] | Sequence[type[E]]


class Kinds:
    """The entities that are wanted, and what to ask for to get them. `name` says which they are.

    While a migration changes keys, an item and its copy are one: the copy is left out, as indexes leave it out."""

    def __init__(self, what: str, context: Context, wanted: Kind[Any], only: type[BaseModel] | None) -> None:
        listed = [wanted] if isinstance(wanted, type) else wanted
        refused = ArgumentError(f"{what} takes an entity, or a list of entities.", hint="Write [Order, Customer].")
        if isinstance(listed, str) or not isinstance(listed, Sequence) or not listed:
            raise refused
        if any(isinstance(e, Entity) or not isinstance(e, Hashable) for e in listed):
            raise refused
        plans = [context.plan.of(entity) for entity in dict.fromkeys(listed)]
        self.name = ",".join(sorted(plan.options.type for plan in plans))
        self.request: dict[str, Any] = {}
        self._plans: list[EntityPlan] = plans
        if only is not None:
            paths: list[ast.Path] = []
            for number, plan in enumerate(plans):
                check_view(what, plan, only)
                path = next(key_paths(plan))
                paths += projected_paths(plan, only, path)
                self._plans[number] = view_plan(plan, only, path)
            self.request = ExpressionBuilder().project(*dict.fromkeys(paths), (COPY_OF,)).build()

    def among(self, items: Iterable[Item]) -> list[Any]:
        """What was asked for, among items of any kind."""
        return [
            plan.decode(item)
            for item in items
            if COPY_OF not in item
            for plan in self._plans
            if plan.owns(item) and plan.alive(item) is not None
        ]
