"""hot-index-partition: one partition key of an index gets far more requests than any other."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.compiler.keys import NativeKey
from tablewright.compiler.paths import KeyPath
from tablewright.lint.design import Design, Read
from tablewright.lint.keyfacts import fields, is_id, is_time
from tablewright.model.indexes import MAX_KEY_ATTRIBUTES
from tablewright.observe.hotkeys import Hot, Remedy, busiest, hot_keys, keys_with, spread
from tablewright.observe.judging import a_second, called, design_of, listed, owners, percent, quoted, share_of
from tablewright.observe.recommendation import Observed, Recommendation, Rule
from tablewright.observe.snapshot import TABLE


class HotIndexPartition(Rule):
    """One partition key of a global index gets far more requests than any other.

    A partition of an index bears 3,000 read units and 1,000 write units in a second, as one of the table does. Where it is
    written too often, writes of the table are throttled, even if the table itself bears them.

    It fires as hot-partition does, for each global index: a key that surely has more than 10% of what asks the index and more
    than three times what it would have if all keys were asked alike, once 1,000 requests and 20 different keys were seen. It
    is an error from 30% on, or when its busiest second reached 80% of what a partition bears; else a warning. Requests that read
    the index are counted, not what writes of the table put into it: `tablewright load --limits` shows those.

    Adding an attribute to the partition key makes partitions smaller: a tenant's customers instead of the tenant. But whoever
    asks for all of a tenant can then no longer do so. So an attribute is suggested that patterns of the index know already, and
    the patterns that do not know it are named. If none knows any, shards are suggested: they spread writes, and reads of
    everything, while a page takes as many items from each shard.

    > Partition key 'TENANT#acme' of GSI1 receives 38% of the requests to it.
    """

    name = "hot-index-partition"

    def find(self, seen: Observed) -> Iterator[Recommendation]:
        design = design_of(seen)
        local = set() if design is None else {i.name for i in design.table.indexes.values() if i.local}
        for index, place in seen.snapshot.places.items():
            if index == TABLE or index in local:
                continue
            for hot in hot_keys(place, index=True):
                yield _told(seen, index, hot, design)


def _told(seen: Observed, index: str, hot: Hot, design: Design | None) -> Recommendation:
    snapshot = seen.snapshot
    paths = [] if design is None else busiest(snapshot, owners(design, index, hot.key))
    reads = [read for path in paths for read in design.reads_of(path.plan, index)] if design is not None else []
    remedy = (
        Remedy(
            "Add an attribute to the partition key of the index that its reads know, or read less of it at a time; reads of all of it lose their "
            "key. Shards spread what is written to it, while each read of all of it asks every one."
        )
        if design is None or not paths
        else _remedy(design, paths[0], hot)
    )
    return Recommendation(
        rule=HotIndexPartition.name,
        severity="error" if hot.grave else "warning",
        category="hot-partition",
        subject=f"{index} {hot.key}",
        message=f"Partition key {quoted(hot.key)} of {index} receives {percent(hot.share)} of the requests to it.",
        details=hot.told(snapshot),
        action=remedy.action,
        code=remedy.code,
        affected=tuple(dict.fromkeys((*(path.plan.name for path in paths), *called(reads)))),
        breaks=remedy.breaks,
        evidence={"index": index, **hot.evidence},
        impact=hot.share * share_of(sum(t.requests for t in snapshot.traffic if t.index == index), snapshot.requests),
        frequency=a_second(snapshot, hot.requests),
        effort=3,
    )


def _remedy(design: Design, path: KeyPath, hot: Hot) -> Remedy:
    """An attribute that patterns know, if there is one; else shards."""
    index, reads = path.name, design.reads_of(path.plan, path.index_name)
    whole = ", ".join(fields(path.pk)) or "everything"
    name, shards = _finer(path, reads), hot.shards(path)
    if name is not None:
        lost = called(read for read in reads if name not in read.known)
        action = f"Add {name} to the partition key of {index}: a partition then holds what has the same {listed([whole, name])}."
        if lost:
            action += (
                f" {listed(lost)} would lose {'its' if len(lost) == 1 else 'their'} key, asking for all of one {whole}: serve "
                f"{'it' if len(lost) == 1 else 'them'} by another index, or spread this one over {shards} shards instead."
            )
        return Remedy(action, _with_attribute(path, name), lost)
    way = spread(design, path, shards)
    if way is None:
        return Remedy(
            f"Choose a finer partition key for {index}: no attribute of {path.plan.name}'s key there makes it finer."
        )
    wider = called(way.wider)
    action = f"Spread {index} over {shards} shards, chosen by {way.field}: no pattern knows more than {whole}."
    if wider:
        them = "it" if len(wider) == 1 else "them"
        action += (
            f" {listed(wider)} would ask every shard and merge, so that writes are spread, and reads of everything, while a page "
            f"takes as many items from each shard; another attribute in the partition key would leave no key for {them}."
        )
    return Remedy(action, way.code, wider)


def _finer(path: KeyPath, reads: list[Read]) -> str | None:
    """The field of the sort key that most reads know; without any reads, one that is an id. Times do not spread."""
    fixed = set(fields(path.pk))
    free = [n for n in dict.fromkeys(fields(path.sk)) if n not in fixed and not is_time(path.plan, n)]
    if path.index is None or len(path.pk) >= MAX_KEY_ATTRIBUTES:
        return None
    if not reads:
        return next((n for n in free if is_id(path.plan, n)), None)
    knowing = {name: sum(name in read.known for read in reads) for name in free}
    best = max(knowing, key=lambda n: knowing[n], default=None)
    return best if best is not None and knowing[best] else None


def _with_attribute(path: KeyPath, name: str) -> str:
    assert path.index is not None
    if path.index.multi or isinstance(path.pk[0], NativeKey):
        stored = path.plan.sources[name].path[-1]
        sort = [a.name for a in path.index.sk if a.name != stored]
        sides = f"pk={[*(a.name for a in path.index.pk), stored]}" + (f", sk={sort}" if sort else ", sk=None")
        return f'GSI("{path.index.name}", {sides})'.replace("'", '"')
    return keys_with(path, f"{path.pk[0]}{path.plan.table.key_style.separator}{{{name}}}")
