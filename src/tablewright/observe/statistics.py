"""Figures for people: what was observed, added up by operation, by pattern and by index."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from tablewright.observe.sketches.quantiles import Quantiles
from tablewright.observe.snapshot import Snapshot, Traffic

_BATCHES = ("BatchGetItem", "BatchWriteItem")
_SINGLE = ("GetItem", "PutItem", "DeleteItem")


class Figures(Struct, frozen=True):
    """What some requests have in common."""

    requests: int
    failures: int
    retries: int
    seconds: float
    """All of their time together."""
    mean_ms: float
    p50_ms: float
    p99_ms: float
    read_units: float
    write_units: float
    returned: int
    scanned: int
    item_size: float | None
    """Bytes of an item on average, where some were measured."""
    refused_units: float = 0.0
    """Of the write units: what writes took that their condition refused, at least, since no answer tells it."""

    @property
    def items(self) -> float:
        """Items that one request returned on average."""
        return self.returned / self.requests if self.requests else 0.0

    @property
    def efficiency(self) -> float | None:
        """The share of what was looked at that was returned; None where nothing was."""
        return self.returned / self.scanned if self.scanned else None


class IndexUse(Struct, frozen=True):
    """How an index is used."""

    reads: int
    last_used: float | None
    """Seconds since 1970; None if nobody read it."""
    write_units: float
    """What keeping it cost."""


class Statistics(Struct, frozen=True):
    """What was observed, in figures."""

    table: str
    seconds: float
    """For how long somebody looked."""
    whole: Figures
    operations: Mapping[str, Figures]
    """By operation; scans are apart from queries."""
    patterns: Mapping[str, Figures]
    indexes: Mapping[str, IndexUse]
    rate: float
    """Requests in a second on average."""
    peak_requests: int
    """The busiest second, of requests and of units."""
    peak_reads: float
    peak_writes: float
    continued: float
    """The share of queries and scans that went on where another page had ended."""
    batched: float | None
    """The share of items read and written by their keys that came in batches."""

    @property
    def scan_efficiency(self) -> float | None:
        """The share of what scans looked at that they returned; None without scans."""
        found = self.operations.get("Scan")
        return None if found is None else found.efficiency


def statistics(snapshot: Snapshot) -> Statistics:
    """Adds a snapshot up."""
    pages = list(snapshot.of("Query", "Scan"))
    asked = sum(t.requests for t in pages)
    indexes: dict[str, IndexUse] = {}
    for name in sorted({n for t in snapshot.traffic for n in (t.index, *t.index_units) if n is not None}):
        reads = sum(t.requests for t in snapshot.traffic if t.index == name)
        place = snapshot.places.get(name)
        kept = sum(t.index_units.get(name, 0.0) for t in snapshot.traffic)
        indexes[name] = IndexUse(reads, place.last_used if place is not None and place.last_used else None, kept)
    single = sum(t.requests for t in snapshot.of(*_SINGLE))
    together = sum(t.keys for t in snapshot.of(*_BATCHES))
    minutes = snapshot.minutes.values()
    return Statistics(
        table=snapshot.table,
        seconds=snapshot.seconds,
        whole=figures(snapshot.traffic),
        operations=_by({t.operation for t in snapshot.traffic}, snapshot, "operation"),
        patterns=_by({t.pattern for t in snapshot.traffic if t.pattern is not None}, snapshot, "pattern"),
        indexes=indexes,
        rate=snapshot.requests / snapshot.seconds if snapshot.seconds else 0.0,
        peak_requests=max((m.peak_requests for m in minutes), default=0),
        peak_reads=max((m.peak_reads for m in minutes), default=0.0),
        peak_writes=max((m.peak_writes for m in minutes), default=0.0),
        continued=sum(t.continued for t in pages) / asked if asked else 0.0,
        batched=together / (single + together) if single + together else None,
    )


def figures(traffic: Iterable[Traffic]) -> Figures:
    """Adds up some of the traffic."""
    found = list(traffic)
    latency = Quantiles()
    for one in found:
        latency.merge(one.latency)
    sized = sum(t.sized for t in found)
    return Figures(
        requests=sum(t.requests for t in found),
        failures=sum(sum(t.failures.values()) for t in found),
        retries=sum(t.retries for t in found),
        seconds=latency.total,
        mean_ms=latency.mean * 1000,
        p50_ms=latency.quantile(0.5) * 1000,
        p99_ms=latency.quantile(0.99) * 1000,
        read_units=sum(t.read_units for t in found),
        write_units=sum(t.write_units for t in found),
        returned=sum(t.returned for t in found),
        scanned=sum(t.scanned for t in found),
        item_size=sum(t.size for t in found) / sized if sized else None,
        refused_units=sum(t.refused_units for t in found),
    )


def _by(names: set[str], snapshot: Snapshot, attribute: str) -> dict[str, Figures]:
    return {n: figures(t for t in snapshot.traffic if getattr(t, attribute) == n) for n in sorted(names)}
