"""Writes of large values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_origin

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.fields import FieldPlan
from tablewright.model.annotations import NoneType, members, plain
from tablewright.observe.recommendation import Observed, Recommendation, Rule
from tablewright.observe.snapshot import Traffic
from tablewright.observe.telling import a_second, entity_of, percent, share_of, size
from tablewright.values.sizes import LARGE_ITEM, MAX_ITEM_SIZE, write_units
from tablewright.wording import counted, quantity

_WRITES = ("PutItem", "UpdateItem", "BatchWriteItem", "TransactWriteItems")
_READS = ("GetItem", "BatchGetItem", "TransactGetItems", "Query", "Scan")
_NEAR = 0.9
"""Of what an item may hold: the next write may be refused."""
_CANDIDATES = 3


class LargeValueWritten(Rule):
    """Large values are written.

    Every write is paid for by the KB of the whole item, also where one small field changes, and again in each index that
    holds all of it: an item of 100 KB takes 100 write units. At 400 KB writes are refused.

    It fires when a write was of more than 100 KB: a warning, and an error from 90% of 400 KB on. Where items that large
    are read as well, the rule on large items says so, and this one keeps silent.

    Keep the value outside, in S3 or a folder, and its name in the item: Offloaded(store, above=...) on the field does
    both. Compressed(...) makes texts shorter. Split what is written apart into items of its own.
    """

    name = "large-value-written"

    def find(self, seen: Observed) -> Iterator[Recommendation]:
        read = {t.entity for t in seen.snapshot.of(*_READS) if t.largest > LARGE_ITEM}
        for traffic in seen.snapshot.of(*_WRITES):
            if traffic.largest > LARGE_ITEM and traffic.entity not in read:
                yield _recommendation(seen, traffic)


def _recommendation(seen: Observed, traffic: Traffic) -> Recommendation:
    largest, entity = min(traffic.largest, MAX_ITEM_SIZE), entity_of(seen.plan, traffic)
    usual = traffic.size / traffic.sized if traffic.sized else None
    units, whole = traffic.write_units / max(traffic.requests, 1), sum(t.write_units for t in seen.snapshot.traffic)
    measured = (
        ""
        if usual is None
        else f" Of {counted(traffic.sized, 'item')} that were measured, a usual one has {size(usual)}."
    )
    fields = [] if entity is None else _candidates(entity)
    named = f" Likely fields: {', '.join(fields)}." if fields else ""
    return Recommendation(
        rule=LargeValueWritten.name,
        severity="error" if largest >= _NEAR * MAX_ITEM_SIZE else "warning",
        category="cost",
        subject=traffic.name,
        message=f"{traffic.name} writes up to {size(largest)}, which takes {quantity(write_units(largest))} write units at least.",
        details=(
            f"The largest has {percent(largest / MAX_ITEM_SIZE)} of the 400 KB that an item may hold.{measured} "
            f"{counted(traffic.requests, 'request')} took {counted(round(units, 1), 'write unit')} each on average, with indexes."
        ),
        action=(
            "Keep large values in S3 or another store, and a reference in the item: Offloaded(...) on the field does that. "
            f"Compressed(...) may be enough for texts.{named}"
        ),
        code=f"{fields[0] if fields else 'body'}: Annotated[{_type(entity, fields)}, Offloaded(S3Store(client, bucket), above=10_000)]",
        affected=(traffic.name,),
        evidence={"largest": traffic.largest, "write_units_each": units, **({} if usual is None else {"usual": usual})},
        impact=share_of(traffic.write_units, whole),
        frequency=a_second(seen.snapshot, traffic.requests),
        effort=2,
    )


def _candidates(entity: EntityPlan) -> list[str]:
    """Fields that can be long and may be kept elsewhere."""
    in_keys = entity.key_fields | {name for binding in entity.bindings for name in binding.sources}
    free = (f for name, f in entity.fields.items() if name not in in_keys and f.sealing is None)
    return [f.name for f in free if f.max_length is None and _long(f)][:_CANDIDATES]


def _long(field: FieldPlan) -> bool:
    kinds: set[Any] = {get_origin(plain(m)) or plain(m) for m in members(field.annotation) if m is not NoneType}
    return bool(kinds & {str, bytes, list, dict})


def _type(entity: EntityPlan | None, fields: list[str]) -> str:
    annotation = entity.fields[fields[0]].annotation if entity is not None and fields else str
    return annotation.__name__ if isinstance(annotation, type) else str(annotation)
