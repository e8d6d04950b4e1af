"""Single items, asked for or written one after the other."""

from __future__ import annotations

import math
from collections.abc import Iterator

from msgspec import Struct

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.observe.judging import a_second, in_code, milliseconds, percent, share_of
from tablewright.observe.recommendation import Observed, Recommendation, Rule
from tablewright.observe.snapshot import Traffic
from tablewright.observe.telling import by_boto, entity_of, key_in_code
from tablewright.wording import counted, quantity

_BURSTS = 3
"""One or two short rows may be chance."""
_LONG = 100
"""As many as one batch of reads takes: a single row of them is none."""
_AT_ONCE = 0.8
"""The share of the time that requests take one after the other below which some of them were surely under way at once."""
_MUCH = 0.1
"""The share of the requests that come in rows from which on it is more than a note."""


class _Way(Struct, frozen=True):
    """How many single requests become few."""

    request: str
    most: int
    action: str
    code: str
    units: str = "The capacity units stay the same."


_READS = _Way(
    "BatchGetItem",
    100,
    "Read them together with db.get_many(), which takes any number of keys and asks for 100 in a request.",
    "found = db.get_many([{key} for one in wanted])",
)
_WRITES = _Way(
    "BatchWriteItem",
    25,
    "Write them together with db.batch(), which sends 25 in a request. A batch is not atomic and has no conditions.",
    "with db.batch() as batch:\n    for one in wanted:\n        batch.{method}",
)
_TRANSACTION = _Way(
    "TransactWriteItems",
    100,
    "Write them together with db.transaction(), which takes up to 100 writes, keeps conditions, and does all or nothing.",
    "with db.transaction() as tx:\n    for one in wanted:\n        tx.{method}",
    "They cost twice the write units that way.",
)
_UPDATES = _Way(
    "BatchWriteItem",
    25,
    "Where whole entities are stored, as db.put() does, write them together with db.batch(), 25 in a request; changes of fields go "
    "into db.transaction(), which takes up to 100 and keeps conditions.",
    "with db.batch() as batch:\n    for one in wanted:\n        batch.put(one)",
    "In a batch the capacity units stay the same; a transaction takes twice as many.",
)
_BOTO_WRITES = _Way(
    "BatchWriteItem",
    25,
    "Write them together with table.batch_writer(), which sends 25 in a request. A batch is not atomic and has no conditions.",
    "with table.batch_writer() as batch:\n    for one in wanted:\n        batch.{boto}",
)
_BOTO = {
    "GetItem": _Way(
        "BatchGetItem",
        100,
        "Read them together with batch_get_item(), 100 keys in a request, and ask again for its UnprocessedKeys.",
        'resource.batch_get_item(RequestItems={{table}: {"Keys": [...]}})',
    ),
    "PutItem": _BOTO_WRITES,
    "DeleteItem": _BOTO_WRITES,
    "UpdateItem": _Way(
        "TransactWriteItems",
        100,
        "Write whole items with table.batch_writer(), 25 in a request; updates go into transact_write_items(), which takes up to 100 and "
        "keeps conditions.",
        "client.transact_write_items(TransactItems=[...])",
        "They cost twice the write units in a transaction.",
    ),
}
_METHODS = {"PutItem": "put(one)", "DeleteItem": "delete(one)", "UpdateItem": "update(one, set={...})"}


class MissedBatch(Rule):
    """Single items are read or written one after the other, in rows.

    Every request is a way to the table and back. One caller that sends more than ten of a kind within a second mostly
    waits for the network, and a batch waits once for 100 reads or 25 writes. The capacity that is consumed stays the same:
    only time is saved, and less of it where several are under way at once.

    A caller is a thread, or a task with those that it started; where a thread serves many, `with collector.caller():` tells them apart.

    It fires when one caller sent more than ten requests of one kind within a second, reads by key, puts, updates or deletes:
    three times, or a hundred of them in all. It is a warning where a tenth of these requests came so, and a note below. Only
    different items count, since a batch has each once, and one that comes again begins another row: the shards of one counter are as
    one item. And an item that is read and written by turns with others is none for a batch, because its write needs its read, whatever
    else is asked between the two.

    Read with db.get_many(), write with db.batch(). What a batch cannot do, which is changes of fields, conditions, and entities
    with unique fields, a version or a mirror, goes into a transaction, at twice the write units.

    > order() sends single GetItem requests in rows, up to 80 in one.
    """

    name = "missed-batch"

    def find(self, seen: Observed) -> Iterator[Recommendation]:
        for traffic in seen.snapshot.of("GetItem", *_METHODS):
            if not 0 < traffic.bursts * 10 < traffic.in_bursts or _one_number(entity_of(seen.plan, traffic), traffic):
                continue
            if traffic.bursts >= _BURSTS or traffic.in_bursts >= _LONG:
                yield _recommendation(seen, traffic)


def _one_number(entity: EntityPlan | None, traffic: Traffic) -> bool:
    """Whether all of a row may be shards of one counter: one number, counted again and again."""
    if entity is None or traffic.operation != "UpdateItem":
        return False
    counters = [counter for counter in entity.table.counters.values() if counter.entity is entity.entity]
    return any(traffic.longest_burst <= counter.of for counter in counters)


def _recommendation(seen: Observed, traffic: Traffic) -> Recommendation:
    entity = entity_of(seen.plan, traffic)
    way, why = _boto_way(traffic) if by_boto(seen.plan, traffic) else _way(traffic, entity)
    usual = traffic.in_bursts / traffic.bursts
    trips = math.ceil(usual / way.most)
    each, share = traffic.latency.quantile(0.5), share_of(traffic.in_bursts, traffic.requests)
    details = (
        f"{quantity(traffic.in_bursts)} of {counted(traffic.requests, 'request')} ({percent(share)}) came in "
        f"{counted(traffic.bursts, 'row')} of more than ten within a second, {quantity(round(usual, 1))} in a usual one and "
        f"{quantity(traffic.longest_burst)} in the longest. A usual row needs {counted(trips, way.request + ' request')}."
    )
    waits, then = usual * each, trips * each
    if each > 0:
        at_once = ""
        if 0 < traffic.burst_seconds < _AT_ONCE * waits * traffic.bursts:
            waits, at_once = max(then, traffic.burst_seconds / traffic.bursts), " and several at once"
        details += (
            f" At {milliseconds(each)} each (the median){at_once}, {milliseconds(waits)} of waiting become some {milliseconds(then)}, as far as "
            "a larger answer takes no longer."
        )
    return Recommendation(
        rule=MissedBatch.name,
        severity="warning" if share >= _MUCH else "info",
        category="performance",
        subject=traffic.name,
        message=f"{traffic.name} sends single {traffic.operation} requests in rows, up to {traffic.longest_burst:,} in one.",
        details=f"{details} {way.units}",
        action=f"{why}{way.action}",
        code=_code(way, traffic, entity, seen.snapshot.table),
        affected=(traffic.name,),
        saves=None if way.request == _TRANSACTION.request else 0.0,
        faster=1 - then / waits if waits else 1 - trips / usual,
        evidence={
            "bursts": traffic.bursts,
            "in_bursts": traffic.in_bursts,
            "longest_burst": traffic.longest_burst,
            "round_trips": trips,
            "median_seconds": each,
        },
        impact=share_of(traffic.in_bursts, seen.snapshot.requests),
        frequency=a_second(seen.snapshot, traffic.bursts),
        effort=1,
    )


def _boto_way(traffic: Traffic) -> tuple[_Way, str]:
    if traffic.operation != "UpdateItem" and traffic.conditional * 2 > traffic.requests:
        return _BOTO["UpdateItem"], "Most of them have a condition, which a batch cannot have. "
    return _BOTO[traffic.operation], ""


def _way(traffic: Traffic, entity: EntityPlan | None) -> tuple[_Way, str]:
    """How to send these together, and why so, where that is not plain."""
    if traffic.operation == "GetItem":
        return _READS, ""
    reason = None if entity is None else _unbatched(entity, traffic.operation)
    if reason is not None:
        return _TRANSACTION, f"{traffic.entity} has {reason}, which a batch cannot keep. "
    if traffic.operation == "UpdateItem":
        return _UPDATES, ""
    if traffic.conditional * 2 > traffic.requests:
        return _TRANSACTION, "Most of them have a condition, which a batch cannot have. "
    return _WRITES, ""


def _code(way: _Way, traffic: Traffic, entity: EntityPlan | None, table: str) -> str:
    words = {
        "{key}": key_in_code(entity, "one.{}"),
        "{method}": _METHODS.get(traffic.operation, ""),
        "{boto}": "delete_item(Key=one)" if traffic.operation == "DeleteItem" else "put_item(Item=one)",
        "{table}": in_code(table),
    }
    code = way.code
    for word, said in words.items():
        code = code.replace(word, said)
    return code


def _unbatched(entity: EntityPlan, operation: str) -> str | None:
    reasons = {
        "tombstones": operation == "DeleteItem" and entity.hides is not None,
        "unique fields": bool(entity.uniques),
        "a version": entity.options.version,
        "a lock by time": entity.options.lock,
        "a mirror": entity.mirrored,
    }
    return next((reason for reason, there in reasons.items() if there), None)
