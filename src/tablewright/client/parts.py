"""What an answer holds of its items: all, or the part that a projection or an index leaves."""

from __future__ import annotations

import re
from typing import Any

from msgspec import Struct

from tablewright.client.calls import Call
from tablewright.compiler.projections import projected_names
from tablewright.model.table import TableModel
from tablewright.values.types import Item


class Parts(Struct, frozen=True):
    """The attributes that items of an answer can have; None for all."""

    asked: frozenset[str] | None
    held: frozenset[str] | None
    keys: frozenset[str] = frozenset()
    """Those by which the read orders its items."""

    @property
    def whole(self) -> bool:
        """Whether the items are whole."""
        return self.asked is None and self.held is None

    def tells(self, attribute: str) -> bool:
        """Whether an item that has this attribute comes with it."""
        return all(names is None or attribute in names for names in (self.asked, self.held))

    def placed(self, item: Item, read: Item) -> Item:
        """An item in the place of one that was read: an index may have moved meanwhile, the read has not."""
        return {**item, **{name: av for name, av in read.items() if name in self.keys}}


def parts_of(call: Call, table: TableModel) -> Parts:
    """What the items in the answer to a call can have."""
    body = call.request
    if "RequestItems" in body:
        body = next(iter(body["RequestItems"].values()))
    elif "TransactItems" in body:
        body = next(iter(body["TransactItems"][0].values()))
    asked = _projected(body) if "ProjectionExpression" in body else None
    index = table.indexes.get(body.get("IndexName", ""))
    if index is None:
        return Parts(asked, None)
    # A local index fetches what is asked for from the table.
    fetched = index.local and (asked is not None or body.get("Select") == "ALL_ATTRIBUTES")
    held = None if fetched else projected_names(table, index)
    return Parts(asked, held, frozenset(a.name for a in index.attributes))


def _projected(body: dict[str, Any]) -> frozenset[str]:
    """The attributes that a projection names."""
    names = body.get("ExpressionAttributeNames", {})
    roots = (re.split(r"[.\[]", path.strip(), maxsplit=1)[0] for path in body["ProjectionExpression"].split(","))
    return frozenset(names.get(root, root) for root in roots)
