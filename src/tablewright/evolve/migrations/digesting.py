"""What a table holds in one short text for each entity, which whoever knows what should be there can work out alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from tablewright.client.calls import Call, Steps
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.noted import RECAST, SPLIT
from tablewright.evolve.migrations.works.guarding import COPY, MARKS, belongs, digest, without
from tablewright.evolve.migrations.works.parting import PART
from tablewright.transport.answers import next_start
from tablewright.values.types import Item

_MODULUS = 2**128
_OURS = MARKS | {PART, SPLIT}


class Digest(Struct, frozen=True):
    """The items of an entity. Those that have two keys count once, by the old one; what migrations note in items is left out.

    Each item, in DynamoDB's JSON as `{"M": {...}}` with names and sets in their order and no spaces, is hashed by BLAKE2b to 16
    bytes; these, as whole numbers with the first byte first, are added up modulo 2**128. So their order does not matter."""

    items: int
    digest: str


def digests(plans: Sequence[EntityPlan], table: str) -> Steps[dict[str, Digest]]:
    """These entities, by their names."""
    counts, sums = {plan.name: 0 for plan in plans}, {plan.name: 0 for plan in plans}
    request: dict[str, Any] = {"TableName": table, "ConsistentRead": True}
    while True:
        response = yield Call("Scan", request, repeatable=True)
        for item in response["Items"]:
            plan = next((plan for plan in plans if belongs(plan, item)), None)
            if plan is None or COPY in item:
                continue
            counts[plan.name] += 1
            own = _without_marks(item)
            remains = plan.names.remains
            if remains in own:
                own[remains] = {"M": _without_marks(own[remains]["M"])}
            sums[plan.name] = (sums[plan.name] + int(digest(own), 16)) % _MODULUS
        start = next_start(response)
        if start is None:
            return {name: Digest(counts[name], f"{sums[name]:032x}") for name in sorted(counts)}
        request = {**request, "ExclusiveStartKey": start}


def _without_marks(item: Item) -> Item:
    return without(item, [name for name in item if name in _OURS or name.startswith(RECAST)])
