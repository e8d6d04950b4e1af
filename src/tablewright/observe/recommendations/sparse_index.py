"""sparse-index: an index holds items that its queries never select."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Any

from msgspec import Struct

from tablewright.compiler.paths import KeyPath
from tablewright.lint.design import Design, Read
from tablewright.lint.keyfacts import choices
from tablewright.model.conditions import Compare, IsIn, conjuncts
from tablewright.model.keys import attr_is
from tablewright.model.symbols import has_symbols
from tablewright.observe.judging import (
    a_second,
    all_units,
    at_most,
    called,
    design_of,
    in_code,
    listed,
    percent,
    priced,
    share_of,
    shown_value,
)
from tablewright.observe.recommendation import Observed, Recommendation, Rule
from tablewright.observe.snapshot import Snapshot, Traffic
from tablewright.wording import counted, quantity

_ENOUGH = 100
_ENOUGH_ITEMS = 1_000
_SELECTED = 0.5


class SparseIndex(Rule):
    """An index holds items that its queries never select.

    Items that nobody asks an index for cost a write each time, are stored twice, and are read and dropped again where a filter
    leaves them out. An index key that only some items have keeps the others out of it.

    It fires for an entity on an index when every pattern that reads it there asks for the same constant values of a field, and
    the index was asked at least 100 times, by declared patterns only. Where the constant stands in a filter, the filter must
    surely have dropped more than half of at least 1,000 items (warning: these are read for nothing). Where it stands in the key,
    the field must have more values than are asked for (info). Keys that are sparse already are left alone.

    Give the entity its index key under a condition, with `sparse(...)`. A pattern that filters must then ask for the same as a
    condition in `query(...)`, so that it is proved that nothing is missing. Items that are stored keep their key until they are
    written again.

    > Patterns read Ticket through GSI1 only where status is 'open', which 4% of what is looked at there are.
    """

    name = "sparse-index"

    def find(self, seen: Observed) -> Iterator[Recommendation]:
        design = design_of(seen)
        for path in () if design is None else design.every_path():
            if design is None or path.binding is None or path.binding.condition is not None:
                continue
            reads = design.reads_of(path.plan, path.index_name)
            traffic = list(_queries(seen.snapshot, path.index_name))
            if reads and sum(t.requests for t in traffic) >= _ENOUGH and _declared(design, path.index_name, traffic):
                yield from _found(seen, path, reads, traffic)


class _Asked(Struct, frozen=True):
    """The constant values of a field that all reads ask for."""

    field: str
    values: tuple[Any, ...]
    filtered: bool
    """Whether a filter does it, in one of them at least."""

    @property
    def shown(self) -> list[str]:
        """The values as they are written in a model, in order."""
        return sorted(map(shown_value, self.values))

    @property
    def condition(self) -> str:
        """The condition of the index key, as it is written in a model."""
        tests = [attr_is(self.field, value, shown_value(value)) for value in sorted(self.values, key=shown_value)]
        return tests[0] if len(tests) == 1 else f"any_of({', '.join(tests)})"


def _queries(snapshot: Snapshot, index: str | None) -> Iterator[Traffic]:
    return (t for t in snapshot.of("Query") if t.index == index and t.requests)


def _declared(design: Design, index: str | None, traffic: list[Traffic]) -> bool:
    """Whether nobody asked the index but by patterns of the model: whoever else did may want what these do not."""
    known = {read.pattern.name for read in design.readers(index)}
    return all(t.pattern in known for t in traffic)


def _found(seen: Observed, path: KeyPath, reads: list[Read], traffic: list[Traffic]) -> Iterator[Recommendation]:
    names = {read.pattern.name for read in reads}
    own = [t for t in traffic if t.pattern in names]
    looked_at, returned = sum(t.filtered_scanned for t in own), sum(t.filtered_returned for t in own)
    for asked in _constants(reads):
        every = choices(path.plan, asked.field)
        if asked.filtered:
            useless = looked_at >= _ENOUGH_ITEMS and at_most(returned, looked_at) < _SELECTED
        else:
            useless = every is not None and len(asked.values) < every
        if useless:
            yield _told(seen, path, reads, own, asked)
            return


def _constants(reads: list[Read]) -> Iterator[_Asked]:
    """Fields that every one of these reads wants to have certain values, whatever its arguments are."""
    every = [_constants_of(read) for read in reads]
    for field in every[0]:
        if all(field in one for one in every):
            values = dict.fromkeys(value for one in every for value in one[field][0])
            yield _Asked(field, tuple(values), any(one[field][1] for one in every))


def _constants_of(read: Read) -> dict[str, tuple[tuple[Any, ...], bool]]:
    """The values that a read wants fields to have, and whether it is a filter that says so."""
    found: dict[str, tuple[tuple[Any, ...], bool]] = {}
    for condition in getattr(read.one, "filters", ()):
        for one in conjuncts(condition):
            if isinstance(one, Compare) and one.op == "=" and len(one.path) == 1 and not has_symbols(one.value):
                found[one.field] = (one.value,), True
            elif isinstance(one, IsIn) and len(one.path) == 1 and not has_symbols(one.values):
                found[one.field] = tuple(one.values), True
    for name, source in read.one.served.known.items():
        if source.possible is not None:
            found[name] = source.possible, False
    return {name: (values, late) for name, (values, late) in found.items() if all(_hashable(v) for v in values)}


def _hashable(value: Any) -> bool:
    return isinstance(value, str | int | bool | Enum)


def _told(seen: Observed, path: KeyPath, reads: list[Read], traffic: list[Traffic], asked: _Asked) -> Recommendation:
    snapshot, index = seen.snapshot, path.name
    looked_at, returned = sum(t.filtered_scanned for t in traffic), sum(t.filtered_returned for t in traffic)
    requests, units = sum(t.requests for t in traffic), sum(t.read_units for t in traffic)
    written = sum(t.index_units.get(index, 0.0) for t in snapshot.traffic if t.entity in (None, path.plan.name))
    efficiency = share_of(returned, looked_at)
    wanted = f"{asked.field} is {listed(asked.shown).replace(' and ', ' or ')}"
    message = f"Patterns read {path.plan.name} through {index} only where {wanted}"
    figures = f"{counted(requests, 'request')} asked for it by {listed(called(reads))}."
    if asked.filtered:
        message += f", which {percent(efficiency)} of what is looked at there are"
        figures += (
            f" {quantity(returned)} of {counted(looked_at, 'item')} passed the filter; all of them took "
            f"{counted(round(units, 1), 'read unit')}{priced(seen, reads=units)}."
        )
    else:
        message += ", and items with other values are in it for nothing"
    if written:
        figures += (
            f" Writes put {counted(round(written, 1), 'write unit')} into the index{priced(seen, writes=written)}."
        )
    moved = f" {listed(called(reads))} must then ask for it in query(...), not in a filter." if asked.filtered else ""
    return Recommendation(
        rule=SparseIndex.name,
        severity="warning" if asked.filtered else "info",
        category="cost",
        subject=f"{path.plan.name} on {index}",
        message=f"{message}.",
        details=figures,
        action=f"Give {path.plan.name} its key on {index} only where {wanted}.{moved} Items leave it when they are written again.",
        code=_code(path, asked),
        affected=called(reads),
        saves=1 - efficiency if asked.filtered and units else None,
        evidence={
            "index": index,
            "entity": path.plan.name,
            "field": asked.field,
            "returned": returned,
            "scanned": looked_at,
            "requests": requests,
            "index_write_units": written,
        },
        impact=share_of(units + 5 * written, all_units(snapshot)),
        frequency=a_second(snapshot, requests),
        effort=2,
    )


def _code(path: KeyPath, asked: _Asked) -> str:
    own = path.binding.index if path.binding is not None else None
    sides = []
    for keys in (() if own is None or own.local else path.pk, path.sk):
        if keys:
            texts = ", ".join(in_code(str(key)) for key in keys)
            sides.append(f"({texts})" if len(keys) > 1 else texts)
    call = "sparse_local" if own is not None and own.local else "sparse"
    spec = f"{call}({', '.join(sides)}, when={asked.condition})"
    return f"{path.name}={spec}" if path.name.isidentifier() else f"indexes={{{in_code(path.name)}: {spec}}}"
