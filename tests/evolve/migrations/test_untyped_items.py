"""Items that were there before the model, without a type: their keys tell what they are, those from before a migration too."""

from __future__ import annotations

import pytest

from tablewright import key
from tablewright.evolve.migrations import ChangeKey, MoveEntity, RenameAttribute, SplitItem
from tablewright.evolve.migrations.step import Step
from tablewright.evolve.migrations.works.guarding import MARKS
from tests.evolve.migrations.tables import Shop, file, shop, skipped, written
from tests.evolve.migrations.test_split_items import PIECE, days, marks, pieces, texts

MOVED = [('Keys("ORDER#{number}", "ORDER", GSI1', 'Keys("SALE#{number}", "SALE", GSI1')]
RENAMED = [('state: str = "open"', 'status: str = "open"')]
WAS = ("ORDER#{number}", "ORDER")
WAYS = [MoveEntity("Order", was=WAS), ChangeKey("Order", was=WAS, copies=False)]
IDS = ["copied", "moved at once"]


def add_untyped(ground: Shop) -> None:
    """An order of somebody else's making, and something that only looks like one."""
    common = {"number": {"S": "7"}, "buyer": {"S": "b"}, "state": {"S": "paid"}}
    item = {"PK": {"S": "ORDER#7"}, "SK": {"S": "ORDER"}, **common}
    item |= {"GSI1PK": {"S": "BUYER#b"}, "GSI1SK": {"S": "ORDER#7"}}
    ground.old.send("PutItem", {"TableName": "Shop", "Item": item})
    ground.old.send("PutItem", {"TableName": "Shop", "Item": {"PK": {"S": "ELSE#7"}, "SK": {"S": "ORDER"}, **common}})


def places(ground: Shop) -> list[str]:
    """Where the items without a type lie; no marks may be left."""
    found = [item for item in ground.items() if "Type" not in item]
    assert not any(MARKS & item.keys() for item in found)
    return [item["PK"]["S"] for item in found]


@pytest.mark.parametrize("step", WAYS, ids=IDS)
def test_they_move_and_are_counted_on_the_way(step: Step) -> None:
    with shop(*MOVED) as ground:
        ground.fill(2)
        add_untyped(ground)
        migrator = ground.migrator(file(step))
        migrator.run(write=True)
        assert written(migrator.run(write=True)) == 0
        assert migrator.digests()["Order"].items == 3
        migrator.cutover()
        assert ground.new.get(key(ground.new_module.Order, number="7")).buyer == "b"
        assert skipped(migrator.retire(write=True)) == {}
        assert places(ground) == ["ELSE#7", "SALE#7"]
        assert migrator.digests()["Order"].items == 3


@pytest.mark.parametrize("step", WAYS, ids=IDS)
@pytest.mark.parametrize("stage", ["run", "new", "retired"])
def test_they_go_back(step: Step, stage: str) -> None:
    with shop(*MOVED) as ground:
        add_untyped(ground)
        before = ground.items()
        migrator = ground.migrator(file(step))
        migrator.run(write=True)
        if stage != "run":
            migrator.cutover()
        if stage == "retired":
            migrator.retire(write=True)
        assert skipped(migrator.rollback(write=True)) == {}
        assert ground.items() == before


@pytest.mark.parametrize("step", WAYS, ids=IDS)
@pytest.mark.parametrize("renamed_first", [True, False])
def test_other_steps_find_them_under_their_old_keys(step: Step, renamed_first: bool) -> None:
    rename = RenameAttribute("Order", "state", to="status")
    steps = (rename, step) if renamed_first else (step, rename)
    with shop(*MOVED, *RENAMED) as ground:
        add_untyped(ground)
        migrator = ground.migrator(file(*steps))
        migrator.run(write=True)
        migrator.run(write=True)  # a copy follows what a step behind it did to its item
        assert written(migrator.verify()) == 0
        migrator.cutover()
        assert skipped(migrator.retire(write=True)) == {}
        assert ground.new.get(key(ground.new_module.Order, number="7")).status == "paid"
        assert places(ground) == ["ELSE#7", "SALE#7"]


def add_stamped(ground: Shop) -> None:
    """An order of somebody else's making that can be split."""
    ground.fill(1)
    ground.old.send(
        "UpdateItem",
        {
            "TableName": "Shop",
            "Key": {"PK": {"S": "ORDER#0"}, "SK": {"S": "ORDER"}},
            "UpdateExpression": "REMOVE #type",
            "ExpressionAttributeNames": {"#type": "Type"},
        },
    )


@pytest.mark.parametrize("removes", [("day",), ()])
@pytest.mark.parametrize("end", ["retire", "rollback"])
def test_their_parts_stay(removes: tuple[str, ...], end: str) -> None:
    with shop(*PIECE) as ground:
        add_stamped(ground)
        before = ground.items()
        migrator = ground.migrator(file(SplitItem("Order", by=pieces, removes=removes)))
        migrator.run(write=True)
        assert texts(ground, "0") == ["2026", "01", "01"]
        assert written(migrator.run(write=True)) == 0
        migrator.cutover()
        assert skipped(getattr(migrator, end)(write=True)) == {}
        assert texts(ground, "0") == (["2026", "01", "01"] if end == "retire" else [])
        assert days(ground) == ({} if end == "retire" and removes else {"0": "2026-01-01"})
        assert marks(ground) == []
        if end == "rollback":
            assert ground.items() == before
