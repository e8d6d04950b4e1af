"""Attributes under other names while code of both models writes: who has changed what is known, and nothing is lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tablewright import key
from tablewright.errors import ArgumentError
from tablewright.evolve.migrations import MergeAttributes, MoveEntity, RenameAttribute, SplitAttribute
from tablewright.evolve.migrations.files import read_files
from tests.evolve.migrations.tables import Shop, file, shop, skipped, written

RENAMED = [('state: str = "open"', 'status: str = "open"')]
SPLIT = [('day: str = "2026-01-01"', 'year: str = "2026"\n    rest: str = "01-01"')]
BOTH = "state and status are both there and do not agree"


def parts(day: str) -> tuple[str, str]:
    year, _, rest = day.partition("-")
    return year, rest


def joined(year: str, rest: str) -> str:
    return f"{year}-{rest}"


def rename(wins: Any = None) -> RenameAttribute:
    return RenameAttribute("Order", "state", to="status", wins=wins)


def by_old(ground: Shop, number: str, **values: Any) -> None:
    ground.old.update(key(ground.old_module.Order, number=number), set=values)


def by_new(ground: Shop, number: str, **values: Any) -> None:
    ground.new.update(key(ground.new_module.Order, number=number), set=values)


def read(ground: Shop, number: str) -> Any:
    return ground.new.run(ground.new_module.order, number)


def old_state(ground: Shop, number: str) -> Any:
    return ground.old.run(ground.old_module.order, number).state


def orders(ground: Shop) -> list[dict[str, Any]]:
    return [item for item in ground.items() if item.get("Type") == {"S": "Order"}]


def no_marks(ground: Shop) -> bool:
    return not any("Tablewright" in name for item in ground.items() for name in item)


def test_what_either_code_writes_is_taken_over() -> None:
    with shop(*RENAMED) as ground:
        ground.fill(4)
        migrator = ground.migrator(file(rename()))
        assert written(migrator.run(write=True)) == 4
        assert written(migrator.run(write=True)) == 0
        by_old(ground, "0", state="by old")
        by_new(ground, "1", status="by new")
        ground.new.create(ground.new_module.Order(number="9", buyer="b0", status="created by new"))
        told = migrator.run(write=True)
        assert (written(told), skipped(told)) == (3, {})
        assert [old_state(ground, n) for n in "0129"] == ["by old", "by new", "s2", "created by new"]
        assert written(migrator.run(write=True)) == 0
        migrator.cutover()
        assert [read(ground, n).status for n in "012"] == ["by old", "by new", "s2"]
        told = migrator.retire(write=True)
        assert skipped(told) == {}
        assert [read(ground, n).status for n in "012"] == ["by old", "by new", "s2"]
        assert no_marks(ground)
        assert all("state" not in item for item in orders(ground))


def test_retiring_loses_nothing_that_old_code_wrote_since_the_last_run() -> None:
    with shop(*RENAMED) as ground:
        ground.fill(2)
        migrator = ground.migrator(file(rename()))
        migrator.run(write=True)
        migrator.cutover()
        by_old(ground, "0", state="late")
        ground.old.create(ground.old_module.Order(number="9", buyer="b0", state="created late"))
        assert skipped(migrator.retire(write=True)) == {}
        assert [read(ground, n).status for n in "019"] == ["late", "s1", "created late"]
        assert no_marks(ground)


def test_what_both_have_changed_is_left_and_the_migration_stays_open() -> None:
    with shop(*RENAMED) as ground:
        ground.fill(2)
        migrator = ground.migrator(file(rename()))
        migrator.run(write=True)
        migrator.cutover()
        by_old(ground, "0", state="by old")
        by_new(ground, "0", status="by new")
        assert skipped(migrator.retire(write=True)) == {BOTH: 1}
        assert migrator.status()[0].state == "retiring"
        assert orders(ground)[0]["state"] == {"S": "by old"}
        assert skipped(migrator.retire(write=True)) == {BOTH: 1}
        decided = ground.migrator(file(rename("old")))
        assert skipped(decided.retire(write=True)) == {}
        assert decided.status()[0].state == "retired"
        assert read(ground, "0").status == "by old"
        assert no_marks(ground)


@pytest.mark.parametrize("wins", ["old", "new"])
def test_a_rollback_that_leaves_items_can_be_repeated(wins: str) -> None:
    with shop(*RENAMED) as ground:
        ground.fill(3)
        migrator = ground.migrator(file(rename()))
        migrator.run(write=True)
        migrator.cutover()
        by_new(ground, "1", status="by new")
        by_old(ground, "2", state="by old")
        by_old(ground, "0", state="by old")
        by_new(ground, "0", status="by new")
        assert skipped(migrator.rollback(write=True)) == {BOTH.replace("state and status", "status and state"): 1}
        assert migrator.status()[0].state == "rolling back"
        with pytest.raises(ArgumentError, match="rolling back"):
            migrator.run(write=True)
        decided = ground.migrator(file(rename(wins)))
        assert skipped(decided.rollback(write=True)) == {}
        assert decided.status()[0].state is None
        found = [ground.old.run(ground.old_module.order, n).state for n in "012"]
        assert found == [f"by {wins}", "by new", "by old"]
        assert no_marks(ground)
        assert all("status" not in item for item in orders(ground))


def test_code_that_writes_both_and_later_only_the_new_one_loses_nothing() -> None:
    both = [('state: str = "open"', 'state: str | None = None\n    status: str = "open"')]
    with shop(*both) as ground:
        ground.fill(3)
        migrator = ground.migrator(file(rename("old")))
        migrator.run(write=True)
        by_new(ground, "0", state="both", status="both")
        ground.new.create(ground.new_module.Order(number="9", buyer="b0", state="made", status="made"))
        # They agree: nothing has to be done for that, and nobody is kept from cutting over.
        assert written(migrator.verify()) == written(migrator.run(write=False)) == 0
        assert written(migrator.run(write=True)) == 0
        migrator.cutover()
        for number in "0129":
            by_new(ground, number, status="only the new one")
        assert skipped(migrator.retire(write=True)) == {}
        assert {read(ground, n).status for n in "0129"} == {"only the new one"}
        assert no_marks(ground)


@pytest.mark.parametrize("end", ["retire", "rollback"])
@pytest.mark.parametrize("again", [True, False])
def test_what_was_removed_stays_away(end: str, again: bool) -> None:
    was = 'state: str = "open"'
    with shop((was, "status: str | None = None"), before=[(was, "state: str | None = None")]) as ground:
        ground.fill(3)
        migrator = ground.migrator(file(rename()))
        migrator.run(write=True)
        migrator.cutover()
        by_new(ground, "0", status=None)
        by_old(ground, "1", state=None)
        if again:
            migrator.run(write=True)
        assert skipped(getattr(migrator, end)(write=True)) == {}
        name = "status" if end == "retire" else "state"
        assert [item.get(name, {}).get("S") for item in orders(ground)] == [None, None, "s2"]
        assert no_marks(ground)


@pytest.mark.parametrize("end", ["retire", "rollback"])
def test_what_a_function_cannot_bring_back_is_what_it_was_where_nobody_touched_it(end: str) -> None:
    step = SplitAttribute("Order", "day", into=("year", "rest"), by=lambda day: day.split(), back=joined)
    with shop(*SPLIT) as ground:
        ground.fill(3)
        for number in "012":
            by_old(ground, number, day="2026  01")
        migrator = ground.migrator(file(step))
        migrator.run(write=True)
        assert written(migrator.run(write=True)) == 0
        migrator.cutover()
        by_new(ground, "1", year="2030")
        migrator.run(write=True)
        assert written(migrator.run(write=True)) == 0
        assert skipped(getattr(migrator, end)(write=True)) == {}
        found = [{name: item.get(name, {}).get("S") for name in ("day", "year", "rest")} for item in orders(ground)]
        gone: dict[str, None] = dict.fromkeys(("day", "year", "rest"))
        if end == "retire":
            assert found[:2] == [gone | {"year": "2026", "rest": "01"}, gone | {"year": "2030", "rest": "01"}]
        else:
            assert found[:2] == [gone | {"day": "2026  01"}, gone | {"day": "2030-01"}]
        assert no_marks(ground)


@pytest.mark.parametrize("end", ["retire", "rollback"])
def test_functions_and_several_attributes(end: str) -> None:
    step = SplitAttribute("Order", "day", into=("year", "rest"), by=parts, back=joined)
    with shop(*SPLIT) as ground:
        ground.fill(3)
        migrator = ground.migrator(file(step))
        migrator.run(write=True)
        migrator.cutover()
        by_old(ground, "0", day="2027-02-02")
        by_new(ground, "1", year="2030")
        told = getattr(migrator, end)(write=True)
        assert skipped(told) == {}
        if end == "retire":
            assert [(read(ground, n).year, read(ground, n).rest) for n in "01"] == [
                ("2027", "02-02"),
                ("2030", "01-01"),
            ]
        else:
            assert [ground.old.run(ground.old_module.order, n).day for n in "01"] == ["2027-02-02", "2030-01-01"]
        assert no_marks(ground)


def test_merging_is_the_same_the_other_way() -> None:
    step = MergeAttributes(
        "Order", ("state", "day"), into="both", by=lambda s, d: f"{s}|{d}", back=lambda b: b.split("|")
    )
    with shop() as ground:
        ground.fill(2)
        migrator = ground.migrator(file(step))
        migrator.run(write=True)
        by_old(ground, "0", state="later")
        assert (written(migrator.run(write=True)), orders(ground)[0]["both"]) == (1, {"S": "later|2026-01-01"})
        assert skipped(migrator.rollback(write=True)) == {}
        assert orders(ground)[0]["state"] == {"S": "later"}
        assert no_marks(ground)


def test_an_attribute_that_was_taken_away_since_is_not_brought_back() -> None:
    optional = [('state: str = "open"', "state: str | None = None")]
    renamed = [('state: str = "open"', "status: str | None = None")]
    with shop(*renamed, before=optional) as ground:
        ground.fill(2)
        migrator = ground.migrator(file(rename()))
        migrator.run(write=True)
        by_new(ground, "0", status=None)
        assert skipped(migrator.rollback(write=True)) == {}
        assert [ground.old.run(ground.old_module.order, n).state for n in "01"] == [None, "s1"]
        assert no_marks(ground)


def test_who_wins_may_be_said_when_it_is_known_what_differs(tmp_path: Path) -> None:
    text = (
        "from tablewright.evolve.migrations import Migration, RenameAttribute\n"
        'migration = Migration([RenameAttribute("Order", "state", to="status"%s)])\n'
    )
    digests = set()
    for more in ("", ', wins="old"', ", wins='new'"):
        (tmp_path / "0001_change.py").write_text(text % more)
        digests.add(read_files(tmp_path)[0].digest)
    assert len(digests) == 1


def test_items_without_a_type_are_told_by_their_keys() -> None:
    with shop(*RENAMED) as ground:
        ground.fill(1)
        untyped = {"PK": {"S": "ORDER#7"}, "SK": {"S": "ORDER"}, "number": {"S": "7"}, "buyer": {"S": "b"}}
        ground.old.send("PutItem", {"TableName": "Shop", "Item": {**untyped, "state": {"S": "paid"}}})
        ground.old.send("PutItem", {"TableName": "Shop", "Item": {"PK": {"S": "ORDER#8"}, "SK": {"S": "else"}}})
        migrator = ground.migrator(file(rename()))
        assert written(migrator.run(write=True)) == 2
        assert migrator.digests()["Order"].items == 2
        migrator.cutover()
        assert skipped(migrator.retire(write=True)) == {}
        assert read(ground, "7").status == "paid"
        assert no_marks(ground)


@pytest.mark.parametrize("end", ["retire", "rollback"])
def test_what_was_deleted_softly_comes_back_in_the_form_that_stays(end: str) -> None:
    plain = "class Order(Entity, table=shop"
    kept = [("from tablewright import GSI", "from datetime import timedelta\nfrom tablewright import GSI, SoftDelete")]
    kept.append((plain, f"{plain}, soft_delete=SoftDelete(keep=timedelta(days=30))"))
    with shop(*kept, *RENAMED, before=kept) as ground:
        ground.fill(3)
        ground.old.delete(key(ground.old_module.Order, number="0"))
        migrator = ground.migrator(file(rename()))
        assert written(migrator.run(write=True)) == 3
        assert written(migrator.run(write=True)) == 0
        migrator.cutover()
        ground.new.delete(key(ground.new_module.Order, number="1"))
        assert skipped(getattr(migrator, end)(write=True)) == {}
        db, module = (ground.new, ground.new_module) if end == "retire" else (ground.old, ground.old_module)
        for number in "01":
            found: Any = db.undelete(key(module.Order, number=number))
            assert (found.status if end == "retire" else found.state) == f"s{number}"
        assert no_marks(ground)


def test_what_was_of_a_pair_is_noted_in_the_same_run() -> None:
    both = [('state: str = "open"', 'state: str | None = None\n    status: str = "open"')]
    moved = [('Keys("ORDER#{number}", "ORDER", GSI1', 'Keys("SALE#{number}", "SALE", GSI1')]
    with shop(*both, *moved) as ground:
        ground.fill(3)
        move = MoveEntity("Order", was=("ORDER#{number}", "ORDER"))
        migrator = ground.migrator(file(rename("old"), move))
        migrator.run(write=True)
        migrator.cutover()
        for number in "01":
            by_new(ground, number, state="both", status="both")
        migrator.run(write=True)
        for number in "012":
            by_new(ground, number, status="only the new one")
        assert skipped(migrator.retire(write=True)) == {}
        assert {read(ground, n).status for n in "012"} == {"only the new one"}
        assert no_marks(ground)
