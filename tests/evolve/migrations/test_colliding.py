"""A dry run tells of items that would go to one key."""

from __future__ import annotations

import pytest

from tablewright.errors import ArgumentError
from tablewright.evolve.migrations import ChangeKey
from tablewright.evolve.migrations.works import first_comers
from tablewright.evolve.migrations.works.moving import TAKEN
from tests.evolve.migrations.tables import file, shop, skipped, written

BY_BUYER = [
    ('Keys("ORDER#{number}", "ORDER", GSI1', 'Keys("SALE#{buyer}", "SALE", GSI1'),
    ("get(Order, Order.number == number)", "get(Order, Order.buyer == number)"),
    ("query(Order, Order.buyer == buyer)", 'query(Order, Order.buyer == buyer, Order.number >= "0")'),
]


@pytest.mark.parametrize("copies", [True, False])
def test_a_dry_run_counts_what_the_run_leaves(copies: bool) -> None:
    migration = file(ChangeKey("Order", was=("ORDER#{number}", "ORDER"), copies=copies))
    with shop(*BY_BUYER) as ground:
        ground.fill(6)
        foreseen = ground.migrator(migration).plan()
        assert (written(foreseen), skipped(foreseen)) == (2, {TAKEN: 4})
        assert all(one.outcome.compared for one in foreseen)
        told = ground.migrator(migration).run(write=True)
        assert (written(told), skipped(told)) == (2, {TAKEN: 4})


@pytest.mark.parametrize("copies", [True, False])
def test_verify_tells_what_lies_in_the_way(copies: bool) -> None:
    """What a run leaves, verify counts as left, and not as what another run would do."""
    migration = file(ChangeKey("Order", was=("ORDER#{number}", "ORDER"), copies=copies))
    with shop(*BY_BUYER) as ground:
        ground.fill(6)
        migrator = ground.migrator(migration)
        migrator.run(write=True)
        verified = migrator.verify()
        assert (written(verified), skipped(verified)) == (0, {TAKEN: 4})
        assert not any(one.outcome.moves for one in verified)
        ground.old.create(ground.old_module.Order(number="9", buyer="b9"))
        verified = migrator.verify()
        assert (written(verified), skipped(verified)) == (1, {TAKEN: 4})
        with pytest.raises(ArgumentError, match="not finished: 5 items"):
            migrator.cutover()


def test_a_dry_run_says_where_it_did_not_compare_all_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_comers, "COMPARED", 1)
    migration = file(ChangeKey("Order", was=("ORDER#{number}", "ORDER"), copies=False))
    with shop(*BY_BUYER) as ground:
        ground.fill(6)
        (foreseen,) = ground.migrator(migration).plan()
        assert foreseen.outcome.moves
        assert not foreseen.outcome.compared
        assert skipped((foreseen,)) == {TAKEN: 2}  # three go to the one key that is kept
