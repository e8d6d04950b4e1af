"""One item is overwritten again and again, and nobody looks what was there."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.observe.judging import a_second, quoted, share_of
from tablewright.observe.recommendation import Observed, Recommendation, Rule
from tablewright.observe.sketches.heavy import Weight
from tablewright.observe.snapshot import Traffic
from tablewright.observe.telling import by_boto, entity_of
from tablewright.wording import counted, quantity

_AGAIN = 10
"""So often may an item be written before it is told."""
_NAMED = 3


class UnconditionalUpdate(Rule):
    """One item is overwritten again and again without a condition.

    Of two writers that read the same item and write it back, the second undoes what the first did, and neither notices.
    A condition on what was read turns that into an error that can be handled.

    It fires when one item was overwritten ten times or more without a condition.

    Give the entity a version (`class Page(Entity, table=wiki, version=True)`), so that what was read is locked; or say what
    must hold, with `when=` in db.put() and db.update() or require() in a change. Where the last writer should win, as with
    a heartbeat, it can stay as it is.

    > UpdateItem of Note overwrites the same item without a condition, one of them 40 times.
    """

    name = "unconditional-update"

    def find(self, seen: Observed) -> Iterator[Recommendation]:
        for traffic in seen.snapshot.traffic:
            items = [w for w in traffic.overwritten.top(_NAMED) if w.count - w.error >= _AGAIN]
            if items:
                yield _recommendation(seen, traffic, items)


def _recommendation(seen: Observed, traffic: Traffic, items: list[Weight]) -> Recommendation:
    entity, what = entity_of(seen.plan, traffic), traffic.entity or "item"
    times = [(w.key, round(w.count - w.error)) for w in items]
    blind = round(min(traffic.overwritten.total, traffic.requests))
    named = ", ".join(f"{quoted(key)} {counted(count, 'time')}" for key, count in times)
    locked = entity is not None and (entity.options.version or entity.options.lock)
    if locked:
        action = (
            f"{what} is locked by what was read, and these writes go around that: hand on the entity that was read, or say "
            "expected_version=, or put what must hold into require() of a change."
        )
        code = "db.update(target, set={...}, expected_version=seen.version)"
    elif by_boto(seen.plan, traffic):
        action = (
            "Keep a number in the item that every write raises, and write under the condition that it is still the one that was read; or say "
            "what must hold, in a ConditionExpression. Where the last writer should win, leave it."
        )
        code = 'table.put_item(Item=..., ConditionExpression=Attr("version").eq(seen))'
    else:
        action = (
            f"Give {what} a version, so that a write of what is no longer current is refused; or say what must hold, with when= "
            "or with require() in a change. Where the last writer should win, leave it."
        )
        code = (
            f"class {what}(Entity, table=..., version=True): ..."
            if what.isidentifier() and traffic.entity
            else "db.update(target, set={...}, when=...)"
        )
    return Recommendation(
        rule=UnconditionalUpdate.name,
        severity="warning",
        category="best-practice",
        subject=traffic.name,
        message=f"{traffic.name} overwrites the same item without a condition, one of them {counted(times[0][1], 'time')}.",
        details=(
            f"{quantity(blind)} of {counted(traffic.requests, 'write')} had no condition on what was there. Most often: {named}. "
            "Of two that write at once, one is lost unseen."
        ),
        action=action,
        code=code,
        affected=(traffic.name,),
        evidence={"most_on_one_item": times[0][1], "items": len(times), "unconditional": blind},
        impact=share_of(sum(count for _, count in times), seen.snapshot.requests),
        frequency=a_second(seen.snapshot, sum(count for _, count in times)),
        effort=1 if locked else 2,
    )
