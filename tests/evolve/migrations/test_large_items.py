"""Items that a migration would make larger than DynamoDB takes: left in a dry run too, with the reason."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright.evolve.jobs.sizing import TOO_LARGE
from tablewright.evolve.migrations import MoveEntity, RenameAttribute
from tests.evolve.migrations.tables import file, shop, skipped, written

MOVED = [('Keys("ORDER#{number}", "ORDER", GSI1', 'Keys("SALE#{number}#AND#MORE#THAN#THAT", "SALE", GSI1')]


@pytest.mark.parametrize(
    ("step", "size"),
    [
        (RenameAttribute("Order", "state", to="status"), 204_800),
        (MoveEntity("Order", was=("ORDER#{number}", "ORDER")), 409_400),
    ],
    ids=str,
)
def test_what_would_grow_too_large_is_left_and_told(step: Any, size: int) -> None:
    with shop(*(MOVED if isinstance(step, MoveEntity) else ())) as ground:
        ground.fill(1)
        ground.old.create(ground.old_module.Order(number="7", buyer="ann", state="x" * size))
        before = [item for item in ground.items() if item["PK"] == {"S": "ORDER#7"}]
        migrator = ground.migrator(file(step))
        for told in (migrator.run(write=False), migrator.run(write=True)):
            assert (written(told), skipped(told)) == (1, {TOO_LARGE: 1})
        assert [item for item in ground.items() if item["PK"] == {"S": "ORDER#7"}] == before


def test_large_items_that_fit_are_written() -> None:
    with shop() as ground:
        ground.old.create(ground.old_module.Order(number="7", buyer="ann", state="x" * 204_000))
        told = ground.migrator(file(RenameAttribute("Order", "state", to="status"))).run(write=True)
        assert (written(told), skipped(told)) == (1, {})
