"""Faults that come from load: the throughput of a partition, and that of a table, as token buckets on the engine's clock.

As on the service, a request is let in while there is something left, and pays what it really consumed; so a bucket may
end below zero, and its debt is worked off before the next one. Of a batch or a transaction each member is let in so,
after those before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from tablewright.engine.faults.buckets import Buckets, Place
from tablewright.engine.faults.calls import BATCHES, TRANSACTIONS, Call, Member, consumed
from tablewright.engine.faults.fault import Fault
from tablewright.engine.faults.foreseeing import Costs, Partition, foreseen, written
from tablewright.engine.faults.refusals import throttle
from tablewright.engine.index import IndexSchema
from tablewright.engine.reads.selections import query_selection
from tablewright.engine.reads.targets import Target
from tablewright.engine.storage import Change, TableStore
from tablewright.engine.validation.expressions import Kinds, all_expressions
from tablewright.errors import ConfigError, TablewrightError
from tablewright.values.sizes import PARTITION_READS, PARTITION_WRITES

_QUERY = Kinds(("ProjectionExpression", "FilterExpression", "KeyConditionExpression"), ("KeyConditions", "QueryFilter"))


class _Want(NamedTuple):
    """What a member of a call draws on: a bucket, how many units, and of which index, "" for the table."""

    place: Place
    rate: float
    units: float
    of: str


@dataclass(kw_only=True, eq=False)
class _Limits(Fault):
    def __post_init__(self) -> None:
        super().__post_init__()
        self._buckets = Buckets(self._seconds())

    def _seconds(self) -> float:
        """For how long what is not used is kept."""
        return 1.0

    def notice(self, call: Call) -> Any:
        """Have the call tell what it consumes."""
        with self._lock:
            self.seen += 1
        call.measures = True
        return None

    def _take(self, place: Place, rate: float | None, units: float) -> None:
        if rate is not None and units:
            self._buckets.take(place, rate, units, self._clock.now())

    def _refuse(self, call: Call, wants: Callable[[Member], Iterable[_Want]]) -> None:
        """Refuse a call, or leave over those members of a batch that do not fit beside the ones before them."""
        shares = _is_shared(call)
        taken: dict[Place, float] = {}
        verdicts: dict[Member, str] = {}
        now = self._clock.now()
        for member in call.members:
            if self.table is not None and member.table != self.table:
                continue
            wanted = list(wants(member))
            short = [
                want for want in wanted if self._buckets.level(want.place, want.rate, now) <= taken.get(want.place, 0.0)
            ]
            if short:
                verdicts[member] = short[0].of
            elif shares:
                for want in wanted:
                    taken[want.place] = taken.get(want.place, 0.0) + want.units
        if not verdicts:
            return
        with self._lock:
            self.fired += len(verdicts)
        if call.operation in BATCHES and len(verdicts) < len(call.members):
            call.leave(list(verdicts))
        else:
            throttle(call, verdicts.get)


@dataclass(kw_only=True, eq=False)
class PartitionLimits(_Limits):
    """No partition key value takes more than `write` write units and `read` read units a second, in the table and in
    each global index: by default the service's own limits. Writes are throttled for hot partitions of indexes too."""

    name: ClassVar[str] = "partition-limits"

    read: float = float(PARTITION_READS)
    write: float = float(PARTITION_WRITES)

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
        writes, costs = call.is_write, Costs(call)
        rate = self.write if writes else self.read
        if due is not None:
            self._refuse(call, lambda _: [_Want((*due, False), self.read, 0.0, due[1] or "")])

        def wants(member: Member) -> Iterator[_Want]:
            table = call.tables.get(member.table)
            if table is None:
                return
            change = foreseen(call, member) if writes else None
            if change is None:
                cost = costs.looked_at(member) if _is_shared(call) else 0.0
                used = [(place, cost) for place in _places(table, member)]
            else:
                twice = 2.0 if call.operation in TRANSACTIONS else 1.0
                used = [(place, units if place[1] else units * twice) for place, units in written(change)]
            for place, units in used:
                yield _Want((*place, writes), rate, units, place[1] or "")

        self._refuse(call, wants)

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
            for place, units in written(change):
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
        writes, costs = call.is_write, Costs(call)

        def wants(member: Member) -> Iterator[_Want]:
            table = call.tables.get(member.table)
            if table is None:
                return
            used = costs.of_table(member) if _is_shared(call) else {}
            for index in _read_or_written(table, call, writes=writes):
                rate = self._rate(table, index, writes=writes)
                if rate is not None:
                    name = None if index is None else index.name
                    yield _Want((table.schema.number, name, writes), rate, used.get(name, 0.0), name or "")

        self._refuse(call, wants)

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

    def _seconds(self) -> float:
        return self.burst

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


def _is_shared(call: Call) -> bool:
    """Whether the members of a call are admitted one by one; any other call is let in whole while something is left."""
    return call.operation in BATCHES or call.operation in TRANSACTIONS


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
