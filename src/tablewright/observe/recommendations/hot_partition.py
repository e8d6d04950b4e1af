"""hot-partition: one partition key gets far more requests than any other."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.compiler.paths import KeyPath
from tablewright.lint.design import Design
from tablewright.lint.heat import BUSY_END
from tablewright.lint.keyfacts import written_at_its_end
from tablewright.observe.hotkeys import Hot, Remedy, Spread, busiest, hot_keys, spread, waits_for
from tablewright.observe.judging import a_second, called, design_of, in_code, listed, owners, percent, quoted, share_of
from tablewright.observe.recommendation import Observed, Recommendation, Rule
from tablewright.observe.snapshot import TABLE, Place, Snapshot
from tablewright.observe.telling import by_boto

_NEARLY_ALL = 0.9
"""The share of requests from which on people call them all."""
_QUERIED = (
    "It is mostly read by queries, and each would ask every shard, so that shards do not help. Choose a finer partition key, "
    "read less of it at a time, or keep what is asked for most in an item of its own."
)


class HotPartition(Rule):
    """One partition key gets far more requests than any other.

    A partition bears 3,000 read units and 1,000 write units in a second, whatever the table's capacity is; what goes beyond
    is throttled, for everybody in it.

    It fires when a partition key of the table surely has more than 10% of all requests, and more than three times what it
    would have if all keys were asked alike. Nothing is said before 1,000 requests and 20 different keys were seen: of five
    keys, one has a fifth. It is an error from 30% on. However many keys there are, it is one when the busiest second of a key
    reached 80% of what a partition bears. Else it is a warning.

    Shards spread writes, and reads of different items; one item that is read again and again is for a cache. So many are suggested
    that each takes at most 700 write units in its busiest second, and fewer than 300 where the sort key begins with a time. A query of the whole partition then asks every shard and merges: patterns
    that would do so are named. Where such queries are what makes it hot, shards do not help, and a finer key is suggested.
    Shards, and another key, mean that the items are written again.

    > Partition key 'USER#123' receives 45% of all requests.
    """

    name = "hot-partition"

    def find(self, seen: Observed) -> Iterator[Recommendation]:
        place = seen.snapshot.places.get(TABLE)
        design = design_of(seen)
        for hot in hot_keys(place) if place is not None else ():
            paths = [] if design is None else owners(design, None, hot.key)
            yield _told(seen.snapshot, hot, paths, design)

    def waits_for(self, seen: Observed) -> str | None:
        return waits_for(seen.snapshot.places.get(TABLE, Place()))


def _told(snapshot: Snapshot, hot: Hot, paths: list[KeyPath], design: Design | None) -> Recommendation:
    reads = [read for p in paths for read in design.reads_of(p.plan, None)] if design is not None else []
    remedy = _without_model(snapshot, hot) if design is None or not paths else _remedy(snapshot, hot, paths, design)
    # Queries of indexes have partitions of their own, which are told elsewhere.
    most = share_of(hot.of, sum(max(t.requests, t.keys) for t in snapshot.traffic))
    whole = "all requests" if most >= _NEARLY_ALL else "the requests to the table's own partitions"
    return Recommendation(
        rule=HotPartition.name,
        severity="error" if hot.grave else "warning",
        category="hot-partition",
        subject=hot.key,
        message=f"Partition key {quoted(hot.key)} receives {percent(hot.share)} of {whole}.",
        details=hot.told(snapshot),
        action=remedy.action,
        code=remedy.code,
        affected=tuple(dict.fromkeys((*(p.plan.name for p in paths), *called(reads)))),
        breaks=remedy.breaks,
        evidence=hot.evidence,
        impact=hot.share * most,
        frequency=a_second(snapshot, hot.requests),
        effort=3,
    )


def _without_model(snapshot: Snapshot, hot: Hot) -> Remedy:
    if not hot.written and _item_by_item(snapshot):
        boto = all(by_boto(None, traffic) for traffic in snapshot.traffic)
        where = "in the program's memory, or in DAX before the table" if boto else "with cache=ReadCache()"
        return Remedy(
            f"It is mostly read, item by item. Keep what is read again and again {where}; if it is many items that are read, a finer partition key "
            "spreads them. Shards spread writes, and do not help where one item is read."
        )
    if not hot.written:
        return Remedy(_QUERIED)
    return Remedy(
        "Spread its writes over shards, or choose a finer partition key. Reads of all of it then ask every shard.",
        "from tablewright.keybuilding import distributed_key\n\n"
        f"distributed_key({in_code(hot.key)}, {hot.shards()}, item_id=...)",
    )


def _remedy(snapshot: Snapshot, hot: Hot, paths: list[KeyPath], design: Design) -> Remedy:
    path = busiest(snapshot, paths)[0]
    shards = hot.shards(path)
    way = spread(design, path, shards)
    if way is None:
        others = list(dict.fromkeys(other.plan.name for other in paths if other.plan is not path.plan))
        beside = f", beside what it holds of {listed(others)}" if others else ""
        queried = (
            f" Queries that fetch it with {listed(others)} pass the cache by: let them ask for less, or give {listed(others)} a partition key of "
            f"{'its' if len(others) == 1 else 'their'} own."
            if others
            else ""
        )
        return Remedy(
            f"It holds one item of {path.plan.name}, which shards of a key cannot spread{beside}: keep that item with cache=ReadCache() if it "
            f"is read; if it is a number that many add to, count with a ShardedCounter.{queried}",
            "db = table.open(..., cache=ReadCache())",
        )
    wider, again = _wider(way), " The items have to be written again."
    if hot.written:
        action = f"Spread its writes over {shards} shards, chosen by {way.field}, or choose a finer partition key.{_at_its_end(path, hot)}{wider}{again}"
        return Remedy(action, way.code, called(way.wider))
    if _item_by_item(snapshot):
        action = (
            "It is mostly read, item by item. Keep what is read again and again with cache=ReadCache(); or spread it over "
            f"{shards} shards, chosen by {way.field}, which such reads know.{wider}{again}"
        )
        return Remedy(action, way.code, called(way.wider))
    return Remedy(f"{_QUERIED[:-1]}, which sessions can cache.")


def _item_by_item(snapshot: Snapshot) -> bool:
    """Whether the table is read by keys of items, rather than by queries."""
    own = [t for t in snapshot.of("GetItem", "BatchGetItem", "Query") if t.index is None]
    queries = sum(t.requests for t in own if t.operation == "Query")
    return sum(t.requests for t in own) >= 2 * queries


def _at_its_end(path: KeyPath, hot: Hot) -> str:
    """Why it takes so many shards, where it does."""
    first = written_at_its_end(path)
    if first is None or hot.peak.writes < BUSY_END:
        return ""
    return f" New items go to the end of each, since the sort key begins with {first}, and DynamoDB cannot split that: below {BUSY_END} write units a shard it need not."


def _wider(way: Spread) -> str:
    names = called(way.wider)
    if not names:
        return ""
    return f" {listed(names)} would ask every shard and merge: {'it is' if len(names) == 1 else 'they are'} of one partition now."
