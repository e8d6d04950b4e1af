"""One run is enough, wherever steps stand: in a file, in several that are open, and with items that have two keys."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright import key
from tablewright.errors import ArgumentError
from tablewright.evolve.migrations import (
    AddIndex,
    DropIndex,
    FillKeys,
    MoveEntity,
    RenameAttribute,
    ToMultiAttributeKeys,
    UpgradeEntity,
)
from tablewright.evolve.migrations.migrator import Told
from tests.evolve.migrations.tables import Shop, file, shop, skipped, written

RENAMED = ('    state: str = "open"\n', '    status: str = "open"\n')
MOVED = ('Keys("ORDER#{number}", "ORDER", GSI1', 'Keys("SALE#{number}", "SALE", GSI1')
RENAME = RenameAttribute("Order", "state", to="status")
MOVE = MoveEntity("Order", was=("ORDER#{number}", "ORDER"))
FILES = {
    "in one file": (file(RENAME, MOVE),),
    "in one file, moved first": (file(MOVE, RENAME),),
    "moved first": (file(MOVE), file(RENAME, name="0002_second", digest="two")),
    "renamed first": (file(RENAME), file(MOVE, name="0002_second", digest="two")),
}


def left(told: tuple[Told, ...]) -> int:
    return sum(one.outcome.left for one in told)


def one_run(ground: Shop, *files: Any) -> None:
    assert skipped(ground.migrator(*files).run(write=True)) == {}
    assert left(ground.migrator(*files).verify()) == 0
    assert left(ground.migrator(*files).run(write=True)) == 0


@pytest.mark.parametrize("verb", ["put", "update"])
@pytest.mark.parametrize("how", FILES)
def test_what_new_code_wrote_under_the_new_key_is_in_both_forms(how: str, verb: str) -> None:
    files = FILES[how]
    with shop(MOVED, RENAMED) as ground:
        ground.fill(3)
        one_run(ground, *files)
        new = ground.new_module
        if verb == "put":
            ground.new.put(new.Order(number="1", buyer="b1", status="shipped"))
        else:
            ground.new.update(key(new.Order, number="1"), set={"status": "shipped"})
        one_run(ground, *files)
        old = {order.number: order.state for order in ground.old.run(ground.old_module.orders_of, "b1")}
        assert old == {"1": "shipped"}
        for one in files:
            ground.migrator(*files).cutover(one.name)


@pytest.mark.parametrize("how", FILES)
def test_copies_have_what_a_later_step_made(how: str) -> None:
    first, *later = FILES[how]
    with shop(MOVED, RENAMED) as ground:
        ground.fill(3)
        one_run(ground, first)
        one_run(ground, first, *later)
        assert [ground.new.run(ground.new_module.order, n).status for n in "012"] == ["s0", "s1", "s2"]
        ground.new.update(key(ground.new_module.Order, number="1"), set={"day": "later"})
        one_run(ground, first, *later)
        assert ground.new.run(ground.new_module.order, "1").status == "s1"


def test_what_is_not_cut_over_while_copies_do_not_follow() -> None:
    files = FILES["moved first"]
    with shop(MOVED, RENAMED) as ground:
        ground.fill(3)
        one_run(ground, *files)
        ground.old.update(key(ground.old_module.Order, number="1"), set={"day": "later"})
        with pytest.raises(ArgumentError, match="0002_second is not finished: 1 item"):
            ground.migrator(*files).cutover("0002_second")
        one_run(ground, *files)
        assert ground.migrator(*files).cutover("0002_second") == "0002_second"


@pytest.mark.parametrize("end", ["retire", "rollback"])
def test_an_end_makes_pairs_of_another_migration_alike(end: str) -> None:
    files = FILES["renamed first" if end == "retire" else "moved first"]
    with shop(MOVED, RENAMED) as ground:
        ground.fill(3)
        one_run(ground, *files)
        ground.migrator(*files).cutover("0001_change")
        ended = getattr(ground.migrator(*files), end)
        assert skipped(ended(write=True)) == {}
        pairs = [item for item in ground.items() if item["Type"] == {"S": "Order"}]
        assert len(pairs) == 6
        gone, kept = ("state", "status") if end == "retire" else ("status", "state")
        assert all(gone not in item and kept in item for item in pairs)


MULTI = [
    ('indexes=[GSI("GSI1")]', 'indexes=[GSI("Multi", pk="b", sk=["s", "n"])]'),
    ('GSI1=("BUYER#{buyer}", "ORDER#{number}")', 'Multi=("{buyer}", ("{status}", "{number}"))'),
    RENAMED,
]
TO_MULTI = ToMultiAttributeKeys(
    ("Order",),
    AddIndex("Multi", pk=("b (S)",), sk=("s (S)", "n (S)")),
    instead_of=DropIndex("GSI1", pk=("GSI1PK (S)",), sk=("GSI1SK (S)",)),
    was=(("BUYER#{buyer}", "ORDER#{number}"),),
)


@pytest.mark.parametrize("steps", [(TO_MULTI, RENAME), (RENAME, TO_MULTI)], ids=["in front", "behind"])
def test_a_new_index_is_filled_behind_attributes_wherever_it_stands(steps: Any) -> None:
    migration = file(*steps)
    with shop(*MULTI) as ground:
        ground.fill(3)
        before = ground.items()
        one_run(ground, migration)
        assert skipped(ground.migrator(migration).rollback(write=True)) == {}
        assert ground.items() == before
        one_run(ground, migration)
        ground.migrator(migration).cutover()
        ground.old.update(key(ground.old_module.Order, number="1"), set={"state": "late"})
        assert skipped(ground.migrator(migration).retire(write=True)) == {}
        found = {i["number"]["S"]: i["s"]["S"] for i in ground.items() if i["Type"] == {"S": "Order"}}
        assert found == {"0": "s0", "1": "late", "2": "s2"}


UPCAST = """
@shop.upcast(Order, 1)
def dated(item: dict[str, object]) -> dict[str, object]:
    return {**item, "date": item.pop("day")}

@shop.downcast(Order, 2)
def undated(item: dict[str, object]) -> dict[str, object]:
    return {**item, "day": item.pop("date")}
"""
LAST = "return query(Note, Note.number == number)\n"


@pytest.mark.parametrize("end", ["retire", "rollback after it"])
def test_older_versions_are_looked_at_behind_attributes_wherever_it_stands(end: str) -> None:
    migration = file(UpgradeEntity("Order", was=1), RENAME)
    new = [
        ('    state: str = "open"\n    day: str = "2026-01-01"\n', "    status: str\n    date: str\n"),
        ("class Order(Entity, table=shop)", "class Order(Entity, table=shop, schema_version=2)"),
        (LAST, LAST + UPCAST),
    ]
    with shop(*new) as ground:
        ground.fill(3)
        one_run(ground, migration)
        ground.migrator(migration).cutover()
        assert skipped(ground.migrator(migration).retire(write=True)) == {}
        assert [(s, d) for _, s, d in orders(ground, "status", "date")] == [(f"s{n}", "2026-01-01") for n in "012"]
        assert {s for _, s, _ in orders(ground, "state", "day")} == {None}
        if end != "retire":
            assert skipped(ground.migrator(migration).rollback(write=True)) == {}
            assert orders(ground, "state", "day") == [("1", f"s{n}", "2026-01-01") for n in "012"]


def orders(ground: Shop, *names: str) -> list[tuple[str | None, ...]]:
    """Their schema version, and some attributes."""
    found = [item for item in ground.items() if item["Type"] == {"S": "Order"}]
    return [
        (item.get("SchemaVersion", {}).get("N"), *(item.get(name, {}).get("S") for name in names)) for item in found
    ]


def test_keys_of_a_later_migration_are_not_filled_before_it() -> None:
    by_status = [
        ('indexes=[GSI("GSI1")]', 'indexes=[GSI("GSI1"), GSI("GSI2")]'),
        ('"ORDER#{number}"))', '"ORDER#{number}"), GSI2=("STATUS#{status}", "{number}"))'),
        RENAMED,
    ]
    second = file(
        AddIndex("GSI2", pk=("GSI2PK (S)",), sk=("GSI2SK (S)",)),
        FillKeys("Order", "GSI2"),
        name="0002_second",
        digest="two",
    )
    with shop(*by_status) as ground:
        ground.fill(3)
        before = ground.items()
        assert written(ground.migrator(file(RENAME), second).run(write=True, to="0001_change")) == 3
        assert not any("GSI2PK" in item for item in ground.items())
        assert skipped(ground.migrator(file(RENAME), second).rollback(write=True)) == {}
        assert ground.items() == before


def test_what_the_newest_code_wrote_goes_back_through_all_that_renamed_it() -> None:
    files = [
        file(RenameAttribute("Order", before, to=after), name=f"000{number}_rename", digest=before)
        for number, (before, after) in enumerate((("state", "status"), ("status", "phase"), ("phase", "stage")), 1)
    ]
    with shop(('    state: str = "open"\n', '    stage: str = "open"\n')) as ground:
        ground.fill(2)
        one_run(ground, *files)
        ground.new.update(key(ground.new_module.Order, number="1"), set={"stage": "shipped"})
        assert written(ground.migrator(*files).run(write=False)) == 3
        one_run(ground, *files)
        assert ground.old.get(key(ground.old_module.Order, number="1")).state == "shipped"
        ground.old.update(key(ground.old_module.Order, number="0"), set={"state": "lost"})
        one_run(ground, *files)
        assert ground.new.get(key(ground.new_module.Order, number="0")).stage == "lost"
