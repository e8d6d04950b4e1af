"""What a call is going to change and to cost, as far as the request and what is stored show it beforehand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress

from tablewright.engine.capacity import Tally
from tablewright.engine.faults.calls import TRANSACTIONS, Call, Member
from tablewright.engine.storage import Change
from tablewright.engine.validation.expressions import all_expressions
from tablewright.engine.writes import UPDATE_OR_ATTRIBUTES
from tablewright.errors import TablewrightError
from tablewright.values import check_item, item_size, read_units, write_units

Partition = tuple[int, str | None, bytes]
"""Table number, index name or None, and the encoded partition key."""


def foreseen(call: Call, member: Member) -> Change | None:
    """What the write of one member comes to; None where it comes to nothing, or will be refused anyway."""
    table = call.tables.get(member.table)
    if table is None or not member.kind or member.item is None:
        return None
    # Whatever is wrong with the request is told by its action, in due order.
    with suppress(AttributeError, KeyError, TypeError, ValueError, TablewrightError):
        item = check_item(member.item)
        # In a batch there are none.
        expressions = all_expressions(member.source, UPDATE_OR_ATTRIBUTES)
        key = table.schema.key(item)
        with call.database.reading() as connection:
            old = table.get(connection, key)
        stored = None if old is None else old.item
        if expressions.condition is not None and not expressions.condition(stored, expressions.values):
            return None
        new = None if member.kind == "Delete" else item
        if member.kind == "Update":
            base = item if stored is None else stored
            update = expressions.update
            new = base if update is None else update.apply(base, expressions.values).item
        return Change(table, key, old, new, 0 if new is None else item_size(new))
    return None


def written(change: Change) -> Iterator[tuple[Partition, float]]:
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


class Costs:
    """What the members of one call cost."""

    __slots__ = ("_call", "_consistent", "_transacted", "_writes")

    def __init__(self, call: Call) -> None:
        self._call = call
        self._writes = call.is_write
        self._transacted = call.operation in TRANSACTIONS
        self._consistent: frozenset[int] = frozenset()
        if call.operation == "BatchGetItem":
            parts = [part for part in call.request["RequestItems"].values() if part.get("ConsistentRead")]
            self._consistent = frozenset(id(key) for part in parts for key in part["Keys"])

    def of_table(self, member: Member) -> Mapping[str | None, float]:
        """The units of the table, under None, and of each global index that a member touches."""
        change = foreseen(self._call, member) if self._writes else None
        if change is None:
            return {None: self.looked_at(member)}
        tally = Tally("Write" if self._transacted else None)
        tally.add_write(change)
        report = tally.report(change.table.name, "INDEXES")
        indexes = {name: used["CapacityUnits"] for name, used in report.get("GlobalSecondaryIndexes", {}).items()}
        return {None: report["CapacityUnits"] - sum(indexes.values()), **indexes}

    def looked_at(self, member: Member) -> float:
        """The units of a member that changes nothing; where its item is not known, the least that it can cost."""
        size = self._stored_size(member)
        if self._writes:
            return write_units(size, self._transacted)
        return read_units(size, id(member.source) in self._consistent, self._transacted)

    def _stored_size(self, member: Member) -> int:
        table = self._call.tables.get(member.table)
        if table is not None and member.item is not None:
            with suppress(AttributeError, KeyError, TypeError, ValueError, TablewrightError):
                key = table.schema.key(check_item(member.item))
                with self._call.database.reading() as connection:
                    found = table.get_body(connection, key)
                return 0 if found is None else found[0]
        return 0
