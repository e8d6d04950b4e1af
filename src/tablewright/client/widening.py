"""Filters over items of several schema versions: the service looks at stored attributes, so that it must let older items
pass; whether they are meant shows when they are current ones."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from tablewright.client.calls import Call
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.expressions import compiled_condition
from tablewright.model.indexes import AttributeNames
from tablewright.values.types import Item

_TYPE, _SCHEMA, _VALUE = "#tablewright_type", "#tablewright_schema", ":tablewright_"


class Wide(Struct, frozen=True):
    """A read whose filter lets older items pass, and what was asked for."""

    call: Call
    asked: dict[str, Any]

    def means(self, item: Item) -> bool:
        """Whether the filter that was asked for holds of an item."""
        condition = compiled_condition(
            self.asked["FilterExpression"], self.asked.get("ExpressionAttributeNames"), "FilterExpression"
        )
        return condition(item, self.asked.get("ExpressionAttributeValues", {}))

    def counted(self, answer: dict[str, Any]) -> dict[str, Any]:
        """The answer with the number of its items, and without them where only that was asked for."""
        answer = {**answer, "Count": len(answer.get("Items", ()))}
        if self.asked.get("Select") == "COUNT":
            del answer["Items"]
        return answer


def widened(call: Call, names: AttributeNames, plans: Iterable[EntityPlan]) -> Wide | None:
    """The same read for items of older versions as well; None where it has no filter, or nothing is ever made of them."""
    request = call.request
    if "FilterExpression" not in request:
        return None
    values = dict(request.get("ExpressionAttributeValues", {}))
    older = []
    for plan in plans:
        if plan.versions is not None and plan.versions.upcasts:
            kind, number = f"{_VALUE}{len(values)}", f"{_VALUE}{len(values) + 1}"
            values |= {kind: {"S": plan.type_name}, number: {"N": str(plan.versions.number)}}
            older.append(f"({_TYPE} = {kind} AND (attribute_not_exists({_SCHEMA}) OR {_SCHEMA} <> {number}))")
    if not older:
        return None
    wide = {
        **{name: value for name, value in request.items() if name != "Select" or value != "COUNT"},
        "FilterExpression": f"({request['FilterExpression']}) OR attribute_not_exists({_TYPE}) OR {' OR '.join(older)}",
        "ExpressionAttributeNames": {
            **request.get("ExpressionAttributeNames", {}),
            _TYPE: names.type,
            _SCHEMA: names.schema,
        },
        "ExpressionAttributeValues": values,
    }
    return Wide(replace(call, request=wide), request)
