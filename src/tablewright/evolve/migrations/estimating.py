"""What writes cost, from the items that they change."""

from __future__ import annotations

from typing import Any

from tablewright.client.writes.action import same_key
from tablewright.cost.writes import write_cost
from tablewright.evolve.jobs.work import Writes
from tablewright.expressions import compiled_update
from tablewright.model.table import TableModel
from tablewright.values.types import Item


def estimated_units(model: TableModel, writes: Writes, known: list[Item]) -> float:
    """Write units of the table and its indexes, given the items that are known to be there."""
    names = [attribute.name for attribute in (model.pk, model.sk) if attribute is not None]
    there = {same_key({name: item[name] for name in names}): item for item in known}
    together = len(writes.actions) > 1
    total = 0.0
    for action in writes.actions:
        ((kind, body),) = action.items()
        place = body["Item"] if kind == "Put" else body["Key"]
        old = there.get(same_key({name: place[name] for name in names}))
        total += write_cost(model, old, _after(kind, body, old), transactional=together).total
    return total


def _after(kind: str, body: dict[str, Any], old: Item | None) -> Item | None:
    match kind:
        case "Put":
            put: Item = body["Item"]
            return put
        case "Update":
            update = compiled_update(body["UpdateExpression"], body.get("ExpressionAttributeNames"))
            return update.apply(old or dict(body["Key"]), body.get("ExpressionAttributeValues", {})).item
        case "Delete":
            return None
        case _:
            return old
