"""The difference between a tree and what was loaded of it, as units: items to create, to change and to remove."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from typing import Any, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from tablewright.client import hooks
from tablewright.client.aggregates.state import Held, Sent, State, checked_node, counted
from tablewright.client.writes.action import same_key
from tablewright.client.writes.base import at
from tablewright.compiler.aggregates import BranchPlan
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.errors import ArgumentError
from tablewright.model.aggregates import Aggregate, entity_of, nodes_of
from tablewright.model.change import Assign
from tablewright.model.entity import Entity, stored, with_article
from tablewright.model.hooks import Changing, Hooks
from tablewright.values.types import Item

Kind: TypeAlias = Literal["create", "change", "remove"]


class Placed(Struct, frozen=True, eq=False):
    """One item of the tree as it is to be."""

    plan: EntityPlan
    branch: BranchPlan | None
    entity: Entity
    values: dict[str, Any]
    key: Item
    text: bytes
    parent: bytes | None
    counted: frozenset[str]

    def as_sent(self) -> Sent:
        """What a write is to make of it."""
        return Sent(
            self.plan,
            self.key,
            self.branch,
            self.parent,
            self.plan.encode_fields(self.values),
            self.counted,
            touched_only=False,
            entity=self.entity,
        )


class Unit(Struct, frozen=True, eq=False):
    """One item to write. `placed` is how it is to be, `held` how it was; a removed one has only the latter."""

    kind: Kind
    text: bytes
    placed: Placed | None = None
    held: Held | None = None
    changed: frozenset[str] = frozenset()

    @property
    def plan(self) -> EntityPlan:
        """The entity's plan."""
        side = self.placed or self.held
        assert side is not None
        return side.plan


def place_all(
    state: State, tree: Aggregate[Any], *, rehearsed: bool = False, hooked: bool = False
) -> dict[bytes, Placed]:
    """Every item of a tree by its key, parents first. What children repeat of their parents is what the tree says. Where it
    is only rehearsed, no hook runs and the tree stays as it is; where its items are `hooked`, theirs have run already."""
    placed: dict[bytes, Placed] = {}
    if type(tree.entity) is not state.aggregate.plan.entity:
        raise ArgumentError(f"The tree begins with {type(tree.entity).__name__}, not {state.aggregate.plan.name}.")
    how = _How(rehearsed, run_hooks=not rehearsed and not hooked)
    _place(state, placed, state.aggregate.plan, None, state.aggregate.branches, tree, None, how)
    return placed


class _How(Struct, frozen=True):
    rehearsed: bool
    run_hooks: bool


def _place(
    state: State,
    placed: dict[bytes, Placed],
    plan: EntityPlan,
    branch: BranchPlan | None,
    below: tuple[BranchPlan, ...],
    node: Any,
    parent: Placed | None,
    how: _How,
) -> None:
    own_entity: Entity = entity_of(node)
    entity = copy(own_entity) if how.rehearsed else own_entity
    if branch is not None and parent is not None:
        for own, theirs in branch.link.items():
            vars(entity)[own] = parent.values[theirs]
    if plan.hooks is not None and stored(entity) is None and how.run_hooks:
        hooks.before_create(plan.hooks, entity)
    values = plan.validated(entity)
    key = plan.key(values)
    text = same_key(key)
    if text in placed:
        raise ArgumentError(
            f"The tree has two {plan.name} with the same key.", hint="Nothing was written; give each its own key."
        )
    _keep_counters(state.held.get(text), below, entity, values)
    one = Placed(
        plan, branch, own_entity, values, key, text, None if parent is None else parent.text, counted(branch, entity)
    )
    placed[text] = one
    for under in below:
        if under.name in vars(node):
            for member in nodes_of(vars(node)[under.name], under.level):
                child = checked_node(under, member)
                _place(state, placed, under.plan, under, under.branches, child, one, how)
        elif text not in state.held:
            raise ArgumentError(
                f"A new {plan.name} has no {under.name}.",
                hint="Give a list, empty if there are none yet.",
                field=under.name,
            )


def _keep_counters(held: Held | None, below: tuple[BranchPlan, ...], entity: Entity, values: dict[str, Any]) -> None:
    """Counters are save_tree()'s own: they start at nothing, and follow what is written."""
    for name in (name for branch in below for name in branch.counters):
        now = 0 if held is None else held.plan.values_in(held.item, (name,))[name]
        vars(entity)[name] = values[name] = now


def difference(state: State, placed: dict[bytes, Placed], *, rehearsed: bool = False) -> Iterator[Unit]:
    """What to write, in an order that never leaves a child without its parent: new items from the root down, then
    changes, then removed ones from the leaves up."""
    for text, one in placed.items():
        if text not in state.held:
            yield Unit("create", text, one)
    for text, one in placed.items():
        held = state.held.get(text)
        if held is not None:
            changed = changed_fields(one, held)
            after = one
            if changed and one.plan.hooks is not None and not rehearsed:
                changed = _hooked(one, one.plan.hooks, changed)
                after = replace(one, counted=counted(one.branch, one.entity))
            if changed or one.parent != held.parent:
                yield Unit("change", text, after, held, changed)
    yield from removals(state, keep=placed, rehearsed=rehearsed)


def removals(state: State, keep: dict[bytes, Placed], *, rehearsed: bool = False) -> Iterator[Unit]:
    """Items that are gone from the tree, leaves first."""
    depth = {None: 0} | {branch: number for number, branch in enumerate(state.aggregate.every(), 1)}
    gone = [held for text, held in state.held.items() if text not in keep]
    for held in sorted(gone, key=lambda h: -depth[h.branch]):
        if held.plan.hooks is not None and not rehearsed:
            hooks.before_delete(held.plan.hooks, held.plan.values_in(held.item, held.plan.key_fields))
        yield Unit("remove", held.text, held=held)


def _hooked(one: Placed, found: Hooks, changed: frozenset[str]) -> frozenset[str]:
    """The changed fields of an item after its hooks, which may set more."""
    assigned = Changing(hooks.before_update(found, [Assign((n,), one.values[n]) for n in sorted(changed)])).assigned
    for name, value in assigned.items():
        one.values[name] = vars(one.entity)[name] = one.plan.paths.accept((name,), value)
    return frozenset(assigned)


def changed_fields(one: Placed, held: Held) -> frozenset[str]:
    """The fields that are to be stored otherwise than they are."""
    plan = one.plan
    before = plan.encode_fields(plan.values_in(held.item, plan.fields))
    after = plan.encode_fields(one.values)
    # As they are stored: True and 1 are equal in Python, but not in the table.
    return frozenset(n for n, f in plan.fields.items() if at(before, f.path) != at(after, f.path))


def refuse_hidden(state: State, units: Iterable[Unit]) -> None:
    """An item whose children were not loaded cannot go: they would stay behind."""
    for held in (unit.held for unit in units if unit.kind == "remove"):
        assert held is not None
        below = state.aggregate.branches if held.branch is None else held.branch.branches
        for branch in below:
            if (held.text, branch.name) not in state.opened:
                raise ArgumentError(
                    f"The tree would lose {with_article(held.plan.name)} whose {branch.name} were not loaded.",
                    hint="Nothing was written; db.expand_node() it first, so that its children go with it.",
                )
