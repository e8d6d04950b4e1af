"""`put`: the whole entity as it is now, whether or not an item was there.

It is written as an update of every field, so that the time of creation and the version of an item that was there already
live on without a read, and attributes that the model does not know stay as they are.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from tablewright.client.writes import markers
from tablewright.client.writes.action import Action
from tablewright.client.writes.base import Write, unchanged
from tablewright.client.writes.items import check_size, describing, with_stamps
from tablewright.compiler.conditions import conjunction
from tablewright.compiler.fields import CREATED
from tablewright.expressions import ast
from tablewright.model.entity import Stored
from tablewright.values.types import Item

ZERO, ONE = ast.Value({"N": "0"}), ast.Value({"N": "1"})


@dataclass(slots=True, eq=False)
class Put(Write):
    """Overwrites or makes an item. `known` is what a read told of it before, None for a fresh entity."""

    must_exist: ClassVar[bool] = False
    keeps_type: ClassVar[bool] = False

    values: dict[str, Any] = field(default_factory=dict)
    known: Stored | None = None
    _found: Stored | None = None

    @property
    def needs_current(self) -> bool:
        """Old unique values must be known, to be given up; so must an old creation time that a key is made of."""
        return bool(self.plan.uniques) or any(
            CREATED in b.sources - self.plan.fields.keys() for b in self.plan.bindings
        )

    @property
    def blind(self) -> bool:
        """Whether the version and creation time of an item that may be there only show after the write."""
        options = self.plan.options
        return self.known is None and not self.needs_current and (options.timestamps or options.version)

    def becomes(self, now: str) -> Stored:
        """What the item will say of itself, unless the put is blind."""
        known, options = self.known or self._found or Stored(), self.plan.options
        found = self._found.created if self._found is not None else None
        return Stored(
            (known.version or 0) + 1 if options.version else None,
            (found or known.created or now) if options.timestamps else None,
            now if options.timestamps else None,
            options.schema_version,
        )

    def actions(self, current: Item | None, now: str) -> list[Action]:
        """One update, and the moves of unique values."""
        plan = self.plan
        guard: list[ast.Condition] = []
        moves: list[Action] = []
        if self.needs_current:
            guard = [self.absent()]
            before: dict[str, Item | None] = {}
            if current is not None:
                guard = [self.present(), *unchanged(plan, plan.unique_fields - plan.key_fields, current)]
                before = plan.markers(plan.values_in(current, plan.unique_fields))
                guard += self.as_before(current, plan.names.created)
                if self.known is None:
                    guard += self.as_before(current, plan.names.version)
            self._found = _described(plan.names.version, plan.names.created, current or {})
            moves = markers.moves(self, before, plan.markers(self.values))
        return [self._overwrite(now, conjunction(self.own_conditions(*guard))), *moves]

    def _overwrite(self, now: str, condition: ast.Condition | None) -> Action:
        plan, names, options = self.plan, self.plan.names, self.plan.options
        stored = self.becomes(now)
        fields = plan.encode_fields(self.values)
        attributes, drop = plan.index_attributes(with_stamps(plan, self.values, stored.created or now, now))
        item = {**fields, **describing(plan, now, stored), **attributes}
        check_size(plan, {**item, **self.key})
        actions: list[ast.UpdateAction] = []
        for name, value in item.items():
            if name in self.key:  # a field that is a key attribute itself
                continue
            if name == names.created and options.timestamps:
                actions.append(ast.SetAction((name,), ast.IfNotExists((name,), ast.Value(value))))
            elif name == names.version and options.version:
                actions.append(next_version(name))
            else:
                actions.append(ast.SetAction((name,), ast.Value(value)))
        unset = [f.path[0] for f in plan.fields.values() if f.path[0] not in item and f.path[0] not in self.key]
        actions.extend(ast.RemoveAction((n,)) for n in dict.fromkeys((*unset, *drop)))
        return Action("Update", self.key, update=ast.Update(tuple(actions)), condition=condition)


def next_version(name: str) -> ast.SetAction:
    """SET version = if_not_exists(version, 0) + 1"""
    return ast.SetAction((name,), ast.Arithmetic("+", ast.IfNotExists((name,), ZERO), ONE))


def _described(version: str, created: str, item: Item) -> Stored:
    number = item.get(version, {}).get("N", "")
    return Stored(int(number) if number.isdecimal() else None, item.get(created, {}).get("S"))
