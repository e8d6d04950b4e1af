"""Items that are split while code of both models writes: nothing that anybody wrote is lost, nothing deleted comes back."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright import key
from tablewright.errors import ArgumentError
from tablewright.evolve.migrations import (
    AddIndex,
    FillKeys,
    Migration,
    MoveEntity,
    RemoveAttributes,
    RenameAttribute,
    SplitAttribute,
    SplitItem,
)
from tablewright.evolve.migrations.migrator import Migrator
from tablewright.evolve.migrations.works.splitting import BOTH, CHANGED, OTHERWISE, TAKEN
from tablewright.evolve.migrations.works.straying import ALONE, ANEW
from tests.evolve.migrations.tables import Shop, Through, file, shop, skipped, written

PIECE = [
    (
        "class Note(Entity",
        'class Piece(Entity, table=shop):\n    keys = Keys("ORDER#{number}", "PIECE#{n:3}")\n'
        "    number: str\n    n: int\n    text: str\n\nclass Note(Entity",
    )
]
RENAMED = [('    state: str = "open"\n', '    status: str = "open"\n')]
MOVED = [('Keys("ORDER#{number}", "ORDER", GSI1', 'Keys("SALE#{number}", "SALE", GSI1')]
BY_STATE = [
    ('indexes=[GSI("GSI1")]', 'indexes=[GSI("GSI1"), GSI("GSI2")]'),
    ('"ORDER#{number}"))', '"ORDER#{number}"), GSI2=("STATE#{state}", "ORDER#{number}"))'),
]
MOVE = MoveEntity("Order", was=("ORDER#{number}", "ORDER"))
BESIDE: dict[str, tuple[list[tuple[str, str]], list[Any]]] = {
    "rename": (RENAMED, [RenameAttribute("Order", "state", to="status")]),
    "move": (MOVED, [MOVE]),
    "fill": (BY_STATE, [AddIndex("GSI2", pk=("GSI2PK (S)",), sk=("GSI2SK (S)",)), FillKeys("Order", "GSI2")]),
}


def pieces(item: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    texts = enumerate(item["day"].split("-"))
    return [("Piece", {"number": item["number"], "n": n, "text": text}) for n, text in texts]


def joined(item: dict[str, Any], parts: list[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    assert all(name == "Piece" and fields["number"] == item["number"] for name, fields in parts)
    return {"day": "-".join(fields["text"] for _, fields in parts) or None}


STEP = SplitItem("Order", by=pieces, removes=("day",), parts=("Piece",))
KEEPING = SplitItem("Order", by=pieces, parts=("Piece",))
BACK = SplitItem("Order", by=pieces, removes=("day",), back=joined, parts=("Piece",))


def texts(ground: Shop, number: str = "1") -> list[str]:
    """What the parts of an order say."""
    return [i["text"]["S"] for i in ground.items() if i["PK"] == {"S": f"ORDER#{number}"} and "text" in i]


def days(ground: Shop) -> dict[str, str]:
    """What orders have that are not left to their parts."""
    return {item["number"]["S"]: item["day"]["S"] for item in ground.items() if "day" in item}


def marks(ground: Shop) -> list[str]:
    return [name for item in ground.items() for name in item if name.startswith("Tablewright")]


def old_sets(ground: Shop, day: str, number: str = "1") -> None:
    ground.old.update(key(ground.old_module.Order, number=number), set={"day": day})


def old_deletes(ground: Shop, number: str = "1") -> None:
    ground.old.delete(key(ground.old_module.Order, number=number))


def new_sets(ground: Shop, text: str, n: int = 1, number: str = "1") -> None:
    ground.new.update(key(ground.new_module.Piece, number=number, n=n), set={"text": text})


def new_deletes(ground: Shop, n: int = 1, number: str = "1") -> None:
    ground.new.delete(key(ground.new_module.Piece, number=number, n=n))


def begun(ground: Shop, *steps: Any, orders: int = 2) -> Migrator:
    """A migration that has run."""
    ground.fill(orders)
    migrator = ground.migrator(file(*steps))
    assert skipped(migrator.run(write=True)) == {}
    return migrator


# ------------------------------------------------------------------------------------------------- retiring


def test_retiring_splits_what_old_code_wrote_since() -> None:
    with shop(*PIECE) as ground:
        migrator = begun(ground, STEP)
        migrator.cutover()
        old_sets(ground, "x-y")
        ground.old.create(ground.old_module.Order(number="late", buyer="b", day="a-b-c-d"))
        assert written(migrator.retire(write=False)) == 3
        assert skipped(migrator.retire(write=True)) == {}
        assert (texts(ground), texts(ground, "late")) == (["x", "y"], ["a", "b", "c", "d"])
        assert (days(ground), marks(ground)) == ({}, [])
        assert migrator.status()[0].state == "retired"


def test_what_cannot_be_split_anew_is_kept_and_told_until_it_is_settled() -> None:
    with shop(*PIECE) as ground:
        migrator = begun(ground, STEP)
        migrator.cutover()
        old_sets(ground, "x-y-z")
        new_sets(ground, "mine")
        assert skipped(migrator.retire(write=True)) == {BOTH: 1}
        assert (days(ground), texts(ground)) == ({"1": "x-y-z"}, ["2026", "mine", "01"])
        assert migrator.status()[0].state == "retiring"
        old_sets(ground, "2026-01-01")  # what the parts were made of
        assert skipped(migrator.retire(write=True)) == {}
        assert (days(ground), texts(ground), marks(ground)) == ({}, ["2026", "mine", "01"], [])
        assert migrator.status()[0].state == "retired"


def test_what_changes_at_any_request_of_retiring_is_not_cleared() -> None:
    number, ended = 0, False
    while not ended:
        number += 1
        with shop(*PIECE) as ground:
            begun(ground, STEP).cutover()

            def write(count: int, ground: Shop = ground, at: int = number) -> None:
                if count == at:
                    old_sets(ground, "x-y-z")

            through: list[Through] = []

            def between(inner: Any, write: Any = write, through: list[Through] = through) -> Through:
                through.append(Through(inner, write, lambda n: None))
                return through[0]

            migrator = ground.migrator(file(STEP), session=ground.opened(between))
            migrator.retire(write=True)
            ended = through[0].count < number
            if not ended:
                assert texts(ground) == ["x", "y", "z"] or days(ground)["1"] == "x-y-z", number
    assert number > 8


def test_new_code_decides_about_parts_of_an_item_that_is_as_it_was() -> None:
    with shop(*PIECE) as ground:
        migrator = begun(ground, STEP)
        migrator.cutover()
        new_sets(ground, "mine")
        new_deletes(ground, 2)
        assert (written(migrator.run(write=True)), skipped(migrator.verify())) == (0, {})
        assert skipped(migrator.retire(write=True)) == {}
        assert (days(ground), texts(ground), marks(ground)) == ({}, ["2026", "mine"], [])


def test_what_is_only_split_is_retired_too() -> None:
    with shop(*PIECE) as ground:
        migrator = begun(ground, KEEPING)
        migrator.cutover()
        new_deletes(ground, 2)
        old_sets(ground, "x-y", "0")
        ground.old.create(ground.old_module.Order(number="late", buyer="b", day="a-b"))
        assert skipped(migrator.retire(write=True)) == {}
        assert [texts(ground, n) for n in ("0", "1", "late")] == [["x", "y"], ["2026", "01"], ["a", "b"]]
        assert (len(days(ground)), marks(ground)) == (3, [])


# ------------------------------------------------------------------------------------------------- running


def test_an_item_that_was_put_anew_takes_over_its_parts() -> None:
    with shop(*PIECE) as ground:
        migrator = begun(ground, STEP)
        old_deletes(ground)
        ground.old.create(ground.old_module.Order(number="1", buyer="b", day="x-y"))
        assert written(migrator.verify()) == 1
        assert skipped(migrator.run(write=True)) == {}
        assert texts(ground) == ["x", "y"]
        assert [told.outcome.left for told in migrator.verify()] == [0, 0]


def test_an_item_that_both_have_changed_is_told() -> None:
    with shop(*PIECE) as ground:
        migrator = begun(ground, STEP)
        old_sets(ground, "x-y-z")
        new_deletes(ground)
        assert skipped(migrator.run(write=True)) == {BOTH: 1}
        assert (days(ground)["1"], texts(ground)) == ("x-y-z", ["2026", "01"])
        with pytest.raises(ArgumentError, match="not finished"):
            migrator.cutover()


def test_a_place_that_is_taken_is_told() -> None:
    with shop(*PIECE) as ground:
        ground.fill(1)
        ground.new.create(ground.new_module.Piece(number="0", n=1, text="other"))
        migrator = ground.migrator(file(STEP))
        assert skipped(migrator.run(write=True)) == {TAKEN: 1}
        assert texts(ground, "0") == ["other"]


def test_parts_go_with_their_item() -> None:
    with shop(*PIECE) as ground:
        migrator = begun(ground, STEP)
        old_deletes(ground)
        new_sets(ground, "mine", number="0")
        assert written(migrator.verify()) == 3
        assert written(migrator.run(write=True)) == 3
        assert (texts(ground), texts(ground, "0")) == ([], ["2026", "mine", "01"])
        assert [told.outcome.left for told in migrator.verify()] == [0, 0]


@pytest.mark.parametrize("stage", ["run", "retire"])
def test_a_part_that_new_code_has_changed_outlives_its_item(stage: str) -> None:
    with shop(*PIECE) as ground:
        migrator = begun(ground, STEP)
        migrator.cutover()
        old_deletes(ground)
        new_sets(ground, "mine")
        assert skipped(getattr(migrator, stage)(write=True)) == {}
        assert texts(ground) == ["mine"]
        if stage == "run":
            assert [told.outcome.left for told in migrator.verify()] == [0, 0]
            migrator.retire(write=True)
        assert (texts(ground), marks(ground), days(ground)) == (["mine"], [], {})


def test_two_migrations_do_not_take_the_parts_of_each_other_for_their_own() -> None:
    def others(item: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        return [("Piece", {"number": item["number"], "n": 100, "text": item["state"]})]

    with shop(*PIECE) as ground:
        first = file(STEP)
        second = file(SplitItem("Order", by=others, removes=("day",)), name="0002_more", digest="two")
        ground.fill(1)
        assert skipped(ground.migrator(first, second).run(write=True)) == {OTHERWISE: 1}


def test_parts_of_an_item_that_cannot_be_split_any_more_stay_until_it_is_settled() -> None:
    def dashed(item: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        if "-" not in item["day"]:
            raise LookupError
        return pieces(item)

    with shop(*PIECE) as ground:
        migrator = begun(ground, SplitItem("Order", by=dashed, removes=("day",)))
        migrator.cutover()
        old_deletes(ground)
        ground.old.create(ground.old_module.Order(number="1", buyer="b", day="other"))
        failed = {"dashed() failed with LookupError": 1}
        assert skipped(migrator.run(write=True)) == failed
        assert texts(ground) == ["2026", "01", "01"]
        assert skipped(migrator.retire(write=True)) == {**failed, ANEW: 3}
        assert (texts(ground), days(ground)) == (["2026", "01", "01"], {"1": "other"})
        old_sets(ground, "x-y")
        assert skipped(migrator.retire(write=True)) == {}
        assert (texts(ground), days(ground), marks(ground)) == (["x", "y"], {}, [])


# ------------------------------------------------------------------------------------------------- back


def test_rolling_back_keeps_what_old_code_wrote() -> None:
    with shop(*PIECE) as ground:
        migrator = begun(ground, STEP)
        old_sets(ground, "x-y-z")
        assert skipped(migrator.rollback(write=True)) == {}
        assert (days(ground), texts(ground), marks(ground)) == ({"0": "2026-01-01", "1": "x-y-z"}, [], [])


def test_rolling_back_makes_the_item_of_its_parts_as_they_are() -> None:
    with shop(*PIECE) as ground:
        migrator = begun(ground, BACK, orders=4)
        new_sets(ground, "mine", 1, "0")
        new_deletes(ground, 0, "1")
        for n in range(3):
            new_deletes(ground, n, "2")
        new_deletes(ground, 2, "3")
        ground.new.create(ground.new_module.Piece(number="3", n=2, text="anew"))
        assert skipped(migrator.rollback(write=True)) == {}
        assert days(ground) == {"0": "2026-mine-01", "1": "01-01", "3": "2026-01-anew"}
        assert (marks(ground), [texts(ground, f"{n}") for n in range(4)]) == ([], [[], [], [], []])
        assert migrator.status()[0].state is None


def test_what_back_does_not_manage_is_told() -> None:
    def fails(item: dict[str, Any], parts: list[Any]) -> dict[str, Any]:
        raise LookupError(item)

    def moves(item: dict[str, Any], parts: list[Any]) -> dict[str, Any]:
        return {"PK": "elsewhere"}

    for back, told in ((fails, "failed with LookupError"), (moves, "returned what an item is found by")):
        with shop(*PIECE) as ground:
            migrator = begun(ground, SplitItem("Order", by=pieces, removes=("day",), back=back))
            new_deletes(ground)
            assert skipped(migrator.rollback(write=True)) == {f"{back.__name__}() {told}": 1}
            assert (len(days(ground)), texts(ground)) == (2, ["2026", "01"])


@pytest.mark.parametrize("change", [new_deletes, lambda ground: new_sets(ground, "mine")])
def test_parts_that_were_changed_are_told_where_nothing_brings_them_back(change: Any) -> None:
    with shop(*PIECE) as ground:
        migrator = begun(ground, STEP)
        change(ground)
        left = texts(ground)
        assert skipped(migrator.rollback(write=False)) == skipped(migrator.rollback(write=True)) == {CHANGED: 1}
        assert (texts(ground), texts(ground, "0"), len(days(ground))) == (left, [], 2)
        assert migrator.status()[0].state == "rolling back"


def test_an_item_is_kept_as_it_is_by_taking_its_mark_off() -> None:
    with shop(*PIECE) as ground:
        migrator = begun(ground, STEP)
        new_deletes(ground)
        assert skipped(migrator.rollback(write=True)) == {CHANGED: 1}
        own = {"PK": {"S": "ORDER#1"}, "SK": {"S": "ORDER"}}
        ground.old.send("UpdateItem", {"TableName": "Shop", "Key": own, "UpdateExpression": "REMOVE TablewrightSplit"})
        assert skipped(migrator.rollback(write=True)) == {}
        assert (texts(ground), len(days(ground)), marks(ground)) == ([], 2, [])


def test_both_changed_is_told_on_the_way_back_too() -> None:
    with shop(*PIECE) as ground:
        migrator = begun(ground, BACK)
        new_sets(ground, "mine")
        old_sets(ground, "x-y-z")
        assert skipped(migrator.rollback(write=True)) == {BOTH: 1}
        assert (days(ground)["1"], texts(ground)) == ("x-y-z", ["2026", "mine", "01"])


def test_parts_whose_item_is_gone_go_on_the_way_back_or_are_told() -> None:
    with shop(*PIECE) as ground:
        migrator = begun(ground, STEP)
        old_deletes(ground)
        new_sets(ground, "mine")
        assert skipped(migrator.rollback(write=True)) == {ALONE: 1}
        assert (texts(ground), list(days(ground))) == (["mine"], ["0"])
        new_deletes(ground)
        assert skipped(migrator.rollback(write=True)) == {}
        assert (marks(ground), migrator.status()[0].state) == ([], None)


# ------------------------------------------------------------------------------------------------- beside other steps


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("step", [STEP, KEEPING])
@pytest.mark.parametrize("case", BESIDE)
@pytest.mark.parametrize("end", ["retire", "rollback"])
def test_other_steps_do_not_look_as_if_an_item_had_been_changed(case: str, step: Any, first: bool, end: str) -> None:
    replacements, others = BESIDE[case]
    with shop(*PIECE, *replacements) as ground:
        ground.fill(2)
        before = ground.items()
        migrator = ground.migrator(file(*([step, *others] if first else [*others, step])))
        for _ in range(2):
            assert skipped(migrator.run(write=True)) == {}
        assert (written(migrator.run(write=True)), skipped(migrator.verify())) == (0, {})
        migrator.cutover()
        assert skipped(getattr(migrator, end)(write=True)) == {}
        assert marks(ground) == []
        if end == "rollback":
            assert ground.items() == before
            return
        assert [texts(ground, f"{n}") for n in range(2)] == [["2026", "01", "01"]] * 2
        assert len(days(ground)) == (0 if step is STEP else 2)
        assert [order.number for order in ground.new.run(ground.new_module.orders_of, "b1")] == ["1"]


@pytest.mark.parametrize("steps", [[STEP, MOVE], [MOVE, STEP]])
def test_an_item_that_has_moved_keeps_its_parts(steps: list[Any]) -> None:
    """Code of the new model has written it under its new key, so that it lies there alone."""
    with shop(*PIECE, *MOVED) as ground:
        migrator = begun(ground, *steps)
        migrator.run(write=True)
        ground.new.update(key(ground.new_module.Order, number="1"), set={"state": "mine"})
        for _ in range(2):
            assert skipped(migrator.run(write=True)) == {}
        assert [item["PK"]["S"] for item in ground.items() if item.get("number") == {"S": "1"} and "day" in item] == [
            "SALE#1"
        ]
        assert texts(ground) == ["2026", "01", "01"]
        migrator.cutover()
        assert skipped(migrator.retire(write=True)) == {}
        assert (texts(ground), marks(ground), days(ground)) == (["2026", "01", "01"], [], {})


@pytest.mark.parametrize("steps", [[STEP, MOVE], [MOVE, STEP]])
def test_parts_of_an_item_that_has_moved_are_not_taken_for_left_alone(steps: list[Any]) -> None:
    with shop(*PIECE, *MOVED) as ground:
        migrator = begun(ground, *steps)
        migrator.run(write=True)
        migrator.cutover()
        old_sets(ground, "x-y-z")
        new_sets(ground, "mine")
        for _ in range(2):
            assert skipped(migrator.retire(write=True)) == {BOTH: 1}
            assert (texts(ground), days(ground)) == (["2026", "mine", "01"], {"1": "x-y-z"})


def test_parts_are_told_where_their_item_lies_after_another_migration_was_rolled_back() -> None:
    with shop(*PIECE, *MOVED) as ground:
        split, move = file(STEP), file(MOVE, name="0002_move", digest="two")
        ground.new.create(ground.new_module.Order(number="1", buyer="b"))
        assert skipped(ground.migrator(split, move).run(write=True)) == {}
        assert skipped(ground.migrator(split, move).rollback(write=True)) == {}
        assert {item["PK"]["S"] for item in ground.items()} == {"ORDER#1"}
        new_sets(ground, "mine")
        for writes in (1, 0):
            told = ground.migrator(split).run(write=True)
            assert (written(told), skipped(told), texts(ground)) == (writes, {}, ["2026", "mine", "01"])


def test_keys_on_indexes_are_no_change_of_a_part() -> None:
    with shop(*PIECE) as ground:
        migrator = begun(ground, STEP)
        own = {"PK": {"S": "ORDER#1"}, "SK": {"S": "PIECE#001"}}
        update = {"UpdateExpression": "SET GSI1PK = :k", "ExpressionAttributeValues": {":k": {"S": "k"}}}
        ground.old.send("UpdateItem", {"TableName": "Shop", "Key": own, **update})
        assert skipped(migrator.rollback(write=True)) == {}
        assert texts(ground) == []


def test_items_are_left_to_their_parts_before_other_steps_remove_what_those_are_made_of() -> None:
    def states(item: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        return [("Piece", {"number": item["number"], "n": 0, "text": item["state"]})]

    with shop(*PIECE, *RENAMED) as ground:
        rename = RenameAttribute("Order", "state", to="status")
        migrator = begun(ground, rename, SplitItem("Order", by=states))
        migrator.cutover()
        ground.old.update(key(ground.old_module.Order, number="1"), set={"state": "late"})
        assert skipped(migrator.retire(write=True)) == {}
        assert (texts(ground), marks(ground)) == (["late"], [])


def test_what_parts_note_is_no_part_of_their_digest() -> None:
    with shop(*PIECE) as ground:
        migrator = begun(ground, STEP)
        migrator.cutover()
        before = migrator.digests()["Piece"]
        assert "TablewrightPartOf" in marks(ground)
        migrator.retire(write=True)
        assert (migrator.digests()["Piece"], marks(ground)) == (before, [])


def test_old_code_that_changes_what_parts_are_made_of_is_heard_where_nothing_is_removed() -> None:
    with shop(*PIECE, *RENAMED) as ground:
        migrator = begun(ground, KEEPING, RenameAttribute("Order", "state", to="status"))
        ground.old.update(key(ground.old_module.Order, number="1"), set={"state": "else"})
        assert written(migrator.run(write=True)) == 1, "the rename alone"
        old_sets(ground, "x-y")
        assert written(migrator.run(write=True)) == 1
        assert texts(ground) == ["x", "y"]


def test_steps_that_need_what_a_split_removes_contradict_it() -> None:
    def halves(day: str) -> tuple[str, str]:
        return day[:4], day[5:]

    def whole(year: str, rest: str) -> str:
        return f"{year}-{rest}"

    split = SplitAttribute("Order", "day", into=("year", "rest"), by=halves, back=whole)
    for other, told in (
        (split, "both take away day of Order"),
        (RenameAttribute("Order", "day", to="date"), "both take away day of Order"),
        (RenameAttribute("Order", "date", to="day"), "removes day, which RenameAttribute"),
        (RemoveAttributes("Order", ("day",)), "removes day, which SplitItem"),
        (KEEPING, "both split the items of Order"),
    ):
        for steps in ([STEP, other], [other, STEP]):
            assert told in (Migration(steps).contradiction() or ""), other
    for other in (RenameAttribute("Note", "day", to="date"), RemoveAttributes("Order", ("state",))):
        assert Migration([STEP, other]).contradiction() is None
    with shop(*PIECE) as ground:
        ground.fill(1)
        with pytest.raises(ArgumentError, match="contradicts itself"):
            ground.migrator(file(STEP, split)).run(write=True)


def test_a_way_back_may_be_added_while_a_rollback_is_open() -> None:
    with shop(*PIECE) as ground:
        ground.fill(2)
        ground.migrator(file(STEP)).run(write=True)
        ground.new.update(key(ground.new_module.Piece, number="1", n=0), set={"text": "1999"})
        assert skipped(ground.migrator(file(STEP)).rollback(write=True)) == {CHANGED: 1}
        assert skipped(ground.migrator(file(BACK, digest="two")).rollback(write=True)) == {}
        assert days(ground) == {"0": "2026-01-01", "1": "1999-01-01"}
        assert marks(ground) == []
