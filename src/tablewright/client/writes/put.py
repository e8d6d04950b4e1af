"""`put`: the whole entity as it is now, whether or not an item was there.

An entity that was read before carries its version and creation time, so a plain PutItem can replace the item (under the
version, if it has one). A fresh one is written as an update of every field, so that the time of creation and the version
of an item that was there already live on without a read.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tablewright.client.writes import markers
from tablewright.client.writes.action import Action
from tablewright.client.writes.base import Write, all_of, unchanged
from tablewright.client.writes.items import describing, full_item, refuse_large, with_stamps
from tablewright.compiler.fields import CREATED
from tablewright.errors import TablewrightError
from tablewright.expressions import ast
from tablewright.model.entity import Stored
from tablewright.values.types import Item

ZERO, ONE = ast.Value({"N": "0"}), ast.Value({"N": "1"})


@dataclass(slots=True, eq=False)
class Put(Write):
    """Replaces or makes an item. `known` is what a read told of it before, None for a fresh entity."""

    values: dict[str, Any] = field(default_factory=dict)
    known: Stored | None = None

    @property
    def needs_current(self) -> bool:
        """Old unique values must be known, to be given up; so must an old creation time that a key is made of."""
        return bool(self.plan.uniques) or self._needs_created

    @property
    def _needs_created(self) -> bool:
        return self.known is None and any(CREATED in b.sources - self.plan.fields.keys() for b in self.plan.bindings)

    def actions(self, current: Item | None, now: str) -> list[Action]:
        """One put or update, and the moves of unique values."""
        plan = self.plan
        guard: list[ast.Condition] = []
        moves: list[Action] = []
        if plan.uniques:
            fields = plan.unique_fields - plan.key_fields
            guard = unchanged(plan, fields, current)
            if current is None:
                guard = [self.absent()]
            else:
                guard.append(self.exists())
            before = plan.markers(plan.values_in(current, plan.unique_fields)) if current is not None else {}
            moves = markers.moves(plan, before, plan.markers(self.values), self.key)
        condition = all_of(self.own_conditions(*guard))
        plain = not (plan.options.timestamps or plan.options.version)
        if self.known is not None or plain:
            return [self._replace(now, condition), *moves]
        return [self._overwrite(current, now, condition), *moves]

    def blame(self, action: Action, old: Item | None) -> TablewrightError | None:
        """A missing item only matters to the caller's own conditions."""
        if action.marker is None and old is None and self.condition is None and not isinstance(self.expected, int):
            return None
        return Write.blame(self, action, old)

    def stored(self, now: str) -> Stored:
        """What the item will say of itself; the version of an overwritten item is only known afterwards."""
        known, options = self.known or Stored(), self.plan.options
        return Stored(
            (known.version or 0) + 1 if options.version else None,
            (known.created or now) if options.timestamps else None,
            now if options.timestamps else None,
            options.schema_version,
        )

    def _replace(self, now: str, condition: ast.Condition | None) -> Action:
        return Action(
            "Put",
            self.key,
            item=full_item(self.plan, self.values, self.key, now, self.stored(now)),
            condition=condition,
        )

    def _overwrite(self, current: Item | None, now: str, condition: ast.Condition | None) -> Action:
        plan, names, options = self.plan, self.plan.names, self.plan.options
        created = (current or {}).get(names.created, {}).get("S", now)
        attributes, drop = plan.index_attributes(with_stamps(plan, self.values, created, now))
        fields = plan.encode_fields(self.values)
        item = {**fields, **describing(plan, now, self.stored(now)), **attributes}
        refuse_large(plan, {**item, **self.key})
        actions: list[ast.UpdateAction] = []
        for name, value in item.items():
            if name == names.created and options.timestamps:
                actions.append(ast.SetAction((name,), ast.IfNotExists((name,), ast.Value(value))))
            elif name == names.version and options.version:
                actions.append(next_version(name))
            else:
                actions.append(ast.SetAction((name,), ast.Value(value)))
        unset = [f.path[0] for f in plan.fields.values() if len(f.path) == 1 and f.path[0] not in item]
        actions.extend(ast.RemoveAction((n,)) for n in dict.fromkeys((*unset, *drop)) if n not in self.key)
        guard = unchanged(plan, frozenset((CREATED,)), current) if self._needs_created else []
        return Action(
            "Update",
            self.key,
            update=ast.Update(tuple(actions)),
            condition=all_of([*guard, *([condition] if condition else [])]),
        )


def next_version(name: str) -> ast.SetAction:
    """SET version = if_not_exists(version, 0) + 1"""
    return ast.SetAction((name,), ast.Arithmetic("+", ast.IfNotExists((name,), ZERO), ONE))
