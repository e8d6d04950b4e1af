"""What a read asks beside its key: conditions that a sparse index answers by what it holds, those that only make that
narrower and are left for a filter, and items that it asks for and the index leaves out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tablewright.compiler.conditions import check_condition
from tablewright.compiler.fields import FieldPlan
from tablewright.compiler.implications import follows
from tablewright.compiler.paths import KeyPath
from tablewright.compiler.reasons import Kind, Refusal
from tablewright.compiler.selection import UNKNOWN, Selection
from tablewright.errors import ValidationError
from tablewright.model.conditions import Condition, Exists, IsIn


def answers(path: KeyPath, condition: Condition) -> bool:
    """Whether a condition is true of every item that an index holds."""
    held = list(_held(path))
    return bool(held) and follows(condition, held, path.plan.sources)


def _held(path: KeyPath) -> Iterator[Condition]:
    """What is true of every item that an index holds."""
    binding = path.binding
    if binding is None:
        return
    if binding.condition is not None:
        yield binding.condition
    yield from (Exists(object, (name,)) for name in binding.required if path.plan.sources[name].nullable)


def left_for_filter(
    path: KeyPath, selection: Selection, used: set[str], *, filtering: bool, chosen: bool
) -> tuple[Condition, ...]:
    """The conditions that neither the key nor the condition of a sparse index answers, which a filter must. Refused unless
    they only make narrower what such an index holds."""
    left = selection.fields - used
    if not left and not selection.others:
        return ()
    condition = path.binding.condition if path.binding is not None else None
    fields, rest = path.plan.sources, [*selection.others]
    held = list(_held(path))
    if held:
        facts = [*held, *selection.facts(used)]
        left = {name for name in left if not _always(name, selection, facts, fields)}
        rest = [other for other in rest if not follows(other, facts, fields)]
    if not left and not rest:
        return ()
    unused = left | {leaf.field for other in rest for leaf in other.leaves()}
    rest += [said for name in sorted(left) for said in selection.said.get(name, ())]
    if condition is not None and unused <= {leaf.field for leaf in condition.leaves()}:
        if not chosen:
            check_sparse(path, selection)
        if filtering and follows(condition, selection.all_facts, fields) and _filterable(path, rest):
            return tuple(rest)
    raise _unused(path, unused, selection, used)


def _always(name: str, selection: Selection, facts: list[Condition], fields: Mapping[str, FieldPlan]) -> bool:
    """Whether what is asked of a field is true of every item of which these facts are."""
    if name not in selection.ranges:
        few = selection.possible.get(name)
        if few is None or (name in selection.equal and len(few) > 1):
            return False
        return follows(IsIn(object, (name,), few), facts, fields)
    tests = selection.ranges[name]
    if any(source.constant is UNKNOWN for test in tests for source in test.operands):
        return False
    return all(follows(fact, facts, fields) for test in tests for fact in test.facts(name))


def _filterable(path: KeyPath, rest: Iterable[Condition]) -> bool:
    """Whether a filter can test these: on attributes that the index holds, and that are not its keys."""
    plan, index = path.plan, path.index
    keys = {key.attribute.name for key in (*path.pk, *path.sk)}
    for condition in rest:
        try:
            check_condition(condition, plan)
        except ValidationError:
            return False
        for leaf in condition.leaves():
            attribute = plan.paths.stored(leaf.path)[0]
            held = index is None or index.projection == "ALL" or attribute in index.include
            if attribute in keys or not held:
                return False
    return True


def _unused(path: KeyPath, unused: set[str], selection: Selection, used: set[str]) -> Refusal:
    """What kept the key from using a condition."""
    text = f"it cannot use the condition on {', '.join(sorted(unused))}"
    ranged = sorted(used & selection.ranges.keys())
    kind: Kind = "unused-condition"
    if unused & selection.among.keys():
        kind = "list"
    elif ranged and unused <= selection.ranges.keys():
        kind, text = "two-ranges", f"{text} beside the range on {', '.join(ranged)}"
    elif unused & {name for key in path.sk for name in key.fields}:
        kind = "gap"
    return Refusal(kind, text, _about_lists(unused, selection), fields=sorted(unused))


def _about_lists(unused: set[str], selection: Selection) -> str | None:
    listed = ", ".join(sorted(unused & selection.among.keys()))
    if not listed:
        return None
    return (
        f"is_in() chooses partitions, so it serves fields of a partition key only, not {listed}. Get the items one by one "
        "with get_many(), ask for a range with between(), or use .filter(is_in(...)), which reads and then drops."
    )


def check_sparse(path: KeyPath, selection: Selection) -> None:
    """An index must hold every item that the read asks for."""
    binding = path.binding
    if binding is None:
        return
    fields = path.plan.sources
    by_name = f'ask for the index by name: .via("{path.name}").'
    optional = sorted(
        name
        for name in binding.required
        if fields[name].nullable and not follows(Exists(object, (name,)), selection.all_facts, fields)
    )
    if optional:
        raise Refusal(
            "sparse", f"it leaves out items without {optional[0]!r}", f"If that is meant, {by_name}", fields=optional
        )
    if binding.condition is not None and not follows(binding.condition, selection.all_facts, fields):
        concerned = {leaf.field for leaf in binding.condition.leaves()}
        raise Refusal(
            "sparse",
            "it is sparse, and the read may ask for items that it leaves out",
            None
            if concerned <= selection.fields
            else f"Add the condition that makes it sparse to the read, or {by_name}",
            fields=sorted(concerned),
        )
