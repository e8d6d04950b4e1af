"""`put`: the whole entity as it is now, whether or not an item was there.

It is written as an update of every field, so that the time of creation and the version of an item that was there already
live on without a read, and attributes that the model does not know stay as they are.
"""

from __future__ import annotations

from typing import Any, ClassVar

from msgspec import field

from tablewright.client.writes import markers
from tablewright.client.writes.action import Action
from tablewright.client.writes.base import Write, unchanged
from tablewright.client.writes.items import check_size, describing, with_stamps
from tablewright.compiler.conditions import conjunction
from tablewright.compiler.fields import CREATED
from tablewright.compiler.wirecodec import parse_datetime
from tablewright.errors import DecodeError
from tablewright.expressions import ast
from tablewright.model.entity import Stored
from tablewright.values.types import Item

ZERO, ONE = ast.Value({"N": "0"}), ast.Value({"N": "1"})


class Put(Write, eq=False):
    """Overwrites or makes an item. `known` is what a read told of it before, None for a fresh entity."""

    must_exist: ClassVar[bool] = False

    values: dict[str, Any] = field(default_factory=dict)
    known: Stored | None = None
    exact: bool = False
    """Whether what was there before is wanted, so that what was read must be all of it."""
    _found: Stored | None = None

    @property
    def needs_current(self) -> bool:
        """Old unique values must be known, to be given up; so must an old creation time that a key is made of, and whether
        the map is there that fields live in. With a mirror it is a transaction, which returns nothing."""
        return (
            bool(self.plan.uniques)
            or self.plan.mirrored
            or self.plan.options.nested is not None
            or any(CREATED in b.sources - self.plan.fields.keys() for b in self.plan.kept)
        )

    @property
    def guarded(self) -> bool:
        """A lock by time is guarded by that time."""
        return self.needs_current or self.plan.options.lock

    @property
    def blind(self) -> bool:
        """Whether the version and creation time of an item that may be there only show after the write."""
        options = self.plan.options
        if self.needs_current or not (options.timestamps or options.version):
            return False
        return self.known is None or (options.timestamps and self.known.created is None)

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

    def met_before(self, item: Item | None) -> None:
        """Notes what was there, so that it is known what the item became."""
        self._found = self._described(item or {})

    def actions(self, current: Item | None, now: str) -> list[Action]:
        """One update, and the moves of unique values."""
        plan = self.plan
        guard: list[ast.Condition] = [self.not_foreign()]
        moves: list[Action] = []
        if self.needs_current:
            guard = [self.absent()]
            before: dict[str, Item | None] = {}
            if current is not None:
                guard = [self.exists(), *unchanged(plan, plan.unique_fields - plan.key_fields, current)]
                before = markers.stored_markers(plan, current)
                guard += self.exactly(current) if self.exact else self.as_before(current, plan.names.created)
                if self.known is None:
                    guard += self.as_before(current, plan.names.version)
            self._found = self._described(current or {})
            moves = markers.moves(self, before, plan.markers(self.values))
        own = [*self.own_conditions(), *self.newer(now)]
        update, in_map = self._overwrite(current, now)
        condition = conjunction([*guard, *self.in_version(), *in_map, *own])
        again = not own and not self.needs_current
        return [Action("Update", self.key, update=update, condition=condition, holds_after=again), *moves]

    def _overwrite(self, current: Item | None, now: str) -> tuple[ast.Update, list[ast.Condition]]:
        """The update, and what it takes for granted."""
        plan, names, options = self.plan, self.plan.names, self.plan.options
        stored = self.becomes(now)
        fields = plan.encode_fields(self.values)
        attributes, drop = plan.index_attributes(with_stamps(plan, self.values, stored.created or now, now))
        item = {**fields, **describing(plan, now, stored), **attributes}
        check_size(plan, {**item, **self.key})
        actions: list[ast.UpdateAction] = []
        for name, value in item.items():
            if name in self.key or (name == options.nested and current is not None and name in current):
                continue  # a field that is a key attribute itself; a map whose members are set one by one below
            if name == names.created and options.timestamps:
                actions.append(ast.SetAction((name,), ast.IfNotExists((name,), ast.Value(value))))
            elif name == names.version and options.version:
                actions.append(next_version(name))
            else:
                actions.append(ast.SetAction((name,), ast.Value(value)))
        unset = [f.path[0] for f in plan.fields.values() if f.path[0] not in item and f.path[0] not in self.key]
        unset += [n for n in self._of_tombstones() if n not in item]
        actions.extend(ast.RemoveAction((n,)) for n in dict.fromkeys((*unset, *drop)))
        inside, condition = self._in_map(current, item)
        return ast.Update((*actions, *inside)), condition

    def _of_tombstones(self) -> list[str]:
        """What an item must not have that takes a tombstone's place."""
        if self.plan.hides is None or self.plan.table.ttl_attribute is None:
            return []
        return [self.plan.hides, self.plan.names.remains, self.plan.table.ttl_attribute]

    def _in_map(self, current: Item | None, item: Item) -> tuple[list[ast.UpdateAction], list[ast.Condition]]:
        """Where fields live in a map that is there already: its members one by one, so that others in it stay."""
        root = self.plan.options.nested
        if root is None:
            return [], []
        if current is None or root not in current:
            return [], [ast.AttributeNotExists((root,))]
        members = item[root]["M"]
        paths = [f.path for f in self.plan.fields.values() if len(f.path) > 1]
        actions: list[ast.UpdateAction] = [
            ast.SetAction(p, ast.Value(members[p[-1]])) if p[-1] in members else ast.RemoveAction(p) for p in paths
        ]
        return actions, [ast.AttributeType(ast.Attribute((root,)), ast.Value({"S": "M"}))]

    def _described(self, item: Item) -> Stored:
        """What the item that was found says of itself."""
        names = self.plan.names
        number, created = item.get(names.version, {}).get("N", ""), item.get(names.created)
        text = created.get("S") if created is not None else None
        if created is not None and self.plan.options.timestamps and not _is_time(text):
            raise DecodeError(
                f"A stored {self.plan.name} has a {names.created!r} that is no time as this library writes it.",
                hint="Nothing was written. Keep the library's own times elsewhere: AttributeNames(created=...).",
                context={"entity": self.plan.name},
            )
        return Stored(int(number) if number.isdecimal() else None, text)


def next_version(name: str) -> ast.SetAction:
    """SET version = if_not_exists(version, 0) + 1"""
    return ast.SetAction((name,), ast.Arithmetic("+", ast.IfNotExists((name,), ZERO), ONE))


def _is_time(text: str | None) -> bool:
    try:
        return text is not None and bool(parse_datetime(text))
    except ValueError:
        return False
