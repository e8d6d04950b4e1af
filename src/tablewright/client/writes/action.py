"""One action on one item, as it goes into a transaction or becomes a request of its own."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct
from msgspec.json import Encoder

from tablewright.expressions import ast
from tablewright.expressions.builder import ExpressionBuilder
from tablewright.values.types import Item

Kind = Literal["Put", "Update", "Delete", "ConditionCheck"]
_in_order = Encoder(order="sorted").encode
OPERATIONS = {"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem"}


class Action(Struct, frozen=True):
    """What to do with one item. `marker` names the unique rule when the item is a marker, None for the entity itself."""

    kind: Kind
    key: Item
    item: Item | None = None
    update: ast.Update | None = None
    condition: ast.Condition | None = None
    marker: str | None = None
    holds_after: bool = False
    """Whether the condition holds again once the action was carried out."""

    @property
    def repeatable(self) -> bool:
        """Whether doing it twice leaves the item as doing it once: nothing is counted, and no condition can be in its own
        way. What another writer did in between is overwritten, as it may be by any write without a condition."""
        if self.condition is not None and not self.holds_after:
            return False
        return self.update is None or all(
            isinstance(a, ast.RemoveAction)
            or (isinstance(a, ast.SetAction) and isinstance(a.value, ast.Value | ast.IfNotExists))
            for a in self.update.actions
        )

    def body(self, table: str) -> dict[str, Any]:
        """The request's parameters, with generated placeholders only."""
        body: dict[str, Any] = {"TableName": table}
        if self.kind == "Put":
            body["Item"] = self.item
        else:
            body["Key"] = self.key
        if self.update is not None or self.condition is not None:
            builder = ExpressionBuilder()
            if self.update is not None:
                builder.update(self.update)
            if self.condition is not None:
                builder.condition(self.condition)
                body["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
            body.update(builder.build())
        return body


def same_key(key: Item) -> bytes:
    """A form of a key that is equal for equal keys."""
    return _in_order(key)
