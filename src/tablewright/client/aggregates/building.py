"""From units to writes: each item once, its parent's counters and stamp beside it, guarded by what was loaded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct, field

from tablewright.client.aggregates.state import Held, State
from tablewright.client.aggregates.units import Unit
from tablewright.client.transacting import Task, payload, settle
from tablewright.client.unsaid import UNSET, Lock
from tablewright.client.writes.base import Write, unchanged
from tablewright.client.writes.changes import check_changes
from tablewright.client.writes.create import Create
from tablewright.client.writes.delete import Delete
from tablewright.client.writes.tombstone import Bury
from tablewright.client.writes.update import Update
from tablewright.compiler.conditions import conjunction
from tablewright.compiler.rules import has_rules
from tablewright.expressions import ast
from tablewright.model.change import Action, Assign, Increment
from tablewright.values.types import Item


class Step(Struct, eq=False):
    """One item that a transaction writes: because it is a unit, because its children change, or both."""

    write: Write
    unit: Unit | None
    held: Held | None
    counts: Counter[str] = field(default_factory=Counter)


class Movement(Struct, eq=False):
    """What happens to the children of one parent."""

    counts: Counter[str] = field(default_factory=Counter)
    structural: bool = False


def movements(units: Iterable[Unit]) -> dict[bytes, Movement]:
    """Who gains and loses which children, by the parent's key."""
    found: dict[bytes, Movement] = {}

    def note(parent: bytes | None, names: Iterable[str], by: int, *, structural: bool) -> None:
        if parent is None:
            return
        movement = found.setdefault(parent, Movement())
        for name in names:
            movement.counts[name] += by
        movement.structural = movement.structural or structural

    for unit in units:
        before, after = unit.held, unit.placed
        moved = before is None or after is None or before.parent != after.parent
        if before is not None:
            note(before.parent, before.counted, -1, structural=moved)
        if after is not None:
            note(after.parent, after.counted, 1, structural=moved)
    return found


def steps_for(state: State, units: Sequence[Unit]) -> list[Step]:
    """The writes of these units and of the parents that they change, in one transaction."""
    moves = movements(units)
    steps: list[Step] = []
    for unit in units:
        movement = moves.pop(unit.text, Movement())
        steps.append(_step(state, unit, movement.counts))
    for text, movement in moves.items():
        counts = Counter({n: by for n, by in movement.counts.items() if by})
        held = state.held.get(text)
        if held is not None and (movement.structural or counts):
            write = _update(held, held.item, frozenset(), {}, counts)
            if text in state.leaving:  # it goes in a later part: until then its stamp must show who adds to it
                write.condition = conjunction(_stamps(held))
            steps.append(Step(write, None, held, counts))
    return steps


def alone(state: State, unit: Unit) -> Step:
    """The write of one unit, without what it means for others."""
    return _step(state, unit, Counter())


def _step(state: State, unit: Unit, counts: Counter[str]) -> Step:
    counts = Counter({n: by for n, by in counts.items() if by})
    if unit.placed is None:
        assert unit.held is not None
        return Step(_remove(unit.held), unit, unit.held)
    if unit.held is None:
        placed = unit.placed
        values = {**placed.values, **counts}
        if counts and has_rules(placed.plan.entity):  # which may work out other fields from what is counted
            values = placed.plan.validated(placed.plan.entity.model_construct(**values))
        return Step(Create(placed.plan, placed.key, values=values), unit, None, counts)
    # The table's word as it is known now: an earlier part of the same save may have written it.
    held = state.held[unit.text]
    write = _update(held, held.item, unit.changed, unit.placed.values, counts)
    if unit.text in state.leaving:
        write.condition = conjunction([*([write.condition] if write.condition else []), *_stamps(held)])
    return Step(write, unit, held, counts)


def _update(held: Held, item: Item, changed: frozenset[str], values: dict[str, object], counts: Counter[str]) -> Update:
    plan = held.plan
    actions: list[Action] = [Assign((name,), values[name]) for name in sorted(changed)]
    actions += [Increment((name,), by) for name, by in sorted(counts.items())]
    write = Update(
        plan,
        held.key,
        changes=check_changes(plan, actions),
        values=plan.values_in(item, plan.key_fields),
        copy=lambda: item,
    )
    if changed:
        # Where a function of the user's decides what counts, it has looked at more than the changed fields.
        judged = held.branch is not None and any(c is not None for c in held.branch.counters.values())
        guarded = frozenset(plan.fields) - plan.key_fields - held.counters if judged else changed
        write.condition = conjunction(unchanged(plan, guarded, item))
        write.expected = _lock(held)
        write.born = None if write.expected is UNSET else held.stored.created
    return write


def _lock(held: Held) -> Lock:
    options = held.plan.options
    if options.lock:
        return held.stored.updated
    return held.stored.version if options.version else UNSET


def _remove(held: Held) -> Write:
    """A delete of just what was loaded: any write since then shows in the version or time, else in a field."""
    kind = Delete if held.plan.hides is None else Bury
    return kind(held.plan, held.key, conjunction([Delete(held.plan, held.key).exists(), *_stamps(held)]))


def _stamps(held: Held) -> list[ast.Condition]:
    """The condition that nobody has written an item since it was loaded."""
    plan, names = held.plan, held.plan.names
    stamps = [n for n in (names.version, names.updated) if n in held.item]
    if stamps:
        return Delete(plan, held.key).as_before(held.item, *stamps, names.created)
    return unchanged(plan, frozenset(plan.fields) - plan.key_fields, held.item)


def tasks_of(steps: Sequence[Step], now: str) -> list[Task]:
    """The actions that these steps become, markers of unique values included, as long as nobody else is faster."""
    tasks = []
    for position, step in enumerate(steps):
        item = None if step.held is None else step.held.item
        tasks += [Task(action, position) for action in step.write.actions(item, step.write.stamp(item, now))]
    return settle(tasks)


def weight(tasks: Sequence[Task], table: str) -> tuple[int, int]:
    """How many actions, and how many bytes."""
    return len(tasks), sum(payload(t.action.body(table)) for t in tasks)
