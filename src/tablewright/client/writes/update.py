"""`update`: some fields of an item that is there, with every index key and unique value that depends on them.

Where a key depends on fields that the caller did not give, these are read, and the write is guarded by a condition that
they are still the same, absence included; a failed guard brings the item along, and the write is planned again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import field
from msgspec.structs import replace

from tablewright.client.refusals import by_message
from tablewright.client.unsaid import Unset
from tablewright.client.writes import markers
from tablewright.client.writes.action import Action
from tablewright.client.writes.base import Write, at, unchanged
from tablewright.client.writes.changes import Checked
from tablewright.client.writes.items import check_size, too_large
from tablewright.client.writes.put import next_version
from tablewright.client.writes.verifying import refuse_other_key, settled, verified_values, worked_out
from tablewright.compiler.conditions import conjunction
from tablewright.compiler.entity_plan import IndexBinding
from tablewright.compiler.fields import UPDATED
from tablewright.compiler.wirecodec import parse_datetime
from tablewright.errors import (
    ConditionalCheckError,
    DecodeError,
    EmptySetError,
    ExpressionError,
    NumberError,
    TablewrightError,
)
from tablewright.expressions import apply_update, ast, evaluate
from tablewright.expressions.reading import value_at
from tablewright.values.sizes import MAX_ITEM_SIZE, attribute_size, item_size
from tablewright.values.types import Item


def _no_copy() -> None:
    return None


def _emptied(entity: str, name: str) -> EmptySetError:
    return EmptySetError(
        f"{entity}.{name} would lose its last member, and DynamoDB has no empty sets.",
        field=name,
        constraint="not empty",
        hint="Give the field an empty default, so that it can be left out.",
    )


class Update(Write, eq=False):
    """Changes fields of an existing item. `copy` gives the caller's own copy of it, if there is one."""

    changes: Checked = field(default_factory=Checked)
    values: dict[str, Any] = field(default_factory=dict)
    copy: Callable[[], Item | None] = _no_copy
    exact: bool = False
    """Whether the item as it was is wanted, so that what was read must be all of it where nothing is returned."""
    _needed: frozenset[str] = frozenset()
    _affected: tuple[IndexBinding, ...] = ()
    _renamed: bool = False
    _settled: dict[str, ast.UpdateAction] = field(default_factory=dict)
    """By field: what is written instead of its changes, because only the whole item told its value."""
    worked_out: dict[str, Any] = field(default_factory=dict)
    """New values of fields that nobody named, as rules of the entity made them of the others."""
    change: str | None = None
    """The declared change that it is."""

    @property
    def called(self) -> str:
        return self.change or "update"

    def __post_init__(self) -> None:
        self._check_shared(self.changes.assigned)
        self._follow(self.changes.touched)
        known = self.changes.assigned.keys() | self.values.keys() | self._stamped()
        if self._renamed:
            # The old value must be given up, so it must be known even where the new one is given.
            known = known - (self.plan.unique_fields - self.values.keys())
        looked_at = {name for name, _ in self.changes.kept} | (self.changes.verified - self.plan.key_fields)
        self._needed = frozenset(self._sources() - known) | looked_at

    def _follow(self, touched: frozenset[str]) -> None:
        """Notes which keys and unique values depend on these fields."""
        touched |= self._stamped()
        # An index of fields alone moves with them; one with attributes of its own needs all that they are made of.
        self._affected = tuple(b for b in self.plan.kept if b.made and b.sources & touched)
        self._renamed = bool(self.plan.unique_fields & touched)

    @property
    def touched(self) -> frozenset[str]:
        """The fields that are changed: those that the caller named, and what rules of the entity made of others."""
        return self.changes.touched | self._settled.keys()

    def _check_shared(self, values: Mapping[str, Any]) -> None:
        """A field that is a key attribute follows the stricter rules of keys."""
        for key in (key for b in self.plan.kept for key in b.shared):
            if values.get(key.field.name) is not None:
                key.encode(values)

    def _stamped(self) -> frozenset[str]:
        return frozenset((UPDATED,)) & (self.plan.sources.keys() - self.plan.fields.keys())

    @property
    def is_plain(self) -> bool:
        """Whether it changes fields, and nothing depends on them or on what is stored."""
        changes = self.changes
        depends = (
            self._needed or self._affected or self._renamed or changes.limits or changes.verified or changes.starts
        )
        locked = self.condition is not None or not isinstance(self.expected, Unset) or self.plan.options.lock
        return not (depends or locked or self.exact or self.plan.options.nested is not None)

    @property
    def needs_current(self) -> bool:
        """Whether a key depends on fields that are not given, or what was there is wanted of a transaction."""
        return bool(self._needed or self.changes.starts) or (self.exact and self.plan.mirrored)

    @property
    def guarded(self) -> bool:
        """The map that fields live in must be there, or be made."""
        return self.needs_current or self.plan.options.nested is not None or self.plan.options.lock

    def guess(self) -> Item | None:
        """The caller's copy."""
        return self.copy()

    def actions(self, current: Item | None, now: str) -> list[Action]:
        """One update, and the moves of unique values."""
        plan = self.plan
        if self.needs_current and current is None:
            raise self.missing()
        base = self._with_map(current)
        values = self._new_values(base, now)
        changed, root_guard = self._in_map(current, base, self._defaults(values, base))
        update = changed + self._index_actions(values) + self.stamps(now)
        self._refuse_large(update, current)
        moves: list[Action] = []
        if self._renamed and current is not None:
            moves = markers.moves(self, markers.stored_markers(plan, current), plan.markers(values))
        limits = [limit.condition for limit in self.changes.limits]
        guard = unchanged(plan, self._needed, current) if self._needed else []
        if self.changes.starts and current is not None:
            guard += [self._still_there(path, current) for path in self.changes.starts]
        if self.exact and current is not None and (moves or plan.mirrored):
            guard += self.exactly(current)
        guard = [*self.in_version(), *root_guard, *limits, *guard, *self.newer(now)]
        condition = conjunction(self.own_conditions(self.exists(), *guard))
        if not update:  # nothing to write: still a request, so that a missing item and a false condition are noticed
            return [Action("ConditionCheck", self.key, condition=condition), *moves]
        return [Action("Update", self.key, update=ast.Update(tuple(update)), condition=condition), *moves]

    def _defaults(self, values: dict[str, Any], current: Item | None) -> list[ast.UpdateAction]:
        """A default that a key is made of is stored with it, where the item lacks the field: it may differ each time."""
        actions: list[ast.UpdateAction] = []
        for name in sorted((self._needed & self.plan.fields.keys()) - self.touched):
            field, value = self.plan.fields[name], values.get(name)
            if at(current, field.path) is None and value is not None and not field.absent(value):
                actions.append(ast.SetAction(field.path, ast.Value(field.encode(value))))
        return actions

    def verdict(self, old: Item | None) -> TablewrightError | None:
        """The caller's condition first, then declared limits, then the guard."""
        error = Write.verdict(self, old)
        if error is None and old is not None:
            root = self.plan.options.nested
            if root is not None and "M" not in old.get(root, {"M": {}}):
                return DecodeError(
                    f"A stored {self.plan.name} has no map in {root!r}, where its fields should be.",
                    hint="Nothing was written; the item was written by other code.",
                )
            for limit in self.changes.limits:
                if not evaluate(limit.condition, old):
                    passed = limit.error()
                    if isinstance(passed, ConditionalCheckError):
                        passed.key = self.plan.told_by_key(self.key)
                    return passed
        return error

    def _with_map(self, current: Item | None) -> Item | None:
        """The item with the map that its fields live in: one that lacks it gets the map with all defaults, as create()
        would have stored them."""
        root = self.plan.options.nested
        if root is None or current is None or root in current:
            return current
        members: Item = {}
        for known in self.plan.fields.values():
            *above, name = known.path
            default = known.default() if above and known.default is not None else None
            if default is not None and not known.absent(default):
                members[name] = known.encode(default)
        return {**current, root: {"M": members}}

    def _changes(self, base: Item | None) -> list[ast.UpdateAction]:
        """The changes, with those of fields that only the whole item told as new values of these."""
        actions: Sequence[ast.UpdateAction] = self.changes.actions
        if self.changes.starts and base is not None:
            actions = [self._started(action, base) for action in actions]
        if not self._settled:
            return list(actions)
        paths = [self.plan.fields[name].path for name in self._settled]
        kept = [a for a in actions if not any(a.path[: len(p)] == p for p in paths)]
        return [*kept, *self._settled.values()]

    def _started(self, action: ast.UpdateAction, item: Item) -> ast.UpdateAction:
        """A change of a set that has members by default: where it is not stored, it is made of these."""
        start = self.changes.starts.get(action.path)
        if start is None or value_at(item, action.path) is not None:
            return action
        made = apply_update(ast.Update((replace(action, path=("set",)),)), {"set": start}).item.get("set")
        if made is None:
            raise _emptied(self.plan.name, next(name for name, path in self.changes.kept if path == action.path))
        return ast.SetAction(action.path, ast.Value(made))

    def _still_there(self, path: ast.Path, current: Item) -> ast.Condition:
        return ast.AttributeNotExists(path) if value_at(current, path) is None else ast.AttributeExists(path)

    def _settle(self, after: Item) -> None:
        """Looks at fields as the changes would leave them: what validation makes of them is written. A rule of the entity's
        own may work out one field from another, so that fields change which the caller did not name."""
        plan, changes = self.plan, self.changes
        values, held = verified_values(plan, changes.verified, changes.given, after)
        self._settled = settled(plan, changes.touched & values.keys(), values, after)
        others = values.keys() - changes.touched
        refuse_other_key(plan, others & plan.key_fields, values, held)
        more = worked_out(plan, others - plan.key_fields, values, held)
        self._settled |= more
        self.worked_out = {name: values[name] for name in more}
        self._check_shared({name: values[name] for name in self._settled})
        self._follow(self.touched)

    def _in_map(
        self, current: Item | None, base: Item | None, more: Sequence[ast.UpdateAction] = ()
    ) -> tuple[list[ast.UpdateAction], list[ast.Condition]]:
        """The changes, where fields live in one map: if the item lacks that map, it is made by the same update."""
        actions = [*self._changes(base), *more]
        root = self.plan.options.nested
        inside = [a for a in actions if len(a.path) > 1 and a.path[0] == root]
        if root is None or not inside:
            return actions, []
        if current is None or base is None or root in current:
            return actions, [ast.AttributeType(ast.Attribute((root,)), ast.Value({"S": "M"}))]
        made = apply_update(ast.Update(tuple(inside)), {root: base[root]}).item[root]
        rest = [a for a in actions if a not in inside]
        return [*rest, ast.SetAction((root,), ast.Value(made))], [ast.AttributeNotExists((root,))]

    def _sources(self) -> set[str]:
        """The fields that the affected keys and unique values are made of."""
        names = {f for b in self._affected for f in b.sources}
        return names | self.plan.unique_fields if self._renamed else names

    def _new_values(self, current: Item | None, now: str) -> dict[str, Any]:
        """The values of all sources of affected keys, as they will be after the update."""
        changes = self.changes
        if self._settled:  # by an earlier plan, on another item
            self._settled, self.worked_out = {}, {}
            self._follow(changes.touched)
        names = self._sources()
        after = current or {}
        if (names & changes.touched) - changes.assigned.keys() or changes.kept or changes.verified:
            # Counters and the like: what the update will do is worked out on the item as it was read.
            actions, _ = self._in_map(current, current)
            after = self._applied(actions, after)
            self._refuse_emptied(current or {}, after)
            if changes.verified:
                self._settle(after)
            if self._settled:
                names = self._sources()
                after = self._applied(self._in_map(current, current)[0], current or {})
        values = dict(self.values)
        assigned = {n: v for n, v in changes.assigned.items() if n not in self._settled}
        values.update(self.plan.values_in(after, names - values.keys() - assigned.keys() - self._stamped()))
        values.update(assigned)
        for name in self._stamped():
            values[name] = parse_datetime(now)
        return values

    def _refuse_emptied(self, before: Item, after: Item) -> None:
        for name, path in self.changes.kept:
            if value_at(before, path) is not None and value_at(after, path) is None:
                raise _emptied(self.plan.name, name)

    def _index_actions(self, values: dict[str, Any]) -> list[ast.UpdateAction]:
        actions: list[ast.UpdateAction] = []
        for binding in self._affected:
            attributes = binding.compute(values)
            if attributes is None:
                actions.extend(ast.RemoveAction((name,)) for name in binding.written)
            else:
                actions.extend(ast.SetAction((name,), ast.Value(value)) for name, value in attributes.items())
        return actions

    def stamps(self, now: str) -> list[ast.UpdateAction]:
        """The time of the write and the next version, where items have them."""
        names, options = self.plan.names, self.plan.options
        actions: list[ast.UpdateAction] = []
        if options.timestamps:
            actions.append(ast.SetAction((names.updated,), ast.Value({"S": now})))
        if options.version:
            actions.append(next_version(names.version))
        # The schema version stays: what was not changed still has the shape that it says.
        return actions

    def _refuse_large(self, update: list[ast.UpdateAction], current: Item | None) -> None:
        """The limit of 400 KB, as far as the item is known."""
        given = sum(
            attribute_size(a.value.wire)
            for a in update
            if isinstance(a, ast.SetAction) and isinstance(a.value, ast.Value)
        )
        if given > MAX_ITEM_SIZE:
            raise too_large(self.plan.name, f"would hold more than {given:,} bytes")
        if current is not None and given + item_size(current) > MAX_ITEM_SIZE:
            check_size(self.plan, self._applied(update, current))

    def _applied(self, actions: Sequence[ast.UpdateAction], item: Item) -> Item:
        """The item as the update will leave it; what the service would refuse is refused as after its answer."""
        try:
            return apply_update(ast.Update(tuple(actions)), item).item
        except (ExpressionError, NumberError) as error:
            raise by_message(error.message, [self.plan]) or error from None
