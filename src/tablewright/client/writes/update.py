"""`update`: some fields of an item that is there, with every index key and unique value that depends on them.

Where a key depends on fields that the caller did not give, these are read, and the write is guarded by a condition that
they are still the same, absence included; a failed guard brings the item along, and the write is planned again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tablewright.client.writes import markers
from tablewright.client.writes.action import Action
from tablewright.client.writes.base import Write, all_of, unchanged
from tablewright.client.writes.changes import Checked
from tablewright.client.writes.put import next_version
from tablewright.compiler.entity_plan import IndexBinding
from tablewright.compiler.fields import UPDATED
from tablewright.compiler.wirecodec import parse_datetime
from tablewright.errors import TablewrightError
from tablewright.expressions import apply_update, ast, evaluate
from tablewright.values.types import Item

_NOTHING = Checked((), {}, frozenset(), ())


@dataclass(slots=True, eq=False)
class Update(Write):
    """Changes fields of an existing item. `copy` is the caller's own copy of it, if there is one."""

    changes: Checked = _NOTHING
    values: dict[str, Any] = field(default_factory=dict)
    copy: Item | None = None
    _needed: frozenset[str] = field(init=False, default=frozenset())
    _affected: tuple[IndexBinding, ...] = field(init=False, default=())
    _renamed: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        touched = self.changes.touched | self._stamped()
        self._affected = tuple(b for b in self.plan.bindings if b.sources & touched)
        self._renamed = bool(self.plan.unique_fields & touched)
        sources = {f for b in self._affected for f in b.sources}
        known = self.changes.assigned.keys() | self.values.keys() | self._stamped()
        if self._renamed:
            # The old value must be given up, so it must be known even where the new one is given.
            known = known - (self.plan.unique_fields - self.values.keys())
            sources |= self.plan.unique_fields
        self._needed = frozenset(sources - known)

    def _stamped(self) -> frozenset[str]:
        return frozenset((UPDATED,)) & (self.plan.sources.keys() - self.plan.fields.keys())

    @property
    def needs_current(self) -> bool:
        """Whether a key depends on fields that are not given."""
        return bool(self._needed)

    @property
    def guess(self) -> Item | None:
        """The caller's copy."""
        return self.copy

    def actions(self, current: Item | None, now: str) -> list[Action]:
        """One update, and the moves of unique values."""
        plan = self.plan
        if self.needs_current and current is None:
            missing = self.missing()
            assert missing is not None
            raise missing
        update = list(self.changes.actions)
        values = self._new_values(current, now)
        for binding in self._affected:
            attributes = binding.compute(values)
            if attributes is None:
                update.extend(ast.RemoveAction((name,)) for name in binding.written)
            else:
                update.extend(ast.SetAction((name,), ast.Value(value)) for name, value in attributes.items())
        update.extend(self._stamps(now))
        moves: list[Action] = []
        if self._renamed and current is not None:
            before = plan.values_in(current, plan.unique_fields)
            moves = markers.moves(plan, plan.markers(before), plan.markers(values), self.key)
        guard = unchanged(plan, self._needed, current) if self._needed else []
        limits = [limit.condition for limit in self.changes.limits]
        condition = all_of(self.own_conditions(self.exists(), *limits, *guard))
        if not update:  # nothing to write: still a request, so that a missing item and a false condition are noticed
            return [Action("ConditionCheck", self.key, condition=condition), *moves]
        return [Action("Update", self.key, update=ast.Update(tuple(update)), condition=condition), *moves]

    def blame(self, action: Action, old: Item | None) -> TablewrightError | None:
        """The caller's condition first, then declared limits, then the guard."""
        error = Write.blame(self, action, old)
        if error is None and action.marker is None:
            for limit in self.changes.limits:
                if not evaluate(limit.condition, old):
                    return limit.error()
        return error

    def _new_values(self, current: Item | None, now: str) -> dict[str, Any]:
        """The values of all sources of affected keys, as they will be after the update."""
        names = {f for b in self._affected for f in b.sources} | (
            self.plan.unique_fields if self._renamed else frozenset()
        )
        if not names:
            return {}
        values = dict(self.values)
        after = current or {}
        in_place = names & (self.changes.touched - self.changes.assigned.keys())
        if in_place:
            # Counters and the like: what the update will do is worked out on the item as it was read.
            done = [a for a in self.changes.actions if self._field_at(a.path) in in_place]
            after = apply_update(ast.Update(tuple(done)), after).item
        values.update(
            self.plan.values_in(after, names - values.keys() - self.changes.assigned.keys() - self._stamped())
        )
        values.update(self.changes.assigned)
        for name in self._stamped():
            values[name] = parse_datetime(now)
        return values

    def _field_at(self, path: ast.Path) -> str | None:
        for name in self.changes.touched:
            stored = self.plan.fields[name].path
            if path[: len(stored)] == stored:
                return name
        return None

    def _stamps(self, now: str) -> list[ast.UpdateAction]:
        names, options = self.plan.names, self.plan.options
        actions: list[ast.UpdateAction] = []
        if options.timestamps:
            actions.append(ast.SetAction((names.updated,), ast.Value({"S": now})))
        if options.version:
            actions.append(next_version(names.version))
        if options.schema_version is not None:
            actions.append(ast.SetAction((names.schema,), ast.Value({"N": str(options.schema_version)})))
        return actions
