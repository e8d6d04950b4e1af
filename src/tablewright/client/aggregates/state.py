"""What a tree remembers of the table: its items as they were loaded or last written, and writes that may have happened."""

from __future__ import annotations

from typing import Any

from msgspec import Struct, field

from tablewright.client.writes.action import same_key
from tablewright.compiler.aggregates import AggregatePlan, BranchPlan
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.errors import ArgumentError
from tablewright.model.aggregates import STATE, Aggregate, Node, entity_of, nodes_of
from tablewright.model.entity import STORED, Entity, Stored, with_article
from tablewright.values.types import Item


class Held(Struct, eq=False):
    """One item of a tree as the table has it, as far as is known."""

    plan: EntityPlan
    branch: BranchPlan | None
    """None for the root."""
    key: Item
    item: Item
    stored: Stored
    parent: bytes | None
    counted: frozenset[str]
    """The parent's fields that count it."""

    counters: frozenset[str]
    """Its own fields that count children, which others may change meanwhile."""

    @property
    def text(self) -> bytes:
        """Its key in a form that can be compared."""
        return same_key(self.key)


class Sent(Struct, frozen=True, eq=False):
    """A write whose outcome is not known: the fields that the item was to have, None if it was to be removed."""

    plan: EntityPlan
    key: Item
    branch: BranchPlan | None
    parent: bytes | None
    fields: Item | None
    counted: frozenset[str]
    touched_only: bool
    entity: Entity | None
    """The item as it stands in the tree, if it does."""
    worked_out: frozenset[str] = frozenset()
    """Fields that rules of the entity made of what is counted in it."""


class State(Struct, eq=False):
    """Shared by all nodes of one tree."""

    aggregate: AggregatePlan
    held: dict[bytes, Held] = field(default_factory=dict)
    orphans: list[Entity] = field(default_factory=list)
    opened: set[tuple[bytes, str]] = field(default_factory=set)
    """The branches whose children are all known, by the parent's key and the branch's name."""
    leaving: frozenset[bytes] = frozenset()
    """While it is saved: parents that go, so that no child of theirs may come."""
    unsure: list[Sent] = field(default_factory=list)


def state_of(aggregate: AggregatePlan, tree: Aggregate[Any]) -> State:
    """The state of a tree; a new one has held nothing yet."""
    state: State | None = vars(tree).get(STATE)
    if state is None:
        state = State(aggregate)
        mark(tree, state)
    return state


def mark(node: Any, state: State) -> None:
    """Makes all nodes of a tree share its state."""
    if not isinstance(node, Node):
        return
    vars(node)[STATE] = state
    for name, level in node.__levels__.items():
        if name in vars(node):
            for below in nodes_of(vars(node)[name], level):
                mark(below, state)


def counted(branch: BranchPlan | None, entity: Entity) -> frozenset[str]:
    """The parent's fields that count this child."""
    if branch is None:
        return frozenset()
    return frozenset(name for name, counts in branch.counters.items() if counts is None or counts(entity))


def held_item(state: State, branch: BranchPlan | None, item: Item, entity: Entity, parent: bytes | None) -> Held:
    """An item that was read."""
    plan = state.aggregate.plan if branch is None else branch.plan
    known: Stored = vars(entity).get(STORED) or Stored()
    key = plan.key_of_item(item)
    return Held(plan, branch, key, item, known, parent, counted(branch, entity), counters_of(state, branch))


def counters_of(state: State, branch: BranchPlan | None) -> frozenset[str]:
    """The fields of a level that count its children."""
    below = state.aggregate.branches if branch is None else branch.branches
    return frozenset(name for under in below for name in under.counters)


def checked_node(branch: BranchPlan, node: object) -> Any:
    """A member of a branch as the model says it is."""
    kind: type = branch.level.node or branch.level.entity
    if type(node) is not kind:
        raise ArgumentError(
            f"{branch.parent.name}'s {branch.name} holds {type(node).__name__}, where {with_article(kind.__name__)} belongs.",
            field=branch.name,
        )
    entity = entity_of(node)
    if type(entity) is not branch.level.entity:
        raise ArgumentError(
            f"{kind.__name__} holds {type(entity).__name__}, where {with_article(branch.plan.name)} belongs.",
            field="entity",
        )
    return node
