"""The report of a load as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tablewright.load.report import HotPartition, LoadReport, Result
from tablewright.wording import counted

_HEADS = ("", "requests", "a second", "of", "p50 ms", "p95", "p99", "RCU", "WCU", "taken", "throttled", "errors")


def shown(report: LoadReport) -> str:
    """The report, for people."""
    return "\n".join(_lines(report))


def _lines(report: LoadReport) -> Iterator[str]:
    time = "simulated time" if report.simulated else "real time"
    yield (
        f"{report.table}, {report.target}, {counted(report.requests, 'request')} in {report.seconds:,.1f} seconds of {time}, "
        f"{report.rate:,.1f} a second of {report.wanted_rate:,.1f}, 99 of 100 in {report.p99_ms:,.1f} ms"
    )
    yield ""
    yield from aligned([_HEADS, *(_row(one) for one in report.results if one.requests)])
    if report.partitions:
        yield ""
        yield "Partitions, the busiest first, with their shares of the table or of the index:"
        yield from (f"  {_hot(one)}" for one in report.partitions)
    if report.notes:
        yield ""
        yield from (f"- {note}" for note in report.notes)
    yield ""
    yield from (f"PROBLEM {problem}" for problem in report.problems)
    if report.well:
        yield "No problems."


def _row(one: Result) -> Sequence[str]:
    ms = (one.p50_ms, one.p95_ms, one.p99_ms)
    return (
        one.name,
        f"{one.requests:,}",
        f"{one.rate:,.2f}",
        f"{one.wanted_rate:,.2f}",
        *(f"{value:,.1f}" for value in ms),
        f"{one.read_units:,.1f}",
        f"{one.write_units:,.1f}",
        f"{one.items:,.1f}",
        f"{one.throttled:,}",
        ", ".join(f"{code} {times:,}" for code, times in sorted(one.errors.items())) or "0",
    )


def _hot(one: HotPartition) -> str:
    parts = [f"{one.requests_share:.1%} of requests"]
    for what, share, busiest in (
        ("read", one.read_share, one.busiest_reads),
        ("write", one.write_share, one.busiest_writes),
    ):
        if busiest:
            parts.append(f"{share:.1%} of {what} units, {busiest:,.1f} in its busiest second")
    if one.throttled:
        parts.append(f"throttled {counted(one.throttled, 'time')}")
    return f"{one.name}: {'; '.join(parts)}"


def aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Rows as columns: the first to the left, figures to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        yield f"  {'  '.join(cells)}".rstrip()
