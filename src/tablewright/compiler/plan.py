"""A whole table, compiled: every entity and pattern, proved against each other, without I/O.

It grows as the model file is read: each class and function is compiled when it is defined, so that a mistake is
reported at its own line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from tablewright.errors import ModelError, PatternError, UnknownEntityTypeError
from tablewright.later import later

if TYPE_CHECKING:
    from tablewright.compiler import (
        aggregates,
        belongings,
        changes,
        collisions,
        entity_planner,
        queries,
        read_planner,
        reads,
        relationships,
    )
    from tablewright.compiler.aggregates import AggregatePlan
    from tablewright.compiler.belongings import BelongingsPlan
    from tablewright.compiler.changes import ChangeSummary
    from tablewright.compiler.entity_plan import EntityPlan
    from tablewright.compiler.fields import FieldPlan
    from tablewright.compiler.reads import ReadPlan
    from tablewright.compiler.versions import Cast, Way
    from tablewright.expressions import reserved
    from tablewright.model.aggregates import Aggregate
    from tablewright.model.belongings import Belongings
    from tablewright.model.change import Change
    from tablewright.model.entity import Entity
    from tablewright.model.operations import Op
    from tablewright.model.pattern import Pattern
    from tablewright.model.relationships import Relationship
    from tablewright.model.table import TableModel
    from tablewright.values.types import Item
else:
    later(globals(), "tablewright.compiler", "aggregates", "belongings", "changes", "collisions", "entity_planner")
    later(globals(), "tablewright.compiler", "queries", "read_planner", "reads", "relationships")
    later(globals(), "tablewright.expressions", "reserved")


WATCHED = "__tablewright_watched__"
"""In a class that stands in for an entity's, to see which fields are read: the entity's."""


class TablePlan:
    """The compiled model of one table."""

    def __init__(self, table: TableModel) -> None:
        self.table = table
        self.entities: dict[type, EntityPlan] = {}
        self.by_type: dict[str, EntityPlan] = {}
        self.patterns: dict[str, dict[tuple[object, ...], ReadPlan]] = {}
        self.changes: dict[str, ChangeSummary] = {}
        self.seals: dict[str, tuple[FieldPlan, ...]] = {}
        """Encrypted and offloaded fields by stored type; empty when there are none."""
        self.versioned: dict[str, EntityPlan] = {}
        """The plans of entities with schema versions, by stored type."""
        self.aggregates: dict[type, AggregatePlan] = {}
        self._belongings: dict[Belongings[...], BelongingsPlan] = {}
        self._declared: dict[str, Pattern[..., Any]] = {}
        self._unproved: list[str] = []

    # ---------------------------------------------------------------------------------------------- growing

    def add_entity(self, entity: type[Entity]) -> None:
        """Compiles an entity and proves that it disturbs nothing that was there before."""
        plan = entity_planner.plan_entity(entity, self.table)
        unproved = collisions.refuse_collisions(plan, self.entities.values())
        entities = {**self.entities, entity: plan}
        replanned = {}
        for name, pattern in self._declared.items():
            if all(_stays(known, plan) for known in self.patterns[name].values()):
                continue
            try:
                replanned[name] = _plan_variants(pattern, entities)
            except PatternError as error:
                raise PatternError(
                    f"{entity.__name__} breaks the pattern {name}(): {error.message}",
                    hint=error.hint,
                    context={"pattern": name},
                    reasons=error.reasons,
                ) from None
        self.entities = entities
        self.by_type[entity.__options__.type] = plan
        if plan.seals:
            self.seals[entity.__options__.type] = plan.seals
        if plan.versions is not None:
            self.versioned[entity.__options__.type] = plan
        self._unproved += unproved
        # Another key may serve a pattern now, if the new entity stands in the way of the one it had.
        for name, plans in replanned.items():
            self._adopt(self._declared[name], plans)

    def add_pattern(self, pattern: Pattern[..., Any]) -> None:
        """Compiles a pattern in all its variants."""
        plans = _plan_variants(pattern, self.entities)
        self._declared[pattern.name] = pattern
        self._adopt(pattern, plans)

    def _adopt(self, pattern: Pattern[..., Any], plans: dict[tuple[object, ...], ReadPlan]) -> None:
        self.patterns[pattern.name] = plans
        for key, plan in plans.items():
            pattern.variants[key] = replace(pattern.variants[key], compiled=plan)

    def add_change(self, change: Change[Any, ...]) -> None:
        """Checks a change against its entity and works out which index keys it moves."""
        self.changes[change.name] = changes.summarise(change, self.of(change.entity))

    def add_relationship(self, relationship: Relationship) -> None:
        """Checks that the chosen strategy can work."""
        relationships.check_relationship(relationship, self.entities)

    def add_aggregate(self, aggregate: type[Aggregate[Any]]) -> None:
        """Compiles an aggregate."""
        self.aggregates[aggregate] = aggregates.plan_aggregate(aggregate, self.entities)

    def add_cast(self, way: Way, entity: type[Entity], version: int, cast: Cast) -> None:
        """Declares what makes of an item of one schema version one of the next or of the last."""
        plan = self.of(entity)
        if plan.versions is None:
            raise ModelError(
                f"{plan.name} has no schema version, so there is no {way} of it.",
                hint=f"Declare it: class {plan.name}(Entity, table=..., schema_version=2).",
            )
        plan.versions.add(way, version, cast)
        plan.forms.forget()
        plan.prepared.clear()

    def check_versions(self) -> None:
        """Refuses schema versions that nothing leads on from. Upcasts follow the class that they are of, so this is for
        whoever begins to use the model."""
        for plan in self.versioned.values():
            if plan.versions is not None:
                plan.versions.check()

    # ------------------------------------------------------------------------------------------------ using

    def of(self, entity: type[Entity]) -> EntityPlan:
        """The plan of an entity of this table."""
        plan = self.entities.get(entity)
        if plan is None and isinstance(entity, type) and WATCHED in vars(entity):
            plan = self.entities.get(vars(entity)[WATCHED])
        if plan is None:
            name = entity.__name__ if isinstance(entity, type) else type(entity).__name__
            known = ", ".join(sorted(e.__name__ for e in self.entities)) or "none yet"
            raise ModelError(
                f"{name} is no entity of {self.table.label}.",
                hint=f"Its entities are: {known}.",
                context={"missing_entity": name},
            )
        return plan

    def belongings(self, declared: Belongings[...]) -> BelongingsPlan:
        """What belongs to somebody; it is proved again when the model has grown."""
        if declared.table is not self.table:
            raise ModelError(f"These belongings are declared of {declared.table.label}, not of {self.table.label}.")
        plan = self._belongings.get(declared)
        if plan is None or plan.entities != len(self.entities):
            plan = self._belongings[declared] = belongings.plan_belongings(declared, self.entities, self.patterns)
        return plan

    def read(self, operation: Op[Any, Any]) -> ReadPlan:
        """The plan of a read: a pattern's, or one made now for a read written on the spot."""
        if operation.compiled is not None:
            compiled: ReadPlan = operation.compiled
            return compiled
        return read_planner.plan_read("The read", operation, self.entities)

    def decode(self, item: Item) -> Any:
        """A stored item as whatever entity it is."""
        tag = item.get(self.table.names.type, {}).get("S")
        plan = self.by_type.get(tag) if tag is not None else None
        if plan is None:
            raise UnknownEntityTypeError(
                f"{self.table.label} holds an item of a type that the model does not know.",
                hint="Define an entity for it, or read only the types you know.",
                context={"type": tag},
            )
        return plan.decode(item)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What could not be proved; only adopted keys leave anything open."""
        found = [w for plan in self.entities.values() for w in plan.warnings] + self._unproved
        for name, variants in self.patterns.items():
            for plan in variants.values():
                served = (
                    [p.query.served for p in plan.parts] if isinstance(plan, reads.CollectionPlan) else [plan.served]
                )
                found += [f"The pattern {name}(): {w}" for s in served for w in s.warnings]
        return tuple(dict.fromkeys(found))

    @property
    def reserved_attributes(self) -> tuple[str, ...]:
        """Stored attributes whose names are DynamoDB's reserved words; every request names them by placeholders."""
        names = {f.path[0] for plan in self.entities.values() for f in plan.fields.values()}
        table = self.table
        keys = {a.name for a in (table.pk, table.sk, *(a for i in table.indexes.values() for a in i.attributes)) if a}
        return tuple(sorted(n for n in names | keys | set(table.names.own()) if reserved.is_reserved(n)))


def _stays(known: ReadPlan, newcomer: EntityPlan) -> bool:
    return not isinstance(known, reads.CollectionPlan) and queries.undisturbed(known.served, newcomer)


def _plan_variants(pattern: Pattern[..., Any], entities: dict[type, EntityPlan]) -> dict[tuple[object, ...], ReadPlan]:
    name = pattern.name
    return {
        key: replace(read_planner.plan_read(f"The pattern {name}()", op, entities), pattern=name)
        for key, op in pattern.variants.items()
    }
