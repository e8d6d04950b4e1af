"""Children that nobody told this tree of: before their parent goes, the collection is looked at once more.

A query does not see a transaction as a whole, so a parent may have been loaded with the stamp of a child that was not. Any
child that was there when the parent was read shows in a consistent read now; any that came later shows in the parent's
stamp, which guards the write.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from tablewright.client.aggregates.loading import read_collection
from tablewright.client.aggregates.state import State
from tablewright.client.aggregates.units import Unit
from tablewright.client.calls import Steps
from tablewright.client.context import Context
from tablewright.client.writes.action import same_key
from tablewright.client.writes.base import by_key
from tablewright.compiler.aggregates import BranchPlan
from tablewright.errors import ConcurrentModificationError
from tablewright.model.entity import with_article
from tablewright.values.types import Item


def leaving(state: State, units: Iterable[Unit]) -> frozenset[bytes]:
    """The parents whose children would stay behind: those to be removed, and those whose children name them otherwise."""
    found = set()
    for unit in units:
        if unit.held is None:
            continue
        below = state.aggregate.branches if unit.held.branch is None else unit.held.branch.branches
        if below and (unit.kind == "remove" or any(unit.changed & set(b.link.values()) for b in below)):
            found.add(unit.text)
    return frozenset(found)


def refuse_strangers(context: Context, state: State) -> Steps[None]:
    """Raises ConcurrentModificationError where a parent that leaves has a child that this tree does not know."""
    if not state.leaving:
        return
    root = next(h for h in state.held.values() if h.branch is None)
    values = root.plan.values_in(root.item, root.plan.key_fields)
    items = yield from read_collection(context, replace(state.aggregate.collections[-1], strong=True), values)
    for branch in state.aggregate.every():
        for item in items[branch.plan.options.type]:
            known = same_key(branch.plan.key_of_item(item)) in state.held
            if not known and _parent(branch, item) in state.leaving:
                key = branch.plan.told_by_key(item)
                raise ConcurrentModificationError(
                    f"Somebody else added {with_article(branch.plan.name)} below {with_article(branch.parent.name)} "
                    f"that is to go{by_key(key)}.",
                    key=key,
                    hint="Nothing was written; load the tree again and repeat the change.",
                    context={"entity": branch.plan.name},
                )


def _parent(branch: BranchPlan, item: Item) -> bytes:
    values = branch.plan.values_in(item, branch.link)
    return same_key(branch.parent.key({theirs: values[own] for own, theirs in branch.link.items()}))
