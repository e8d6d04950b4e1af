"""What is noted of a load while it runs, in bounded memory: figures of each line of the mix, and the busiest partitions."""

from __future__ import annotations

import threading
from collections import Counter
from heapq import nlargest
from typing import Literal

from msgspec import Struct, field

from tablewright.errors import TablewrightError, Throttled, TransactionCanceled
from tablewright.load.calls import Request
from tablewright.load.watching import Partition, Used
from tablewright.load.workload import Line, Mix
from tablewright.observe.sketches.heavy import Heavy, Weight
from tablewright.observe.sketches.quantiles import Quantiles

_BUFFERED = 500
_PEAKS = 2000
_BLAMED = 500
_APART = "\x00"


class Figures(Struct):
    """What is known of one line so far."""

    line: Line
    requests: int = 0
    """Those that are over, whatever came of them."""
    sent: int = 0
    """Requests to the table; one of a pattern may be several."""
    throttled: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    """Other failures, by code."""
    read_units: float = 0.0
    write_units: float = 0.0
    returned: int = 0
    latency: Quantiles = field(default_factory=Quantiles)
    """Seconds from when a request was due to when it was over."""
    waiting: list[float] = field(default_factory=list)

    def settle(self) -> None:
        """Counts the latencies that are still waiting for it."""
        self.latency.add(self.waiting)
        self.waiting.clear()


class Busiest(Struct):
    """The busiest second of a partition."""

    reads: float = 0.0
    writes: float = 0.0


class Asked(Struct):
    """The partitions of the table, or of an index, by requests and by units."""

    requests: Heavy = field(default_factory=Heavy)
    reads: Heavy = field(default_factory=Heavy)
    writes: Heavy = field(default_factory=Heavy)


class Recorder:
    """Notes what becomes of requests, from any thread."""

    def __init__(self, mix: Mix) -> None:
        self.lines = {line.name: Figures(line) for line in mix.lines}
        self.places: dict[str, Asked] = {}
        """By the names of indexes, and "" for the table: each is a whole of its own."""
        self.refused = Heavy()
        """Partitions by requests that were throttled."""
        self.peaks: dict[Partition, Busiest] = {}
        self.blamed: dict[Partition, Counter[str]] = {}
        """Who was throttled at a partition, by the names of lines."""
        self.unsent = 0
        """Requests that were due, and never sent."""
        self.late = 0
        """Requests that were due before this machine had made them up."""
        self._second = -1
        self._now: dict[Partition, Busiest] = {}
        self.lock = threading.Lock()
        """Held by whoever changes it, or looks at more than one of its figures."""

    def note(
        self, request: Request, used: Used, *, at: float, seconds: float, returned: int, error: Exception | None
    ) -> None:
        """A request is over: at this time since the start, so many seconds after it was due."""
        with self.lock:
            figures = self.lines[request.line.name]
            figures.requests += 1
            figures.sent += used.requests
            figures.read_units += used.read_units
            figures.write_units += used.write_units
            figures.returned += returned
            figures.waiting.append(seconds)
            if len(figures.waiting) >= _BUFFERED:
                figures.settle()
            if int(at) > self._second:
                self._fold()
                self._second = int(at)
            for partition, (reads, writes) in used.partitions.items():
                self._count(partition, reads, writes)
            if error is not None:
                self._failed(figures, used, error)

    def _count(self, partition: Partition, reads: float, writes: float) -> None:
        place, key = partition
        asked = self._asked(place)
        asked.requests.add(key)
        if reads:
            asked.reads.add(key, reads)
        if writes:
            asked.writes.add(key, writes)
        now = self._now.get(partition)
        if now is None:
            now = self._now[partition] = Busiest()
        now.reads += reads
        now.writes += writes

    def _asked(self, place: str) -> Asked:
        found = self.places.get(place)
        if found is None:
            found = self.places[place] = Asked()
        return found

    def heaviest(self, what: Literal["reads", "writes"], number: int) -> list[tuple[Partition, Weight]]:
        """The partitions with the most units, of the table and of all indexes, each with its share of its own place."""
        found = [
            ((place, one.key), one) for place, asked in self.places.items() for one in getattr(asked, what).top(number)
        ]
        return sorted(found, key=lambda one: (-one[1].count, one[0]))[:number]

    def _failed(self, figures: Figures, used: Used, error: Exception) -> None:
        if not is_throttled(error):
            figures.errors[error.code if isinstance(error, TablewrightError) else type(error).__name__] += 1
            return
        figures.throttled += 1
        partition = _throttled_at(used, error)
        if partition is not None:
            self.refused.add(named(partition))
            self._asked(partition[0]).requests.add(partition[1])
            if partition in self.blamed or len(self.blamed) < _BLAMED:
                self.blamed.setdefault(partition, Counter())[figures.line.name] += 1

    def settle(self) -> None:
        """Counts what is still waiting for it."""
        with self.lock:
            self._fold()
            for figures in self.lines.values():
                figures.settle()

    def _fold(self) -> None:
        """Ends a second: whoever was never as busy is noted, and the calmest are forgotten where there are very many."""
        for partition, now in self._now.items():
            peak = self.peaks.setdefault(partition, now)
            peak.reads, peak.writes = max(peak.reads, now.reads), max(peak.writes, now.writes)
        self._now = {}
        if len(self.peaks) > 2 * _PEAKS:
            self.peaks = dict(nlargest(_PEAKS, self.peaks.items(), key=lambda one: one[1].reads / 3 + one[1].writes))


def named(partition: Partition) -> str:
    """A partition as one text, for sketches."""
    return _APART.join(partition)


def partition_of(text: str) -> Partition:
    """The partition behind such a text."""
    place, _, key = text.partition(_APART)
    return place, key


def is_throttled(error: Exception) -> bool:
    """Whether the table could take no more."""
    if isinstance(error, TransactionCanceled):
        return any(one.code in ("ThrottlingError", "ProvisionedThroughputExceeded") for one in error.reasons)
    return isinstance(error, Throttled)


def _throttled_at(used: Used, error: Exception) -> Partition | None:
    """Whose throughput was exhausted, as far as the answer tells it."""
    if isinstance(error, Throttled):
        for reason in error.reasons:
            _, _, index = reason.resource.partition("/index/")
            if index in used.writes:
                return index, used.writes[index]
    return used.last
