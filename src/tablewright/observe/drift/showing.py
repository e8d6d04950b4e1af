"""A comparison in words, for people."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.observe.drift.found import Drift, EntityUse, PatternUse, PlaceUse
from tablewright.observe.drift.patterns import described
from tablewright.observe.judging import about, lasted, milliseconds, percent
from tablewright.observe.telling import place as called
from tablewright.observe.telling import size
from tablewright.wording import counted, quantity

_MOST = 10


def shown(drift: Drift) -> str:
    """The comparison as lines of text."""
    by = "" if drift.processes < 2 else f", by {counted(drift.processes, 'process', 'processes')}"
    lines = [f"{drift.table}, observed for {lasted(drift.seconds)}{by}: {counted(drift.requests, 'request')}"]
    lines += ["", "Declared patterns:", *map(_pattern, drift.patterns)] if drift.patterns else []
    if drift.undeclared:
        lines += ["", "Reads that no pattern declares:"]
        lines += [
            f"  {described(use)}: {counted(use.requests, 'request')} ({percent(use.share)}), {counted(round(use.read_units, 1), 'read unit')}"
            for use in drift.undeclared[:_MOST]
        ]
        more = len(drift.undeclared) - _MOST
        lines += [f"  and {more} more"] if more > 0 else []
    lines += ["", "Entities:", *map(_entity, drift.entities)] if drift.entities else []
    lines += ["", "Table and indexes:", *map(_place, drift.places)] if drift.places else []
    lines += ["", "What departs from the model:"]
    lines += [f"  - {one.text} [{one.kind}]" for one in drift.departures] or ["  nothing"]
    lines += ["", "To know:", *(f"  - {note}" for note in drift.notes)]
    return "\n".join(lines)


def _pattern(use: PatternUse) -> str:
    if not use.requests:
        return f"  {use.name}: not seen{_declared(use.declared_rate, 'a second at the peak')}"
    parts = [f"{quantity(use.rate)} a second{_declared(use.declared_rate, 'at the peak')}"]
    if use.units is not None:
        expected = "" if use.expected_units is None else f" (expected {quantity(round(use.expected_units, 2))})"
        parts.append(f"{counted(round(use.units, 2), 'read unit')} a call{expected}")
    if use.results is not None:
        parts.append(f"{counted(round(use.results, 1), 'item')}{_declared(use.declared_results)}")
    if use.p99_ms is not None:
        parts.append(f"99% within {milliseconds(use.p99_ms / 1000)}{_declared(use.declared_ms)}")
    return f"  {use.name}: {', '.join(parts)}"


def _entity(use: EntityUse) -> str:
    parts = list(_sizes(use))
    if use.writes or use.declared_writes is not None:
        parts.append(f"{_writes(use)}{_declared(use.declared_writes, 'at the peak')}")
    return f"  {use.name}: {', '.join(parts) or 'not seen'}"


def _writes(use: EntityUse) -> str:
    if use.more_writes and not use.writes:
        return "writes a second not known, since batches and transactions of several entities do not tell of which"
    return f"{'at least ' if use.more_writes else ''}{counted(use.writes, 'write')} a second"


def _sizes(use: EntityUse) -> Iterator[str]:
    if use.size is not None:
        declared = "" if use.declared_size is None else f" (declared {size(use.declared_size)})"
        yield f"{size(use.size)}{declared}"
    if use.largest:
        declared = "" if use.declared_largest is None else f" (declared {size(use.declared_largest)})"
        yield f"at most {size(use.largest)}{declared}"


def _place(use: PlaceUse) -> str:
    if not use.requests and not use.partitions:
        return f"  {called(use.name)}: not seen"
    parts = [
        counted(use.requests, "request"),
        f"{about(use.partitions, 'partition key')}{_declared(use.declared_partitions)}",
    ]
    if use.busiest_reads:
        parts.append(f"up to {quantity(round(use.busiest_reads))} read units a second on one")
    if use.busiest_writes:
        parts.append(f"up to {quantity(round(use.busiest_writes))} write units a second on one")
    return f"  {called(use.name)}: {', '.join(parts)}"


def _declared(number: float | None, what: str = "") -> str:
    return "" if number is None else f" (declared {quantity(number)}{f' {what}' if what else ''})"
