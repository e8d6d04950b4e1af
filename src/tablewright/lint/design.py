"""A model as the rules look at it: its entities, keys and reads, and what is expected of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.paths import KeyPath, key_paths
from tablewright.compiler.plan import TablePlan
from tablewright.compiler.reads import GetPlan, QueryPlan, ReadPlan, parts_of
from tablewright.lint.findings import Subject
from tablewright.model.expectations import Expectations
from tablewright.model.inspection import Refused
from tablewright.model.pattern import Pattern
from tablewright.model.relationships import Relationship
from tablewright.model.table import TableModel


class Compiled(Protocol):
    """A table with its plan: `tablewright.Table`."""

    plan: TablePlan


class Read(Struct, frozen=True, eq=False):
    """One read of one entity that a variant of a pattern makes; a collection makes several at once."""

    pattern: Pattern[..., Any]
    operation: Any
    whole: ReadPlan
    """The plan of the pattern's variant."""
    one: GetPlan | QueryPlan
    """The part of it that reads this entity."""

    @property
    def plan(self) -> EntityPlan:
        """The entity that is read; of a view, the entity behind it."""
        return self.one.served.path.plan

    @property
    def path(self) -> KeyPath:
        """The key that serves it."""
        return self.one.served.path

    @property
    def known(self) -> frozenset[str]:
        """The fields that the read fixes."""
        return frozenset(self.one.served.known)


class Design(Struct, frozen=True, eq=False, dict=True):
    """Everything that a rule may look at."""

    plan: TablePlan
    refused: Sequence[Refused] = ()
    beside: Sequence[TablePlan] = ()
    """Other tables of the same application."""
    sources: Sequence[Path] = ()
    """Source files of the application, where it is asked to look at them."""
    access: Sequence[str] = ()
    """Folders and files in which DynamoDB may be called."""

    @property
    def table(self) -> TableModel:
        """The table's definition."""
        return self.plan.table

    @property
    def expectations(self) -> Expectations:
        """What is expected in use."""
        return self.table.expectations

    @cached_property
    def entities(self) -> tuple[EntityPlan, ...]:
        """Every entity, in the order of definition."""
        return tuple(self.plan.entities.values())

    @cached_property
    def reads(self) -> tuple[Read, ...]:
        """Every read of every pattern that is served."""
        return tuple(self._reads())

    def _reads(self) -> Iterator[Read]:
        for name, pattern in self.table.patterns.items():
            for key, plan in self.plan.patterns[name].items():
                for part in parts_of(plan):
                    yield Read(pattern, pattern.variants[key], plan, part)

    def reads_of(self, plan: EntityPlan, index: str | None = None) -> list[Read]:
        """The reads of an entity through an index; None is the table's own key."""
        return [r for r in self.reads if r.plan.entity is plan.entity and r.path.index_name == index]

    def readers(self, index: str | None) -> list[Read]:
        """The reads through an index, of whatever entity."""
        return [r for r in self.reads if r.path.index_name == index]

    def paths(self, plan: EntityPlan) -> tuple[KeyPath, ...]:
        """The table's key and the indexes that an entity is in."""
        return tuple(key_paths(plan))

    def every_path(self) -> Iterator[KeyPath]:
        """All keys of all entities, but for those on an index that an entity is in only because it shares key attributes,
        and is never read through."""
        for plan in self.entities:
            for path in key_paths(plan):
                binding = path.binding
                if binding is None or binding.made or binding.shared or self.reads_of(plan, path.index_name):
                    yield path

    # ------------------------------------------------------------------------------------------------ subjects

    def about_table(self) -> Subject:
        """The table as a whole."""
        return Subject(f"table {self.table.label}", self.table)

    def about_entity(self, plan: EntityPlan) -> Subject:
        """An entity."""
        return Subject(plan.name, plan.entity)

    def about_field(self, plan: EntityPlan, name: str) -> Subject:
        """A field of an entity; for the library's own time stamps, the entity."""
        return Subject(f"{plan.name}.{name}", plan.entity, name)

    def about_pattern(self, pattern: Pattern[..., Any]) -> Subject:
        """A pattern."""
        return Subject(f"{pattern.name}()", pattern)

    def about_index(self, name: str) -> Subject:
        """An index."""
        return Subject(f"index {name}", self.table.indexes[name])

    def about_relationship(self, relationship: Relationship) -> Subject:
        """A relationship."""
        target = relationship.target
        name = target if isinstance(target, str) else target.__name__
        return Subject(f"{relationship.source.__name__} to {name}", relationship)


def key_of(path: KeyPath) -> str:
    """A key for messages: "the table's key" or "GSI1"."""
    return path.index_name or "the table's key"
