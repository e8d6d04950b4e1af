"""A read with the key that serves it, and the partitions that it asks: one, or several that are merged."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from tablewright.compiler.derived import MAX_FAN_OUT, BucketPlan, ShardPlan
from tablewright.compiler.keys import TemplateKey
from tablewright.compiler.paths import KeyPath
from tablewright.compiler.selection import Arguments, Listed, Source
from tablewright.compiler.showing import ShownTerm, shown_equal
from tablewright.compiler.sortkeys import SortPlan
from tablewright.errors import ArgumentError
from tablewright.model.conditions import Condition
from tablewright.values.types import AttributeValue

Values = Mapping[str, Any]


class FanOut(Struct, frozen=True, eq=False):
    """A placeholder of the partition key that takes several values: all shards, the buckets of a range, or a list."""

    name: str
    plan: ShardPlan | BucketPlan | None
    bounds: tuple[Source, Source] | None
    listed: Listed | None = None

    def every(self, arguments: Arguments) -> list[Any]:
        """The values it takes for these arguments."""
        if self.listed is not None:
            return self.listed.get(arguments)
        if isinstance(self.plan, ShardPlan):
            return list(self.plan.every())
        assert self.plan is not None
        assert self.bounds is not None
        return self.plan.between(self.bounds[0].get(arguments), self.bounds[1].get(arguments))


class Spot(Struct, frozen=True, eq=False):
    """One partition to read: its key, what chose it among several, and the field values known there."""

    partition: dict[str, AttributeValue]
    chosen: Values
    values: Values


class Served(Struct, frozen=True, eq=False):
    """A read and the key that serves it."""

    path: KeyPath
    known: Mapping[str, Source]
    fan_out: tuple[FanOut, ...]
    sort: SortPlan
    complete: bool
    """Whether the whole key is fixed, so that at most one item of the table, or few of an index, can match."""
    warnings: tuple[str, ...] = ()
    """What an adopted table leaves unproved."""
    rest: tuple[Condition, ...] = ()
    """Conditions that a filter tests, because they only make narrower what a sparse index holds."""

    def values(self, arguments: Arguments) -> dict[str, Any]:
        """The values of the fields that are fixed."""
        return {name: source.get(arguments) for name, source in self.known.items()}

    def terms(self) -> list[ShownTerm]:
        """The key condition for people, with parameters by name."""
        return [*(shown_equal(key, self.known) for key in self.path.pk), *self.sort.terms(self.known)]

    def spots(self, arguments: Arguments) -> list[Spot]:
        """Each partition to read, once, however often a list names it."""
        values = self.values(arguments)
        if not self.fan_out:
            return [Spot({key.attribute.name: key.encode(values) for key in self.path.pk}, {}, values)]
        listed = {fan.name for fan in self.fan_out if fan.listed is not None}
        found: dict[str, Spot] = {}
        for chosen in self._combinations(arguments):
            there = {**values, **{n: v for n, v in chosen.items() if n in listed}}
            partition = dict(self._partition(there, chosen))
            found.setdefault(repr(partition), Spot(partition, chosen, there))
        # The order of a list says nothing, and a cursor must fit the same list in another order.
        return [found[text] for text in sorted(found)] if listed else list(found.values())

    def _partition(self, values: Values, chosen: Values) -> Iterator[tuple[str, AttributeValue]]:
        for key in self.path.pk:
            if isinstance(key, TemplateKey):
                yield key.attribute.name, {"S": key.bound.encode({**key.with_derived(values), **chosen})}
            else:
                yield key.attribute.name, key.encode(values)

    def _combinations(self, arguments: Arguments) -> list[dict[str, Any]]:
        every = [(fan.name, fan.every(arguments)) for fan in self.fan_out]
        if math.prod(len(values) for _, values in every) > MAX_FAN_OUT:
            raise ArgumentError(
                f"This read would ask more than {MAX_FAN_OUT} partitions.",
                constraint=f"{MAX_FAN_OUT} partitions",
                hint="Ask for a shorter range, or a shorter list.",
            )
        combinations: list[dict[str, Any]] = [{}]
        for name, values in every:
            combinations = [{**c, name: value} for c in combinations for value in values]
        return combinations
