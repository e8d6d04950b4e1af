"""From the description of a read to the exact request: which key serves it, and what it asks of that key.

A key serves a read when it fixes the partition, uses every condition, sorts from there on, holds all the items asked
for, and nobody else's. If none does, the error says for each key why not.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NoReturn

from msgspec.structs import replace

from tablewright.compiler.derived import BucketPlan, ShardPlan
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.keys import NativeKey, TemplateKey
from tablewright.compiler.leftovers import answers, check_sparse, left_for_filter
from tablewright.compiler.paths import KeyPath, key_paths, neighbours, taken_parent
from tablewright.compiler.projections import held_fields, missing_attributes
from tablewright.compiler.reaching import out_of_reach
from tablewright.compiler.reasons import Reason, Refusal
from tablewright.compiler.selection import UNKNOWN, Arguments, Range, Selection, Source, not_for_keys
from tablewright.compiler.served import FanOut, Served
from tablewright.compiler.sortkeys import NativeSort, NoSort, SortPlan, TemplateSort
from tablewright.errors import PatternError
from tablewright.model.annotations import plain, without_none
from tablewright.values.keycodec import BoundField, KeyStyle
from tablewright.values.keycodec.proofs import order_warning


def serve(
    what: str,
    plan: EntityPlan,
    selection: Selection,
    others: Iterable[EntityPlan],
    *,
    via: str | None = None,
    strong: bool = False,
    whole_key: bool = False,
    needs: Iterable[str] | None = None,
    within: tuple[str | None, ...] | None = None,
    filtering: bool = False,
) -> Served:
    """The best key for a read of the fields that it `needs` (all, if not said); raises PatternError with the reason for
    each key that cannot serve it. `others` are the entities that must not be met; `within` are the indexes that come into
    question, None for the table. With `filtering`, a sparse index that holds a little more than is asked for will do where
    no key is exact."""
    if via is not None:
        plan.table.index(via)
    needed = frozenset(needs) if needs is not None else None
    rivals = tuple(others)
    refusals: list[Reason] = []
    larger: Served | None = None
    for path in key_paths(plan):
        if (via is not None and path.index_name != via) or (within is not None and path.index_name not in within):
            continue
        try:
            served = serve_by(
                path,
                selection,
                rivals,
                needed,
                chosen=via is not None,
                strong=strong,
                whole_key=whole_key,
                filtering=filtering,
            )
        except Refusal as no:
            refusals.append(no.by(path.name))
            continue
        if not served.rest:
            return served
        larger = larger or served
    if larger is not None:
        return larger
    answered = all(any(answers(path, other) for path in key_paths(plan)) for other in selection.others)
    if not answered and not any(reason.kind == "sparse" for reason in refusals):
        raise not_for_keys(what)
    if via is not None and not refusals:
        refusals.append(Reason("no-key", via, f"{plan.name} has no keys on it"))
    raise PatternError(
        f"{what} cannot be served.\n" + "\n".join(f"  - {r}" for r in refusals),
        hint=_advice(plan, selection, refusals),
        reasons=refusals,
    )


def _advice(plan: EntityPlan, selection: Selection, refusals: list[Reason]) -> str:
    """What to do: the remedy of a key that came close, else the key that the read would need."""
    for reason in refusals:
        if reason.remedy is not None:
            return reason.remedy
    equal, ranged = ", ".join(sorted(selection.equal)), ", ".join(sorted(selection.ranges))
    if ranged and not equal:
        return f"A range alone cannot choose a partition: fix another field of {plan.name} with ==, or add one to hold them."
    if not equal:
        return f"Say which {plan.name} are asked for, or give it an index key without fields before those it sorts by."
    sort = f", and a sort key that begins with {ranged}" if ranged else ""
    return (
        f"Give {plan.name} an index key whose partition and leading sort key parts are exactly {equal}{sort}; or move a "
        "condition of a query into .filter(...), which reads and then drops."
    )


def serve_by(
    path: KeyPath,
    selection: Selection,
    others: tuple[EntityPlan, ...],
    needs: frozenset[str] | None,
    *,
    chosen: bool,
    strong: bool,
    whole_key: bool,
    filtering: bool = False,
) -> Served:
    """A read by this very key; raises Refusal where it cannot serve it. With `filtering`, conditions that are narrower
    than that of a sparse index may be left for a filter."""
    index = path.index
    if strong and index is not None and not index.local:
        raise Refusal(
            "consistent-index",
            "global indexes have no consistent reads",
            "Leave .consistent() out, or read by the table's key.",
        )
    used, fan_out = _partition(path, selection)
    # A value that chooses the partition is known in each of them.
    chosen_there = {fan.name: Source(fan.name, UNKNOWN, _refused) for fan in fan_out if fan.listed is not None}
    sort, sort_used = _sort(path, replace(selection, equal={**selection.equal, **chosen_there}))
    used |= sort_used
    for fan in fan_out:
        if isinstance(fan.plan, BucketPlan) and fan.plan.field not in sort_used:
            raise Refusal(
                "bucket",
                f"its buckets hold whole periods, and its sort key does not continue with {fan.plan.field!r}",
                f"Let the sort key begin with {{{fan.plan.field}}}.",
                fields=(fan.plan.field,),
            )
    complete = not fan_out and sort.complete
    if whole_key and not complete:
        raise Refusal(
            "not-unique",
            "the read does not fix the whole key",
            "Use query() where several items may match, or give the fields that are missing.",
        )
    if selection.order:
        _check_order(path, selection, one_item=complete and path.index is None)
    rest = left_for_filter(path, selection, used, filtering=filtering, chosen=chosen)
    if not chosen:
        check_sparse(path, selection)
    lacking = missing_attributes(path) if needs is None else sorted(needs - held_fields(path))
    if lacking and index is not None and not index.local:
        raise Refusal(
            "projection",
            f"its projection ({index.projection}) lacks {', '.join(lacking)}; read fewer fields with .only(...), or project them",
            f'Read fewer fields with .only(...), or let {path.name} hold the whole item: GSI("{path.name}", projection="ALL").',
            fields=lacking,
        )
    # What a filter tests is not known of what is read, unless a shard is worked out from it.
    tested = {leaf.field for condition in rest for leaf in condition.leaves()}
    sources = {name for key in (*path.pk, *path.sk) for name in key.sources}
    known = {n: s for n, s in selection.equal.items() if n not in tested or n in sources}
    sort, warnings = _check_neighbours(path, selection, sort, fan_out, others)
    return Served(path, known, fan_out, sort, complete, warnings, rest)


def _refused(_: Arguments) -> NoReturn:
    raise AssertionError("a listed value is known only together with its partition")


def _partition(path: KeyPath, selection: Selection) -> tuple[set[str], tuple[FanOut, ...]]:
    """The fields that the partition key fixes, and the placeholders for which several values must be asked.

    A shard or bucket is worked out from a field, but does not fix it: other values share it.
    """
    used: set[str] = set()
    fan_out: list[FanOut] = []
    for key in path.pk:
        derived = key.derived if isinstance(key, TemplateKey) else {}
        for name, plan in derived.items():
            if all(f in selection.equal or (f in selection.among and f in key.fields) for f in plan.fields):
                continue
            if isinstance(plan, ShardPlan):
                fan_out.append(FanOut(name, plan, None))
            else:
                bounds = selection.bounds(plan.field)
                if bounds is None:
                    raise Refusal(
                        "bucket",
                        f"its partition is a {plan.by} of {plan.field!r}, which needs a lower and an upper bound",
                        f"Give both ends of {plan.field}: between(), or >= and <=."
                        if plan.field in selection.fields
                        else None,
                        fields=(plan.field,),
                    )
                fan_out.append(FanOut(name, plan, bounds))
        for name in key.fields:
            if name in selection.among:
                if not any(fan.name == name for fan in fan_out):
                    fan_out.append(FanOut(name, None, None, selection.among[name]))
            elif name not in selection.equal:
                text = f"its partition key needs {name!r}"
                if not selection.fields and not selection.others:
                    raise Refusal("scan", f"{text}; without it, only a Scan would find them", fields=(name,))
                raise Refusal("no-partition-value", text, fields=(name,))
            used.add(name)
    return used, tuple(fan_out)


def _sort(path: KeyPath, selection: Selection) -> tuple[SortPlan, set[str]]:
    """The condition on the sort key, and the fields that it fixes or ranges over."""
    if not path.sk:
        return NoSort(), set()
    first = path.sk[0]
    if isinstance(first, NativeKey):
        return _native_sort(path, selection)
    used: set[str] = set()
    segments = first.bound.segments
    count = 0
    for segment in segments:
        names = [f.name for f in segment.fields]
        if not all(_fixed(first, n, selection) for n in names):
            break
        used.update(n for n in names if n not in first.derived)
        count += 1
    if count < len(segments):
        following = next(f for f in segments[count].fields if not _fixed(first, f.name, selection))
        tests = selection.ranges.get(following.name, [])
        if tests:
            # Fields before it in the same segment, which only adopted keys have, are part of where the range starts.
            before = segments[count].fields[: segments[count].fields.index(following)]
            used.update(f.name for f in before if f.name not in first.derived)
            used.add(following.name)
            _check_range(following, tests, first.bound.style)
            return TemplateSort(first, count, following.name, tuple(tests)), used
    return TemplateSort(first, count, None, ()), used


def _fixed(key: TemplateKey, name: str, selection: Selection) -> bool:
    if name in key.derived:
        return all(f in selection.equal for f in key.derived[name].fields)
    return name in selection.equal


def _check_range(field: BoundField, tests: list[Range], style: KeyStyle) -> None:
    """What would fail, or could answer wrongly, is refused now."""
    for test in tests:
        if test.operator == "begins_with":
            if field.codec.kind != "a string":
                raise Refusal(
                    "operator",
                    f"starts_with() needs a text, and {field.name!r} is {field.codec.kind}",
                    fields=(field.name,),
                )
        elif order_warning(field, style) is not None:
            raise Refusal(
                "order",
                f"its keys do not always sort by {field.name!r}",
                f"Test {field.name} in .filter(...), which reads and then drops, or give it an index key in which it sorts.",
                fields=(field.name,),
            )


def _check_order(path: KeyPath, selection: Selection, *, one_item: bool) -> None:
    """The sort key must go on with the fields that the read is sorted by, one after the other. Only what is the same in all
    its items is passed over: a field with several values sorts them, in whichever partitions they lie."""
    wanted = [name for name in selection.order if name not in selection.equal]
    ordered: list[str] = []
    for key in path.sk:
        if isinstance(key, TemplateKey):
            style = key.bound.style
            found = [f for s in key.bound.segments for f in s.fields if not _fixed(key, f.name, selection)]
            ordered += [f.name if order_warning(f, style) is None else "" for f in found]
        else:
            ordered += [name for name in key.fields if name not in selection.equal]
    if one_item or ordered[: len(wanted)] == wanted:
        return
    several = [name for name in ordered if name in selection.among and name not in wanted]
    raise Refusal(
        "order",
        f"it does not sort by {', '.join(wanted)}"
        + (f" alone, since it sorts by {several[0]!r} too, of which is_in() asks for several" if several else ""),
        f"Give {path.plan.name} an index key that continues with {', '.join(wanted)} behind the fields that are fixed.",
        fields=wanted,
    )


def _native_sort(path: KeyPath, selection: Selection) -> tuple[SortPlan, set[str]]:
    keys = [key for key in path.sk if isinstance(key, NativeKey)]
    fixed: list[NativeKey] = []
    for position, key in enumerate(keys):
        name = key.field.name
        if name in selection.equal:
            fixed.append(key)
            continue
        later = [k.field.name for k in keys[position + 1 :] if k.field.name in selection.fields]
        if later:
            raise Refusal(
                "gap", f"it would have a gap: {later[0]!r} comes after {name!r}, which is not fixed", fields=(name,)
            )
        test = _one_test(key, selection.ranges.get(name, []))
        used = {k.field.name for k in fixed} | ({name} if test is not None else set())
        return NativeSort(tuple(fixed), key if test is not None else None, test, complete=False), used
    return NativeSort(tuple(fixed), None, None, complete=True), {k.field.name for k in fixed}


def _one_test(key: NativeKey, tests: list[Range]) -> Range | None:
    """DynamoDB takes one condition on an attribute; two inclusive bounds can be made one."""
    if not tests:
        return None
    name = key.field.name
    if tests[0].operator == "begins_with" and plain(without_none(key.field.annotation)) is not str:
        raise Refusal("operator", f"starts_with() needs a text, and {name!r} is none", fields=(name,))
    if len(tests) == 1:
        return tests[0]
    low, high = sorted(tests, key=lambda test: test.operator not in (">", ">="))
    if (low.operator, high.operator) != (">=", "<="):
        raise Refusal(
            "two-ranges", f"DynamoDB takes one condition on {name!r}; use >= and <=, or between()", fields=(name,)
        )
    return Range("between", (low.operands[0], high.operands[0]))


def _check_neighbours(
    path: KeyPath, selection: Selection, sort: SortPlan, fan_out: Iterable[FanOut], others: Iterable[EntityPlan]
) -> tuple[SortPlan, tuple[str, ...]]:
    """Refuses a range that others may lie in; narrows it where only its very beginning is somebody else's."""
    count = sort.count if isinstance(sort, TemplateSort) else 0
    complete = sort.complete and bool(path.sk)
    for met in neighbours(path, count, others, complete=complete):
        if out_of_reach(path, selection, sort, fan_out, met.rival):
            continue
        raise Refusal(
            "neighbours",
            f"it would also read {met.name} ({met.reason})",
            "Give the two different literals at that place of their keys, or read them together with collect().",
            other=met.name,
        )
    if isinstance(sort, TemplateSort) and not complete and taken_parent(path, count, others):
        sort = replace(sort, below=True)
    if path.plan.table.key_style.strict:
        return sort, ()
    doubtful = neighbours(path, count, others, complete=complete, raw=True)
    return sort, tuple(f"it may also read {n.name} ({n.reason})" for n in doubtful)


def undisturbed(served: Served, newcomer: EntityPlan) -> bool:
    """Whether a read stays exactly as it is when this entity comes along. Keys that could not serve it before still
    cannot, so only the one that does matters."""
    path, sort = served.path, served.sort
    count = sort.count if isinstance(sort, TemplateSort) else 0
    complete = sort.complete and bool(path.sk)
    return (
        path.plan.table.key_style.strict
        and next(neighbours(path, count, (newcomer,), complete=complete), None) is None
        and not taken_parent(path, count, (newcomer,))
    )
