"""Trying a change of the model on a copy: whether a pattern is served then, and all others still are."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.entity_planner import plan_entity
from tablewright.compiler.plan import TablePlan
from tablewright.compiler.read_planner import plan_read
from tablewright.compiler.reads import QueryPlan, indexes_of
from tablewright.errors import TablewrightError
from tablewright.model.entity import Entity
from tablewright.model.indexes import GSI, MAX_GSIS, Index
from tablewright.model.keys import IndexKeys, Keys
from tablewright.model.operations import Query
from tablewright.model.table import TableModel

Given: TypeAlias = Mapping[type[Entity], IndexKeys | None]
"""The keys of entities on an index; None for those that they have."""


class Trial:
    """Entities of a table with other keys on an index, or with another index."""

    def __init__(self, plan: TablePlan) -> None:
        self._plan = plan

    def serves(self, operations: list[Any], index: Index | None = None, keys: Given | None = None) -> bool:
        """Whether all these reads are served with this index in the table, and with these keys of entities on it, while
        every pattern that reads through it stays served."""
        return self.refusal(operations, index, keys) is None

    def refusal(
        self, operations: list[Any], index: Index | None = None, keys: Given | None = None
    ) -> TablewrightError | None:
        """Why not, if they are not."""
        try:
            entities = self._plan.entities if index is None else self._with(index, keys or {})
            kept = () if index is None else self._patterns_by(index.name)
            for operation in (*operations, *kept):
                plan_read("The read", operation, entities)
        except TablewrightError as error:
            return error
        return None

    def plans(self, operations: Iterable[Query[Any]]) -> list[QueryPlan] | None:
        """How these reads of the table as it is are served; None where one is not."""
        try:
            found = [plan_read("The read", operation, self._plan.entities) for operation in operations]
        except TablewrightError:
            return None
        return [plan for plan in found if isinstance(plan, QueryPlan)]

    def _with(self, index: Index, keys: Given) -> Mapping[type, EntityPlan]:
        table = copy.copy(self._plan.table)
        table.indexes = {**table.indexes, index.name: index}
        changed: dict[type, EntityPlan] = {}
        for entity, own in keys.items():
            given: Keys = copy.copy(entity.keys)
            if own is not None:
                given.indexes = {**given.indexes, index.name: own}
            changed[entity] = plan_entity(entity, table, given)
        return {**self._plan.entities, **changed}

    def _patterns_by(self, index: str) -> Iterator[Any]:
        """The reads of patterns that go through an index."""
        for name, variants in self._plan.patterns.items():
            for key, read in variants.items():
                if index in indexes_of(read):
                    yield self._plan.table.patterns[name].variants[key]


def free_indexes(table: TableModel, entities: Iterable[EntityPlan]) -> list[Index]:
    """Global indexes of text keys that none of these entities is in."""
    bindings = [binding for entity in entities for binding in entity.bindings]
    bound = {binding.index.name for binding in bindings}
    taken = {key.attribute.name for binding in bindings for key in binding.keys}
    return [
        index
        for index in table.indexes.values()
        if index.name not in bound
        and not index.local
        and not index.multi
        and all(a.tag == "S" and a.name not in taken for a in index.attributes)
    ]


def new_index(table: TableModel) -> Index | None:
    """One more index; None where the table has as many as it can."""
    names = table.indexes
    if sum(not index.local for index in names.values()) >= MAX_GSIS:
        return None
    name = next(n for n in (f"GSI{i}" for i in range(1, MAX_GSIS + 2)) if n not in names)
    return GSI(name).resolved(table.names)
