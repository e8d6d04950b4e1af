"""Loading a tree: one query over its item collection, put together by what children say of their parents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from msgspec.structs import replace

from tablewright.client.aggregates.state import Held, State, held_item
from tablewright.client.calls import Steps
from tablewright.client.context import Context
from tablewright.client.entities import entity_from
from tablewright.client.pages import Partition, QueryReader
from tablewright.client.stumbling import Stumbling
from tablewright.client.targets import resolve
from tablewright.client.writes.action import same_key
from tablewright.compiler.aggregates import AggregatePlan, BranchPlan
from tablewright.compiler.reads import CollectionPlan
from tablewright.errors import AmbiguousResultError, ArgumentError, ModelError, NotFoundError
from tablewright.model.aggregates import STATE, Aggregate, Node
from tablewright.model.entity import with_article
from tablewright.values.types import Item

T = TypeVar("T")


def aggregate_plan(context: Context, tree: object) -> AggregatePlan:
    """The plan of an aggregate of this table."""
    plan = context.plan.aggregates.get(tree) if isinstance(tree, type) else None
    if plan is None:
        name = tree.__name__ if isinstance(tree, type) else type(tree).__name__
        raise ModelError(f"{name} is no aggregate of {context.table}.", hint="Declare it: class Tree(Aggregate[Root]).")
    return plan


def load(context: Context, tree: Any, target: Any, depth: int | None, *, strong: bool) -> Steps[Any]:
    """A tree down to a depth, or all of it; NotFoundError where there is no root."""
    aggregate = aggregate_plan(context, tree)
    deepest = len(aggregate.collections) - 1
    if depth is not None and (not isinstance(depth, int) or isinstance(depth, bool) or depth < 0):
        raise ArgumentError("load_tree() takes a depth from 0, the root alone, on.", constraint="depth >= 0")
    depth = deepest if depth is None else min(depth, deepest)
    found = yield from resolve(context, target)
    if found.plan is not aggregate.plan:
        raise ArgumentError(
            f"{tree.__name__} begins with {with_article(aggregate.plan.name)}, not with {with_article(found.plan.name)}."
        )
    collection = replace(aggregate.collections[depth], strong=strong)
    items = yield from read_collection(context, collection, found.values)
    state = State(aggregate)
    roots = items[aggregate.plan.options.type]
    root = aggregate.tree.bare(entity_from(aggregate.plan, roots[0])) if roots else None
    if root is not None:
        vars(root)[STATE] = state
        held = held_item(state, None, roots[0], root.entity, None)
        state.held[held.text] = held
    _hang_all(state, aggregate.branches, [] if root is None else [root], items, depth)
    if root is None:
        raise NotFoundError(
            f"There is no such {aggregate.plan.name}"
            + (f", but {len(state.orphans)} items that belong to it." if state.orphans else "."),
            hint="Read them with a query, and delete them or create what they belong to." if state.orphans else "",
            context={"entity": aggregate.plan.name, "orphans": len(state.orphans)},
        )
    return root


def expand(context: Context, node: Any) -> Steps[None]:
    """Reads the children of one node that were not loaded, with one query for each of its branches."""
    state: State | None = vars(node).get(STATE) if isinstance(node, Node) else None
    if state is None:
        raise ArgumentError(
            f"expand_node() was given {type(node).__name__}, which is no node of a tree that was loaded.",
            hint="db.load_tree(...) first; leaves have no children.",
        )
    branches = state.aggregate.branches
    if not isinstance(node, Aggregate):
        branches = next(b.branches for b in state.aggregate.every() if b.level.node is type(node))
    for branch in branches:
        if branch.name in vars(node):
            continue
        if branch.alone is None:
            raise ArgumentError(
                f"No key reads the {branch.name} of one {branch.parent.name} alone.\n{branch.refusal}",
                hint="Load the tree deeper instead.",
            )
        values = {name: getattr(node.entity, name) for name in branch.link.values()}
        reader = QueryReader(context, branch.alone, values)
        items: list[Item] = []
        while not reader.done:
            items.extend((yield from reader.more()))
        _hang(state, branch, [node], items)


def read_collection(
    context: Context, collection: CollectionPlan, values: Mapping[str, Any]
) -> Steps[dict[str, list[Item]]]:
    """The items of a collection by their type."""
    ranges = collection.ranges(values)
    partition = Partition(collection.query(values, context.table))
    while not partition.exhausted:
        yield from partition.fetch(None)
    found: dict[str, list[Item]] = {}
    with Stumbling("Query", partition.buffer):
        for part, keys in zip(collection.parts, ranges, strict=True):
            plan, sort = part.query.plan, part.query.served.path.sk[0].attribute.name
            own = [i for i in partition.buffer if plan.owns(i) and i[sort]["S"] in keys and plan.alive(i) is not None]
            found[plan.options.type] = own
    return found


def _hang_all(
    state: State,
    branches: Sequence[BranchPlan],
    parents: Sequence[Any],
    items: Mapping[str, list[Item]],
    depth: int,
) -> None:
    if depth == 0:
        return
    for branch in branches:
        hung = _hang(state, branch, parents, items[branch.plan.options.type])
        _hang_all(state, branch.branches, hung, items, depth - 1)


def _hang(state: State, branch: BranchPlan, parents: Sequence[Any], items: Iterable[Item]) -> list[Any]:
    """Gives items to their parents, sorted; returns the nodes made of them."""
    places = {tuple(getattr(p.entity, theirs) for theirs in branch.link.values()): p for p in parents}
    entities = [(branch.plan.decode(item), item) for item in items]
    for name in reversed(branch.level.hanging.order_by):
        entities.sort(key=lambda pair: _by(getattr(pair[0], name)))
    hung: dict[int, list[Any]] = {id(p): [] for p in parents}
    nodes = []
    for entity, item in entities:
        parent = places.get(tuple(getattr(entity, own) for own in branch.link))
        if parent is None:
            state.orphans.append(entity)
            continue
        node = entity
        if branch.level.node is not None:
            node = branch.level.node.__new__(branch.level.node)
            vars(node).update({"entity": entity, STATE: state})
        held: Held = held_item(state, branch, item, entity, same_key(_key(branch, parent)))
        state.held[held.text] = held
        hung[id(parent)].append(node)
        nodes.append(node)
    for parent in parents:
        state.opened.add((same_key(_key(branch, parent)), branch.name))
        _give(branch, parent, hung[id(parent)])
    return nodes


def _give(branch: BranchPlan, parent: Any, nodes: list[Any]) -> None:
    if branch.level.hanging.many:
        vars(parent)[branch.name] = nodes
    elif len(nodes) > 1:
        raise AmbiguousResultError(
            f"One {branch.parent.name} has {len(nodes)} items where {branch.name} takes one.",
            hint="Declare it as a list: children().",
        )
    else:
        vars(parent)[branch.name] = nodes[0] if nodes else None


def _key(branch: BranchPlan, parent: Any) -> Item:
    return branch.parent.key(vars(parent.entity))


def _by(value: Any) -> tuple[bool, Any]:
    """What is missing comes last."""
    return (value is None, value)
