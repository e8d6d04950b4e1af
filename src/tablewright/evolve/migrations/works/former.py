"""Keys as an older model made them, of what an item holds when the other steps of its migration are undone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from tablewright.client.writes.base import at
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.keys import KeyPlan, have_form
from tablewright.evolve.jobs.work import Skipped
from tablewright.evolve.migrations.works.guarding import as_read, fields_as_read, whole
from tablewright.evolve.migrations.works.recasting import Recast, recast_by
from tablewright.expressions import ast
from tablewright.values.types import Item
from tablewright.values.wire import from_wire_item


class FormerKeys(Struct, frozen=True, eq=False):
    """How keys were made."""

    plan: EntityPlan
    """The entity, with sources that are not fields of it any more."""
    keys: tuple[KeyPlan, ...]
    raw: frozenset[str] = frozenset()
    """Sources that are attributes of the stored item, whatever its schema version is."""
    recasts: tuple[Recast, ...] = ()
    """What brings older attributes back, in the order in which it is done."""
    optional: frozenset[str] = frozenset()
    """Sources without which the older model left an item out of the index."""
    when: Callable[..., Any] | None = None
    """Takes the stored item as it was before, and says whether the older model had it in the index."""

    @property
    def sources(self) -> frozenset[str]:
        """What they are made of."""
        return frozenset().union(*(key.sources for key in self.keys))

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes that they are, but for what is more than that, a field or a key of the table: that stays, whether an item
        was in the index or not."""
        table = self.plan.table
        kept = {field.path[0] for field in self.plan.sources.values()} | {
            key.name for key in (table.pk, table.sk) if key
        }
        return tuple(key.attribute.name for key in self.keys if key.attribute.name not in kept)

    def before(self, item: Item) -> Item | Skipped:
        """The item with the attributes that it had beside those that it has, as the steps about attributes bring them back."""
        return recast_by(self.recasts, item)

    def held(self, before: Item) -> bool | Skipped:
        """Whether the older model had an item in the index, by what before() made."""
        if self.when is None:
            return True
        try:
            return bool(self.when(from_wire_item(before)))
        except Exception as error:  # a function of the file's author, which may fail at any item
            return Skipped(f"{self.when.__name__}() failed with {type(error).__name__}")

    def values(self, before: Item) -> dict[str, Any]:
        """The sources, of what before() made; None for one that is not there."""
        raw = self._raw(before)
        fields = self.plan.values_in(self.plan.current(before), self.sources - raw)
        return {**fields, **self.plan.values_in(before, raw)}

    def stored(self, before: Item) -> bool:
        """Whether all sources are stored, of what before() made."""
        raw, current = self._raw(before), self.plan.current(before)
        paths = {name: self.plan.sources[name].path for name in self.sources}
        return all(at(before if name in raw else current, path) is not None for name, path in paths.items())

    def _raw(self, before: Item) -> frozenset[str]:
        """Sources that are read as they are stored: those too that upcasts take away from an older item."""
        current = self.plan.current(before)
        paths = {name: self.plan.sources[name].path for name in self.sources}
        taken = {n for n, path in paths.items() if at(current, path) is None and at(before, path) is not None}
        return self.sources & (self.raw | taken)

    def encode(self, values: dict[str, Any]) -> Item:
        """The keys."""
        return {key.attribute.name: key.encode(values) for key in self.keys}

    def fits(self, item: Item) -> bool:
        """Whether keys of an item have this form."""
        return have_form(self.keys, item)

    def as_read(self, item: Item) -> tuple[ast.Condition, ...] | None:
        """What they are made of is as it was; None where that is more than a condition can hold."""
        if self.when is not None:  # which may look at anything
            guard = whole(self.plan, item)
            return None if guard is None else (guard,)
        fields = fields_as_read(self.plan, item, self.sources)
        recast = {name for one in self.recasts for name in (*one.sources, *one.targets, one.mark)}
        named = recast - {self.plan.sources[name].path[0] for name in self.sources}
        return None if fields is None else (*fields, *as_read(item, named))

    def __str__(self) -> str:
        return " / ".join(map(str, self.keys))
