"""Keys on an index: filled as a model says, or taken away again."""

from __future__ import annotations

from collections.abc import Iterable

from tablewright.client.writes.base import holds
from tablewright.compiler.entity_plan import IndexBinding
from tablewright.evolve.jobs.work import Decision, Skipped
from tablewright.evolve.migrations.works.former import FormerKeys
from tablewright.evolve.migrations.works.guarding import (
    COPY,
    READ,
    TOO_WIDE,
    ItemWork,
    as_read,
    attempted,
    belongs,
    fields_as_read,
    identity,
    remove,
    set_to,
    values_of,
)
from tablewright.evolve.migrations.works.indexing import index_keys, sources_of
from tablewright.evolve.migrations.works.recasting import Recast, recast_by
from tablewright.expressions import ast
from tablewright.values.types import Item

LACKING = "it lacks a field that its key on an index is made of, and that the model requires"
NO_SOURCE = "what its old key on an index was made of is not stored in it"


def _changed(
    work: ItemWork, item: Item, update: Iterable[ast.UpdateAction], sources: Iterable[str], keys: Iterable[str]
) -> Decision:
    """An update of keys, if they and what they are made of are still the same."""
    made_of = fields_as_read(work.plan, item, sources)
    return Skipped(TOO_WIDE) if made_of is None else work.change(item, update, *made_of, *as_read(item, keys))


class Fill(ItemWork, frozen=True, eq=False):
    """Gives items the keys that the plan says they have on an index."""

    bindings: tuple[IndexBinding, ...]
    recasts: tuple[Recast, ...] = ()
    """What makes attributes that the keys are made of, in this migration or a later one: defaults do not stand in for what is to
    come of another attribute."""
    followed: tuple[Recast, ...] = ()
    """Those of them that come before this, and make an older form of a default at once."""

    @property
    def name(self) -> str:
        """What is done."""
        return f"fill {', '.join(b.index.name for b in self.bindings)} of {self.plan.name}"

    @property
    def identity(self) -> str:
        """The same for the same templates."""
        keys = [f"{b.index.name} {' '.join(map(str, b.keys))} {b.condition}" for b in self.bindings]
        return identity("fill", self.table, self.plan.type_name, *keys)

    def look(self, item: Item) -> Decision:
        """Sets what differs, if the fields that it was made of are still the same."""
        return attempted(lambda: self._look(item)) if self.concerns(item) else None

    def _look(self, item: Item) -> Decision:
        seen = self._seen(item)
        if isinstance(seen, Skipped):
            return seen
        wanted = index_keys(self.plan, seen, self.bindings)
        other = {name: value for name, value in wanted.items() if item.get(name) != value}
        if not other:
            return None
        sources = frozenset().union(*map(sources_of, self.bindings))
        if None in other.values() and self._lacks(seen, sources):
            return Skipped(LACKING)
        if any(name in other for one in self.followed for name in one.targets):
            after = recast_by(self.followed, {**item, **{n: value for n, value in other.items() if value is not None}})
            if not isinstance(after, Skipped):
                other |= {name: value for name, value in after.items() if item.get(name) != value and name not in other}
        update = [remove(n) if value is None else set_to(n, value) for n, value in sorted(other.items())]
        recast = {name for one in self.recasts for name in (*one.sources, *one.targets, one.mark)}
        return _changed(self, item, update, sources, other.keys() | recast)

    def _seen(self, item: Item) -> Item | Skipped:
        """The item with what it lacks and other attributes hold, as long as nobody has made that of them."""
        if all(name in item for one in self.recasts for name in one.targets):
            return item
        after = recast_by(self.recasts, item)
        return after if isinstance(after, Skipped) else {**after, **item}

    def _lacks(self, item: Item, sources: frozenset[str]) -> bool:
        """Whether something that keys are made of is not there, and should be: then the item keeps the key that it has."""
        values = values_of(self.plan, item, sources)
        required = {name for name, field in self.plan.fields.items() if not field.nullable}
        return any(value is None and name in required for name, value in values.items())


class Restore(ItemWork, frozen=True, eq=False):
    """Gives items the keys that an older model gave them on an index."""

    former: FormerKeys
    filled: bool = False
    """Whether other keys were put in their place: then an item that has none now was not changed."""

    @property
    def name(self) -> str:
        """What is done."""
        return f"restore {', '.join(self.former.names)} of {self.plan.name}"

    @property
    def identity(self) -> str:
        """The same for the same templates."""
        keys = [f"{key.attribute.name} {key}" for key in self.former.keys]
        return identity("restore", self.table, self.plan.type_name, *keys)

    def look(self, item: Item) -> Decision:
        """Sets what differs, if what it was made of is still the same. What cannot be made is told, and takes nothing away."""
        return attempted(lambda: self._look(item)) if self.former.names and self.concerns(item) else None

    def _look(self, item: Item) -> Decision:
        former = self.former
        before = former.before(item)
        if isinstance(before, Skipped):
            return before
        held = former.held(before)
        if isinstance(held, Skipped):
            return held
        values = former.values(before) if held else {}
        missing = {name for name, value in values.items() if value is None}
        if missing - former.optional:
            untouched = self.filled and all(name not in item for name in former.names)
            return None if untouched else Skipped(NO_SOURCE)
        made = former.encode(values) if held and not missing else {}
        wanted = {name: made.get(name) for name in former.names}
        other = {name: value for name, value in wanted.items() if item.get(name) != value}
        if not other:
            return None
        update = [remove(n) if value is None else set_to(n, value) for n, value in sorted(other.items())]
        made_of = former.as_read(item)
        return Skipped(TOO_WIDE) if made_of is None else self.change(item, update, *made_of, *as_read(item, other))


class Clear(ItemWork, frozen=True, eq=False):
    """Takes attributes away that nothing reads any more."""

    attributes: tuple[str, ...]
    needs: tuple[str, ...] = ()
    """Attributes without which an item keeps them: what took their place."""
    read: bool = False
    """Whether functions that make current items of older ones may read them."""

    @property
    def name(self) -> str:
        """What is done."""
        return f"remove {', '.join(self.attributes)} from {self.plan.name}"

    @property
    def identity(self) -> str:
        """The same for the same attributes."""
        return identity("clear", self.table, self.plan.type_name, *self.attributes, "needs", *self.needs)

    def look(self, item: Item) -> Decision:
        """Removes what is there, if it is still what it was. Of an older schema version, readers may need it yet. What is left of a
        deleted item may come back."""
        if self.concerns(item):
            return attempted(lambda: self._look(item, item, ()))
        remains = self.plan.names.remains
        if self.plan.alive(item) is None and belongs(self.plan, item) and COPY not in item and remains in item:
            return attempted(lambda: self._look(item, item[remains]["M"], (remains,)))
        return None

    def _look(self, whole: Item, item: Item, path: tuple[str, ...]) -> Decision:
        """The same for attributes that stand below this path."""
        there = [name for name in self.attributes if name in item]
        if not there or any(name not in item for name in self.needs):
            return None
        versions = self.plan.versions
        if self.read and versions is not None and versions.is_old(item):
            return Skipped(READ)
        needed = [ast.AttributeExists((*path, name)) for name in self.needs]
        same = [holds((*path, name), item[name]) for name in sorted(there)]
        return self.change(whole, [ast.RemoveAction((*path, name)) for name in there], *same, *needed)
