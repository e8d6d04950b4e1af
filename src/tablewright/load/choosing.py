"""Whom a request is about: an entity out of many, by values of which some are wanted more than others.

A value has the same rank wherever it stands: the customer whom most orders are about is also the one whose page is read most.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any
from zlib import crc32

from msgspec import Struct

from tablewright.load.keys import ranks
from tablewright.model.annotations import count_of_values, field_annotation
from tablewright.model.entity import Entity
from tablewright.model.expectations import ValuesExpected
from tablewright.table import Table
from tablewright.testing.relating import Identity, Parent


class Demand:
    """How values of fields are wanted, by what the model expects; where it says nothing of the hottest, by Zipf's law."""

    def __init__(
        self,
        table: Table,
        identities: Mapping[type[Entity], Sequence[Identity]],
        parents: Mapping[type[Entity], Sequence[Parent]],
        *,
        zipf: float,
        seed: int,
    ) -> None:
        self._table = table
        self._identities = identities
        self._parents = parents
        self.zipf = zipf
        self.seed = seed

    def values(self, entity: type[Entity], field: str) -> tuple[int | None, float | None]:
        """How many values a field has, and the share of the hottest, as far as it was said: of the field itself, of the one
        whose values it takes, or of the entity that it identifies."""
        expected, owner = self._expected(entity, field)
        allowed = count_of_values(field_annotation(entity.model_fields[field]))
        count = expected.distinct if expected.distinct is not None else allowed
        if count is None and any(one.fields == (field,) for one in self._identities.get(owner, ())):
            count = self._table.expectations.of(owner).items
        return count, expected.hottest

    def _expected(self, entity: type[Entity], field: str) -> tuple[ValuesExpected, type[Entity]]:
        said = self._table.expectations
        met: set[tuple[type[Entity], str]] = set()  # kinds may belong to each other
        here: tuple[type[Entity], str] | None = (entity, field)
        while here is not None and here not in met:
            entity, field = here
            if here in said.fields:
                return said.of_field(entity, field), entity
            met.add(here)
            from_whom = [p for p in self._parents.get(entity, ()) if field in p.fields]
            here = (from_whom[0].entity, from_whom[0].fields[field]) if from_whom else None
        return ValuesExpected(), entity

    def choice(self, entities: Sequence[Entity], fields: Sequence[str]) -> Choice:
        """A choice among entities of one kind: by the values of the first field, then among those that share one by the
        next, and at the end any of them."""
        if not fields or len(entities) < 2:
            return Choice(tuple(entities))
        field = fields[0]
        groups: dict[Any, list[Entity]] = {}
        for entity in entities:
            groups.setdefault(_hashable(getattr(entity, field)), []).append(entity)
        order = sorted(groups, key=self.rank)
        known, hottest = self.values(type(entities[0]), field)
        return Choice(
            tuple(self.choice(groups[value], fields[1:]) for value in order),
            # As if there were as many as the model expects: what is beyond those at hand is spread over them.
            max(known or 0, len(order)),
            self.zipf,
            hottest,
        )

    def rank(self, value: Any) -> tuple[int, str]:
        """What values are sorted by, the most wanted first: by chance, and wherever it stands the same."""
        text = repr(value)
        return crc32(f"{self.seed}:{text}".encode()), text


class Choice(Struct, frozen=True, eq=False):
    """Entities, or further choices, in the order of how much they are wanted; all alike where no number of values is known."""

    among: tuple[Any, ...]
    count: int = 0
    zipf: float = 0.0
    hottest: float | None = None

    def draw(self, chance: random.Random) -> Entity:
        """One of them."""
        here: Any = self
        while isinstance(here, Choice):
            if len(here.among) == 1:
                here = here.among[0]
            elif not here.count:
                here = here.among[chance.randrange(len(here.among))]
            else:
                here = here.among[ranks(here.count, here.zipf, here.hottest).draw(chance) % len(here.among)]
        return here  # type: ignore[no-any-return]


def _hashable(value: Any) -> Any:
    try:
        hash(value)
    except TypeError:
        return repr(value)
    return value
