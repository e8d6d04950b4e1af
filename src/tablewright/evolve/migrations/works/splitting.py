"""One item that becomes many: its parts are put beside it, and it is marked as split."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import pydantic

from tablewright.client.writes.action import Action
from tablewright.client.writes.items import full_item
from tablewright.client.writes.markers import claim, release, stored_markers
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.evolve.differences.texts import code_text
from tablewright.evolve.jobs.work import Decision, Skipped
from tablewright.evolve.migrations.works.guarding import (
    TOO_WIDE,
    ItemWork,
    absent,
    attempted,
    digest,
    identity,
    remove,
    set_to,
    whole,
    without,
)
from tablewright.expressions import ast
from tablewright.model.entity import Stored
from tablewright.values.types import Item
from tablewright.values.wire import from_wire_item

SPLIT = "TablewrightSplit"
"""On an item that was split: what it held then."""
_MOST = 99
"""Parts that fit into one transaction with the item itself."""

Parts = Callable[[dict[str, Any]], Iterable[tuple[str, Mapping[str, Any]]]]


class SplitUp(ItemWork, frozen=True, eq=False):
    """Puts the parts of each item, where nothing lies yet; or takes them away again."""

    by: Parts
    parts: Mapping[str, EntityPlan]
    """The entities that parts may be of, by their names."""
    source: tuple[str, ...]
    """The attributes that the parts are made of; all of them where none is named."""
    undo: bool = False

    @property
    def name(self) -> str:
        """What is done."""
        return f"{'put together' if self.undo else 'split'} {self.plan.name}"

    @property
    def identity(self) -> str:
        """The same for the same function."""
        return identity("split", self.table, self.plan.type_name, code_text(self.by), self.undo)

    def look(self, item: Item) -> Decision:
        """All parts of an item in one transaction with its mark."""
        return attempted(lambda: self._look(item)) if self.concerns(item) else None

    def _look(self, item: Item) -> Decision:
        content = self._source(item)
        mark = item.get(SPLIT)
        if mark is None and self.undo:
            return None
        if mark is not None and mark.get("S") != digest(content):
            return Skipped("it was changed since it was split")
        if mark is not None and not self.undo:
            return None
        guard, made = whole(self.plan, item), self._made(item)
        if isinstance(made, Skipped):
            return made
        if guard is None:
            return Skipped(TOO_WIDE)
        update = remove(SPLIT) if self.undo else set_to(SPLIT, {"S": digest(content)})
        own = Action("Update", self.plan.key_of_item(item), update=ast.Update((update,)), condition=guard)
        markers = [one for plan, part in made for one in self._markers(plan, part)]
        if len({repr(one.key) for one in markers}) < len(markers):
            return Skipped("two of its parts would have the same unique value")
        if len(made) + len(markers) > _MOST:
            return Skipped(f"it has more than {_MOST} parts and unique values, which do not fit into one transaction")
        return self.writes(own, *(self._part(plan, part) for plan, part in made), *markers)

    def _source(self, item: Item) -> Item:
        if self.source:
            return {name: item[name] for name in self.source if name in item}
        return without(item, {*self.plan.key_of_item(item), SPLIT})

    def _part(self, plan: EntityPlan, part: Item) -> Action:
        key = plan.key_of_item(part)
        if self.undo:
            return Action("Delete", key, condition=whole(plan, part))
        return Action("Put", key, item=part, condition=absent(plan))

    def _markers(self, plan: EntityPlan, part: Item) -> Iterator[Action]:
        """The unique values of a part, taken or given up with it."""
        key, found = plan.key_of_item(part), stored_markers(plan, part)
        for unique in plan.uniques:
            marker = found[unique.name]
            if marker is not None:
                yield (release if self.undo else claim)(plan, unique, marker, key)

    def _made(self, item: Item) -> list[tuple[EntityPlan, Item]] | Skipped:
        stamp = item.get(self.plan.names.updated) or item.get(self.plan.names.created)
        found: list[tuple[EntityPlan, Item]] = []
        try:
            for name, fields in self.by(from_wire_item(item)):
                plan = self.parts.get(name)
                if plan is None:
                    return Skipped(f"{self.by.__name__}() made a part of an entity that the model does not have")
                if plan.options.timestamps and stamp is None:
                    return Skipped("it has no time stamp that its parts could take over")
                values = plan.validated(plan.entity(**fields))
                stored = Stored(version=1 if plan.options.version else None)
                found.append((plan, full_item(plan, values, plan.key(values), (stamp or {}).get("S", ""), stored)))
        except pydantic.ValidationError:
            return Skipped(f"{self.by.__name__}() made a part that its entity refuses")
        except Exception as error:  # a function of the file's author, which may fail at any item
            return Skipped(f"{self.by.__name__}() failed with {type(error).__name__}")
        if len({repr(plan.key_of_item(part)) for plan, part in found}) < len(found):
            return Skipped("two of its parts would have the same key")
        return found
