"""What commands say where there is nothing to do for them, or something else comes first, or others remain."""

from __future__ import annotations

import pytest

from tablewright.errors import ArgumentError
from tablewright.evolve.migrations import RenameAttribute
from tests.evolve.migrations.tables import Crash, Shop, Through, file, shop

ONE = file(RenameAttribute("Order", "state", to="status"), name="0001_one")
TWO = file(RenameAttribute("Order", "day", to="date"), name="0002_two", digest="two")


def interrupted(ground: Shop, command: str) -> None:
    """The command ends in the middle of its work."""

    def crash(count: int) -> None:
        if count == 9:
            raise Crash

    session = ground.opened(lambda inner: Through(inner, lambda _: None, crash))
    with pytest.raises(Crash):
        getattr(ground.migrator(ONE, session=session), command)(write=True)
    ground.clock.move(120)


@pytest.mark.parametrize(
    ("command", "state", "hint"),
    [("run", "running", "migrate run --write"), ("rollback", "rolling back", "migrate rollback --write")],
)
def test_what_was_interrupted_is_named(command: str, state: str, hint: str) -> None:
    with shop() as ground:
        ground.fill(6)
        migrator = ground.migrator(ONE)
        if command != "run":
            migrator.run(write=True)
            migrator.cutover()
        interrupted(ground, command)
        for ask in (migrator.cutover, lambda: migrator.retire(write=True)):
            with pytest.raises(ArgumentError, match=f"0001_one is {state}") as refused:
                ask()
            assert hint in str(refused.value.hint)


def test_others_that_remain_are_named() -> None:
    with shop() as ground:
        ground.fill(2)
        ground.migrator(ONE, TWO).run(write=True)
        first = ground.migrator(ONE, TWO)
        assert first.cutover() == "0001_one"
        assert first.remarks == [
            "0002_two is run and not cut over yet, too: the command takes one migration at a time."
        ]
        with pytest.raises(ArgumentError, match="0002_two is run and not cut over yet"):
            first.retire("2", write=True)
        last = ground.migrator(ONE, TWO)
        assert last.cutover() == "0002_two"
        assert last.remarks == []
        ending = ground.migrator(ONE, TWO)
        ending.retire(write=True)
        assert ending.remarks == ["0002_two is cut over, too: the command takes one migration at a time."]
        assert ending.cutover("1") is None
        ending.retire(write=True)
        assert ending.retire(write=True) == ()
        assert ending.remarks[-1] == "0001_one is retired, 0002_two is retired."


def test_files_that_are_gone_are_named() -> None:
    with shop() as ground:
        ground.fill(2)
        ground.migrator(ONE).run(write=True)
        ground.migrator(ONE).cutover()
        for ask in (ground.migrator().cutover, lambda: ground.migrator().retire(write=True)):
            with pytest.raises(ArgumentError, match="0001_one is cut over, and its file is gone"):
                ask()


def test_a_state_that_comes_first_is_named() -> None:
    with shop() as ground:
        ground.fill(2)
        migrator = ground.migrator(ONE, TWO)
        migrator.run(write=True, to="1")
        with pytest.raises(ArgumentError, match="0001_one is run and not cut over yet"):
            migrator.retire(write=True)
        with pytest.raises(ArgumentError, match="0002_two is not run yet"):
            migrator.retire("2", write=True)
        migrator.cutover()
        migrator.retire(write=True)
        migrator.run(write=True)
        with pytest.raises(ArgumentError, match="0001_one is retired, 0002_two is run and not cut over yet"):
            migrator.retire(write=True)


def test_what_was_undone_is_not_undone_again_nor_anything_else_for_it() -> None:
    with shop() as ground:
        ground.fill(1)
        migrator = ground.migrator(ONE, TWO)
        migrator.run(write=True)
        migrator.rollback("2", write=True)
        with pytest.raises(ArgumentError, match="0002_two was not run, or is undone already") as refused:
            migrator.rollback("2", write=True)
        assert "0001_one" in str(refused.value.hint)
        assert [one.state for one in migrator.status()] == ["ran", None]
