"""From the description of a read to the exact request: which key serves it, and what it asks of that key.

A key serves a read when it fixes the partition, uses every condition, sorts from there on, holds all the items asked
for, and nobody else's. If none does, the error says for each key why not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tablewright.compiler.derived import BucketPlan, ShardPlan
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.keys import NativeKey, TemplateKey
from tablewright.compiler.paths import KeyPath, key_paths, neighbours
from tablewright.compiler.predicates import guaranteed, implied
from tablewright.compiler.selection import UNKNOWN, Arguments, Range, Selection, Source
from tablewright.compiler.sortkeys import NativeSort, NoSort, SortPlan, TemplateSort
from tablewright.errors import PatternError
from tablewright.values.types import AttributeValue


@dataclass(frozen=True, slots=True, eq=False)
class FanOut:
    """A derived placeholder of the partition key that takes several values: all shards, or the buckets of a range."""

    name: str
    plan: ShardPlan | BucketPlan
    bounds: tuple[Source, Source] | None

    def every(self, arguments: Arguments) -> list[Any]:
        """The values it takes for these arguments."""
        if isinstance(self.plan, ShardPlan):
            return list(self.plan.every())
        assert self.bounds is not None
        return self.plan.between(self.bounds[0].get(arguments), self.bounds[1].get(arguments))


@dataclass(frozen=True, slots=True, eq=False)
class Served:
    """A read and the key that serves it."""

    path: KeyPath
    known: Mapping[str, Source]
    fan_out: tuple[FanOut, ...]
    sort: SortPlan
    complete: bool
    """Whether the whole key is fixed, so that at most one item of the table, or few of an index, can match."""

    def values(self, arguments: Arguments) -> dict[str, Any]:
        """The values of the fields that are fixed."""
        return {name: source.get(arguments) for name, source in self.known.items()}

    def partitions(self, arguments: Arguments, values: Mapping[str, Any]) -> Iterator[dict[str, AttributeValue]]:
        """The partition key of each partition to read."""
        if not self.fan_out:
            yield {key.attribute.name: key.encode(values) for key in self.path.pk}
            return
        (key,) = self.path.pk
        assert isinstance(key, TemplateKey)
        for combination in self._combinations(arguments):
            yield {key.attribute.name: {"S": key.bound.encode({**key.with_derived(values), **combination})}}

    def _combinations(self, arguments: Arguments) -> Iterator[dict[str, Any]]:
        combinations: list[dict[str, Any]] = [{}]
        for fan in self.fan_out:
            combinations = [{**c, fan.name: value} for c in combinations for value in fan.every(arguments)]
        yield from combinations


def serve(
    what: str,
    plan: EntityPlan,
    selection: Selection,
    others: tuple[EntityPlan, ...],
    *,
    via: str | None = None,
    strong: bool = False,
    whole_key: bool = False,
) -> Served:
    """The best key for a read; raises PatternError with the reason for each key that cannot serve it."""
    if via is not None:
        plan.table.index(via)
    refusals: list[str] = []
    for path in key_paths(plan):
        if via is not None and (path.index is None or path.index.name != via):
            continue
        try:
            served = _try(path, selection, others, chosen=via is not None, strong=strong, whole_key=whole_key)
        except _No as no:
            refusals.append(f"{path.name}: {no}")
        else:
            return served
    if via is not None and not refusals:
        refusals.append(f"{via}: {plan.name} has no keys on it")
    raise PatternError(
        f"{what} cannot be served.\n" + "\n".join(f"  - {r}" for r in refusals),
        hint=f"Give {plan.name} an index key whose partition and leading sort key parts are exactly "
        f"{', '.join(sorted(selection.fields)) or 'what the read knows'}; or move a condition into .filter(...).",
    )


class _No(Exception):
    """This key cannot serve the read."""


def _try(
    path: KeyPath, selection: Selection, others: tuple[EntityPlan, ...], *, chosen: bool, strong: bool, whole_key: bool
) -> Served:
    index = path.index
    if strong and index is not None and not index.local:
        raise _No("global indexes have no consistent reads")
    used, fan_out = _partition(path, selection)
    sort, parent, sort_used = _sort(path, selection)
    used |= sort_used
    for fan in fan_out:
        if isinstance(fan.plan, BucketPlan) and fan.plan.field not in sort_used:
            raise _No(f"its buckets hold whole periods, and its sort key does not continue with {fan.plan.field!r}")
    complete = not fan_out and sort.complete
    if whole_key and not complete:
        raise _No("the read does not fix the whole key")
    _check_sparse(path, selection, used, chosen=chosen)
    unused = selection.fields - used
    if unused:
        raise _No(f"it cannot use the condition on {', '.join(sorted(unused))}")
    if index is not None and index.projection != "ALL":
        _check_projection(path)
    met = next(iter(neighbours(path, parent, others)), None)
    if met is not None:
        raise _No(f"it would also read {met}")
    known = {n: s for n, s in selection.equal.items() if n in used}
    return Served(path, known, fan_out, sort, complete)


def _partition(path: KeyPath, selection: Selection) -> tuple[set[str], tuple[FanOut, ...]]:
    used: set[str] = set()
    fan_out: list[FanOut] = []
    for key in path.pk:
        if isinstance(key, NativeKey):
            names: tuple[str, ...] = (key.field.name,)
            derived: Mapping[str, Any] = {}
        else:
            names, derived = key.bound.template.fields, key.derived
        for name in names:
            if name in derived:
                plan = derived[name]
                if all(f in selection.equal for f in plan.fields):
                    used.update(plan.fields)
                elif isinstance(plan, ShardPlan):
                    fan_out.append(FanOut(name, plan, None))
                else:
                    bounds = selection.bounds(plan.field)
                    if bounds is None:
                        raise _No(
                            f"its partition is a {plan.by} of {plan.field!r}, which needs a lower and an upper bound"
                        )
                    fan_out.append(FanOut(name, plan, bounds))
            elif name in selection.equal:
                used.add(name)
            else:
                raise _No(f"its partition key needs {name!r}")
    return used, tuple(fan_out)


def _sort(path: KeyPath, selection: Selection) -> tuple[SortPlan, tuple[Any, ...], set[str]]:
    """The condition on the sort key, the leading segments that are fixed, and the fields used."""
    if not path.sk:
        return NoSort(), (), set()
    first = path.sk[0]
    if isinstance(first, NativeKey):
        return _native_sort(path, selection)
    used: set[str] = set()
    segments = first.bound.segments
    count = 0
    for segment in segments:
        names = [f.name for f in segment.fields]
        fixed = [n for n in names if _fixed(first, n, selection)]
        if len(fixed) < len(names):
            break
        for name in names:
            used.update(first.derived[name].fields if name in first.derived else (name,))
        count += 1
    tests: list[Range] = []
    ranged = None
    if count < len(segments):
        following = [f.name for f in segments[count].fields if not _fixed(first, f.name, selection)]
        for name in following[:1]:
            if name in selection.ranges:
                ranged, tests = name, selection.ranges[name]
                used.add(name)
                field = next(f for f in first.bound.fields if f.name == name)
                _check_range(first, field, tests)
    sort = TemplateSort(first, count, ranged, tuple(tests), complete=count == len(segments))
    return sort, segments[:count], used


def _fixed(key: TemplateKey, name: str, selection: Selection) -> bool:
    if name in key.derived:
        return all(f in selection.equal for f in key.derived[name].fields)
    return name in selection.equal


def _check_range(key: TemplateKey, field: Any, tests: list[Range]) -> None:
    """What would fail for every argument is refused now."""
    for test in tests:
        if test.operator == "begins_with":
            if field.codec.kind != "a string":
                raise _No(f"starts_with() needs a text, and {field.name!r} is {field.codec.kind}")
        elif not field.codec.ordered:
            raise _No(f"its keys do not sort by {field.name!r}")
        elif test.operator == "<" and not field.follow and not field.codec.discrete:
            raise _No(f"{field.name!r} ends its sort key, so {field.name} < value has no last key; use <=")


def _native_sort(path: KeyPath, selection: Selection) -> tuple[SortPlan, tuple[Any, ...], set[str]]:
    fixed: list[NativeKey] = []
    used: set[str] = set()
    for position, key in enumerate(path.sk):
        assert isinstance(key, NativeKey)
        name = key.field.name
        if name in selection.equal:
            fixed.append(key)
            used.add(name)
            continue
        tests = selection.ranges.get(name, [])
        if len(tests) > 1:
            raise _No(f"DynamoDB takes one condition on {name!r}; use between()")
        if tests:
            used.add(name)
        later = [
            k.field.name
            for k in path.sk[position + 1 :]
            if isinstance(k, NativeKey) and k.field.name in selection.fields
        ]
        if later:
            raise _No(f"it would have a gap: {later[0]!r} comes after {name!r}, which is not fixed")
        return NativeSort(tuple(fixed), key if tests else None, tests[0] if tests else None, complete=False), (), used
    return NativeSort(tuple(fixed), None, None, complete=True), (), used


def _check_sparse(path: KeyPath, selection: Selection, used: set[str], *, chosen: bool) -> None:
    """An index must hold every item that the read asks for; conditions that it guarantees anyway count as used."""
    binding = path.binding
    if binding is None:
        return
    fields = path.plan.sources
    if not chosen:
        optional = sorted(n for n in binding.required if fields[n].nullable and n not in selection.fields)
        if optional:
            raise _No(f"it leaves out items without {optional[0]!r}")
    if binding.condition is None:
        return
    for name, source in selection.equal.items():
        if name not in used and source.constant is not UNKNOWN and guaranteed(binding.condition, name, source.constant):
            used.add(name)
    if chosen:
        return
    always = frozenset(n for n, f in fields.items() if not f.nullable) | selection.equal.keys()
    if not implied(binding.condition, selection.constants, always):
        raise _No("it is sparse, and the read may ask for items that it leaves out")


def _check_projection(path: KeyPath) -> None:
    index = path.index
    assert index is not None
    table = path.plan.table
    held = {table.pk.name, *(a.name for a in index.attributes), *index.include}
    if table.sk is not None:
        held.add(table.sk.name)
    lacking = sorted(f.name for f in path.plan.fields.values() if f.path[0] not in held)
    if lacking:
        raise _No(f"its projection ({index.projection}) lacks {', '.join(lacking)}")
