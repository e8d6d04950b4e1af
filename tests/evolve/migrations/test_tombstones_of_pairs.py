"""Items with two keys that are deleted softly and brought back, by either side: none that lives is ever lost."""

from __future__ import annotations

from itertools import product

import pytest

from tablewright import key
from tablewright.errors import AlreadyExistsError, NotFoundError
from tablewright.evolve.migrations import MoveEntity
from tablewright.evolve.migrations.migrator import Migrator
from tablewright.evolve.migrations.works.guarding import MARKS
from tablewright.evolve.migrations.works.pairing import BOTH
from tests.evolve.differences.models import changed, loaded
from tests.evolve.migrations.tables import OLD, Shop, file, shop, skipped, written

KEPT = [
    ("from tablewright import GSI,", "from datetime import timedelta\nfrom tablewright import SoftDelete, GSI,"),
    (
        "class Order(Entity, table=shop):",
        "class Order(Entity, table=shop, soft_delete=SoftDelete(keep=timedelta(days=30))):",
    ),
]
MOVED = [*KEPT, ('Keys("ORDER#{number}", "ORDER", GSI1', 'Keys("SALE#{number}", "SALE", GSI1')]
AGAIN = [*KEPT, ('Keys("ORDER#{number}", "ORDER", GSI1', 'Keys("DEAL#{number}", "DEAL", GSI1')]
MOVE = file(MoveEntity("Order", was=("ORDER#{number}", "ORDER")))


def act(ground: Shop, what: str) -> None:
    """What an application does, or the migration; nothing where it cannot."""
    who, _, does = what.partition(" ")
    if who == "run":
        assert skipped(ground.migrator(MOVE).run(write=True)) == {}
        return
    session, module = (ground.old, ground.old_module) if who == "old" else (ground.new, ground.new_module)
    try:
        getattr(session, does)(key(module.Order, number="0"))
    except (NotFoundError, AlreadyExistsError):
        assert does == "undelete"


def has_no_marks(ground: Shop) -> bool:
    """Whether nothing tells of a migration any more, in what is kept of deleted items neither."""
    items = ground.items()
    return not any(MARKS & {*item, *item.get("DeletedItem", {}).get("M", {})} for item in items)


WAYS = [
    way
    for length in (1, 2, 3)
    for way in product(("old delete", "old undelete", "new delete", "new undelete", "run"), repeat=length)
    if way[0].endswith("delete") and "un" not in way[0] and way[-1] != "run"
]


@pytest.mark.parametrize("end", ["retire", "rollback"])
@pytest.mark.parametrize("way", WAYS, ids=", ".join)
def test_what_lives_at_the_end_is_where_it_should_be(way: tuple[str, ...], end: str) -> None:
    with shop(*MOVED, before=KEPT) as ground:
        ground.old.create(ground.old_module.Order(number="0", buyer="b", state="v0"))
        migrator = ground.migrator(MOVE)
        migrator.run(write=True)
        for what in way:
            act(ground, what)
        if end == "retire":
            migrator.run(write=True)
            if skipped(migrator.verify()):
                assert skipped(migrator.verify()) == {BOTH: 1}
                return  # a person decides
            assert written(migrator.verify()) == 0
            migrator.cutover()
        found = [key(ground.old_module.Order, number="0"), key(ground.new_module.Order, number="0")]
        lives = [ground.old.get(found[0]) is not None, ground.new.get(found[1]) is not None]
        left = skipped(getattr(migrator, end)(write=True))
        if left:
            assert end == "rollback"
            assert BOTH in left
            return
        session, one = (ground.new, found[1]) if end == "retire" else (ground.old, found[0])
        if all(lives):
            assert session.get(one) is not None
        if session.get(one) is None:
            assert session.undelete(one) is not None
        assert len(ground.items()) == 1
        assert has_no_marks(ground)
        module = ground.new_module if end == "retire" else ground.old_module
        assert [o.number for o in session.run(module.orders_of, "b")] == ["0"]


def test_what_is_brought_back_after_a_rollback_is_no_copy() -> None:
    with shop(*MOVED, before=KEPT) as ground:
        ground.old.create(ground.old_module.Order(number="0", buyer="b", state="v0"))
        one, migrator = key(ground.old_module.Order, number="0"), ground.migrator(MOVE)
        migrator.run(write=True)
        ground.old.delete(one)
        migrator.rollback(write=True)
        ground.old.undelete(one)
        migrator.run(write=True)
        assert ground.old.get(one) is not None
        assert ground.new.get(key(ground.new_module.Order, number="0")) is not None


def test_what_is_brought_back_after_a_migration_outlives_the_next_one() -> None:
    with shop(*MOVED, before=KEPT) as ground:
        ground.old.create(ground.old_module.Order(number="0", buyer="b", state="v0"))
        migrator = ground.migrator(MOVE)
        migrator.run(write=True)
        one = key(ground.new_module.Order, number="0")
        ground.new.delete(one)
        migrator.run(write=True)
        migrator.cutover()
        migrator.retire(write=True)
        ground.new.undelete(one)
        module = loaded(changed(OLD, AGAIN))
        with module.shop.open(ground.engine, create=False, clock=ground.clock.time) as third:
            deal = file(MoveEntity("Order", was=("SALE#{number}", "SALE")), name="0002_deal")
            Migrator(third, module.shop, [MOVE, deal]).run(write=True)
            assert ground.new.get(one) is not None
            assert third.get(key(module.Order, number="0")) is not None
