"""Trying a change of the model on a copy: whether a pattern is served then, and all others still are."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.entity_planner import plan_entity
from tablewright.compiler.plan import TablePlan
from tablewright.compiler.read_planner import plan_read
from tablewright.compiler.reads import CollectionPlan, ReadPlan
from tablewright.errors import TablewrightError
from tablewright.model.entity import Entity
from tablewright.model.indexes import Index
from tablewright.model.keys import IndexKeys, Keys


class Trial:
    """One entity of a table with another key on an index, or with another index."""

    def __init__(self, plan: TablePlan, entity: type[Entity]) -> None:
        self._plan = plan
        self._entity = entity

    def serves(self, operations: list[Any], index: Index | None = None, keys: IndexKeys | None = None) -> bool:
        """Whether all these reads are served with this index in the table, and with these keys of the entity on it, while
        every pattern that reads through it stays served."""
        try:
            entities = self._plan.entities if index is None else self._changed(index, keys)
            for operation in operations:
                plan_read("The read", operation, entities)
            if index is not None:
                for operation in self._patterns_by(index.name):
                    plan_read("The read", operation, entities)
        except TablewrightError:
            return False
        return True

    def _changed(self, index: Index, keys: IndexKeys | None) -> Mapping[type, EntityPlan]:
        table = copy.copy(self._plan.table)
        table.indexes = {**table.indexes, index.name: index}
        given: Keys = copy.copy(self._entity.keys)
        if keys is not None:
            given.indexes = {**given.indexes, index.name: keys}
        return {**self._plan.entities, self._entity: plan_entity(self._entity, table, given)}

    def _patterns_by(self, index: str) -> Iterator[Any]:
        """The reads of patterns that go through an index."""
        for name, variants in self._plan.patterns.items():
            for key, read in variants.items():
                if index in _indexes_of(read):
                    yield self._plan.table.patterns[name].variants[key]


def _indexes_of(read: ReadPlan) -> set[str | None]:
    if isinstance(read, CollectionPlan):
        return {part.query.served.path.index_name for part in read.parts}
    return {read.served.path.index_name}
