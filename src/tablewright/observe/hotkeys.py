"""Partition keys that are asked far more often than others, and how the model could spread them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from msgspec import Struct

from tablewright.compiler.paths import KeyPath
from tablewright.compiler.spreading import shard_field
from tablewright.lint.design import Design, Read
from tablewright.lint.heat import BUSY_END
from tablewright.lint.keyfacts import fields, written_at_its_end
from tablewright.model.keys import Keys
from tablewright.observe.judging import about, at_least, in_code, percent, quoted
from tablewright.observe.snapshot import Peak, Place, Snapshot
from tablewright.values.sizes import PARTITION_READS, PARTITION_WRITES
from tablewright.wording import counted, quantity

ENOUGH_REQUESTS = 1_000
"""Requests whose partition keys were seen, before any of these is called hot."""
ENOUGH_KEYS = 20
"""Different partition keys that were seen, before one of them can have more than belongs to it."""
HOT = 0.10
"""The share of requests from which on a partition key is hot."""
BURNING = 0.30
"""The share from which on that is an error."""
_TIMES_FAIR = 3
"""How often a hot key has what it would have if all were asked alike."""
NEAR = 0.8
"""The share of what a partition bears from which on it is near the limit."""
_SHARD_WRITES = 700
"""Write units that a shard should have in a second at most, with room to spare."""
_MOST_SHARDS = 1_000


class Hot(Struct, frozen=True):
    """A partition key that is hot."""

    key: str
    share: float
    """Of all requests to the place."""
    requests: float
    of: float
    exact: bool
    """Whether all of its requests were counted, and none estimated."""
    keys: int
    """How many different ones there were, about."""
    peak: Peak
    read_units: float
    write_units: float
    of_index: bool = False
    """What writes of the table put into an index is not counted."""

    @property
    def near(self) -> bool:
        """Whether its busiest second came near what a partition bears."""
        return _near(self.peak)

    @property
    def grave(self) -> bool:
        """Whether it is an error rather than a warning."""
        return self.share >= BURNING or self.near

    @property
    def written(self) -> bool:
        """Whether writes weigh more than reads, against what a partition bears of each; so it is if nobody knows."""
        return self.write_units / PARTITION_WRITES >= self.read_units / PARTITION_READS

    def shards(self, path: KeyPath | None = None) -> int:
        """Over how many partitions it should be spread: none is hot then, and each bears its writes with room to spare."""
        return max(min(math.ceil(self.share / HOT), _MOST_SHARDS), shards_for(self.peak.writes, path), 2)

    def told(self, snapshot: Snapshot) -> str:
        """The figures in words."""
        figures = (
            f"{'' if self.exact else 'About '}{quantity(round(self.requests))} of {counted(round(self.of), 'request')} "
            f"went to {quoted(self.key)}"
        )
        if self.keys > 1:
            figures += f", and the others to {about(self.keys - 1, 'key')}"
            figures += f"; if all were asked alike, each would have {percent(1 / self.keys)}"
        figures += "."
        if any(traffic.keys > traffic.requests for traffic in snapshot.traffic):
            figures += " Each key in a batch or transaction counts as a request."
        if self.peak.reads or self.peak.writes:
            writes = "" if self.of_index else f" and {counted(round(self.peak.writes, 1), 'write unit')}"
            bears = f"{PARTITION_READS:,}" if self.of_index else f"{PARTITION_READS:,} and {PARTITION_WRITES:,}"
            figures += (
                f" In its busiest second it took {counted(round(self.peak.reads, 1), 'read unit')}{writes}"
                f"{', or less: the busiest seconds of several processes are added up' if snapshot.processes > 1 else ''}; "
                f"a partition bears {bears}."
            )
            figures += " What writes of the table put into it is not counted." if self.of_index else ""
        return figures

    @property
    def evidence(self) -> dict[str, float | int | str]:
        """The figures by name."""
        writes = {} if self.of_index else {"peak_writes": self.peak.writes}
        return {
            "key": self.key,
            "share": self.share,
            "requests": self.requests,
            "all_requests": self.of,
            "keys": self.keys,
            "peak_reads": self.peak.reads,
            **writes,
        }


def _near(peak: Peak) -> bool:
    return peak.reads >= NEAR * PARTITION_READS or peak.writes >= NEAR * PARTITION_WRITES


def hot_keys(place: Place, *, index: bool = False) -> Iterator[Hot]:
    """The partition keys of the table or of an index that are hot beyond doubt, the hottest first; none where too little was seen. One
    that came near what a partition bears is hot however many others there are."""
    requests, keys = place.requests, place.partitions.estimate
    near = [key for key, peak in place.peaks.items() if _near(peak)]
    enough = requests.total >= ENOUGH_REQUESTS and keys >= ENOUGH_KEYS
    most = [weight.key for weight in requests.top(int(1 / HOT))] if enough else []
    weights = requests.of(dict.fromkeys((*most, *near)))
    for found in sorted(weights, key=lambda weight: (-weight.count, weight.key)):
        surely = at_least(found.count - found.error, requests.total)
        if found.key not in near and (surely <= HOT or found.share <= _TIMES_FAIR / keys):
            continue
        (reads,), (writes,) = place.reads.of([found.key]), place.writes.of([found.key])
        yield Hot(
            key=found.key,
            share=found.share,
            requests=round(found.share * requests.total, 3),
            of=requests.total,
            exact=not found.error,
            keys=keys,
            peak=place.peaks.get(found.key, Peak()),
            read_units=reads.share * place.reads.total,
            write_units=writes.share * place.writes.total,
            of_index=index,
        )


def shards_for(writes: float, path: KeyPath | None) -> int:
    """Shards that bear so many write units in a second, with room to spare. DynamoDB cannot split one that is written at its end only,
    so that it should have fewer."""
    if path is not None and written_at_its_end(path) is not None:
        wanted = math.floor(writes / BUSY_END) + 1
    else:
        wanted = math.ceil(writes / _SHARD_WRITES)
    return min(wanted, _MOST_SHARDS)


def waits_for(place: Place) -> str | None:
    """What is missing before a key of a place can be called hot by its share."""
    requests, keys = place.requests.total, place.partitions.estimate
    if requests >= ENOUGH_REQUESTS and keys >= ENOUGH_KEYS:
        return None
    return (
        f"{ENOUGH_REQUESTS:,} requests to {ENOUGH_KEYS} different partition keys, after {counted(round(requests), 'request')} to "
        f"{counted(keys, 'key')}"
    )


# --------------------------------------------------------------------------------------------- how it could be spread


class Remedy(Struct, frozen=True):
    """What to do about a hot key, as code too, and who is the worse for it."""

    action: str
    code: str | None = None
    breaks: tuple[str, ...] = ()


class Spread(Struct, frozen=True, eq=False):
    """Shards for an entity's partition key: the field that chooses the shard, the change of the model, and who is asked more."""

    path: KeyPath
    field: str
    code: str
    wider: tuple[Read, ...]
    """Reads that do not know the field, and would have to ask every shard."""


def spread(design: Design, path: KeyPath, shards: int) -> Spread | None:
    """How shards would spread a partition; None where it holds one item, which shards cannot spread."""
    fixed = set(fields(path.pk))
    free = [name for name in fields(path.sk) if name not in fixed]
    free += [name for name in sorted(path.plan.key_fields) if name not in fixed and name not in free]
    if not free or (path.index is not None and (path.index.multi or path.index.local)):
        return None
    chosen = shard_field(path.plan.sources, free)
    name = "shard"
    while name in path.plan.sources or name in _keys(path).derive:
        name += "_"
    pk = f"{path.pk[0]}{path.plan.table.key_style.separator}{{{name}}}"
    code = keys_with(path, pk, f'derive={{"{name}": Shard("{chosen}", of={shards})}}')
    reads = design.reads_of(path.plan, path.index_name)
    return Spread(path, chosen, code, tuple(read for read in reads if chosen not in read.known))


def busiest(snapshot: Snapshot, paths: Iterable[KeyPath]) -> list[KeyPath]:
    """Of entities that lie in one partition, the most written one first, then the most asked one, then one of many items."""

    def weight(path: KeyPath) -> tuple[float, float, int]:
        own = [t for t in snapshot.traffic if t.entity == path.plan.name]
        many = set(fields(path.sk)) - set(fields(path.pk))
        return -sum(t.write_units for t in own), -sum(t.requests for t in own), -len(many)

    return sorted(paths, key=weight)


def keys_with(path: KeyPath, pk: str, *more: str) -> str:
    """The keys of an entity with another partition key, as they are written in the model."""
    sides = [in_code(pk), *(in_code(str(key)) for key in path.sk)]
    if path.index_name is None:
        given = sides
    else:
        pair = f"({sides[0]}, {sides[1]})" if len(sides) > 1 else f"({sides[0]},)"
        given = [
            f"{path.index_name}={pair}"
            if path.index_name.isidentifier()
            else f"indexes={{{in_code(path.index_name)}: {pair}}}"
        ]
        own = _keys(path)
        given = [in_code(own.pk), *([] if own.sk is None else [in_code(own.sk)]), *given]
    lines = "".join(f"    {one},\n" for one in (*given, *more))
    return f"# {path.plan.name}; whatever else its keys say stays as it is\nkeys = Keys(\n{lines})"


def _keys(path: KeyPath) -> Keys:
    return path.plan.entity.keys
