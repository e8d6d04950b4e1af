"""The table and its indexes: who reads them, over how many partitions they are spread, and what the busiest of these bear."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.compiler.derived import BucketPlan
from tablewright.compiler.paths import KeyPath
from tablewright.compiler.plan import TablePlan
from tablewright.lint import heat
from tablewright.lint.design import Design
from tablewright.lint.keyfacts import is_time, pieces
from tablewright.observe.drift.found import Departure, PlaceUse
from tablewright.observe.drift.patterns import LONG, MANY, READS
from tablewright.observe.judging import about, lasted, quoted
from tablewright.observe.snapshot import TABLE, Place, Snapshot
from tablewright.observe.telling import place as called
from tablewright.observe.telling import size
from tablewright.values.sizes import PARTITION_READS, PARTITION_WRITES, WRITE_UNIT
from tablewright.wording import counted, quantity

FULL = 10 * 2**30
"""Bytes of a partition from which on it is split, or refuses writes where the table has local indexes."""
_BUSY = 0.8
_NAMED = 3
_GROWN = 100 * 2**20
"""Bytes written to one partition before its growth is foretold."""
_YEAR = 365 * 86_400
_MORE, _FEWER = 1.5, 0.1
_ASKED = 10
"""Requests for each declared partition after which those that nobody asked for are worth a word."""


def place_uses(plan: TablePlan, snapshot: Snapshot) -> Iterator[PlaceUse]:
    """The table, and every index of the model."""
    design = Design(plan)
    for name in (TABLE, *plan.table.indexes):
        place = snapshot.places.get(name, Place())
        traffic = [t for t in snapshot.traffic if (t.index or TABLE) == name]
        yield PlaceUse(
            name=name,
            requests=sum(t.requests for t in traffic),
            partitions=place.partitions.estimate,
            declared_partitions=declared_partitions(design, name or None),
            busiest_reads=max((peak.reads for peak in place.peaks.values()), default=0.0),
            busiest_writes=max((peak.writes for peak in place.peaks.values()), default=0.0),
            read=place.last_used > 0 or any(t.operation in READS and t.requests > 0 for t in traffic),
        )


def declared_partitions(design: Design, index: str | None) -> int | None:
    """How many partitions the model says that there are; None as soon as it does not say it of one entity, or some are made
    by time."""
    total = 0
    for paths in heat.together(path for path in design.every_path() if path.index_name == index):
        counts = [None if _by_time(path) else heat.partitions(design, path) for path in paths]
        known = [count for count in counts if count is not None]
        if len(known) < len(counts):
            return None
        total += max(known)
    return total or None


def _by_time(path: KeyPath) -> bool:
    return any(
        piece.field is not None
        and (isinstance(piece.derived, BucketPlan) or (piece.derived is None and is_time(path.plan, piece.field)))
        for piece in pieces(path.pk)
    )


def place_departures(use: PlaceUse, plan: TablePlan, snapshot: Snapshot) -> Iterator[Departure]:
    """Where the table or an index is not as it was declared, or near a limit."""
    name = called(use.name)
    if use.name != TABLE and not use.read and snapshot.seconds >= LONG and snapshot.requests >= MANY:
        text = f"Nobody read {name}, in {lasted(snapshot.seconds)} with {counted(snapshot.requests, 'request')}."
        yield Departure("index-unread", name, text, None, 0.0)
    yield from _spread(use, snapshot)
    place = snapshot.places.get(use.name)
    if place is not None:
        yield from _too_busy(name, place, snapshot)
        yield from _growing(use.name, place, plan, snapshot)


def _spread(use: PlaceUse, snapshot: Snapshot) -> Iterator[Departure]:
    name, declared = called(use.name), use.declared_partitions
    if declared is None:
        return
    if use.partitions > max(_MORE * declared, declared + 10):
        text = (
            f"{name[0].upper()}{name[1:]} has {about(use.partitions, 'partition key')} in use; by what is declared there are "
            f"{quantity(declared)}."
        )
        yield Departure("partitions-more", name, text, declared, use.partitions)
    elif (
        use.partitions < _FEWER * declared
        and use.requests >= max(_ASKED * declared, MANY)
        and snapshot.seconds >= LONG
        and use.partitions
    ):
        text = (
            f"{name[0].upper()}{name[1:]} was asked for {about(use.partitions, 'partition key')} only, of "
            f"{quantity(declared)} by what is declared."
        )
        yield Departure("partitions-fewer", name, text, declared, use.partitions)


def _too_busy(name: str, place: Place, snapshot: Snapshot) -> Iterator[Departure]:
    together = (
        "" if snapshot.processes < 2 else f", if the busiest seconds of {snapshot.processes:,} processes were the same"
    )
    for what, limit, peaks in (
        ("read", PARTITION_READS, {key: peak.reads for key, peak in place.peaks.items()}),
        ("write", PARTITION_WRITES, {key: peak.writes for key, peak in place.peaks.items()}),
    ):
        busy = sorted((key for key, units in peaks.items() if units >= _BUSY * limit), key=lambda k: (-peaks[k], k))
        for key in busy[:_NAMED]:
            past = "more than" if peaks[key] > limit else "close to"
            text = (
                f"The partition {quoted(key)} of {name} took {counted(round(peaks[key]), f'{what} unit')} in its busiest second{together}: {past} "
                f"the {quantity(limit)} that it bears."
            )
            yield Departure("partition-too-busy", key, text, float(limit), peaks[key])


def _growing(index: str, place: Place, plan: TablePlan, snapshot: Snapshot) -> Iterator[Departure]:
    """Partitions that grow towards 10 GB. A unit is 1 KB at most, and what overwrites or deletes adds nothing: what is known
    is how much they have grown at most."""
    if snapshot.seconds < LONG:
        return
    local = index == TABLE and any(known.local for known in plan.table.indexes.values())
    then = (
        "beyond 10 GB its writes are refused, since the table has local indexes"
        if local
        else "beyond 10 GB it is split by its sort keys, which does not help where all is written at the end"
    )
    for weight in place.writes.top(_NAMED):
        written = (weight.count - weight.error) * WRITE_UNIT
        if written < _GROWN:
            continue
        left = max(0.0, FULL - written) / (written / snapshot.seconds)
        if left <= _YEAR:
            when = "may hold 10 GB already" if left == 0 else f"may hold 10 GB in {lasted(left)}"
            text = (
                f"Up to {size(written)} were written to the partition {quoted(weight.key)} of {called(index)} in {lasted(snapshot.seconds)}. If all "
                f"of it is new, it {when}; {then}."
            )
            yield Departure("partition-growing", weight.key, text, float(FULL), written)
