"""Two migrations of one entity that are both open: where one holds pairs of items and copies, the other's end does not tear them."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright import Session, key
from tablewright.evolve.migrations import MoveEntity, RemoveAttributes, RenameAttribute
from tests.evolve.migrations.tables import Crash, Shop, Through, file, shop, skipped, written

MODEL = [
    ('Keys("ORDER#{number}", "ORDER", GSI1', 'Keys("SALE#{number}", "SALE", GSI1'),
    ('    state: str = "open"\n', '    status: str = "open"\n'),
]
MOVE = MoveEntity("Order", was=("ORDER#{number}", "ORDER"))
RENAME = RenameAttribute("Order", "state", to="status")
ORDERS: dict[str, tuple[Any, Any]] = {"moved first": (MOVE, RENAME), "renamed first": (RENAME, MOVE)}


def begun(ground: Shop, files: tuple[Any, Any]) -> None:
    """Both are cut over, and code of the new model has written an order, under its new key."""
    ground.fill(3)
    for _ in range(2):
        ground.migrator(*files).run(write=True)
    for file_ in files:
        ground.migrator(*files).cutover(file_.name)
    ground.new.update(key(ground.new_module.Order, number="1"), set={"status": "new"})


def ended(ground: Shop, files: tuple[Any, Any], end: str) -> None:
    states = [one.state for one in ground.migrator(*files).status()]
    assert states == (["retired", "retired"] if end == "retire" else [None, None])
    session, module = (ground.new, ground.new_module) if end == "retire" else (ground.old, ground.old_module)
    found = {n: getattr(session.run(module.order, n), "status" if end == "retire" else "state") for n in "012"}
    assert found == {"0": "s0", "1": "new", "2": "s2"}
    assert not any(name.startswith("Tablewright") for item in ground.items() for name in item)


def crashing(ground: Shop, at: int) -> Session:
    def crash(count: int) -> None:
        if count >= at:
            raise Crash

    return ground.opened(lambda inner: Through(inner, crash, lambda n: None))


@pytest.mark.parametrize("end", ["rollback", "retire"])
@pytest.mark.parametrize("order", ORDERS)
def test_what_the_new_model_wrote_is_nobody_elses(order: str, end: str) -> None:
    first, second = ORDERS[order]
    files = (file(first), file(second, name="0002_second", digest="two"))
    with shop(*MODEL) as ground:
        begun(ground, files)
        for _ in files:
            foreseen = getattr(ground.migrator(*files), end)(write=False)
            assert skipped(foreseen) == {}
            told = getattr(ground.migrator(*files), end)(write=True)
            assert skipped(told) == {}
            assert [one.part for one in told] == [one.part for one in foreseen]
        ended(ground, files, end)


@pytest.mark.parametrize("stride", [7, pytest.param(1, marks=pytest.mark.full)])
@pytest.mark.parametrize(("order", "end"), [("moved first", "rollback"), ("renamed first", "retire")])
def test_killed_at_any_request_it_ends_the_same(order: str, end: str, stride: int) -> None:
    first, second = ORDERS[order]
    files = (file(first), file(second, name="0002_second", digest="two"))
    at, over = len(end) % stride, False
    while not over:
        at += stride
        with shop(*MODEL) as ground:
            begun(ground, files)

            try:
                getattr(ground.migrator(*files, session=crashing(ground, at)), end)(write=True)
                over = True
            except Crash:
                ground.clock.move(61)
            while any(one.state not in (None, "retired") for one in ground.migrator(*files).status()):
                assert skipped(getattr(ground.migrator(*files), end)(write=True)) == {}, at
            ended(ground, files, end)
    assert at > 20


def test_pairs_of_another_entity_are_left_alone() -> None:
    files = (file(MOVE), file(RemoveAttributes("Note", ("more",)), name="0002_notes", digest="two"))
    with shop(MODEL[0]) as ground:
        ground.fill(2)
        ground.migrator(*files).run(write=True)
        ground.new.update(key(ground.new_module.Order, number="1"), set={"state": "new"})
        told = ground.migrator(*files).rollback(write=True)
        assert ({one.migration for one in told}, written(told)) == (set(), 0)
        assert ground.old.run(ground.old_module.order, "1").state == "s1"
