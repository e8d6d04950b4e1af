"""What steps stand on: the model of today, and the table as it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from tablewright.compiler.derived import plan_derived
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.keys import KeyPlan, KeyPlanner
from tablewright.errors import ArgumentError, ConfigError, ModelError
from tablewright.model.entity import did_you_mean
from tablewright.model.indexes import KeyAttribute
from tablewright.model.keys import Derived
from tablewright.table import Table

if TYPE_CHECKING:
    from tablewright.evolve.migrations.step import Step

_LIMIT = 2048
"""Bytes that the longest kind of key may have; what an old model stored fitted into its own."""


class Ground(Struct, frozen=True, eq=False):
    """A model, and the table that it is of."""

    model: Table
    table: str
    """The name of the table, in its stage."""
    live: Mapping[str, Any]
    """What DescribeTable says of it."""
    steps: tuple[Step, ...] | None = None
    """All steps of the migration, which may know of attributes that the model does not have; None where nobody said."""
    later: tuple[Step, ...] = ()
    """Steps of later migrations: what they bring about, those before them leave alone."""

    @property
    def entities(self) -> dict[str, EntityPlan]:
        """The entities of the model by their names in code."""
        return {plan.name: plan for plan in self.model.plan.entities.values()}

    def entity(self, name: str) -> EntityPlan:
        """An entity by its name in code."""
        found = self.entities.get(name)
        if found is None:
            raise ArgumentError(
                f"The model has no entity {name!r}, which the migration is about.{did_you_mean(name, self.entities)}",
                hint="Name the entity as the model does now, or remove the step if its items are gone.",
            )
        return replace(found, other_keys=tuple(self._other_keys(found)))

    def known(self) -> list[EntityPlan]:
        """All entities, with the keys that the steps of the migration know of."""
        return [self.entity(name) for name in self.entities]

    def _other_keys(self, plan: EntityPlan) -> Iterator[tuple[KeyPlan, ...]]:
        own = [(step, self) for step in self.steps or ()]
        later = [(step, replace(self, steps=(*(self.steps or ()), *self.later))) for step in self.later]
        for step, ground in (*own, *later):
            if getattr(step, "entity", None) != plan.name:
                continue
            # What is wrong with a later migration is told with that one.
            with suppress(*(() if ground is self else (ArgumentError,))):
                if keys := step.keys_before(ground, plan):
                    yield keys

    @property
    def index_attributes(self) -> frozenset[str]:
        """The key attributes of all indexes, of the table and of the model."""
        live = self.live.get("GlobalSecondaryIndexes", []) + self.live.get("LocalSecondaryIndexes", [])
        own = {a["AttributeName"] for a in self.live["KeySchema"]}
        there = {a["AttributeName"] for index in live for a in index["KeySchema"]}
        return frozenset((there | {a.name for i in self.model.indexes.values() for a in i.attributes}) - own)


def refuse_encrypted(plan: EntityPlan, attributes: Iterable[str] | None = None) -> None:
    """Refuses to carry encrypted values elsewhere: each is bound to its attribute and to the primary key of its item."""
    named = None if attributes is None else {*attributes}
    for field in plan.seals:
        sealing = field.sealing
        if sealing is None or sealing.encrypted is None or (named is not None and field.path[0] not in named):
            continue
        raise ArgumentError(
            f"{plan.name}.{field.name} is encrypted for its attribute and the key of its item, so that nobody could read it under "
            "others.",
            hint="Read the items with the old model, and write them with the new one; or remove the step.",
        )


def keys_with(
    plan: EntityPlan,
    pk: tuple[str, ...],
    sk: tuple[str, ...],
    was: tuple[str, ...],
    derive: Mapping[str, Derived] | None = None,
) -> tuple[KeyPlan, ...]:
    """How attributes such as "GSI1PK (S)" are made by these templates, one each, of the sources that the plan has. The index that
    they were for may be gone from the model. `derive` are placeholders that the model derives otherwise, or not at all."""
    table = plan.table
    with _old_keys(plan):
        specs = {**plan.entity.keys.derive, **(derive or {})}
        derived = {name: plan_derived(plan.name, name, how, plan.sources) for name, how in specs.items()}
        planner = KeyPlanner(plan.name, plan.sources, derived, table.key_style)
        if len(pk) + len(sk) != len(was):
            raise ModelError(f"{len(was)} templates do not make {len(pk) + len(sk)} attributes.")
        sides = [*((text, False) for text in pk), *((text, True) for text in sk)]
        return tuple(
            planner.plan(attribute_of(text), template, where="an index key", sorts=sorts, limit=_LIMIT)
            for (text, sorts), template in zip(sides, was, strict=True)
        )


def attribute_of(text: str) -> KeyAttribute:
    """The attribute that a text such as "GSI1PK (S)" names."""
    name, _, tag = text.partition(" ")
    match tag:
        case "(S)" | "(N)" | "(B)":
            return KeyAttribute(name, tag[1])  # type: ignore[arg-type]
        case _:
            raise ConfigError(f"{text!r} is no attribute with its type.", hint='Write "GSI1PK (S)".')


@contextmanager
def _old_keys(plan: EntityPlan) -> Iterator[None]:
    try:
        yield
    except ModelError as error:
        raise ArgumentError(
            f"The keys that {plan.name} had cannot be made again, so that there would be no way back: {error.message}",
            hint="Write the templates in was= with fields that the model has, or with attributes that another step of the migration "
            "renames, splits, merges or removes.",
        ) from error
