"""Whether writes would make an item larger than DynamoDB takes: known before they are sent, and in a dry run too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tablewright.evolve.jobs.estimating import updated
from tablewright.evolve.jobs.work import Writes
from tablewright.values.sizes import MAX_ITEM_SIZE, item_size
from tablewright.values.types import Item

TOO_LARGE = f"it would grow beyond {MAX_ITEM_SIZE // 1024} KB, the most that an item may have: make it smaller first"


def is_too_large(writes: Writes, known: Sequence[tuple[str, Item]]) -> bool:
    """`known`: the items that are known to be there, with their tables. Of others an update says too little."""
    for action in writes.actions:
        ((kind, members),) = action.items()
        try:
            if kind == "Put" and item_size(members["Item"]) > MAX_ITEM_SIZE:
                return True
            if kind == "Update" and _grows_too_large(members, known):
                return True
        except (AttributeError, LookupError, TypeError, ValueError):
            return False  # it is no item, which the service will say
    return False


def _grows_too_large(members: dict[str, Any], known: Sequence[tuple[str, Item]]) -> bool:
    table, key = members["TableName"], members["Key"]
    old = next((i for t, i in known if t == table and all(i.get(n) == v for n, v in key.items())), None)
    if old is None:
        return False
    given, text = members.get("ExpressionAttributeValues") or {}, members["UpdateExpression"]
    # Most items are far from it: each assignment adds what is given, or what the item has elsewhere.
    most = item_size(old) * (1 + text.count("=")) + item_size(given) + len(text)
    most += sum(len(name) * 4 for name in (members.get("ExpressionAttributeNames") or {}).values())
    return most > MAX_ITEM_SIZE and item_size(updated(old, members)) > MAX_ITEM_SIZE
