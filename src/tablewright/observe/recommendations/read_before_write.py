"""An item is read, changed in memory, and written back blindly."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.model.annotations import members
from tablewright.observe.judging import a_second, milliseconds, percent, share_of
from tablewright.observe.recommendation import Observed, Recommendation, Rule
from tablewright.observe.snapshot import Traffic
from tablewright.observe.telling import by_boto, entity_of, key_in_code
from tablewright.wording import counted, quantity

_WRITES = 20
_SHARE = 0.1
"""Of the writes of a kind: a few may have been read by chance."""
_BOTO = (
    "Say what changes in update_item(), with an UpdateExpression such as ADD, which needs no read. Where the new value can only be worked out "
    "from the old one, write under a ConditionExpression that what was read is still there."
)
_BOTO_CODE = """table.update_item(
    Key=...,
    UpdateExpression="ADD #field :more",
    ExpressionAttributeNames={"#field": ...},
    ExpressionAttributeValues={":more": 1},
)"""


class ReadBeforeWrite(Rule):
    """An item is read, and written back without a condition right after.

    What others wrote in between is undone, and nobody notices. The read is a way to the table and back that most changes do
    not need: an update says what to change, and a condition says what must hold.

    It fires when 20 writes or more, and a tenth of their kind, had no condition and were of an item that the same caller had
    read within the last 100 milliseconds.

    Declare a change and apply it, which needs no reading; or change fields with db.update(), under a condition. Where the new
    value can only be worked out from the old one, db.edit() and db.revise() read and write under the condition that nobody
    else was faster: that loses nothing, and takes as long.

    > UpdateItem of Cart writes back what was just read, without a condition: 150 times.
    """

    name = "read-before-write"

    def find(self, seen: Observed) -> Iterator[Recommendation]:
        for traffic in seen.snapshot.traffic:
            if traffic.after_read >= _WRITES and traffic.after_read >= _SHARE * traffic.requests:
                yield _recommendation(seen, traffic)


def _recommendation(seen: Observed, traffic: Traffic) -> Recommendation:
    snapshot = seen.snapshot
    what = traffic.entity or "the item"
    share = share_of(traffic.after_read, traffic.requests)
    reads = [t for t in snapshot.of("GetItem") if t.entity == traffic.entity and t.requests]
    details = (
        f"{quantity(traffic.after_read)} of {counted(traffic.requests, 'write')} ({percent(share)}) had no condition and followed a "
        "read of the same item by the same caller within 100 ms. What somebody else wrote in between is undone unseen."
    )
    faster, units = None, 0.0
    asked, waited = sum(t.latency.count for t in reads), sum(t.latency.total for t in reads)
    if reads:
        units = sum(t.read_units for t in reads) / sum(t.requests for t in reads)
    if asked and traffic.latency.count:
        before, after = waited / asked, traffic.latency.mean
        faster = share_of(before, before + after)
        details += (
            f" The read takes {milliseconds(before)} and {counted(round(units, 2), 'read unit')} on average, beside "
            f"{milliseconds(after)} for the write; a change that needs no reading saves both."
        )
    return Recommendation(
        rule=ReadBeforeWrite.name,
        severity="warning",
        category="best-practice",
        subject=traffic.name,
        message=f"{traffic.name} writes back what was just read, without a condition: {counted(traffic.after_read, 'time')}.",
        details=details,
        action=_BOTO
        if by_boto(seen.plan, traffic)
        else (
            f"Declare what happens to {what} as a change and apply it, or use db.update(), with when= for what must hold: neither needs the "
            "read. Where the new value can only be worked out from the old one, db.edit() or db.revise() write only if nobody else was "
            "faster; they read as well, and save no time."
        ),
        code=_BOTO_CODE if by_boto(seen.plan, traffic) else _code(entity_of(seen.plan, traffic)),
        affected=(traffic.name,),
        faster=faster,
        evidence={"after_read": traffic.after_read, "share": share, "read_units_each": units},
        impact=share_of(2 * traffic.after_read, snapshot.requests),
        frequency=a_second(snapshot, traffic.after_read),
        effort=1,
    )


def _code(entity: EntityPlan | None) -> str:
    """An update that needs no reading, of a field that the entity has where it is known: a number is added to."""
    if entity is None:
        return 'db.update(target, set={"field": ...}, when=...)'
    target, free = key_in_code(entity, "..."), [name for name in entity.sources if name not in entity.key_fields]
    number = next((name for name in free if int in members(entity.sources[name].annotation)), None)
    if number is not None:
        return f'db.update({target}, add={{"{number}": 1}})'
    field = free[0] if free else "field"
    return f'db.update({target}, set={{"{field}": ...}}, when={entity.name}.{field} == ...)'
