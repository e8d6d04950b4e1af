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
from tablewright.compiler.paths import STAMPS, KeyPath, key_paths, neighbours, stamp_attributes, taken_parent
from tablewright.compiler.predicates import guaranteed, implied
from tablewright.compiler.selection import UNKNOWN, Arguments, Range, Selection, Source
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
) -> Served:
    """The best key for a read of the fields that it `needs` (all, if not said); raises PatternError with the reason for
    each key that cannot serve it. `others` are the entities that must not be met."""
    if via is not None:
        plan.table.index(via)
    needed = frozenset(needs) if needs is not None else None
    rivals = tuple(others)
    refusals: list[str] = []
    remedies: list[str] = []
    for path in key_paths(plan):
        if via is not None and path.index_name != via:
            continue
        try:
            return _try(path, selection, rivals, needed, chosen=via is not None, strong=strong, whole_key=whole_key)
        except _No as no:
            refusals.append(f"{path.name}: {no}")
            if no.remedy is not None:
                remedies.append(no.remedy)
    if via is not None and not refusals:
        refusals.append(f"{via}: {plan.name} has no keys on it")
    raise PatternError(
        f"{what} cannot be served.\n" + "\n".join(f"  - {r}" for r in refusals),
        hint=_advice(plan, selection, remedies),
    )


class _No(Exception):
    """This key cannot serve the read; `remedy` says what would change that, where the key came close."""

    def __init__(self, reason: str, remedy: str | None = None) -> None:
        super().__init__(reason)
        self.remedy = remedy


def _advice(plan: EntityPlan, selection: Selection, remedies: list[str]) -> str:
    """What to do: the remedy of a key that came close, else the key that the read would need."""
    if remedies:
        return remedies[0]
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


def _try(
    path: KeyPath,
    selection: Selection,
    others: tuple[EntityPlan, ...],
    needs: frozenset[str] | None,
    *,
    chosen: bool,
    strong: bool,
    whole_key: bool,
) -> Served:
    index = path.index
    if strong and index is not None and not index.local:
        raise _No("global indexes have no consistent reads", "Leave .consistent() out, or read by the table's key.")
    used, fan_out = _partition(path, selection)
    # A value that chooses the partition is known in each of them.
    chosen_there = {fan.name: Source(fan.name, UNKNOWN, _refused) for fan in fan_out if fan.listed is not None}
    sort, sort_used = _sort(path, replace(selection, equal={**selection.equal, **chosen_there}))
    used |= sort_used
    for fan in fan_out:
        if isinstance(fan.plan, BucketPlan) and fan.plan.field not in sort_used:
            raise _No(
                f"its buckets hold whole periods, and its sort key does not continue with {fan.plan.field!r}",
                f"Let the sort key begin with {{{fan.plan.field}}}.",
            )
    complete = not fan_out and sort.complete
    if whole_key and not complete:
        raise _No(
            "the read does not fix the whole key",
            "Use query() where several items may match, or give the fields that are missing.",
        )
    used |= _guaranteed(path, selection)
    unused = selection.fields - used
    if unused:
        raise _No(f"it cannot use the condition on {', '.join(sorted(unused))}", _about_lists(unused, selection))
    if not chosen:
        _check_sparse(path, selection)
    lacking = missing_attributes(path) if needs is None else sorted(needs - held_fields(path))
    if lacking and index is not None and not index.local:
        raise _No(
            f"its projection ({index.projection}) lacks {', '.join(lacking)}; read fewer fields with .only(...), or project them",
            f'Read fewer fields with .only(...), or let {path.name} hold the whole item: GSI("{path.name}", projection="ALL").',
        )
    known = {n: s for n, s in selection.equal.items() if n in used}
    sort, warnings = _check_neighbours(path, sort, others)
    return Served(path, known, fan_out, sort, complete, warnings)


def _about_lists(unused: set[str], selection: Selection) -> str | None:
    listed = ", ".join(sorted(unused & selection.among.keys()))
    if not listed:
        return None
    return (
        f"is_in() chooses partitions, so it serves fields of a partition key only, not {listed}. Get the items one by one "
        "with get_many(), ask for a range with between(), or use .filter(is_in(...)), which reads and then drops."
    )


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
                    raise _No(
                        f"its partition is a {plan.by} of {plan.field!r}, which needs a lower and an upper bound",
                        f"Give both ends of {plan.field}: between(), or >= and <=."
                        if plan.field in selection.fields
                        else None,
                    )
                fan_out.append(FanOut(name, plan, bounds))
        for name in key.fields:
            if name in selection.among:
                if not any(fan.name == name for fan in fan_out):
                    fan_out.append(FanOut(name, None, None, selection.among[name]))
            elif name not in selection.equal:
                raise _No(f"its partition key needs {name!r}")
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
                raise _No(f"starts_with() needs a text, and {field.name!r} is {field.codec.kind}")
        elif order_warning(field, style) is not None:
            raise _No(
                f"its keys do not always sort by {field.name!r}",
                f"Test {field.name} in .filter(...), which reads and then drops, or give it an index key in which it sorts.",
            )
        elif test.operator == "<" and not field.follow and not field.codec.discrete:
            raise _No(f"{field.name!r} ends its sort key, so {field.name} < value has no last key; use <=")


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
            raise _No(f"it would have a gap: {later[0]!r} comes after {name!r}, which is not fixed")
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
        raise _No(f"starts_with() needs a text, and {name!r} is none")
    if len(tests) == 1:
        return tests[0]
    low, high = sorted(tests, key=lambda test: test.operator not in (">", ">="))
    if (low.operator, high.operator) != (">=", "<="):
        raise _No(f"DynamoDB takes one condition on {name!r}; use >= and <=, or between()")
    return Range("between", (low.operands[0], high.operands[0]))


def _guaranteed(path: KeyPath, selection: Selection) -> set[str]:
    """The conditions that every item of a sparse index meets anyway."""
    condition = path.binding.condition if path.binding is not None else None
    if condition is None:
        return set()
    known = {n: s.constant for n, s in selection.equal.items() if s.constant is not UNKNOWN}
    return {name for name, constant in known.items() if guaranteed(condition, name, constant)}


def _check_sparse(path: KeyPath, selection: Selection) -> None:
    """An index must hold every item that the read asks for."""
    binding = path.binding
    if binding is None:
        return
    fields = path.plan.sources
    by_name = f'ask for the index by name: .via("{path.name}").'
    optional = sorted(n for n in binding.required if fields[n].nullable and n not in selection.fields)
    if optional:
        raise _No(f"it leaves out items without {optional[0]!r}", f"If that is meant, {by_name}")
    present = frozenset(n for n, f in fields.items() if not f.nullable) | selection.fields
    if binding.condition is not None and not implied(binding.condition, selection.possible, present):
        raise _No(
            "it is sparse, and the read may ask for items that it leaves out",
            f"Add the condition that makes it sparse to the read, or {by_name}",
        )


def missing_attributes(path: KeyPath) -> list[str]:
    """What a whole entity needs and this index does not project: fields, its version and its time stamps."""
    plan, index = path.plan, path.index
    if index is None or index.projection == "ALL":
        return []
    keys = (*path.pk, *path.sk, *(k for k in (plan.pk, plan.sk) if k is not None))
    held = {k.attribute.name for k in keys} | set(index.include)
    wanted = {f.path[0] for f in plan.fields.values()}
    if plan.options.version:
        wanted.add(plan.names.version)
    if plan.options.timestamps:
        wanted |= {plan.names.created, plan.names.updated}
    return sorted(wanted - held)


def held_fields(path: KeyPath) -> frozenset[str]:
    """What a read through this key finds in the items: fields that are stored there, or part of a key that is, and STAMPS."""
    plan, index = path.plan, path.index
    if index is None or index.projection == "ALL":
        return frozenset((*plan.fields, STAMPS))
    table_keys = [k for k in (plan.pk, plan.sk) if k is not None]
    names = {k.attribute.name for k in (*path.pk, *path.sk, *table_keys)} | set(index.include)
    stored = {f.name for f in plan.fields.values() if f.path[0] in names}
    if names.issuperset(stamp_attributes(plan)):
        stored.add(STAMPS)
    return frozenset(stored | {n for k in (*path.pk, *path.sk, *table_keys) for n in k.fields})


def _check_neighbours(
    path: KeyPath, sort: SortPlan, others: tuple[EntityPlan, ...]
) -> tuple[SortPlan, tuple[str, ...]]:
    """Refuses a range that others may lie in; narrows it where only its very beginning is somebody else's."""
    count = sort.count if isinstance(sort, TemplateSort) else 0
    complete = sort.complete and bool(path.sk)
    met = next(neighbours(path, count, others, complete=complete), None)
    if met is not None:
        raise _No(
            f"it would also read {met.name} ({met.reason})",
            "Give the two different literals at that place of their keys, or read them together with collect().",
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
