"""Adding up rows: many at once, so that each costs little, into figures of bounded size."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import compress, groupby
from operator import add, itemgetter
from typing import Any, NamedTuple

from tablewright.observe.bursts import BURST, Bursts
from tablewright.observe.rows import (
    CONDITIONAL,
    CONSISTENT,
    CONTINUED,
    FILTERED,
    LARGE,
    LIMITED,
    LONG,
    MORE,
    OVERWRITES,
    PROJECTED,
    WROTE,
    Row,
    shortened,
)
from tablewright.observe.snapshot import (
    FORMS,
    NEWEST,
    OTHER,
    PEAKS,
    SHAPES,
    TABLE,
    WEEK,
    Minute,
    Peak,
    Place,
    Shape,
    Thresholds,
    Traffic,
)
from tablewright.observe.statements import STATEMENTS
from tablewright.values.operations import WRITES
from tablewright.values.sizes import MAX_ITEM_SIZE, PARTITION_READS, PARTITION_WRITES, READ_UNIT, WRITE_UNIT

SINGLE = frozenset({"GetItem", "PutItem", "UpdateItem", "DeleteItem"})
CHANGES = SINGLE - {"GetItem"}
_RANGES = frozenset({"Query", "Scan", "ExecuteStatement", OTHER})
_FORM = re.compile(r"[A-Za-z]{1,30}[#_|:/.-]")
"""The name before the values in a key."""
_FORMED = 8
_LATE = 60
"""Seconds by which answers may come late; an earlier one means that the clock was set back."""
_WATCHED = 20_000
"""Partitions of a place that are watched within one second."""
_REMEMBERED = 4_096
AFTER_READ = 0.1
"""Seconds within which a write follows a read that it was based on."""
_SHAPE, _CALLER = itemgetter(0), itemgetter(9)
_NOTED = 0.1
"""From which share of a partition's limits on its busiest second is kept."""


class Tally:
    """The figures of one table. Nobody else may use it meanwhile."""

    def __init__(self, since: float, thresholds: Thresholds) -> None:
        self.since = since
        self.thresholds = thresholds
        self.traffic: dict[Shape, Traffic] = {}
        self.places: dict[str, Place] = {}
        self.minutes: dict[int, Minute] = {}
        self.key_forms: dict[str, dict[str, int]] = {}
        self._second = 0
        self._sums = _Sums()
        self._reads: list[Row] = []
        self._bursts = Bursts()
        self._parts: dict[Shape, _Parts] = {}
        self._noted: defaultdict[str, set[int]] = defaultdict(set)
        """By place, hashes of keys that were noted as different ones lately: to note one again takes time and changes nothing."""

    def add(self, rows: Sequence[Row], shift: float) -> None:
        """Adds up rows in the order in which they were answered; `shift` makes times of day of the timer's."""
        groups: defaultdict[Shape, list[Row]] = defaultdict(list)
        for shape, run in groupby(rows, _SHAPE):  # many in a row are often alike
            groups[shape] += run
        turns = self._follow(rows, groups)
        spent: list[_Spent] = []
        for shape, group in groups.items():
            if shape[0] not in STATEMENTS:
                spent += self._count(shape, group, shift, turns, shape[0] in WRITES)
                continue
            for wrote in (0, WROTE):
                if some := [row for row in group if row[6] & WROTE == wrote]:
                    spent += self._count(shape, some, shift, turns, bool(wrote))
        spent.sort(key=lambda one: one.second)
        for one in spent:
            self._spend(one)

    # ------------------------------------------------------------------------------------------- requests of a shape

    def _count(self, shape: Shape, rows: list[Row], shift: float, turns: set[int], writes: bool) -> list[_Spent]:
        traffic = self.traffic.get(shape)
        if traffic is None:
            traffic = self._new(shape)
        _, began, seconds, told, returned, scanned, flags, pks, sks, _, retries, errors, measured = zip(
            *rows, strict=True
        )
        number = len(rows)
        traffic.requests += number
        traffic.retries += sum(retries)
        traffic.returned += sum(returned)
        traffic.scanned += sum(scanned)
        traffic.first = traffic.first or min(began) + shift
        traffic.last = max(traffic.last, max(began) + shift)
        traffic.latency.add(seconds)
        slow = self.thresholds.slow_ms / 1000
        if max(seconds) > slow:
            traffic.slow += sum(1 for s in seconds if s > slow)
        if any(errors):
            for error in filter(None, errors):
                traffic.failures[error] = traffic.failures.get(error, 0) + 1
        units = self._units(traffic, told, errors, writes)
        self._flags(traffic, flags, returned, scanned)
        for one in filter(None, measured):
            traffic.sized += len(one.sizes)
            traffic.size += sum(one.sizes)
            traffic.largest = max(traffic.largest, one.least, *one.sizes)
            if one.parts is not None:
                kept = self._parts.setdefault(traffic.shape, _Parts())
                kept.units += one.units
                kept.copies += one.copies
                if one.units:
                    kept.least = min(kept.least, 1.0 - sum(one.parts.values()) / one.units)
                traffic.parted += 1
                for name, took in one.parts.items():
                    kept.indexes[name] = kept.indexes.get(name, 0.0) + took
        if shape[0] in SINGLE:
            if not writes:
                self._notice_large(traffic, units, flags)
            elif shape in self._parts and max(units) * WRITE_UNIT > LARGE:
                # Answers that do not tell it are taken for those of which the table itself took least.
                least = (max(units) * self._parts[shape].least - 1) * WRITE_UNIT + 1
                traffic.largest = max(traffic.largest, min(int(least), MAX_ITEM_SIZE))
            self._bursts.add(traffic, [row for row in rows if id(row) not in turns] if turns else rows)
            if writes and any(flag & OVERWRITES for flag in set(flags)):
                _overwritten(traffic, flags, pks, sks)
        stops = list(map(add, began, seconds))
        first, last = int(min(stops) + shift), int(max(stops) + shift)
        ends = [last] * number if first == last else [int(stop + shift) for stop in stops]
        return self._place(traffic, pks, units, ends, writes, self._own(shape) if writes else 1.0)

    def _own(self, shape: Shape) -> float:
        """The share of what writes consume that the table itself takes; the rest goes to partitions of its indexes."""
        kept = self._parts.get(shape)
        return 1.0 - kept.copies / kept.units if kept is not None and kept.units else 1.0

    def _new(self, shape: Shape) -> Traffic:
        if len(self.traffic) >= SHAPES:
            shape = (OTHER, None, None, None, None)
        return self.traffic.setdefault(shape, Traffic.of(shape))

    def _units(self, traffic: Traffic, told: Sequence[Any], errors: Sequence[str | None], writes: bool) -> list[float]:
        """What each request consumed, as its answer told."""
        units: list[float] = [one or 0.0 for one in told] if None in told else list(told)
        if None in told:
            traffic.unmetered += sum(1 for one, e in zip(told, errors, strict=True) if one is None and e is None)
        total, most = sum(units), max(units)
        if writes:
            traffic.write_units += total
            if any(errors):
                traffic.refused_units += sum(u for u, e in zip(units, errors, strict=True) if e is not None)
            limit = self.thresholds.write_units
        else:
            traffic.read_units += total
            limit = self.thresholds.read_units
        traffic.most_units = max(traffic.most_units, most)
        if most > limit:
            traffic.costly += sum(1 for u in units if u > limit)
        return units

    def _flags(self, traffic: Traffic, flags: Sequence[int], returned: Sequence[int], scanned: Sequence[int]) -> None:
        for flag in set(flags):
            times = flags.count(flag)
            traffic.projected += times * bool(flag & PROJECTED)
            traffic.consistent += times * bool(flag & CONSISTENT)
            traffic.conditional += times * bool(flag & CONDITIONAL)
            traffic.limited += times * bool(flag & LIMITED)
            traffic.continued += times * bool(flag & CONTINUED)
            traffic.read_on += times * (flag & (CONTINUED | LIMITED) == CONTINUED)
            traffic.cut += times * (flag & (MORE | LIMITED) == MORE)
            if flag & FILTERED:
                chosen = [f == flag for f in flags]
                traffic.filtered += times
                traffic.filtered_returned += sum(compress(returned, chosen))
                traffic.filtered_scanned += sum(compress(scanned, chosen))

    def _notice_large(self, traffic: Traffic, units: list[float], flags: Sequence[int]) -> None:
        """Large items that are read are noticed by their units, measured or not: so much at least they must be."""
        if max(units) * 2 * READ_UNIT <= LARGE:
            return
        for unit, flag in zip(units, flags, strict=True):
            least = (unit * (1 if flag & CONSISTENT else 2) - 1) * READ_UNIT + 1
            traffic.largest = max(traffic.largest, int(least))

    def settled(self) -> list[Traffic]:
        """The traffic until now. What indexes took is told by some of the writes, and holds for all of them."""
        for shape, kept in self._parts.items():
            traffic = self.traffic[shape]
            done = traffic.write_units - traffic.refused_units  # what was refused took nothing of any index
            more = done / kept.units if kept.units else 0.0
            traffic.index_units = {name: took * more for name, took in kept.indexes.items()}
        return list(self.traffic.values())

    # ------------------------------------------------------------------------------------------------- partitions

    def _place(
        self, traffic: Traffic, pks: Sequence[Any], units: list[float], ends: list[int], writes: bool, own: float
    ) -> list[_Spent]:
        """Counts who asked for which partition; returns what was spent on each in every second."""
        name = traffic.index or TABLE
        place = self.places.get(name)
        if place is None:
            place = self.places[name] = Place()
        if not writes:
            place.last_used = max(place.last_used, *ends)
        taken = units if own == 1.0 else [u * own for u in units]
        keys, shares, times = pks, taken, ends
        if list in set(map(type, pks)):
            lists = [some if some.__class__ is list else [some] for some in pks]
            many = [(pk, u / len(some), at) for some, u, at in zip(lists, taken, ends, strict=True) for pk in some]
            keys, shares, times = [k for k, _, _ in many], [u for _, u, _ in many], [at for _, _, at in many]
        counts = Counter(keys)
        if counts and max(map(len, counts)) > LONG:
            keys = [shortened(key) for key in keys]
            counts = Counter(keys)
        counts.pop("", None)
        traffic.keys += len(keys) if writes or traffic.operation not in _RANGES else 0
        known = place.requests.counts
        new = [key for key in counts if key not in known]
        if writes and (first := [key for key in counts if key not in place.writes.counts]):
            place.newest = [*place.newest, *first][-NEWEST:]
        place.requests.add_all(counts)
        if new:
            noted = self._noted[name]
            place.partitions.add([key for key in new if hash(key) not in noted])
            if len(noted) > _REMEMBERED:
                noted.clear()
            noted.update(map(hash, new))
            if name == TABLE:
                self._note_forms(traffic.entity or "", new)
        if min(ends) == max(ends):
            spent = [_Spent(ends[0], name, writes, len(units), sum(units), _summed(keys, shares, counts))]
        else:
            spent = _by_second(name, writes, units, ends, keys, shares, times)
        consumed = place.writes if writes else place.reads
        for one in spent:
            consumed.add_all(one.partitions)
        return spent

    def _note_forms(self, entity: str, keys: Sequence[str]) -> None:
        """How keys of an entity are written; a few of many tell."""
        known = self.key_forms.setdefault(entity, {})
        enough = sum(known.values()) >= FORMS
        for key in keys[:_FORMED] if enough else keys:
            form = form_of(key)
            if form in known or len(known) < FORMS:
                known[form] = known.get(form, 0) + 1

    def _spend(self, spent: _Spent) -> None:
        """What was spent in a second: of the whole table, and of each partition."""
        second, sums = spent.second, self._sums
        if not self._second - _LATE <= second <= self._second:  # the next one, or the clock was set back
            self.note_peaks()
            self._second, self._sums = second, _Sums()
            sums = self._sums
        minute = self.minutes.get(second // 60)
        if minute is None:
            minute = self.minutes[second // 60] = Minute()
            if len(self.minutes) > WEEK:
                del self.minutes[min(self.minutes)]
        minute.requests += spent.requests
        if spent.writes:
            minute.write_units += spent.units
        else:
            minute.read_units += spent.units
        if second < self._second:  # it came late, and its second is closed
            return
        sums.requests += spent.requests
        sums.units[spent.writes] += spent.units
        minute.peak_requests = max(minute.peak_requests, sums.requests)
        minute.peak_reads = max(minute.peak_reads, sums.units[False])
        minute.peak_writes = max(minute.peak_writes, sums.units[True])
        partitions = sums.partitions[spent.place, spent.writes]
        for key, units in spent.partitions.items():
            if key in partitions or len(partitions) < _WATCHED:
                partitions[key] = partitions.get(key, 0.0) + units

    def note_peaks(self) -> None:
        """Notes the partitions that are busy in this second, which need not be over yet."""
        for (name, writes), partitions in self._sums.partitions.items():
            least = _NOTED * (PARTITION_WRITES if writes else PARTITION_READS)
            for key, units in partitions.items():
                if units >= least:
                    _note_peak(self.places[name], key, units, writes, self._second // 60)

    # --------------------------------------------------------------------------------- what follows what, by callers

    def _follow(self, rows: Sequence[Row], shapes: Iterable[Shape]) -> set[int]:
        """Finds writes that know nothing of what they overwrite, right after a read of the same item by the same caller. Returns
        which rows are a read and a write of one item by turns: no batch can take the reads together, since each has its write
        before the next one. Whatever else is asked between the two, none of it is of their shapes."""
        operations = {shape[0] for shape in shapes}
        turns: set[int] = set()
        followed: set[int] = set()  # reads that a write was found for
        if operations & CHANGES and (self._reads or "GetItem" in operations):
            known: dict[tuple[int, str, str], dict[Shape, tuple[int, Row]]] = {}
            latest: dict[tuple[int, Shape], int] = {}
            for at, row in enumerate((*self._reads, *rows)):
                shape, caller = row[0], row[9]
                operation = shape[0]
                if operation == "GetItem":
                    item = caller, row[7], row[8]
                    if item not in known:
                        known[item] = {shape: (at, row)}
                    else:  # read in several ways, the latest one last
                        known[item].pop(shape, None)
                        known[item][shape] = at, row
                    latest[caller, shape] = at
                elif operation in CHANGES:
                    item = caller, row[7], row[8]
                    if item in known:
                        reads, written_at = list(known[item].values()), latest.get((caller, shape), -1)
                        for read_at, read in reads:
                            if latest[caller, read[0]] == read_at > written_at:
                                turns |= {id(read), id(row)}
                        if row[6] & OVERWRITES:
                            del known[item]
                            followed |= {id(read) for _, read in reads}
                            _, read = reads[-1]
                            if read[11] is None and 0 <= row[1] - read[1] - read[2] <= AFTER_READ:
                                traffic = self.traffic.get(shape)
                                (traffic if traffic is not None else self._new(shape)).after_read += 1
                    latest[caller, shape] = at
        # A write may follow a read that came in the batch before, with some requests of each caller in between.
        lately = rows[-BURST * len(set(map(_CALLER, rows))) :] if "GetItem" in operations else ()
        self._reads = [row for row in lately if row[0][0] == "GetItem" and id(row) not in followed]
        return turns


class _Parts:
    """Of writes whose answers told their parts: all of their units, those in partitions of global indexes, those of each index, and the least
    share that the table itself took of one."""

    __slots__ = ("copies", "indexes", "least", "units")

    def __init__(self) -> None:
        self.units = self.copies = 0.0
        self.least = 1.0
        self.indexes: dict[str, float] = {}


class _Spent(NamedTuple):
    """What requests of one shape spent in one second."""

    second: int
    place: str
    writes: bool
    requests: int
    units: float
    partitions: Mapping[str, float]


class _Sums:
    """Sums of the second that is not over yet."""

    __slots__ = ("partitions", "requests", "units")

    def __init__(self) -> None:
        self.requests = 0
        self.units = [0.0, 0.0]
        self.partitions: defaultdict[tuple[str, bool], dict[str, float]] = defaultdict(dict)


def _summed(keys: Sequence[str], units: Sequence[float], counts: Mapping[str, int] | None = None) -> dict[str, float]:
    """What was spent on each key; where all cost the same, their counts tell."""
    if counts is not None and units and min(units) == max(units):
        return {key: times * units[0] for key, times in counts.items()}
    sums: dict[str, float] = {}
    for key, unit in zip(keys, units, strict=True):
        sums[key] = sums.get(key, 0.0) + unit
    sums.pop("", None)
    return sums


def _by_second(
    name: str,
    writes: bool,
    units: Sequence[float],
    ends: Sequence[int],
    keys: Sequence[str],
    shares: Sequence[float],
    times: Sequence[int],
) -> list[_Spent]:
    seconds: dict[int, tuple[list[float], list[str], list[float]]] = {}
    for unit, at in zip(units, ends, strict=True):
        seconds.setdefault(at, ([], [], []))[0].append(unit)
    for key, share, at in zip(keys, shares, times, strict=True):
        _, its_keys, its_shares = seconds[at]
        its_keys.append(key)
        its_shares.append(share)
    return [
        _Spent(at, name, writes, len(spent), sum(spent), _summed(its_keys, its_shares))
        for at, (spent, its_keys, its_shares) in seconds.items()
    ]


def _note_peak(place: Place, key: str, units: float, writes: bool, minute: int) -> None:
    peak = place.peaks.get(key)
    if peak is None:
        if len(place.peaks) >= PEAKS:
            del place.peaks[min(place.peaks, key=lambda k: place.peaks[k].reads / 3 + place.peaks[k].writes)]
        peak = place.peaks[key] = Peak()
    if writes and units > peak.writes:
        peak.writes, peak.write_minute = units, minute
    elif not writes and units > peak.reads:
        peak.reads, peak.read_minute = units, minute


def _overwritten(traffic: Traffic, flags: Sequence[int], pks: Sequence[Any], sks: Sequence[Any]) -> None:
    if len(set(flags)) > 1:
        chosen = [flag & OVERWRITES for flag in flags]
        pks, sks = list(compress(pks, chosen)), list(compress(sks, chosen))
    weights = Counter([f"{pk} {sk}" for pk, sk in zip(pks, sks, strict=True)])
    if max(map(len, weights)) > LONG:
        weights = Counter(shortened(key) for key in weights.elements())
    traffic.overwritten.add_all(weights)


def form_of(key: str) -> str:
    """How a key is written, its values left out: "USER#*", and "*" where no name stands before them."""
    found = _FORM.match(key)
    return f"{found[0]}*" if found is not None else "*"
