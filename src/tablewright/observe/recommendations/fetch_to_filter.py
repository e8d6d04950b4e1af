"""Queries whose filter drops most of what they read."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from msgspec import Struct
from msgspec.structs import replace

from tablewright.compiler.plan import TablePlan
from tablewright.compiler.reads import QueryPlan, ReadPlan, parts_of
from tablewright.lint.design import Design
from tablewright.model.annotations import members
from tablewright.model.conditions import Between, Compare, Condition, IsIn, StartsWith, Test
from tablewright.model.keys import attr_is
from tablewright.model.symbols import has_symbols
from tablewright.observe.judging import a_second, design_of, listed, percent, share_of, shown_value
from tablewright.observe.recommendation import Observed, Recommendation, Rule
from tablewright.observe.recommendations.sparse_index import SparseIndex
from tablewright.observe.selecting import constants, readers, sparse_key
from tablewright.observe.snapshot import Snapshot, Traffic
from tablewright.observe.telling import reads_of
from tablewright.wording import counted, quantity

_FEW = 0.2
"""The share of what was looked at below which a filter does the selecting."""
_REQUESTS = 20
_LOOKED_AT = 10
"""Items in a usual request: what drops some of a handful costs nothing."""

_WRITE = 5
"""A write unit costs as much as five read units."""

_ASK = "Then ask for it by a condition in query(...), and leave .filter(...) out."
_SERVED = (Between, Compare, IsIn, StartsWith)
"""Conditions that a key can serve."""


class FetchToFilter(Rule):
    """A query reads much and its filter drops most of it.

    A filter works after the reading: what it drops was paid for, and took its part of the page of 1 MB. It saves transfer
    and nothing else. What selects should be a key.

    It fires when 20 queries or more had a filter, looked at ten items each or more, and returned less than 20% of them. It is a
    warning, and a note where an index would cost more than it saves by the writes that were seen. Where sparse-index has told of
    the pattern, that says it all.

    Put the fields that the filter asks for into the sort key, or into the key of an index, which is sparse where only one
    value is ever asked for. An index that is read for nothing else can be made sparse itself. What is dropped because it has expired or
    was deleted softly goes away by a shorter time to live.

    > unpaid() keeps 5% of what it reads; a filter drops the rest.
    """

    name = "fetch-to-filter"

    def find(self, seen: Observed) -> Iterator[Recommendation]:
        design = design_of(seen)
        told = {
            (one.evidence["index"], name)
            for one in SparseIndex().find(seen)
            if one.severity == "warning"
            for name in one.affected
        }
        for traffic in seen.snapshot.of("Query"):
            looked_at = traffic.filtered_scanned
            if traffic.filtered < _REQUESTS or looked_at < _LOOKED_AT * traffic.filtered:
                continue
            if share_of(traffic.filtered_returned, looked_at) < _FEW:
                own = None if design is None else _own_index(design, seen.snapshot, traffic)
                if own is None or (traffic.index, traffic.name) not in told:
                    yield _recommendation(seen, traffic, own)


class _Way(Struct, frozen=True):
    """A key that selects: what it is, as code, and the write units that it would have taken for the writes seen."""

    action: str
    code: str | None = None
    written: float = 0.0
    figures: str = ""


def _recommendation(seen: Observed, traffic: Traffic, own: _Way | None) -> Recommendation:
    kept = share_of(traffic.filtered_returned, traffic.filtered_scanned)
    plans = reads_of(seen.plan, traffic.pattern)
    asked = list(dict.fromkeys(name for plan in plans for name in _asked(plan)))
    units = traffic.read_units * share_of(traffic.filtered, traffic.requests)
    whole = sum(t.read_units for t in seen.snapshot.traffic)
    if own is not None:
        way = own
    elif asked:
        way = _index(seen, plans, asked, kept)
    elif plans:
        way = _Way(
            "The pattern has no filter of its own: what is dropped has expired, or was deleted softly. Let it live a shorter "
            "time, or move what is over to a table or key of its own."
        )
    else:
        way = _Way(
            "Let a key select what the filter does: put its fields into the sort key, or into the key of an index."
        )
    saved, price = units * (1 - kept), _WRITE * way.written
    dear = price > saved
    if dear:
        way = replace(
            way,
            action=(
                f"Leave the filter as long as so much is written and so little asked for: an index by {listed(asked)} would cost more than it saves, "
                f"as {counted(round(price, 1), 'read unit')} to {quantity(round(saved, 1))}. Where {listed(asked)} seldom changes, the sort key that is "
                "read already can hold it."
            ),
            code=None,
        )
    return Recommendation(
        rule=FetchToFilter.name,
        severity="info" if dear else "warning",
        category="cost",
        subject=traffic.name,
        message=f"{traffic.name} keeps {percent(kept)} of what it reads; a filter drops the rest.",
        details=(
            f"{counted(traffic.filtered, 'query', 'queries')} with a filter looked at {counted(traffic.filtered_scanned, 'item')} "
            f"and returned {quantity(traffic.filtered_returned)}, for {counted(round(units, 1), 'read unit')}. A filter saves "
            f"transfer only: what it drops is paid for.{way.figures}"
        ),
        action=way.action,
        code=way.code,
        affected=(traffic.name,),
        saves=max(0.0, 1 - kept - share_of(price, units)),
        evidence={
            "requests": traffic.filtered,
            "scanned": traffic.filtered_scanned,
            "returned": traffic.filtered_returned,
            "efficiency": kept,
            "read_units": units,
            "index_write_units": way.written,
        },
        impact=share_of(units, whole),
        frequency=a_second(seen.snapshot, traffic.filtered),
        effort=2,
    )


def _asked(plan: ReadPlan) -> Iterator[str]:
    """The fields that a read's own filter asks for; the time of expiry is not its own."""
    for part in parts_of(plan):
        for condition in part.filters if isinstance(part, QueryPlan) else ():
            yield from (leaf.field for leaf in condition.leaves() if leaf.field != part.plan.options.ttl)


def _query(plans: list[ReadPlan]) -> QueryPlan | None:
    return next((part for read in plans for part in parts_of(read) if isinstance(part, QueryPlan)), None)


def _written(snapshot: Snapshot, plans: list[ReadPlan]) -> float:
    """Write units that an index of all items would have taken, while their keys stay: as many as the table itself at most."""
    first = _query(plans)
    own = [t for t in snapshot.traffic if first is not None and t.entity == first.plan.name]
    return max(0.0, sum(t.write_units - sum(t.index_units.values()) for t in own))


def _own_index(design: Design, snapshot: Snapshot, traffic: Traffic) -> _Way | None:
    """The key of the very index that is read, under the condition of the filter, if no pattern asks it for anything else."""
    for path in design.every_path():
        reads = readers(design, snapshot, path) if path.index_name == traffic.index else []
        own = [read for read in reads if read.pattern.name == traffic.pattern]
        for asked in constants(reads):
            if asked.filtered and asked.alone and asked in constants(own):
                name = path.plan.name
                return _Way(
                    f"No pattern reads {name} through {path.name} but where {asked.wanted}: give it its key there only then. {_ASK}",
                    f"{name}.keys = Keys(..., {sparse_key(path, asked)})\n{_asks(name, [asked.field])}",
                )
    return None


def _index(seen: Observed, plans: list[ReadPlan], asked: list[str], kept: float) -> _Way:
    """Another index, or another sort key."""
    action = f"Let a key select by {listed(asked)}: in the sort key, or in an index of its own, sparse where one value is asked for. {_ASK}"
    code, is_sparse = _code(seen.plan, plans, asked)
    every = 0.0 if code is None else _written(seen.snapshot, plans)
    if not every:
        return _Way(action, code)
    dear = "each as dear as five read units"
    if is_sparse:
        written = every * kept
        return _Way(
            action,
            code,
            written,
            f" A sparse index of its own would have taken some {counted(round(written, 1), 'write unit')} for the writes seen, {dear}, if as much of what "
            "is written is selected as of what was read.",
        )
    return _Way(
        action,
        code,
        every,
        f" An index of its own would have taken up to {counted(round(every, 1), 'write unit')} for the writes seen, {dear}, and one more wherever "
        f"{listed(asked)} changes.",
    )


def _code(plan: TablePlan | None, plans: list[ReadPlan], asked: list[str]) -> tuple[str | None, bool]:
    """A key that holds what the query knows and what the filter asks for, on an index that the entity is not in yet: what must
    be equal selects the partition, and the rest comes first in the sort key. What must be one and the same value for all is the condition
    of a sparse key. Returns whether there is one, too."""
    first = _query(plans)
    if plan is None or first is None or not asked or not all(_can_serve(c) for c in first.filters):
        return None, False
    taken = {binding.index.name for binding in first.plan.bindings}
    free = next((name for name, index in plan.table.indexes.items() if name not in taken and not index.local), None)
    leaves = [leaf for condition in first.filters for leaf in condition.leaves()]
    equal = {leaf.field for leaf in leaves if isinstance(leaf, IsIn) or (isinstance(leaf, Compare) and leaf.op == "=")}
    constant = {leaf.field: leaf.value for leaf in leaves if _constant(leaf) and isinstance(leaf, Compare)}
    alone = len(plans) == 1 and len(list(parts_of(plans[0]))) == 1  # other variants may ask for other values
    when = next(iter(constant), None) if alone else None
    known = [*first.served.known, *(name for name in asked if name in equal and name not in first.served.known)]
    known = [name for name in known if name != when] or known
    sorts = [name for name in asked if name not in {*known, when}]
    sorts += [name for key in first.served.path.sk for name in key.fields if name not in {*known, *sorts}]
    sorts = sorts or sorted(first.plan.key_fields - set(known)) or known[-1:]
    partition = "#".join(f"{name.upper()}#{{{name}}}" for name in known)
    rest = "#".join(_sorted_by(first, name) for name in sorts)
    index = free or _new_name(plan)
    sides = f'"{partition}", "{rest}"'
    spec = (
        f"({sides})"
        if when is None
        else f"sparse({sides}, when={attr_is(when, constant[when], shown_value(constant[when]))})"
    )
    lines = [] if free else [f'Table(..., indexes=[..., GSI("{index}")])']
    lines.append(f"{first.plan.name}.keys = Keys(..., {index}={spec})")
    lines.append(_asks(first.plan.name, asked))
    return "\n".join(lines), when is not None


def _asks(entity: str, fields: list[str]) -> str:
    """How the pattern asks then."""
    return f"query({entity}, ...)  # what .filter(...) asks of {', '.join(f'{entity}.{name}' for name in fields)} stands here"


def _can_serve(condition: Condition) -> bool:
    return isinstance(condition, _SERVED) and not (isinstance(condition, Compare) and condition.op == "<>")


def _constant(leaf: Test) -> bool:
    """Whether it asks for one value, whatever the arguments are."""
    return (
        isinstance(leaf, Compare)
        and leaf.op == "="
        and len(leaf.path) == 1
        and not has_symbols(leaf.value)
        and isinstance(leaf.value, str | int | Enum)
    )


def _new_name(plan: TablePlan) -> str:
    number = len(plan.table.indexes) + 1
    while f"GSI{number}" in plan.table.indexes:
        number += 1
    return f"GSI{number}"


def _sorted_by(part: QueryPlan, name: str) -> str:
    """A field in a sort key: numbers are padded, so that 10 comes after 9."""
    source = part.plan.sources.get(name)
    return f"{{{name}:010}}" if source is not None and int in members(source.annotation) else f"{{{name}}}"
