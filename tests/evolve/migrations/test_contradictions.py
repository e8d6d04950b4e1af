"""Steps that cannot be meant together, in one file or in two that are open: refused before anything is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tablewright.errors import ArgumentError
from tablewright.evolve.migrations import (
    ChangeKey,
    MergeAttributes,
    MoveEntity,
    RemoveAttributes,
    RenameAttribute,
    SplitAttribute,
    SplitItem,
)
from tablewright.evolve.migrations.contradicting import clash
from tests.evolve.migrations.tables import Shop, file, shop, skipped, written


def nothing(*values: Any) -> Any:
    raise AssertionError(values)


def is_refused(ground: Shop, ask: Callable[[], object], says: str) -> None:
    before = ground.items()
    with pytest.raises(ArgumentError) as refused:
        ask()
    assert says in str(refused.value)
    assert ground.items() == before


@pytest.mark.parametrize(
    ("step", "says"),
    [
        (RenameAttribute("Order", "state", to="state"), "makes state of state itself"),
        (
            SplitAttribute("Order", "state", into=("state", "b"), by=nothing, back=nothing),
            "makes state of state itself",
        ),
        (MergeAttributes("Order", ("state", "day"), into="state", by=nothing, back=nothing), "state of state itself"),
        (SplitAttribute("Order", "state", into=("a", "a"), by=nothing, back=nothing), "names a twice"),
        (MergeAttributes("Order", ("day", "day"), into="a", by=nothing, back=nothing), "names day twice"),
        (RenameAttribute("Order", "", to="a"), "lacks the name of an attribute"),
        (RenameAttribute("Order", "state", to=""), "lacks the name of an attribute"),
        (SplitAttribute("Order", "state", into=(), by=nothing, back=nothing), "lacks the name of an attribute"),
        (MergeAttributes("Order", (), into="a", by=nothing, back=nothing), "lacks the name of an attribute"),
        (RemoveAttributes("Order", ()), "lacks the name of an attribute"),
        (SplitItem("Order", by=nothing, removes=("",)), "lacks the name of an attribute"),
    ],
    ids=str,
)
def test_a_step_that_destroys_what_it_makes(step: Any, says: str) -> None:
    with shop() as ground:
        ground.fill(2)
        migrator = ground.migrator(file(step))
        for write in (False, True):
            is_refused(ground, lambda write=write: migrator.run(write=write), says)  # type: ignore[misc]
        assert migrator.waiting() == ("0001_change",)


def test_one_that_ran_before_this_was_refused_is_not_retired() -> None:
    with shop() as ground:
        ground.fill(2)
        ran = ground.migrator(file(RenameAttribute("Order", "state", to="phase")))
        ran.run(write=True)
        ran.cutover()
        same = ground.migrator(file(RenameAttribute("Order", "state", to="state")))
        for command in (same.retire, same.rollback):
            is_refused(ground, lambda command=command: command(write=True), "makes state of state itself")  # type: ignore[misc]


@pytest.mark.parametrize("swapped", [False, True])
def test_a_chain_in_one_file(swapped: bool) -> None:
    steps = [RenameAttribute("Order", "day", to="date"), RenameAttribute("Order", "state", to="day")]
    with shop() as ground:
        ground.fill(2)
        migrator = ground.migrator(file(*(reversed(steps) if swapped else steps)))
        is_refused(ground, lambda: migrator.run(write=True), "Use two migrations, and run the second one when")


@pytest.mark.parametrize(
    ("first", "second", "says"),
    [
        (RenameAttribute("Order", "day", to="date"), RenameAttribute("Order", "state", to="day"), "takes away"),
        (RenameAttribute("Order", "state", to="a"), RenameAttribute("Order", "state", to="b"), "takes away"),
        (RenameAttribute("Order", "state", to="a"), RenameAttribute("Order", "day", to="a"), "makes"),
        (RemoveAttributes("Order", ("state",)), RenameAttribute("Order", "day", to="state"), "takes away"),
        (RemoveAttributes("Order", ("state",)), RenameAttribute("Order", "state", to="a"), "takes away"),
    ],
    ids=str,
)
def test_two_files_are_about_one_attribute_one_after_the_other(first: Any, second: Any, says: str) -> None:
    one, two = file(first, name="0001_one"), file(second, name="0002_two", digest="two")
    said = f"0002_two cannot be run beside 0001_one, which is not retired: {second.code()}"
    with shop() as ground:
        ground.fill(3)
        both = ground.migrator(one, two)
        for write in (False, True):
            is_refused(ground, lambda write=write: both.run(write=write), said)  # type: ignore[misc]
        both.run(write=True, to="1")
        is_refused(ground, lambda: both.run(write=True), says)
        both.cutover()
        is_refused(ground, lambda: both.run(write=True), "Retire 0001_one first")
        both.retire(write=True)
        both.run(write=True)
        assert both.status()[1].state == "ran"


def test_what_the_first_makes_the_second_may_take_further() -> None:
    one = file(RenameAttribute("Order", "state", to="phase"), name="0001_one")
    two = file(RenameAttribute("Order", "phase", to="status"), name="0002_two", digest="two")
    elsewhere = file(RenameAttribute("Note", "note", to="phase"), name="0003_three", digest="three")
    with shop() as ground:
        ground.fill(3)
        migrator = ground.migrator(one, two, elsewhere)
        assert skipped(migrator.run(write=True)) == {}
        for _ in range(3):
            migrator.cutover()
        for _ in range(3):
            assert skipped(migrator.retire(write=True)) == {}
        orders = [item for item in ground.items() if item["Type"] == {"S": "Order"}]
        assert [item["status"]["S"] for item in orders] == ["s0", "s1", "s2"]
        assert not any({"state", "phase"} & item.keys() for item in orders)


def test_a_file_that_is_numbered_before_what_has_run_is_refused() -> None:
    late = file(RenameAttribute("Order", "day", to="date"), name="0001_late", digest="late")
    done = file(RenameAttribute("Order", "state", to="status"), name="0002_done")
    with shop() as ground:
        ground.fill(2)
        before = ground.items()
        ground.migrator(done).run(write=True)
        both = ground.migrator(late, done)
        for write in (False, True):
            is_refused(ground, lambda write=write: both.run(write=write), "0001_late has not run, and 0002_done has")  # type: ignore[misc]
        is_refused(ground, lambda: both.run(write=True, to="1"), "the next number behind 0002_done")
        both.rollback(write=True)
        assert ground.items() == before
        assert skipped(both.run(write=True)) == {}
        both.rollback(write=True)
        assert [one.state for one in both.status()] == ["ran", None]


def test_an_item_is_not_given_a_third_key() -> None:
    first = MoveEntity("Order", was=("ORDER#{number}", "ORDER"))
    second = ChangeKey("Order", was=("DEAL#{number}", "ORDER"), copies=False)
    one, two = file(first, name="0001_one"), file(second, name="0002_two", digest="two")
    moved = ('Keys("ORDER#{number}", "ORDER", GSI1', 'Keys("SALE#{number}", "ORDER", GSI1')
    with shop(moved) as ground:
        ground.fill(2)
        before = ground.items()
        with pytest.raises(ArgumentError, match="both change the key of the same items"):
            ground.migrator(file(first, second)).run(write=True)
        for write in (True, False):
            with pytest.raises(ArgumentError, match=r"0002_two cannot be run beside 0001_one.*cannot have three"):
                ground.migrator(one, two).run(write=write)
        assert ground.items() == before
        migrator = ground.migrator(one, two)
        migrator.run(write=True, to="1")
        migrator.cutover()
        migrator.retire(write=True)
        assert written(migrator.run(write=True)) == 0
        at_once = [ChangeKey("Order", was=(f"{word}#{{number}}", "ORDER"), copies=False) for word in ("ORDER", "DEAL")]
        assert clash(at_once[:1], at_once[1:]) is None
