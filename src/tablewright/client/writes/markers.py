"""Unique fields: the marker items that hold a value for its owner, put, moved and deleted with it.

A marker without an owner was written by other code. It counts as the own one of whichever item holds its value.
"""

from __future__ import annotations

from typing import Any

from tablewright.client.writes.action import Action, same_key
from tablewright.client.writes.base import Write, at
from tablewright.compiler.entity_plan import EntityPlan, UniquePlan
from tablewright.errors import TablewrightError
from tablewright.expressions import ast
from tablewright.expressions.builder import any_of
from tablewright.values.types import Item


def claim(plan: EntityPlan, unique: UniquePlan, marker_key: Item, owner: Item) -> Action:
    """Takes a value: the marker must be free, or already this owner's."""
    free = any_of(ast.AttributeNotExists((plan.table.pk.name,)), _held_by(plan, owner))
    item = {**marker_key, **_owned(plan, unique, owner)}
    return Action("Put", marker_key, item=item, condition=free, marker=unique.name)


def adopt(plan: EntityPlan, unique: UniquePlan, marker_key: Item, owner: Item) -> Action:
    """Takes a value that the owner holds already: the marker must be free, its own, or nobody's. What other code keeps in
    it stays."""
    update = ast.Update(tuple(ast.SetAction((n,), ast.Value(v)) for n, v in _owned(plan, unique, owner).items()))
    return Action("Update", marker_key, update=update, condition=_no_others(plan, owner), marker=unique.name)


def release(plan: EntityPlan, unique: UniquePlan, marker_key: Item, owner: Item) -> Action:
    """Gives up a value that the owner holds: the marker must be its own, nobody's, or gone."""
    return Action("Delete", marker_key, condition=_no_others(plan, owner), marker=unique.name)


def hand_over(taking: Action, giving: Action) -> Action:
    """A value that one owner gives up and another takes in the same transaction: one put under the giver's condition."""
    return Action("Put", taking.key, item=taking.item, condition=giving.condition, marker=taking.marker)


def given_up_by_one(one: Action, other: Action) -> Action:
    """A value that two items hold, as it was before there were markers: whichever owns the marker gives it up."""
    either = any_of(*(a.condition for a in (one, other) if a.condition is not None))
    return Action("Delete", one.key, condition=either, marker=one.marker)


def stored_markers(plan: EntityPlan, item: Item) -> dict[str, Item | None]:
    """The markers of what an item holds, normalised as its fields say: other code may have stored it as it came."""
    values: dict[str, Any] = dict.fromkeys(plan.unique_fields)
    there = {n for n in plan.unique_fields if n in plan.in_key.keys or at(item, plan.sources[n].path) is not None}
    for name, value in plan.values_in(item, there).items():
        try:
            values[name] = plan.fields[name].accept(value)
        except TablewrightError:
            values[name] = value  # it would not be accepted now, but is held all the same
    return plan.markers(values)


def moves(write: Write, old: dict[str, Item | None], new: dict[str, Item | None]) -> list[Action]:
    """The marker actions for values that change from `old` to `new`, by the name of each unique rule."""
    plan, owner = write.plan, write.key
    actions: list[Action] = []
    for unique in plan.uniques:
        before, after = old.get(unique.name), new.get(unique.name)
        if before == after:
            continue
        if before is not None and same_key(before) not in write.foreign:
            actions.append(release(plan, unique, before, owner))
        if after is not None:
            actions.append(claim(plan, unique, after, owner))
    return actions


def _owned(plan: EntityPlan, unique: UniquePlan, owner: Item) -> Item:
    return {plan.names.type: {"S": unique.type_name}, plan.names.owner: {"M": owner}}


def _held_by(plan: EntityPlan, owner: Item) -> ast.Condition:
    return ast.Compare("=", ast.Attribute((plan.names.owner,)), ast.Value({"M": owner}))


def _no_others(plan: EntityPlan, owner: Item) -> ast.Condition:
    """No marker, one of other code, or the owner's. Only for a value that the owner holds, as its guard makes sure."""
    return any_of(ast.AttributeNotExists((plan.names.owner,)), _held_by(plan, owner))
