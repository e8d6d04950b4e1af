"""Each step: forward, again, retired, and back to the table as it was."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright import key
from tablewright.errors import ArgumentError
from tablewright.evolve.migrations import (
    AddIndex,
    ChangeKey,
    DropIndex,
    FillKeys,
    MergeAttributes,
    MoveEntity,
    RemoveAttributes,
    RemoveKeys,
    RenameAttribute,
    SplitAttribute,
    SplitItem,
    ToMultiAttributeKeys,
)
from tests.evolve.migrations.tables import Shop, file, shop, skipped, written

BY_STATE = [
    ('indexes=[GSI("GSI1")]', 'indexes=[GSI("GSI1"), GSI("GSI2")]'),
    ('"ORDER#{number}"))', '"ORDER#{number}"), GSI2=("STATE#{state}", "ORDER#{number}"))'),
]
MULTI = [
    ('indexes=[GSI("GSI1")]', 'indexes=[GSI("ByBuyer", pk="BuyerCopy", sk=["DayCopy", "NumberCopy"])]'),
    ('GSI1=("BUYER#{buyer}", "ORDER#{number}")', 'ByBuyer=("{buyer}", ["{day}", "{number}"])'),
]
PARTITION = [('Keys("ORDER#{number}", "ORDER", GSI1', 'Keys("SALE#{number}", "SALE", GSI1')]
SORT = [('Keys("ORDER#{number}", "ORDER", GSI1', 'Keys("ORDER#{number}", "SALE", GSI1')]
PART = [
    (
        "class Note",
        'class Tag(Entity, table=shop):\n    keys = Keys("ORDER#{number}", "TAG#{tag}")\n    number: str\n    tag: str\n\nclass Note',
    )
]
GSI1: Any = {"pk": ("GSI1PK (S)",), "sk": ("GSI1SK (S)",)}
GSI2: Any = {"pk": ("GSI2PK (S)",), "sk": ("GSI2SK (S)",)}
WAS = ("ORDER#{number}", "ORDER")


def halves(day: str) -> tuple[str, str]:
    return day[:4], day[5:]


def joined(year: str, rest: str) -> str:
    return f"{year}-{rest}"


def tags_of(item: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [("Tag", {"number": item["number"], "tag": tag}) for tag in (item["state"], item["buyer"])]


CASES: dict[str, tuple[list[tuple[str, str]], list[Any], int]] = {
    "add an index": (BY_STATE, [AddIndex("GSI2", **GSI2), FillKeys("Order", "GSI2")], 6),
    "rename": ([], [RenameAttribute("Order", "state", to="status")], 5),
    "split": ([], [SplitAttribute("Order", "day", into=("year", "rest"), by=halves, back=joined)], 5),
    "merge": (
        [],
        [MergeAttributes("Order", ("state", "day"), into="both", by=joined, back=lambda b: b.split("-", 1))],
        5,
    ),
    "to multi-attribute keys": (
        MULTI,
        [
            ToMultiAttributeKeys(
                ("Order",),
                AddIndex("ByBuyer", pk=("BuyerCopy (S)",), sk=("DayCopy (S)", "NumberCopy (S)")),
                instead_of=DropIndex("GSI1", **GSI1),
                was=(("BUYER#{buyer}", "ORDER#{number}"),),
            )
        ],
        6,
    ),
    "move to other partitions": (PARTITION, [MoveEntity("Order", was=WAS)], 5),
    "move to other partitions at once": (PARTITION, [MoveEntity("Order", was=WAS, copies=False)], 5),
    "another sort key": (SORT, [ChangeKey("Order", was=WAS, copies=True)], 5),
    "another sort key at once": (SORT, [ChangeKey("Order", was=WAS, copies=False)], 5),
    "split an item": (PART, [SplitItem("Order", by=tags_of, removes=("state",))], 5),
    "drop an index": ([], [DropIndex("GSI1", **GSI1)], 0),
}


@pytest.mark.parametrize("case", CASES)
def test_a_step_goes_forward_once_and_back(case: str) -> None:
    replacements, steps, writes = CASES[case]
    with shop(*replacements) as ground:
        ground.fill()
        before, indexes = ground.items(), ground.indexes()
        migrator = ground.migrator(file(*steps))
        assert written(migrator.plan()) == writes
        assert ground.items() == before, "a dry run wrote something"
        first = migrator.run(write=True)
        assert (written(first), skipped(first)) == (writes, {})
        after = ground.items()
        assert not writes or after != before or ground.indexes() != indexes
        again = migrator.run(write=True)
        assert (written(again), skipped(again)) == (0, {})
        assert ground.items() == after
        assert all(told.outcome.left == 0 for told in migrator.verify())
        assert skipped(migrator.rollback(write=True)) == {}
        assert (ground.items(), ground.indexes()) == (before, indexes)
        assert [one.state for one in migrator.status()] == [None]


@pytest.mark.parametrize("case", [name for name in CASES if name != "split an item"])
def test_what_is_retired_can_be_brought_back(case: str) -> None:
    replacements, steps, _ = CASES[case]
    with shop(*replacements) as ground:
        ground.fill()
        before, indexes = ground.items(), ground.indexes()
        migrator = ground.migrator(file(*steps))
        migrator.run(write=True)
        with pytest.raises(ArgumentError, match="No migration is cut over"):
            migrator.retire(write=True)
        assert migrator.cutover() == "0001_change"
        assert skipped(migrator.retire(write=True)) == {}
        assert [one.state for one in migrator.status()] == ["retired"]
        assert not any(name.startswith("Tablewright") for item in ground.items() for name in item)
        assert skipped(migrator.rollback(write=True)) == {}
        assert (ground.items(), ground.indexes()) == (before, indexes)


def test_what_retiring_removes_for_good_is_not_rolled_back() -> None:
    with shop(*PART) as ground:
        ground.fill()
        for steps in ([SplitItem("Order", by=tags_of, removes=("state",))], [RemoveAttributes("Order", ("day",))]):
            name = f"000{len(ground.migrator().status()) + 1}_change"
            migrator = ground.migrator(file(*steps, name=name))
            migrator.run(write=True)
            migrator.cutover()
            assert written(migrator.retire(write=False)) == 5
            assert written(migrator.retire(write=True)) == 5
            with pytest.raises(ArgumentError, match="cannot be brought back"):
                migrator.rollback(write=True)
        orders = [item for item in ground.items() if item["Type"] == {"S": "Order"}]
        assert all(not {"day", "state", "TablewrightSplit"} & set(item) for item in orders)
        assert len([item for item in ground.items() if item["Type"] == {"S": "Tag"}]) == 10


def test_keys_of_a_dropped_index_come_back_for_items_that_never_had_them() -> None:
    without = [('indexes=[GSI("GSI1")]', ""), (', GSI1=("BUYER#{buyer}", "ORDER#{number}")', "")]
    without.append(
        (
            "@shop.pattern\ndef orders_of(buyer: str) -> Query[Order]:\n    return query(Order, Order.buyer == buyer)\n",
            "",
        )
    )
    steps = [DropIndex("GSI1", **GSI1), RemoveKeys("Order", **GSI1, was=("BUYER#{buyer}", "ORDER#{number}"))]
    with shop(*without) as ground:
        ground.fill(2)
        migrator = ground.migrator(file(*steps))
        migrator.run(write=True)
        migrator.cutover()
        migrator.retire(write=True)
        ground.new.create(ground.new_module.Order(number="9", buyer="b0"))
        assert ground.indexes() == []
        migrator.rollback(write=True)
        assert [order.number for order in ground.old.run(ground.old_module.orders_of, "b0")] == ["0", "9"]


def test_values_that_do_not_agree_are_left_and_told() -> None:
    with shop() as ground:
        ground.fill(2)
        step = RenameAttribute("Order", "state", to="status")
        migrator = ground.migrator(file(step))
        migrator.run(write=True)
        ground.old.update(key(ground.old_module.Order, number="0"), set={"state": "later"})
        told = migrator.run(write=True)
        assert skipped(told) == {"state and status are both there and do not agree": 1}
        with pytest.raises(ArgumentError, match="not finished"):
            migrator.cutover()
        decided = ground.migrator(file(RenameAttribute("Order", "state", to="status", wins="old"), digest="two"))
        assert decided.status()[0].changed
        with pytest.raises(ArgumentError, match="was changed after it ran"):
            decided.cutover()
        assert written(decided.run(write=True)) == 1
        assert decided.cutover() == "0001_change"
        assert {item["status"]["S"] for item in ground.items() if "status" in item} == {"later", "s1"}


def test_functions_that_fail_skip_their_items() -> None:
    def fails(day: str) -> tuple[str, str]:
        raise LookupError(day)

    with shop() as ground:
        ground.fill(2)
        before = ground.items()
        told = ground.migrator(file(SplitAttribute("Order", "day", into=("a", "b"), by=fails, back=joined))).run(
            write=True
        )
        assert skipped(told) == {"fails() failed with LookupError": 2}
        assert ground.items() == before


def _tagged(ground: Shop) -> list[str]:
    return [item["SK"]["S"] for item in ground.items() if item["SK"]["S"].startswith("TAG#")]


def test_a_split_item_that_was_changed_since_is_told() -> None:
    with shop(*PART) as ground:
        ground.fill(1)
        migrator = ground.migrator(file(SplitItem("Order", by=tags_of, removes=("state",))))
        migrator.run(write=True)
        assert _tagged(ground) == ["TAG#b0", "TAG#s0"]
        ground.old.update(key(ground.old_module.Order, number="0"), set={"state": "later"})
        assert skipped(migrator.verify()) == {"it was changed since it was split": 1}
        assert _tagged(ground) == ["TAG#b0", "TAG#s0"]
