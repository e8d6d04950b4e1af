"""What a legacy item becomes, or why it cannot."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tablewright import Entity, Keys, Table
from tablewright.evolve.moving import Move, Moving
from tablewright.evolve.moving.deriving import State, Unfit, derive
from tablewright.values.wire import to_wire_item

shelves = Table("Shelves")


class Shelf(Entity, table=shelves):
    keys = Keys("SHELF#{shelf_id}", "SHELF")
    shelf_id: str
    counts: dict[str, int]


def split(row: Any) -> Iterator[Shelf]:
    yield Shelf(shelf_id=row["id"], counts=row["counts"])


@pytest.mark.parametrize(
    "made",
    [
        {"entity": Shelf, "fields": {"shelf_id": "id", "counts": "counts"}},
        {"split": split, "makes": (Shelf,), "uses": ("counts",)},
    ],
)
def test_a_reason_holds_no_key_of_a_map(made: dict[str, Any]) -> None:
    """So that items with one fault have one reason, too."""
    move = Move(table="Old", key=("id",), **made)
    moving = Moving("shelves", table=shelves, moves=[move])
    reasons = set[str]()
    for name in ("SECRET", "OTHER"):
        item = to_wire_item({"id": "s", "counts": {name: "many"}})
        with pytest.raises(Unfit) as told:
            derive(moving, move, State(item), "2026-05-01T00:00:00.000000Z")
        reasons.add(told.value.reason)
    (reason,) = reasons
    assert reason.startswith("Shelf.counts.*: Input should be a valid integer")
