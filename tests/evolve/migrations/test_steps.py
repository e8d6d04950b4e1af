"""Each step: forward, again, retired, and back to the table as it was."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tablewright import key
from tablewright.errors import ArgumentError, SchemaVersionError
from tablewright.evolve import migrations
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
    UpgradeEntity,
)
from tablewright.evolve.migrations.step import Step
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
FIRST = [("class Order(Entity, table=shop):", "class Order(Entity, table=shop, schema_version=1):")]
SECOND = [
    ("class Order(Entity, table=shop):", "class Order(Entity, table=shop, schema_version=2):"),
    ('    state: str = "open"', '    status: str = "open"'),
    ('indexes=[GSI("GSI1")]', 'indexes=[GSI("GSI1"), GSI("GSI2")]'),
    ('"ORDER#{number}"))', '"ORDER#{number}"), GSI2=("STATE#{status}", "ORDER#{number}"))'),
    (
        "class Note",
        "@shop.upcast(Order, 1)\ndef up(item):\n    return {'status': item.pop('state'), **item}\n\n"
        "@shop.downcast(Order, 2)\ndef down(item):\n    return {'state': item.pop('status'), **item}\n\n"
        "@shop.pattern\ndef orders_in(status: str) -> Query[Order]:\n    return query(Order, Order.status == status)\n\nclass Note",
    ),
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


WITHOUT = [
    ('indexes=[GSI("GSI1")]', ""),
    (', GSI1=("BUYER#{buyer}", "ORDER#{number}")', ""),
    (
        "@shop.pattern\ndef orders_of(buyer: str) -> Query[Order]:\n    return query(Order, Order.buyer == buyer)\n",
        "",
    ),
]
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
    "drop an index and its keys": (
        WITHOUT,
        [DropIndex("GSI1", **GSI1), RemoveKeys("Order", **GSI1, was=("BUYER#{buyer}", "ORDER#{number}"))],
        0,
    ),
    "other keys on an index": (
        [("BUYER#{buyer}", "CLIENT#{buyer}")],
        [FillKeys("Order", "GSI1", was=("BUYER#{buyer}", "ORDER#{number}"))],
        5,
    ),
    "remove attributes": ([], [RemoveAttributes("Order", ("day",))], 0),
    "upgrade": (
        SECOND,
        [AddIndex("GSI2", **GSI2), FillKeys("Order", "GSI2"), UpgradeEntity("Order", was=1)],
        6,
    ),
    "upgrade, under other keys": (
        [*SECOND, *PARTITION],
        [
            AddIndex("GSI2", **GSI2),
            FillKeys("Order", "GSI2"),
            MoveEntity("Order", was=WAS),
            UpgradeEntity("Order", was=1),
        ],
        11,
    ),
}
LASTING = ("split an item", "remove attributes")
"""What cannot be brought back once it is retired."""


@contextmanager
def ground_of(case: str, orders: int = 5) -> Iterator[Shop]:
    """The table of a case, filled by the old model."""
    replacements = CASES[case][0]
    with shop(*replacements, before=FIRST if case.startswith("upgrade") else ()) as ground:
        ground.fill(orders)
        yield ground


@pytest.mark.parametrize("case", CASES)
def test_a_step_goes_forward_once_and_back(case: str) -> None:
    _, steps, writes = CASES[case]
    with ground_of(case) as ground:
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


@pytest.mark.parametrize("case", [name for name in CASES if name not in LASTING])
def test_what_is_retired_can_be_brought_back(case: str) -> None:
    with ground_of(case) as ground:
        steps = CASES[case][1]
        before, indexes = ground.items(), ground.indexes()
        migrator = ground.migrator(file(*steps))
        migrator.run(write=True)
        with pytest.raises(ArgumentError, match="0001_change is run and not cut over yet"):
            migrator.retire(write=True)
        assert migrator.cutover() == "0001_change"
        assert written(migrator.run(write=True)) == 0
        assert skipped(migrator.retire(write=True)) == {}
        retired = ground.items()
        assert migrator.run(write=True) == ()
        assert migrator.retire(write=True) == ()
        assert migrator.cutover() is None
        assert migrator.remarks == ["0001_change is retired.", "0001_change is retired."]
        assert ground.items() == retired
        assert [one.state for one in migrator.status()] == ["retired"]
        assert not any(name.startswith("Tablewright") for item in ground.items() for name in item)
        assert skipped(migrator.rollback(write=True)) == {}
        assert (ground.items(), ground.indexes()) == (before, indexes)
        with pytest.raises(ArgumentError, match="There is nothing to undo"):
            migrator.rollback(write=True)


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
    steps = [DropIndex("GSI1", **GSI1), RemoveKeys("Order", **GSI1, was=("BUYER#{buyer}", "ORDER#{number}"))]
    with shop(*WITHOUT) as ground:
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
        ground.engine.execute(
            "UpdateItem",
            {
                "TableName": "Shop",
                "Key": {"PK": {"S": "ORDER#0"}, "SK": {"S": "ORDER"}},
                "UpdateExpression": "SET #status = :status",
                "ExpressionAttributeNames": {"#status": "status"},
                "ExpressionAttributeValues": {":status": {"S": "otherwise"}},
            },
        )
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


def test_a_split_item_that_was_changed_since_is_split_anew() -> None:
    with shop(*PART) as ground:
        ground.fill(1)
        migrator = ground.migrator(file(SplitItem("Order", by=tags_of, removes=("state",))))
        migrator.run(write=True)
        assert _tagged(ground) == ["TAG#b0", "TAG#s0"]
        ground.old.update(key(ground.old_module.Order, number="0"), set={"state": "later"})
        assert written(migrator.verify()) == 1
        assert _tagged(ground) == ["TAG#b0", "TAG#s0"]
        assert (written(migrator.run(write=True)), skipped(migrator.verify())) == (1, {})
        assert _tagged(ground) == ["TAG#b0", "TAG#later"]


def test_every_kind_of_step_is_tried() -> None:
    """Also in the tests of crashes and of rollbacks, which take their cases from here."""
    kinds = {name for name in migrations.__all__ if issubclass(getattr(migrations, name), Step)}
    used = {type(step).__name__ for _, steps, _ in CASES.values() for step in steps}
    assert kinds - used == {"Question"}


def test_old_code_reads_everything_until_items_are_upgraded() -> None:
    steps = CASES["upgrade"][1]
    with ground_of("upgrade", 3) as ground:
        old, new = ground.old_module, ground.new_module
        migrator = ground.migrator(file(*steps))

        def answers() -> list[Any]:
            before = [(o.number, o.state) for b in ("b0", "b1") for o in ground.old.run(old.orders_of, b)]
            after = [(o.number, o.status) for b in ("b0", "b1") for o in ground.new.run(new.orders_of, b)]
            assert before == after
            return [[o.number for o in ground.new.run(new.orders_in, f"s{n}")] for n in range(3)]

        migrator.run(write=True)
        assert answers() == [["0"], ["1"], ["2"]]
        assert written(migrator.verify()) == 0
        migrator.cutover()
        assert answers() == [["0"], ["1"], ["2"]]
        told = migrator.retire(write=True)
        assert [one.outcome.written for one in told] == [0, 3]
        assert {i["SchemaVersion"]["N"] for i in ground.items() if i["Type"] == {"S": "Order"}} == {"2"}
        with pytest.raises(SchemaVersionError):
            ground.old.run(old.order, "1")
        ground.new.update(key(new.Order, number="1"), set={"status": "s2"})
        assert skipped(migrator.rollback(write=True)) == {}
        assert [ground.old.run(old.order, f"{n}").state for n in range(3)] == ["s0", "s2", "s2"]


def test_what_cannot_be_upgraded_is_told_before_readers_of_the_new_model_meet_it() -> None:
    with shop(*SECOND, before=FIRST) as ground:
        ground.fill(3)
        request = {"Key": {"PK": {"S": "ORDER#0"}, "SK": {"S": "ORDER"}}, "UpdateExpression": "REMOVE #state"}
        request["ExpressionAttributeNames"] = {"#state": "state"}
        ground.old.send("UpdateItem", {"TableName": "Shop", **request})
        migrator = ground.migrator(file(UpgradeEntity("Order", was=1)))
        (reason,) = skipped(migrator.run(write=True))
        assert reason == "The upcast of a stored Order from version 1 failed with KeyError."
        assert skipped(migrator.verify()) == {reason: 1}
        with pytest.raises(ArgumentError, match="1 item"):
            migrator.cutover()
        ground.old.update(key(ground.old_module.Order, number="0"), set={"state": "mended"})
        assert skipped(migrator.run(write=True)) == {}
        migrator.cutover()


def test_without_a_downcast_newer_items_are_left_and_told() -> None:
    without = [(a, b.replace("@shop.downcast(Order, 2)\n", "")) for a, b in SECOND]
    with shop(*without, before=FIRST) as ground:
        ground.fill(2)
        migrator = ground.migrator(file(UpgradeEntity("Order", was=1)))
        migrator.run(write=True)
        migrator.cutover()
        migrator.retire(write=True)
        told = migrator.rollback(write=True)
        reason = "no downcast leads from its schema version to the one that the old model knows"
        assert skipped(told) == {reason: 2}


def test_what_nothing_upgrades_is_refused_before_anything_runs() -> None:
    with shop(("class Order(Entity, table=shop):", "class Order(Entity, table=shop, schema_version=2):")) as ground:
        ground.fill(1)
        with pytest.raises(ArgumentError, match="nothing to upgrade Order by"):
            ground.migrator(file(UpgradeEntity("Order"))).run(write=True)
