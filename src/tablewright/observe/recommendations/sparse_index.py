"""sparse-index: an index holds items that its queries never select."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.compiler.paths import KeyPath
from tablewright.lint.design import Read
from tablewright.lint.keyfacts import choices
from tablewright.observe.judging import (
    a_second,
    all_units,
    at_most,
    called,
    design_of,
    listed,
    percent,
    priced,
    share_of,
)
from tablewright.observe.recommendation import Observed, Recommendation, Rule
from tablewright.observe.selecting import Asked, constants, readers, sparse_key
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
    ask for nothing else, and surely have dropped more than half of at least 1,000 items (warning: these are read for nothing).
    Where it stands in the key, the field must have more values than are asked for (info). Keys that are sparse already are left
    alone.

    Give the entity its index key under a condition, with `sparse(...)`. A pattern that filters must then ask for the same as a
    condition in `query(...)`, so that it is proved that nothing is missing. Items that are stored keep their key until they are
    written again.

    > Patterns read Ticket through GSI1 only where status is 'open', which 4% of what is looked at there are.
    """

    name = "sparse-index"

    def find(self, seen: Observed) -> Iterator[Recommendation]:
        design = design_of(seen)
        for path in () if design is None else design.every_path():
            reads = [] if design is None else readers(design, seen.snapshot, path)
            traffic = list(_queries(seen.snapshot, path.index_name))
            if reads and sum(t.requests for t in traffic) >= _ENOUGH:
                yield from _found(seen, path, reads, traffic)


def _queries(snapshot: Snapshot, index: str | None) -> Iterator[Traffic]:
    return (t for t in snapshot.of("Query") if t.index == index and t.requests)


def _found(seen: Observed, path: KeyPath, reads: list[Read], traffic: list[Traffic]) -> Iterator[Recommendation]:
    names = {read.pattern.name for read in reads}
    own = [t for t in traffic if t.pattern in names]
    looked_at, returned = sum(t.filtered_scanned for t in own), sum(t.filtered_returned for t in own)
    for asked in constants(reads):
        every = choices(path.plan, asked.field)
        if asked.filtered:
            useless = asked.alone and looked_at >= _ENOUGH_ITEMS and at_most(returned, looked_at) < _SELECTED
        else:
            useless = every is not None and len(asked.values) < every
        if useless:
            yield _told(seen, path, reads, own, asked)
            return


def _told(seen: Observed, path: KeyPath, reads: list[Read], traffic: list[Traffic], asked: Asked) -> Recommendation:
    snapshot, index = seen.snapshot, path.name
    looked_at, returned = sum(t.filtered_scanned for t in traffic), sum(t.filtered_returned for t in traffic)
    requests, units = sum(t.requests for t in traffic), sum(t.read_units for t in traffic)
    written = sum(t.index_units.get(index, 0.0) for t in snapshot.traffic if t.entity in (None, path.plan.name))
    efficiency = share_of(returned, looked_at)
    message = f"Patterns read {path.plan.name} through {index} only where {asked.wanted}"
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
        action=f"Give {path.plan.name} its key on {index} only where {asked.wanted}.{moved} Items leave it when they are written again.",
        code=sparse_key(path, asked),
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
