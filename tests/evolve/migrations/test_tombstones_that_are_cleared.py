"""What was deleted softly comes back as the migration says: with nothing that it has removed."""

from __future__ import annotations

import pytest

from tablewright import key
from tablewright.evolve.migrations import FillKeys, RemoveAttributes, RemoveKeys
from tablewright.evolve.migrations.step import Step
from tests.evolve.migrations.tables import Through, file, shop, skipped, written
from tests.evolve.migrations.test_tombstones_of_pairs import KEPT

KEYLESS = [*KEPT, (', GSI1=("BUYER#{buyer}", "ORDER#{number}")', ""), ("def orders_of", "def _orders_of")]
KEYLESS += [("@shop.pattern\ndef _orders_of", "def _orders_of")]
DAYLESS = [*KEPT, ('    day: str = "2026-01-01"\n', "")]
BY_STATE = [
    *KEPT,
    ('indexes=[GSI("GSI1")]', 'indexes=[GSI("GSI1"), GSI("GSI2")]'),
    ('"ORDER#{number}"))', '"ORDER#{number}"), GSI2=("STATE#{state}", "ORDER#{number}"))'),
]
KEYS = RemoveKeys("Order", pk=("GSI1PK (S)",), sk=("GSI1SK (S)",), was=("BUYER#{buyer}", "ORDER#{number}"))


@pytest.mark.parametrize("who", ["old", "new"])
@pytest.mark.parametrize(
    ("model", "step", "gone"),
    [
        (KEYLESS, KEYS, {"GSI1PK", "GSI1SK"}),
        (DAYLESS, RemoveAttributes("Order", ("day",)), {"day"}),
    ],
    ids=["keys", "attributes"],
)
def test_what_comes_back_after_retiring_has_nothing_of_it(
    model: list[tuple[str, str]], step: Step, gone: set[str], who: str
) -> None:
    with shop(*model, before=KEPT) as ground:
        for number in "01":
            ground.old.create(ground.old_module.Order(number=number, buyer="b"))
        session, module = (ground.old, ground.old_module) if who == "old" else (ground.new, ground.new_module)
        session.delete(key(module.Order, number="1"))
        migrator = ground.migrator(file(step))
        migrator.run(write=True)
        migrator.cutover()
        expected = written(migrator.retire(write=False))
        told = migrator.retire(write=True)
        assert (written(told), skipped(told)) == (expected, {})
        assert ground.new.undelete(key(ground.new_module.Order, number="1")) is not None
        assert all(gone.isdisjoint(item) for item in ground.items())


def test_keys_that_a_rollback_removes_do_not_come_back() -> None:
    with shop(*BY_STATE, before=KEPT) as ground:
        ground.old.create(ground.old_module.Order(number="1", buyer="b"))
        migrator = ground.migrator(file(FillKeys("Order", "GSI2")))
        migrator.run(write=True)
        ground.old.delete(key(ground.old_module.Order, number="1"))
        assert skipped(migrator.rollback(write=True)) == {}
        assert ground.old.undelete(key(ground.old_module.Order, number="1")) is not None
        assert all("GSI2PK" not in item for item in ground.items())


@pytest.mark.parametrize("at", range(1, 8))
def test_what_is_brought_back_while_it_is_looked_at_is_cleared_too(at: int) -> None:
    with shop(*DAYLESS, before=KEPT) as ground:
        ground.old.create(ground.old_module.Order(number="1", buyer="b"))
        ground.new.delete(one := key(ground.new_module.Order, number="1"))
        steps = file(RemoveAttributes("Order", ("day",)))
        ground.migrator(steps).run(write=True)
        ground.migrator(steps).cutover()

        def between(count: int) -> None:
            if count == at:
                ground.new.undelete(one)

        through = ground.opened(lambda inner: Through(inner, between, lambda n: None))
        assert skipped(ground.migrator(steps, session=through).retire(write=True)) == {}
        assert ground.new.get(one) is not None
        assert all("day" not in item for item in ground.items())
