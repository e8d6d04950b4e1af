"""Entities: how large they are and how often they are written, against what was declared of them."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.compiler.plan import TablePlan
from tablewright.observe.drift.found import Departure, EntityUse
from tablewright.observe.drift.patterns import LONG, MANY, busiest_second
from tablewright.observe.judging import a_second, lasted, percent
from tablewright.observe.snapshot import Snapshot, Traffic
from tablewright.observe.telling import entity_of, size, tells_sizes, writes_of
from tablewright.values.operations import WRITES
from tablewright.values.sizes import MAX_ITEM_SIZE
from tablewright.wording import counted, quantity

_MEASURED = 30
_LARGER, _SMALLER = 1.5, 0.5
_BYTES = 100
"""Less than this is no matter of a design."""
_LARGEST = 1.05
_NEAR = 0.8
"""Of what an item may hold."""
_WITHIN = 1.2
_WRITTEN = 50


def entity_uses(plan: TablePlan, snapshot: Snapshot) -> Iterator[EntityUse]:
    """Every entity of the model."""
    traffic: dict[str, list[Traffic]] = {}
    for one in snapshot.traffic:
        entity = entity_of(plan, one)
        if entity is not None:
            traffic.setdefault(entity.name, []).append(one)
    for entity in plan.entities.values():
        own = traffic.get(entity.name, [])
        whole = [t for t in own if tells_sizes(plan.table, t)]
        measured = sum(t.sized for t in whole)
        expected = plan.table.expectations.of(entity.entity)
        yield EntityUse(
            name=entity.name,
            measured=measured,
            size=sum(t.size for t in whole) / measured if measured > 0 else None,
            declared_size=expected.size,
            largest=max((t.largest for t in own), default=0),
            declared_largest=expected.max_size,
            writes=a_second(snapshot, sum(writes_of(t) for t in own if t.operation in WRITES)),
            declared_writes=expected.writes,
            more_writes=_batched(snapshot),
        )


def _batched(snapshot: Snapshot) -> bool:
    return any(t.requests > 0 and t.entity is None for t in snapshot.of("BatchWriteItem", "TransactWriteItems"))


def entity_departures(use: EntityUse, snapshot: Snapshot) -> Iterator[Departure]:
    """Where an entity is not as it was declared."""
    yield from _usual_size(use)
    if use.declared_largest is not None and use.largest > _LARGEST * use.declared_largest:
        text = f"{use.name} has {size(use.largest)} at the largest; declared are {size(use.declared_largest)} at most."
        yield Departure("entity-larger", use.name, text, use.declared_largest, use.largest)
    if use.largest >= _NEAR * MAX_ITEM_SIZE:
        share = percent(min(1.0, use.largest / MAX_ITEM_SIZE))
        text = f"{use.name} has items of {size(use.largest)}: {share} of the 400 KB beyond which writes are refused."
        yield Departure("item-near-limit", use.name, text, float(MAX_ITEM_SIZE), float(use.largest))
    yield from _writes(use, snapshot)


def _usual_size(use: EntityUse) -> Iterator[Departure]:
    if use.size is None or use.declared_size is None or use.measured < _MEASURED:
        return
    if abs(use.size - use.declared_size) < _BYTES:
        return
    measured = f"by {counted(use.measured, 'item')} that were measured"
    if use.size > _LARGER * use.declared_size:
        text = f"A usual {use.name} has {size(use.size)}, {measured}; declared are {size(use.declared_size)}."
        yield Departure("entity-larger", use.name, text, use.declared_size, use.size)
    elif use.size < _SMALLER * use.declared_size:
        text = f"A usual {use.name} has {size(use.size)}, {measured}, less than the {size(use.declared_size)} that are declared."
        yield Departure("entity-smaller", use.name, text, use.declared_size, use.size)


def _writes(use: EntityUse, snapshot: Snapshot) -> Iterator[Departure]:
    declared = use.declared_writes
    if declared is None:
        return
    if use.writes > _WITHIN * declared and snapshot.seconds >= 60 and use.writes * snapshot.seconds >= _WRITTEN:
        text = f"{use.name} is written {quantity(use.writes)} times a second on average; declared are {quantity(declared)} at the peak."
        yield Departure("entity-more-writes", use.name, text, declared, use.writes)
        return
    most = busiest_second(snapshot)
    if use.more_writes or most is None or snapshot.seconds < LONG or snapshot.requests < MANY:
        return
    if most < declared / 2:
        text = (
            f"{use.name} is declared with {quantity(declared)} writes a second at the peak, but the busiest second of the whole table had "
            f"{counted(most, 'request')}, in {lasted(snapshot.seconds)}."
        )
        yield Departure("entity-fewer-writes", use.name, text, declared, float(most))
