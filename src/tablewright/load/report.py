"""What a load has shown: figures of every pattern and write, hot partitions, and whether the design bore it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from tablewright.load.recording import Asked, Figures, Recorder, named, partition_of
from tablewright.load.watching import Partition
from tablewright.observe.sketches.quantiles import Quantiles
from tablewright.values.sizes import PARTITION_READS, PARTITION_WRITES
from tablewright.wording import counted

THROTTLED = 0.001
"""The share of requests that may be throttled: chance brings some together in a second that nothing else is wrong with."""
BEHIND = 0.95
"""The share of the requests that were due, which a target must get answered."""
_HOT = 5
_CALLERS = 5
_SPREAD = "Spread it: a field with more values in its key, or derive={...: Shard(...)}."
_WARM = 0.5
"""Partitions with this share of what one bears are told of, in their busiest second."""


class Limits(Struct, frozen=True):
    """What a partition bears in a second: by default what DynamoDB's do."""

    reads: float = float(PARTITION_READS)
    writes: float = float(PARTITION_WRITES)


class Result(Struct, frozen=True, kw_only=True):
    """How one pattern, or one kind of write, did."""

    name: str
    kind: Literal["read", "create", "update", "delete"]
    requests: int
    sent: int
    """Requests to the table; a pattern may need several."""
    rate: float
    """Requests in a second that were answered well."""
    wanted_rate: float
    """What it was driven with: the declared rate, scaled."""
    declared_rate: float
    p50_ms: float
    p95_ms: float
    p99_ms: float
    max_ms: float
    declared_ms: float | None
    """In how many milliseconds 99 of 100 should be answered, as the model says."""
    read_units: float
    write_units: float
    items: float
    """How many items a caller took of one, on average: as many as a page, or as the model expects. The table may return more."""
    declared_items: int | None
    throttled: int
    errors: dict[str, int]


class HotPartition(Struct, frozen=True, kw_only=True):
    """A partition that takes much of the load."""

    place: str
    """The name of an index, or "" for the table."""
    key: str
    fields: tuple[str, ...] = ()
    """What the key is made of, such as Order.customer: the key itself is made up, and these have the values that are hot."""
    requests_share: float
    """Of the requests to the table, or to the index."""
    read_share: float
    write_share: float
    mean_reads: float = 0.0
    """Read units in a second, on average of the whole run."""
    mean_writes: float = 0.0
    busiest_reads: float
    """Read units in its busiest second."""
    busiest_writes: float
    throttled: int
    callers: tuple[str, ...] = ()
    """What was throttled there, the most often first."""

    @property
    def name(self) -> str:
        """How people call it."""
        made_of = f" ({', '.join(self.fields)})" if self.fields else ""
        return f"{self.key!r} of {self.place or 'the table'}{made_of}"

    def exceeds(self, bears: Limits) -> bool:
        """Whether it was asked for more in some second than a partition bears."""
        return self.busiest_reads > bears.reads or self.busiest_writes > bears.writes

    def lasts(self, bears: Limits) -> bool:
        """Whether what it is asked for, on average, can go on."""
        return self.mean_reads <= bears.reads and self.mean_writes <= bears.writes


class LoadReport(Struct, frozen=True, kw_only=True):
    """The outcome of a load."""

    table: str
    target: str
    simulated: bool
    """Whether time was moved by the schedule, and not by the clock."""
    seed: int
    zipf: float
    scale: float
    seconds: float
    requests: int
    rate: float
    """Requests in a second that were answered well."""
    wanted_rate: float
    p50_ms: float
    """Milliseconds from when a request was due to when it was over, of all patterns and writes."""
    p95_ms: float
    p99_ms: float
    throttled: int
    errors: int
    unsent: int
    """Requests that were due and that nobody got to."""
    limits: Limits | None
    """What a partition could bear, where that was simulated."""
    results: tuple[Result, ...]
    partitions: tuple[HotPartition, ...]
    problems: tuple[str, ...]
    """Why the design, or the target, did not bear it."""
    notes: tuple[str, ...]

    @property
    def well(self) -> bool:
        """Whether nothing was wrong."""
        return not self.problems


def make_report(
    recorder: Recorder,
    *,
    table: str,
    target: str,
    simulated: bool,
    seed: int,
    zipf: float,
    scale: float,
    seconds: float,
    limits: Limits | None,
    notes: Sequence[str] = (),
    fields: Callable[[Partition], tuple[str, ...]] = lambda _: (),
) -> LoadReport:
    """The report of what was recorded; `fields` tells what the key of a partition is made of."""
    recorder.settle()
    seconds = max(seconds, 1e-9)
    results = tuple(_result(one, seconds) for one in recorder.lines.values())
    partitions = tuple(_hot(recorder, limits or Limits(), seconds, fields))
    requests = sum(one.requests for one in results)
    throttled, errors = sum(one.throttled for one in results), sum(sum(one.errors.values()) for one in results)
    latency = Quantiles()
    for one in recorder.lines.values():
        latency.merge(one.latency)
    found = LoadReport(
        table=table,
        target=target,
        simulated=simulated,
        seed=seed,
        zipf=zipf,
        scale=scale,
        seconds=seconds,
        requests=requests,
        rate=(requests - throttled - errors) / seconds,
        wanted_rate=sum(one.wanted_rate for one in results),
        p50_ms=latency.quantile(0.5) * 1000,
        p95_ms=latency.quantile(0.95) * 1000,
        p99_ms=latency.quantile(0.99) * 1000,
        throttled=throttled,
        errors=errors,
        unsent=recorder.unsent,
        limits=limits,
        results=results,
        partitions=partitions,
        problems=(),
        notes=(*notes, *_slow(recorder.late, requests + recorder.unsent), *_remarks(results, partitions, limits)),
    )
    return replace(found, problems=tuple(_problems(found)))


def _result(one: Figures, seconds: float) -> Result:
    latency, line = one.latency, one.line
    good = one.requests - one.throttled - sum(one.errors.values())
    return Result(
        name=line.name,
        kind=line.kind,
        requests=one.requests,
        sent=one.sent,
        rate=good / seconds,
        wanted_rate=line.rate,
        declared_rate=line.declared,
        p50_ms=latency.quantile(0.5) * 1000,
        p95_ms=latency.quantile(0.95) * 1000,
        p99_ms=latency.quantile(0.99) * 1000,
        max_ms=latency.most * 1000,
        declared_ms=line.latency_ms,
        read_units=one.read_units,
        write_units=one.write_units,
        items=one.returned / good if good else 0.0,
        declared_items=line.results,
        throttled=one.throttled,
        errors=dict(one.errors),
    )


def _hot(
    recorder: Recorder, limits: Limits, seconds: float, fields: Callable[[Partition], tuple[str, ...]]
) -> Iterator[HotPartition]:
    """Those that were throttled, and those with the most units, the busiest first."""
    chosen: dict[Partition, None] = {partition_of(one.key): None for one in recorder.refused.top(_HOT)}
    for heaviest in (recorder.heaviest("writes", _HOT), recorder.heaviest("reads", _HOT)):
        chosen |= {partition: None for partition, _ in heaviest}
    chosen |= {
        partition: None
        for partition, peak in recorder.peaks.items()
        if max(peak.reads / limits.reads, peak.writes / limits.writes) >= _WARM
    }
    found = []
    for partition in chosen:
        (place, key), peak = partition, recorder.peaks.get(partition)
        asked = recorder.places.get(place, Asked())
        shares = [heavy.of([key])[0].share for heavy in (asked.requests, asked.reads, asked.writes)]
        found.append(
            HotPartition(
                place=place,
                key=key,
                fields=fields(partition),
                requests_share=shares[0],
                read_share=shares[1],
                write_share=shares[2],
                mean_reads=shares[1] * asked.reads.total / seconds,
                mean_writes=shares[2] * asked.writes.total / seconds,
                busiest_reads=peak.reads if peak else 0.0,
                busiest_writes=peak.writes if peak else 0.0,
                throttled=round(recorder.refused.counts.get(named(partition), 0.0)),
                callers=tuple(name for name, _ in recorder.blamed.get(partition, Counter()).most_common()),
            )
        )
    busyness = sorted(
        found,
        key=lambda one: (
            -one.throttled,
            -max(one.busiest_reads / limits.reads, one.busiest_writes / limits.writes),
            one.place,
            one.key,
        ),
    )
    yield from busyness[: 2 * _HOT]


# -------------------------------------------------------------------------------------------------- what is wrong


def _problems(report: LoadReport) -> Iterator[str]:
    bears = report.limits or Limits()
    if report.throttled > THROTTLED * report.requests:
        share = report.throttled / report.requests
        yield f"{report.throttled:,} of {counted(report.requests, 'request')} were throttled ({share:.1%})."
        for hot in report.partitions:
            if hot.throttled > THROTTLED * report.requests:
                yield _too_hot(hot, bears)
    for hot in report.partitions if report.limits is not None else ():
        if not hot.lasts(bears) and hot.throttled <= THROTTLED * report.requests:
            yield (
                f"The partition {hot.name} took {hot.mean_reads:,.0f} read and {hot.mean_writes:,.0f} write units a second on "
                f"average, and a partition bears {bears.reads:,.0f} and {bears.writes:,.0f}: what it may take in a burst carried it "
                f"for {report.seconds:,.1f} seconds, and a longer run throttles it. {_SPREAD}"
            )
    for one in report.results:
        for code, times in sorted(one.errors.items()):
            yield f"{one.name} failed {counted(times, 'time')} with {code}."
    if report.simulated:
        return
    for one in report.results:
        if one.declared_ms is not None and one.requests and one.p99_ms > one.declared_ms:
            told = f"{one.p99_ms:,.1f} ms for 99 of 100 requests; the model expects {one.declared_ms:g} ms"
            yield f"{one.name} took {told}."
    due = report.requests + report.unsent
    if report.unsent and report.requests < BEHIND * due:
        yield f"The target did not keep up: {report.unsent:,} of {counted(due, 'request')} were never sent."


def _too_hot(one: HotPartition, bears: Limits) -> str:
    writes = one.busiest_writes / bears.writes >= one.busiest_reads / bears.reads
    share, busiest, most = (
        (one.write_share, one.busiest_writes, bears.writes)
        if writes
        else (one.read_share, one.busiest_reads, bears.reads)
    )
    what = "write" if writes else "read"
    callers = f" ({', '.join(one.callers[:_CALLERS])})" if one.callers else ""
    return (
        f"The partition {one.name} is hot: it was throttled {counted(one.throttled, 'time')}{callers}, and has {share:.0%} of the "
        f"{what} units of {one.place or 'the table'}; it took {busiest:,.0f} in its busiest second, and a partition bears "
        f"{most:,.0f}. {_SPREAD}"
    )


def _slow(late: int, due: int) -> Iterator[str]:
    if late > (1 - BEHIND) * due:
        yield (
            f"{late:,} of {counted(due, 'request')} were made too late: this machine is too slow for such a load, and the "
            "latencies hold that too. Scale the rates down, or share the load between several machines."
        )


def _remarks(results: Sequence[Result], partitions: Sequence[HotPartition], limits: Limits | None) -> Iterator[str]:
    never = [one.name for one in results if not one.requests]
    if never:
        yield f"Too rare to come in this time: {', '.join(never)}."
    bears, few = limits or Limits(), THROTTLED * sum(one.requests for one in results)
    for one in partitions:
        # What was throttled, or cannot last, is told as a problem.
        if one.exceeds(bears) and (limits is None or (one.lasts(bears) and one.throttled <= few)):
            burst = "" if limits is None else " Bursts carried it, which DynamoDB does not promise."
            yield (
                f"The partition {one.name} took {one.busiest_reads:,.0f} read and {one.busiest_writes:,.0f} write units in "
                f"its busiest second; one bears {bears.reads:,.0f} and {bears.writes:,.0f}.{burst}"
            )
