"""What was observed of one table, as figures: bounded in size, to be saved, loaded and merged across processes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from copy import deepcopy
from itertools import pairwise
from math import inf
from pathlib import Path
from tempfile import mkstemp
from typing import Self, TypeAlias, TypeVar

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from tablewright.errors import ArgumentError
from tablewright.observe.sketches.distinct import Distinct
from tablewright.observe.sketches.heavy import Heavy
from tablewright.observe.sketches.quantiles import Quantiles

TABLE = ""
"""The name of the table among the places that can be asked; the others are its indexes."""
WEEK = 7 * 24 * 60
"""Minutes that are kept."""
SPANS = 200
SHAPES = 1_000
"""Shapes of requests that are told apart; the rest is counted together as OTHER."""
OTHER = "other"
PEAKS = 256
NEWEST = 256
FORMS = 64
"""Forms of keys that are kept of each entity."""
FORMAT = 1
_Number = TypeVar("_Number", int, float)


Shape: TypeAlias = tuple[str, str | None, str | None, str | None, str | None]
"""Operation, index, pattern, entity, and the write that needs it, if it is a read for one."""


class Traffic(Struct, kw_only=True):
    """All requests of one shape: the same operation on the same place, for the same pattern and entity."""

    operation: str
    index: str | None = None
    pattern: str | None = None
    entity: str | None = None
    write: str | None = None
    """Of reads that writes needed: what the program calls those, such as a declared change."""
    requests: int = 0
    failures: dict[str, int] = field(default_factory=dict)
    """Requests that ended in an error, by its code."""
    retries: int = 0
    read_units: float = 0.0
    write_units: float = 0.0
    refused_units: float = 0.0
    """Of the write units: what writes took that their condition refused, at least. DynamoDB charges for these, and does not tell
    how much; it is counted by the item that was met where the answer brought it, and as one unit where not."""
    index_units: dict[str, float] = field(default_factory=dict)
    """What each index took of the write units, going by those answers that told it."""
    parted: int = 0
    """Answers that told it."""
    unmetered: int = 0
    """Answers that did not tell what they consumed."""
    keys: int = 0
    """Items that were asked for or written by their keys."""
    returned: int = 0
    scanned: int = 0
    limited: int = 0
    """Requests that asked for a number of items at most."""
    continued: int = 0
    """Requests that began where another page had ended."""
    read_on: int = 0
    """Those of them that asked for no number of items: who reads all, page after page, and not somebody else's short pages."""
    cut: int = 0
    """Answers that ended before the end, though no number was asked for: at 1 MB."""
    filtered: int = 0
    """Requests with a filter; what they returned and looked at follows."""
    filtered_returned: int = 0
    filtered_scanned: int = 0
    projected: int = 0
    """Requests for some of the attributes only."""
    consistent: int = 0
    conditional: int = 0
    """Writes under a condition."""
    latency: Quantiles = field(default_factory=Quantiles)
    """In seconds."""
    slow: int = 0
    """Requests beyond the threshold for the time that they take."""
    costly: int = 0
    """Requests beyond the threshold for the units that they consume."""
    most_units: float = 0.0
    """What the dearest one consumed."""
    sized: int = 0
    """Items whose size was measured; their bytes follow."""
    size: int = 0
    largest: int = 0
    """Bytes of the largest item, at least: by its size where it was measured, by its units where not."""
    bursts: int = 0
    """How often one caller sent more than ten of these one by one within a second, for different items, and without writing each
    right after reading it."""
    in_bursts: int = 0
    """Different items in such rows, and how many the longest had."""
    longest_burst: int = 0
    burst_seconds: float = 0.0
    """For how long callers waited for such rows: where several requests are under way at once, less than for each after the other."""
    after_read: int = 0
    """Writes of values, without a condition on what was there, to an item that the same caller had read within the last 100
    milliseconds."""
    overwritten: Heavy = field(default_factory=lambda: Heavy(32))
    """Items whose values were overwritten without a condition on what was there, by their keys."""
    first: float = 0.0
    """When the first one was sent, and the last; seconds since 1970."""
    last: float = 0.0

    @classmethod
    def of(cls, shape: Shape) -> Traffic:
        """Traffic of a shape, with nothing counted yet."""
        operation, index, pattern, entity, write = shape
        return cls(operation=operation, index=index, pattern=pattern, entity=entity, write=write)

    @property
    def shape(self) -> Shape:
        """What makes two of them the same."""
        return self.operation, self.index, self.pattern, self.entity, self.write

    @property
    def name(self) -> str:
        """How people call it: by its pattern, or by what it does."""
        if self.pattern is not None:
            return f"{self.pattern}()"
        told = f"{self.operation} of {self.entity}" if self.entity is not None else self.operation
        return told if self.write is None else f"{told} for {self.write}()"

    def merge(self, other: Traffic) -> None:
        """Takes over the figures of another of the same shape."""
        for name in _SUMS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in ("most_units", "largest", "longest_burst", "last"):
            setattr(self, name, max(getattr(self, name), getattr(other, name)))
        self.first = min(self.first or other.first, other.first or self.first)
        _add(self.failures, other.failures)
        _add(self.index_units, other.index_units)
        self.latency.merge(other.latency)
        self.overwritten.merge(other.overwritten)


_SUMS = (
    *(
        "requests",
        "retries",
        "read_units",
        "write_units",
        "refused_units",
        "unmetered",
        "keys",
        "returned",
        "scanned",
        "limited",
        "continued",
        "read_on",
    ),
    *("cut", "filtered", "filtered_returned", "filtered_scanned", "projected", "consistent", "conditional", "slow"),
    *("costly", "sized", "size", "bursts", "in_bursts", "burst_seconds", "after_read", "parted"),
)


class Peak(Struct):
    """The busiest second of a partition, in units, and the minutes since 1970 in which it was."""

    reads: float = 0.0
    writes: float = 0.0
    read_minute: int = 0
    write_minute: int = 0

    def merge(self, other: Peak) -> None:
        """Takes over that of another. What fell into the same minute may have fallen into the same second, and adds up; of others,
        the busier one counts."""
        self.reads, self.read_minute = _busiest(self.reads, self.read_minute, other.reads, other.read_minute)
        self.writes, self.write_minute = _busiest(self.writes, self.write_minute, other.writes, other.write_minute)


def _busiest(mine: float, at: int, theirs: float, then: int) -> tuple[float, int]:
    if at == then:
        return mine + theirs, at
    return max((mine, at), (theirs, then))


class Place(Struct, kw_only=True):
    """The table, or an index: which of its partitions are asked."""

    requests: Heavy = field(default_factory=Heavy)
    """Partition keys by requests."""
    reads: Heavy = field(default_factory=Heavy)
    """Partition keys by read units."""
    writes: Heavy = field(default_factory=Heavy)
    """Partition keys by write units."""
    partitions: Distinct = field(default_factory=Distinct)
    """How many different ones there are."""
    peaks: dict[str, Peak] = field(default_factory=dict)
    """The busiest second of those partitions that had one worth to be told of. Of merged figures, what several processes had at their
    worst in the same minute is added up, since they may have had it at the same time."""
    newest: list[str] = field(default_factory=list)
    """The latest partition keys in the order in which they were first written to; of merged figures, those of one process."""
    last_used: float = 0.0
    """When it was last read; seconds since 1970."""

    def merge(self, other: Place) -> None:
        """Takes over the figures of another."""
        self.requests.merge(other.requests)
        self.reads.merge(other.reads)
        self.writes.merge(other.writes)
        self.partitions.merge(other.partitions)
        for key, theirs in other.peaks.items():
            if key in self.peaks:
                self.peaks[key].merge(theirs)
            else:
                self.peaks[key] = replace(theirs)
        # A partition can be read three times as fast as it can be written.
        busiest = sorted(self.peaks.items(), key=lambda one: (-one[1].reads / 3 - one[1].writes, one[0]))
        self.peaks = dict(busiest[:PEAKS])
        # Who wrote first across processes is not known: the longer row tells more.
        self.newest = max(self.newest, other.newest, key=lambda row: (len(row), row))[-NEWEST:]
        self.last_used = max(self.last_used, other.last_used)


class Minute(Struct):
    """One minute: what was asked and consumed in it, and in its busiest second."""

    requests: int = 0
    read_units: float = 0.0
    write_units: float = 0.0
    peak_requests: int = 0
    peak_reads: float = 0.0
    peak_writes: float = 0.0

    def merge(self, other: Minute) -> None:
        """Takes over the figures of another for the same minute. Busiest seconds are added up: they may have been the same."""
        for name in self.__struct_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


class Thresholds(Struct, frozen=True):
    """From when on a single request is worth to be told of."""

    slow_ms: float = 100.0
    """Milliseconds; DynamoDB answers most requests in under ten."""
    read_units: float = 100.0
    """A page of 1 MB takes 128 units, or 256 if it is consistent."""
    write_units: float = 100.0
    """An item of 100 KB takes 100."""

    def __post_init__(self) -> None:
        """Nothing could be held against what is no number."""
        for name in self.__struct_fields__:
            given = getattr(self, name)
            if isinstance(given, bool) or not isinstance(given, int | float) or not 0 <= given < inf:
                raise ArgumentError(
                    f"The threshold {name} is a number from 0 on.",
                    hint=f"Leave {name} out for the usual one; beyond a very large one, such as 1e9, there is nothing.",
                    field=name,
                )

    def lower(self, other: Thresholds) -> Thresholds:
        """The lower ones of two: what was beyond either is beyond these."""
        return Thresholds(*map(min, msgspec.structs.astuple(self), msgspec.structs.astuple(other)))


class ReadyUnits(Struct, frozen=True):
    """Units a second that are kept ready."""

    reads: float
    writes: float


class BillingMode(Struct, frozen=True):
    """How the table is paid for."""

    mode: str = "unknown"
    """on-demand, provisioned or unknown."""
    ready: dict[str, ReadyUnits] = field(default_factory=dict)
    """What is provisioned for the table and each index."""
    at: float = 0.0
    """When this was learnt, in seconds since 1970: of two that differ, the later one is believed."""

    @property
    def _order(self) -> tuple[object, ...]:
        ready = [(name, units.reads, units.writes) for name, units in sorted(self.ready.items())]
        return self.mode != "unknown", self.at, self.mode, ready

    def later(self, other: BillingMode) -> BillingMode:
        """The one of two that is known, or known later."""
        found = max(self, other, key=lambda one: one._order)
        return msgspec.structs.replace(found, ready=dict(found.ready))


class FieldUse(Struct):
    """Which fields of what a pattern fetched were looked at."""

    fetched: int = 0
    """Entities that were watched."""
    used: dict[str, int] = field(default_factory=dict)
    """How often each of their fields was read."""

    def merge(self, other: FieldUse) -> None:
        """Takes over the figures of another."""
        self.fetched += other.fetched
        _add(self.used, other.used)


class Snapshot(Struct, kw_only=True):
    """What was observed of a table until some moment."""

    format: int = FORMAT
    table: str
    spans: list[tuple[float, float]] = field(default_factory=list)
    """From when to when somebody looked, in seconds since 1970, in order and apart from each other; at most 200."""
    runs: list[str] = field(default_factory=list)
    """What was counted: a name for every time that a collector began. Nothing is counted twice."""
    number: int = 0
    """How many snapshots its collector had taken with this one, by which the last one is known, whatever clocks say."""
    processes: int = 1
    sample: float = 1.0
    """The share of requests whose items and partition keys were looked at."""
    thresholds: Thresholds = field(default_factory=Thresholds)
    traffic: list[Traffic] = field(default_factory=list)
    places: dict[str, Place] = field(default_factory=dict)
    """The table and its indexes, as far as they were asked."""
    minutes: dict[int, Minute] = field(default_factory=dict)
    """The last week, by minutes since 1970."""
    billing: BillingMode = field(default_factory=BillingMode)
    fields: dict[str, FieldUse] = field(default_factory=dict)
    """By pattern, where somebody asked for it to be watched."""
    key_forms: dict[str, dict[str, int]] = field(default_factory=dict)
    """How partition keys of each entity are written, values left out: "USER#*"; and how often."""
    unhandled: dict[str, int] = field(default_factory=dict)
    """Errors that nobody caught, by their codes."""

    # --------------------------------------------------------------------------------------------- what it says

    @property
    def requests(self) -> int:
        """All requests."""
        return sum(t.requests for t in self.traffic)

    @property
    def seconds(self) -> float:
        """For how long somebody looked, in all."""
        return sum(until - since for since, until in self.spans)

    @property
    def until(self) -> float:
        """The end of what was observed; 0 if nothing was."""
        return self.spans[-1][1] if self.spans else 0.0

    def of(self, *operations: str) -> Iterator[Traffic]:
        """The traffic of these operations, or all."""
        return (t for t in self.traffic if not operations or t.operation in operations)

    # ------------------------------------------------------------------------------------- together with others

    def merge(self, other: Snapshot) -> None:
        """Takes over what another process or machine observed of the same table, or the same one after it began anew.

        Numbers add up, so nothing may be in both: of two snapshots that one collector took, the later one holds the earlier.
        Busiest seconds of one minute are added up too, as if all had had them at once. The other one stays as it is.
        """
        if other.table != self.table:
            raise ArgumentError(
                f"What was observed of {other.table} cannot be added to what was observed of {self.table}.",
                hint="Merge snapshots of one table.",
            )
        if set(self.runs) & set(other.runs):
            raise ArgumentError(
                f"Some of what was observed of {self.table} is in both snapshots, and would be counted twice.",
                hint="Take the last snapshot of each collector, as merged([...]) does, or reset() it after each.",
            )
        self.runs = sorted([*self.runs, *other.runs])
        requests = self.requests, other.requests
        if sum(requests):
            self.sample = (self.sample * requests[0] + other.sample * requests[1]) / sum(requests)
        else:
            self.sample = min(self.sample, other.sample)
        self.thresholds = self.thresholds.lower(other.thresholds)
        self._merge_traffic(other.traffic)
        for name, place in other.places.items():
            self.places.setdefault(name, Place()).merge(place)
        for number, minute in other.minutes.items():
            self.minutes.setdefault(number, Minute()).merge(minute)
        oldest = max(self.minutes, default=0) - WEEK
        self.minutes = {number: minute for number, minute in sorted(self.minutes.items()) if number > oldest}
        for pattern, use in other.fields.items():
            self.fields.setdefault(pattern, FieldUse()).merge(use)
        for entity, forms in other.key_forms.items():
            known = self.key_forms.setdefault(entity, {})
            _add(known, forms)
            self.key_forms[entity] = dict(sorted(known.items(), key=lambda one: (-one[1], one[0]))[:FORMS])
        _add(self.unhandled, other.unhandled)
        self.spans = joined([*self.spans, *other.spans])
        self.number = max(self.number, other.number)
        self.processes += other.processes
        self.billing = self.billing.later(other.billing)

    def _merge_traffic(self, others: list[Traffic]) -> None:
        mine = {t.shape: t for t in self.traffic}
        for theirs in others:
            full = theirs.shape not in mine and len(mine) >= SHAPES
            same = Traffic.of((OTHER, None, None, None, None) if full else theirs.shape)
            mine.setdefault(same.shape, same).merge(theirs)
        self.traffic = [mine[shape] for shape in sorted(mine, key=lambda shape: [part or "" for part in shape])]

    # ---------------------------------------------------------------------------------------------- on the disk

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it to a file, whole or not at all, which only its owner may read: it names partition keys."""
        written, target = msgspec.json.encode(self), Path(path)
        descriptor, name = mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(written)
                file.flush()
                os.fsync(file.fileno())
            os.replace(name, target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Reads what save() wrote."""
        written = Path(path).read_bytes()
        try:
            form = msgspec.json.decode(written, type=_Form).format
            if form == FORMAT:
                return msgspec.json.decode(written, type=cls)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, ArgumentError) as error:
            raise ArgumentError(
                f"{os.fspath(path)} holds no observations: {error}.", hint="Use files that Snapshot.save() wrote."
            ) from None
        raise ArgumentError(
            f"{os.fspath(path)} holds observations in format {form}, and this version reads format {FORMAT}.",
            hint="Update tablewright." if form > FORMAT else "Observe the table anew.",
        )


class _Form(Struct):
    """Of a file: in which form it is written."""

    format: int


def merged(sources: Iterable[Snapshot | str | os.PathLike[str]]) -> Snapshot:
    """What all of these observed together: snapshots, or files that they were saved in. Of several that one collector took, the
    last one counts. None of them is changed."""
    parts: dict[object, Snapshot] = {}
    for number, source in enumerate(sources):
        part = source if isinstance(source, Snapshot) else Snapshot.load(source)
        name = (part.table, part.runs[0]) if len(part.runs) == 1 else number
        if name not in parts or (parts[name].number, parts[name].until) < (part.number, part.until):
            parts[name] = part
    whole: Snapshot | None = None
    for part in parts.values():
        if whole is None:
            whole = deepcopy(part)
        else:
            whole.merge(part)
    if whole is None:
        raise ArgumentError("There are no observations to merge.", hint="Give at least one snapshot, or its file.")
    return whole


def _add(mine: dict[str, _Number], theirs: dict[str, _Number]) -> None:
    for key, value in theirs.items():
        mine[key] = mine.get(key, 0) + value


def joined(spans: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """Spans of time in order, those that touch joined into one; where there are very many, the narrowest gaps are closed."""
    found: list[tuple[float, float]] = []
    for since, until in sorted(spans):
        if found and since <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], until))
        else:
            found.append((since, until))
    gaps = range(1, len(found))
    kept = sorted(sorted(gaps, key=lambda i: found[i - 1][1] - found[i][0])[: SPANS - 1])
    return [(found[i][0], found[j - 1][1]) for i, j in pairwise([0, *kept, len(found)])] if found else []
