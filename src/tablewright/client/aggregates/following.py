"""After a write: the tree's own account of the table follows it, and so do the entities in the tree."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from tablewright.client.aggregates.building import Step
from tablewright.client.aggregates.state import Held, Sent, State, counters_of
from tablewright.client.aggregates.units import Placed
from tablewright.client.writes.base import Write, at
from tablewright.client.writes.create import Create
from tablewright.client.writes.items import full_item, remember
from tablewright.client.writes.update import Update
from tablewright.expressions import ast
from tablewright.model.entity import Stored
from tablewright.values.types import Item


def follow(state: State, step: Step, now: str, placed: dict[bytes, Placed]) -> None:
    """Notes one write that was carried out at a time."""
    if step.unit is not None and step.unit.kind == "remove":
        state.held.pop(step.unit.text, None)
    elif isinstance(step.write, Create):
        _created(state, step, step.write, now)
    else:
        _updated(step, now, placed)


def sent_by(step: Step, placed: dict[bytes, Placed]) -> Sent:
    """What a write is to make of its item, for the case that its reply is lost."""
    unit, held = step.unit, step.held
    if unit is None:
        assert held is not None
        there = placed.get(held.text)
        entity = None if there is None else there.entity
        return Sent(held.plan, held.key, held.branch, held.parent, {}, held.counted, touched_only=True, entity=entity)
    if unit.placed is None:
        assert held is not None
        return Sent(held.plan, held.key, held.branch, held.parent, None, held.counted, touched_only=False, entity=None)
    sent = unit.placed.as_sent()
    if isinstance(step.write, Create):
        values = step.write.values
        worked_out = _worked_out(unit.placed, step)
        sent = replace(sent, fields=sent.plan.encode_fields(values), worked_out=worked_out)
    return sent


def _created(state: State, step: Step, write: Create, now: str) -> None:
    assert step.unit is not None
    one = step.unit.placed
    assert one is not None
    known = write.becomes(now)
    item = write.made or full_item(one.plan, write.values, one.key, now, known)
    state.held[one.text] = Held(
        one.plan, one.branch, one.key, item, known, one.parent, one.counted, counters_of(state, one.branch)
    )
    below = state.aggregate.branches if one.branch is None else one.branch.branches
    state.opened.update((one.text, branch.name) for branch in below)
    _adopt(one, write.values, step, known)


def _updated(step: Step, now: str, placed: dict[bytes, Placed]) -> None:
    held, unit = step.held, step.unit
    assert held is not None
    plan, options = held.plan, held.plan.options
    values = plan.values_in(held.item, plan.fields)
    if unit is not None and unit.placed is not None:
        values |= {name: unit.placed.values[name] for name in unit.changed}
        held.parent, held.counted = unit.placed.parent, unit.placed.counted
    for name, by in step.counts.items():
        values[name] = (values[name] or 0) + by
    if isinstance(step.write, Update):
        values |= step.write.worked_out
    known = held.stored
    held.stored = Stored(
        (known.version or 0) + 1 if options.version else None,
        known.created,
        now if options.timestamps else None,
        known.schema_version,
    )
    before, held.item = held.item, full_item(plan, values, held.key, now, held.stored)
    if plan.seals:
        _keep_sealed(step.write, before, held.item)
    if held.text in placed:
        _adopt(placed[held.text], values, step, held.stored)


def _keep_sealed(write: Write, before: Item, item: Item) -> None:
    """What is encrypted differs each time it is made, so it is taken from the write, or from what was there."""
    written = {}
    for action in write.changes.actions if isinstance(write, Update) else ():
        if isinstance(action, ast.SetAction) and isinstance(action.value, ast.Value):
            written[action.path] = action.value.wire
    for field in write.plan.seals:
        *outer, name = field.path
        container = item[outer[0]]["M"] if outer else item
        kept = written.get(field.path) or at(before, field.path)
        if name in container and kept is not None:
            container[name] = kept


def _worked_out(one: Placed, step: Step) -> frozenset[str]:
    """The fields that rules of the entity make of what is counted, so that the tree does not have them yet."""
    if isinstance(step.write, Update):
        return frozenset(step.write.worked_out)
    if not step.counts or not isinstance(step.write, Create):
        return frozenset()
    return frozenset(n for n, value in step.write.values.items() if n not in step.counts and value != one.values[n])


def _adopt(one: Placed, values: dict[str, Any], step: Step, known: Stored) -> None:
    vars(one.entity).update({name: values[name] for name in (*step.counts, *_worked_out(one, step))})
    remember(one.entity, known, one.key)
