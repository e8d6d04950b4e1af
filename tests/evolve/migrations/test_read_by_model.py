"""What readers of the new model would trip over, though each step has done what it says: verify tells, and cutover is refused."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright.errors import ArgumentError
from tablewright.evolve.migrations import FillKeys, MoveEntity, RemoveAttributes, RenameAttribute
from tests.evolve.migrations.tables import Shop, file, shop, skipped

STATUS = ('    state: str = "open"\n', "    status: str\n")
LACKS = "A stored Order lacks 'status' (attribute 'status'), which has no default."


def verified(ground: Shop, *files: Any) -> dict[str, int]:
    ground.fitting = True
    ground.migrator(*files).run(write=True)
    return skipped(ground.migrator(*files).verify())


def test_a_name_that_no_item_has_left_a_field_without_a_value() -> None:
    misspelt = file(RenameAttribute("Order", "sate", to="status"))
    with shop(STATUS) as ground:
        ground.fill(3)
        assert verified(ground, misspelt) == {LACKS: 3}
        with pytest.raises(ArgumentError, match="not finished"):
            ground.migrator(misspelt).cutover()
        right = file(RenameAttribute("Order", "state", to="status"), digest="two")
        assert verified(ground, right) == {}
        assert ground.migrator(right).cutover() == "0001_change"


def test_nothing_moved_the_items() -> None:
    moved = ('Keys("ORDER#{number}", "ORDER", GSI1', 'Keys("SALE#{number}", "SALE", GSI1')
    rename, move = (
        file(RenameAttribute("Order", "state", to="status")),
        MoveEntity("Order", was=("ORDER#{number}", "ORDER")),
    )
    with shop(STATUS, moved) as ground:
        ground.fill(2)
        assert verified(ground, rename) == {"it does not lie under the key that the model gives it": 2}
        # A file that waits for its turn may do it.
        assert verified(ground, rename, file(move, name="0002_move", digest="two")) == {}


def test_what_a_run_would_still_write_counts_once() -> None:
    with shop(STATUS) as ground:
        ground.fill(2)
        rename = file(RenameAttribute("Order", "state", to="status"))
        assert verified(ground, rename) == {}
        ground.old.create(ground.old_module.Order(number="7", buyer="b"))
        (told,) = ground.migrator(rename).verify()
        assert told.outcome.left == 1


def test_an_index_that_the_table_does_not_have() -> None:
    two = ('indexes=[GSI("GSI1")]', 'indexes=[GSI("GSI1"), GSI("GSI2")]')
    keys = ('"ORDER#{number}"))', '"ORDER#{number}"), GSI2=("STATE#{state}", "ORDER#{number}"))')
    fill = file(FillKeys("Order", "GSI2"))
    with shop(two, keys) as ground:
        ground.fill(2)
        assert verified(ground, fill) == {}
        with pytest.raises(ArgumentError, match="Shop does not have the index GSI2, which the model reads") as refused:
            ground.migrator(fill).cutover()
        assert "AddIndex" in str(refused.value.hint)


def test_what_other_entities_hold_is_nobodys_business() -> None:
    with shop(STATUS) as ground:
        ground.fill(2)
        assert verified(ground, file(RemoveAttributes("Note", ("extra",)))) == {}
