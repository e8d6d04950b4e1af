"""hot-partition: one partition key gets far more requests than any other."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.compiler.paths import KeyPath
from tablewright.compiler.reads import GetPlan
from tablewright.lint.design import Design
from tablewright.observe.hotkeys import Hot, Spread, busiest, hot_keys, spread
from tablewright.observe.judging import a_second, called, design_of, listed, owners, percent, quoted
from tablewright.observe.recommendation import Observed, Recommendation, Rule
from tablewright.observe.snapshot import TABLE, Snapshot


class HotPartition(Rule):
    """One partition key gets far more requests than any other.

    A partition bears 3,000 read units and 1,000 write units in a second, whatever the table's capacity is; what goes beyond
    is throttled, for everybody in it.

    It fires when a partition key of the table surely has more than 10% of all requests, and more than three times what it
    would have if all keys were asked alike. Nothing is said before 1,000 requests and 20 different keys were seen: of five
    keys, one has a fifth. It is an error from 30% on, or when the busiest second of the key reached 80% of what a partition
    bears; else a warning.

    Shards spread writes, and reads of single items. A read of the whole partition then asks every shard and merges, so that
    shards do not make it cheaper: patterns that would do so are named. A partition that is mostly read is better served by a
    cache, or by a finer key. More shards, and another key, mean that the items are written again.

    > Partition key 'USER#123' receives 45% of all requests.
    """

    name = "hot-partition"

    def find(self, seen: Observed) -> Iterator[Recommendation]:
        place = seen.snapshot.places.get(TABLE)
        design = design_of(seen)
        for hot in hot_keys(place) if place is not None else ():
            paths = [] if design is None else owners(design, None, hot.key)
            yield _told(seen.snapshot, hot, paths, design)


def _told(snapshot: Snapshot, hot: Hot, paths: list[KeyPath], design: Design | None) -> Recommendation:
    path = next(iter(busiest(snapshot, paths)), None)
    way = spread(design, path, hot.shards) if design is not None and path is not None else None
    reads = [read for p in paths for read in design.reads_of(p.plan, None)] if design is not None else []
    breaks: tuple[str, ...] = ()
    if way is not None and hot.written:
        action = (
            f"Spread its writes over {hot.shards} shards, chosen by {way.field}, or choose a finer partition key."
            f"{_wider(way)} The items have to be written again."
        )
        code, breaks = way.code, called(way.wider)
    elif way is not None:
        queried = [read for read in reads if not isinstance(read.one, GetPlan)]
        action = (
            "It is mostly read. Keep single items with cache=ReadCache(), or choose a finer partition key."
            f" Shards spread its writes, and not {listed(called(queried)) or 'queries of the whole partition'}, which would ask all of them."
        )
        code, breaks = way.code, called(way.wider)
    elif path is not None:
        action = (
            f"It holds one item of {path.plan.name}, which shards of a key cannot spread: keep it with cache=ReadCache() if it "
            "is read; if it is a number that many add to, count with a ShardedCounter."
        )
        code = "db = table.open(..., cache=ReadCache())"
    else:
        action = (
            "Spread its writes over shards, or choose a finer partition key. Reads of all of it then ask every shard."
        )
        code = f"distributed_key({quoted(hot.key)}, {hot.shards}, item_id=...)"
    return Recommendation(
        rule=HotPartition.name,
        severity="error" if hot.grave else "warning",
        category="hot-partition",
        subject=hot.key,
        message=f"Partition key {quoted(hot.key)} receives {percent(hot.share)} of all requests.",
        details=hot.told(snapshot),
        action=action,
        code=code,
        affected=tuple(dict.fromkeys((*(p.plan.name for p in paths), *called(reads)))),
        breaks=breaks,
        evidence=hot.evidence,
        impact=hot.share,
        frequency=a_second(snapshot, hot.requests),
        effort=3,
    )


def _wider(way: Spread) -> str:
    names = called(way.wider)
    if not names:
        return ""
    return f" {listed(names)} would ask every shard and merge: {'it is' if len(names) == 1 else 'they are'} of one partition now."
