"""Faults that come from load: the throughput of a partition, and that of a table, as token buckets on the engine's clock.

As on the service, a request is let in while there is something left, and pays what it really consumed; so a bucket may
end below zero, and its debt is worked off before the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ClassVar

from tablewright.engine.capacity import Tally
from tablewright.engine.faults.calls import BATCHES, TRANSACTIONS, Call, Member, consumed
from tablewright.engine.faults.fault import Fault
from tablewright.engine.faults.foreseeing import foreseen
from tablewright.engine.faults.refusals import throttle
from tablewright.engine.index import IndexSchema
from tablewright.engine.reads.selections import query_selection
from tablewright.engine.reads.targets import Target
from tablewright.engine.storage import Change, TableStore
from tablewright.engine.validation.expressions import Kinds, all_expressions
from tablewright.errors import ConfigError, TablewrightError

_QUERY = Kinds(("ProjectionExpression", "FilterExpression", "KeyConditionExpression"), ("KeyConditions", "QueryFilter"))

Partition = tuple[int, str | None, bytes]
"""Table number, index name or None, and the encoded partition key."""

Place = tuple[Hashable, ...]
"""What has a bucket: table number, index name or None, partition where it matters, and whether it is for writes."""


@dataclass(slots=True)
class _Bucket:
    level: float
    moment: float

    def refill(self, now: float, rate: float, most: float) -> float:
        self.level = min(most, self.level + max(0.0, now - self.moment) * rate)
        self.moment = now
        return self.level


@dataclass(kw_only=True, eq=False)
class _Limits(Fault):
    def __post_init__(self) -> None:
        super().__post_init__()
        self._buckets: dict[Place, _Bucket] = {}

    def notice(self, call: Call) -> Any:
        """Have the call tell what it consumes."""
        with self._lock:
            self.seen += 1
        call.measures = True
        return None

    def _size(self, place: Place, rate: float) -> float:
        """How much a bucket can hold."""
        return rate

    def _is_empty(self, place: Place, rate: float | None) -> bool:
        if rate is None:
            return False
        with self._lock:
            return self._bucket(place, rate).refill(self._clock.now(), rate, self._size(place, rate)) <= 0

    def _take(self, place: Place, rate: float | None, units: float) -> None:
        if rate is not None and units:
            with self._lock:
                bucket = self._bucket(place, rate)
                bucket.refill(self._clock.now(), rate, self._size(place, rate))
                bucket.level -= units

    def _bucket(self, place: Place, rate: float) -> _Bucket:
        bucket = self._buckets.get(place)
        if bucket is None:
            bucket = self._buckets[place] = _Bucket(rate, self._clock.now())
        return bucket

    def _refuse(self, call: Call, exhausted: Callable[[Member], str | None]) -> None:
        """Refuse a call, or leave members of a batch over; `exhausted` names an index, or "" for the table itself."""
        verdicts = [
            (member, verdict)
            for member in call.members
            if (self.table is None or member.table == self.table) and (verdict := exhausted(member)) is not None
        ]
        if not verdicts:
            return
        struck = [member for member, _ in verdicts]
        with self._lock:
            self.fired += len(struck)
        if call.operation in BATCHES and len(struck) < len(call.members):
            call.leave(struck)
        else:
            throttle(call, lambda member: member in struck, index=verdicts[0][1] or None)


@dataclass(kw_only=True, eq=False)
class PartitionLimits(_Limits):
    """No partition key value takes more than `write` write units and `read` read units a second, in the table and in
    each global index: by default the service's own limits. Writes are throttled for hot partitions of indexes too."""

    name: ClassVar[str] = "partition-limits"

    read: float = 3000.0
    write: float = 1000.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.read <= 0 or self.write <= 0:
            raise ConfigError("The limits of a partition must be above zero.")

    def notice(self, call: Call) -> Any:
        """The partition that a query reads."""
        super().notice(call)
        return _queried(call) if call.operation == "Query" else None

    def on_request(self, call: Call, due: Any) -> None:
        """Refuse what goes to exhausted partitions."""
        writes = call.is_write
        if due is not None and self._is_empty((*due, False), self.read):
            self._refuse(call, lambda _: due[1] or "")

        def exhausted(member: Member) -> str | None:
            table = call.tables.get(member.table)
            if table is None:
                return None
            change = foreseen(call, member) if writes else None
            places = _places(table, member) if change is None else [place for place, _ in _written(change)]
            for place in places:
                if self._is_empty((*place, writes), self.write if writes else self.read):
                    return place[1] or ""
            return None

        self._refuse(call, exhausted)

    def on_reply(self, call: Call, response: dict[str, Any] | None, due: Any) -> None:
        """Charge reads, and the second half of what writes cost in transactions."""
        if response is None or (call.is_write and call.operation not in TRANSACTIONS):
            return
        for report in consumed(response):
            table = call.tables.get(report["TableName"])
            if table is None or (self.table is not None and table.name != self.table):
                continue
            if call.operation == "Query":
                places = [due] if due is not None else []
            else:
                own = [member for member in call.members if member.table == table.name]
                places = [place for member in own for place in _places(table, member)]
            units = report["CapacityUnits"] if not call.is_write else report["Table"]["CapacityUnits"] / 2
            for place in places:
                rate = self.write if call.is_write else self.read
                self._take((*place, call.is_write), rate, units / len(places))

    def changing(self, change: Change) -> None:
        """Charge a write to the partitions of the table and of the indexes that it moves in."""
        if not change.expired and (self.table is None or change.table.name == self.table):
            for place, units in _written(change):
                self._take((*place, True), self.write, units)


@dataclass(kw_only=True, eq=False)
class ProvisionedThroughput(_Limits):
    """A table takes no more units a second than it was provisioned with, or than `read` and `write` say, and the same
    of each global index. What is not used is kept for bursts, for up to `burst` seconds."""

    name: ClassVar[str] = "provisioned-throughput"

    read: float | None = None
    write: float | None = None
    burst: float = 300.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if min(self.read or 1, self.write or 1) <= 0 or self.burst < 1:
            raise ConfigError("Throughput must be above zero, and burst at least 1 second.")

    def on_request(self, call: Call, due: Any) -> None:
        """Refuse what goes to exhausted tables and indexes."""
        writes = call.is_write

        def exhausted(member: Member) -> str | None:
            table = call.tables.get(member.table)
            if table is None:
                return None
            for index in _read_or_written(table, call, writes=writes):
                place = (table.schema.number, index.name if index is not None else None, writes)
                if self._is_empty(place, self._rate(table, index, writes=writes)):
                    return index.name if index is not None else ""
            return None

        self._refuse(call, exhausted)

    def on_reply(self, call: Call, response: dict[str, Any] | None, due: Any) -> None:
        """Charge what the call consumed."""
        writes = call.is_write
        for report in consumed(response or {}):
            table = call.tables.get(report["TableName"])
            if table is None or (self.table is not None and table.name != self.table):
                continue
            number = table.schema.number
            indexes: Mapping[str, Any] = report.get("GlobalSecondaryIndexes", {})
            for name, used in indexes.items():
                rate = self._rate(table, table.schema.index[name], writes=writes)
                self._take((number, name, writes), rate, used["CapacityUnits"])
            own = report["CapacityUnits"] - sum(used["CapacityUnits"] for used in indexes.values())
            self._take((number, None, writes), self._rate(table, None, writes=writes), own)

    def _size(self, place: Place, rate: float) -> float:
        return rate * self.burst

    def _rate(self, table: TableStore, index: IndexSchema | None, *, writes: bool) -> float | None:
        given = self.write if writes else self.read
        if given is not None:
            return given
        definition = table.schema.definition
        if definition.get("BillingMode") == "PAY_PER_REQUEST":
            return None
        if index is not None:
            own = [one for one in definition["GlobalSecondaryIndexes"] if one["IndexName"] == index.name]
            definition = own[0]
        units = definition.get("ProvisionedThroughput") or {}
        rate = units.get("WriteCapacityUnits" if writes else "ReadCapacityUnits")
        return float(rate) if rate else None


def _read_or_written(table: TableStore, call: Call, *, writes: bool) -> Iterable[IndexSchema | None]:
    """Whose throughput a call draws on: a read on one, a write on the table and all of its global indexes."""
    if writes:
        return (None, *(index for index in table.schema.indexes if index.is_global))
    index = table.schema.index.get(call.request.get("IndexName") or "")
    return (index if index is not None and index.is_global else None,)


def _places(table: TableStore, member: Member) -> Iterator[Partition]:
    """The partition of an item in its table."""
    # What is not a key of this table will be refused for that.
    with suppress(AttributeError, KeyError, TypeError, ValueError, TablewrightError):
        if member.item is not None:
            yield table.schema.number, None, table.schema.key(member.item)[0]


def _written(change: Change) -> Iterator[tuple[Partition, float]]:
    """The partitions that a change writes to, in the table and in its global indexes, and how many units each."""
    table, (pk, _) = change.table, change.key
    tally = Tally()
    tally.add_write(change)
    report = tally.report(table.name, "INDEXES")
    yield (table.schema.number, None, pk), report["Table"]["CapacityUnits"]
    images = [image for image in (change.old and change.old.item, change.new) if image is not None]
    for name, used in report.get("GlobalSecondaryIndexes", {}).items():
        entries = [table.schema.index[name].entry(image, pk) for image in images]
        partitions = {entry[0] for entry in entries if entry is not None}
        for partition in partitions:
            yield (table.schema.number, name, partition), used["CapacityUnits"] / len(partitions)


def _queried(call: Call) -> Partition | None:
    """The partition that a query reads."""
    table = call.tables.get(call.members[0].table)
    if table is None:
        return None
    index = table.schema.index.get(call.request.get("IndexName") or "")
    target = Target(table, index, consistent=False, counting=False, fetches=False)
    with suppress(KeyError, TablewrightError):
        expressions = all_expressions(call.request, _QUERY)
        if expressions.key_condition is not None:
            ranges = expressions.key_condition.reduce(expressions.values, target.keys)
            partition = query_selection(target, ranges, forward=True).partition
            assert partition is not None
            return table.schema.number, index.name if index is not None and index.is_global else None, partition
    return None
