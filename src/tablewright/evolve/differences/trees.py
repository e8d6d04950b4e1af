"""Aggregates, compared: which branches a tree has, how children hang on their parents, and what is counted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tablewright.evolve.differences.changes import Change
from tablewright.evolve.differences.renames import Renames
from tablewright.evolve.differences.structure import BranchDescription, TreeDescription
from tablewright.evolve.differences.texts import in_words

_BRANCH = "Load and save each tree once with the new model."


def compare_trees(
    old: Mapping[str, TreeDescription], new: Mapping[str, TreeDescription], renames: Renames, names: Mapping[str, str]
) -> Iterator[Change]:
    """What differs in the aggregates. `names` are the entities' names in code, by stored type."""
    old = {name: _renamed(tree, renames) for name, tree in old.items()}
    for name, now in new.items():
        was = old.get(name)
        if was is None:
            yield Change("aggregate-added", "additive", name, "is a new aggregate")
        elif was.root != now.root:
            text = f"begins with {names.get(now.root, now.root)}, and did with {names.get(was.root, was.root)}"
            yield Change("aggregate-root-changed", "breaking", name, text, "Declare it beside the old one.")
        else:
            yield from _compare_branches(name, was, now, names)
    for name in old:
        if name not in new:
            yield Change("aggregate-removed", "breaking", name, "is gone; code that loads or saves it fails")


def _renamed(tree: TreeDescription, renames: Renames) -> TreeDescription:
    def branch(b: BranchDescription) -> BranchDescription:
        counted = dict(zip(renames.texts(b.counts), b.counts.values(), strict=True))
        return BranchDescription(
            renames.kind(b.entity), b.many, renames.texts(b.by), renames.texts(b.order_by), counted
        )

    return TreeDescription(renames.kind(tree.root), {way: branch(b) for way, b in tree.branches.items()})


def _compare_branches(
    name: str, old: TreeDescription, new: TreeDescription, names: Mapping[str, str]
) -> Iterator[Change]:
    for way, now in new.branches.items():
        was = old.branches.get(way)
        subject = f"{name}.{way}"
        if was is None:
            text = "is a new branch: it is loaded as it is, and code that builds such a tree has to give it"
            yield Change("branch-added", "breaking", subject, text)
        else:
            yield from _compare_branch(subject, was, now, names, _parent(new, way, names))
    for way in old.branches:
        if way not in new.branches:
            text = "is no branch any more; its items stay, and are neither loaded nor deleted with the tree"
            yield Change("branch-removed", "breaking", f"{name}.{way}", text)


def _parent(tree: TreeDescription, way: str, names: Mapping[str, str]) -> str:
    above = way.rpartition(".")[0]
    kind = tree.branches[above].entity if above else tree.root
    return names.get(kind, kind)


def _compare_branch(
    subject: str, old: BranchDescription, new: BranchDescription, names: Mapping[str, str], parent: str
) -> Iterator[Change]:
    if old.entity != new.entity or old.many != new.many:
        before, after = ((names.get(b.entity, b.entity), "a list of" if b.many else "one") for b in (old, new))
        text = f"holds {after[1]} {after[0]}, and did {before[1]} {before[0]}"
        yield Change("branch-changed", "breaking", subject, text)
    if old.by != new.by:
        text = "hangs on its parent by other fields: children that are there may belong to nobody"
        yield Change("branch-hangs-otherwise", "breaking", subject, text, "Fill the new fields of all children first.")
    if old.order_by != new.order_by:
        before_text, after_text = (", ".join(map(in_words, b.order_by)) or "the key" for b in (old, new))
        text = f"is sorted by {after_text}, and was by {before_text}"
        yield Change("branch-order-changed", "breaking", subject, text)
    counted = [name for name, what in new.counts.items() if old.counts.get(name) != what]
    if counted:
        text = f"is counted in {_fields(parent, counted)}, where the count is of none or of others yet"
        yield Change("count-changed", "backfill", subject, text, _BRANCH, (parent,))
    left = [name for name in old.counts if name not in new.counts]
    if left:
        text = f"is not counted in {_fields(parent, left)} any more, which stays as it is"
        yield Change("count-removed", "breaking", subject, text, "Stop reading it first.", (parent,))


def _fields(parent: str, names: list[str]) -> str:
    return ", ".join(f"{parent}.{in_words(name)}" for name in names)
