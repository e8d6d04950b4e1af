"""Items that were deleted softly and others that should go where they lie: as with one key, what lives takes their place."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablewright import key
from tablewright.errors import AlreadyExistsError, NotFoundError
from tablewright.evolve.migrations import ChangeKey, MoveEntity
from tablewright.evolve.migrations.migrator import Migrator
from tablewright.evolve.migrations.works.moving import TAKEN
from tests.evolve.migrations.tables import Shop, Through, file, shop, skipped, written
from tests.evolve.migrations.test_tombstones_of_pairs import KEPT

BY_BUYER = [
    *KEPT,
    ('Keys("ORDER#{number}", "ORDER", GSI1', 'Keys("OF#{buyer}", "ORDER#{number}", GSI1'),
    ("def order(number: str)", "def order(number: str, buyer: str)"),
    ("get(Order, Order.number == number)", "get(Order, Order.number == number, Order.buyer == buyer)"),
]
MOVE = file(MoveEntity("Order", was=("ORDER#{number}", "ORDER")))


class Slot(NamedTuple):
    """What lies under a key."""

    lives: bool
    since: int
    buyer: str


def named(ground: Shop, who: str, buyer: str) -> Any:
    if who == "old":
        return key(ground.old_module.Order, number="0")
    return key(ground.new_module.Order, buyer=buyer, number="0")


def happens(ground: Shop, slots: dict[str, Slot], who: str, what: str, buyer: str, now: int) -> None:
    """What an application does with order 0, in the table and by hand; slots are those of the new model's keys, and the old one."""
    ground.clock.move(1)
    session, module = (ground.old, ground.old_module) if who == "old" else (ground.new, ground.new_module)
    name = "old" if who == "old" else buyer
    slot = slots.get(name)
    if what == "create" and not (slot and slot.lives):
        session.create(module.Order(number="0", buyer=buyer))
        slots[name] = Slot(True, now, buyer)
    elif what == "delete" and slot and slot.lives:
        session.delete(named(ground, who, buyer))
        slots[name] = Slot(False, now, slot.buyer)


BUYERS = st.sampled_from(["ann", "bob"])
STEPS = st.tuples(st.sampled_from(["old", "new"]), st.sampled_from(["create", "delete"]), BUYERS)


@settings(max_examples=settings().max_examples // 2)
@given(st.lists(STEPS, max_size=8))
def test_of_all_that_goes_back_to_one_key_what_lives_is_there(history: list[tuple[str, str, str]]) -> None:
    slots: dict[str, Slot] = {}
    with shop(*BY_BUYER, before=KEPT) as ground:
        ground.migrator(MOVE).run(write=True)
        for now, (who, what, buyer) in enumerate(history):
            happens(ground, slots, who, what, buyer, now)
        left = skipped(ground.migrator(MOVE).rollback(write=True))
        lives = [slot for slot in slots.values() if slot.lives]
        assert left == ({TAKEN: len(lives) - 1} if len(lives) > 1 else {})
        one = key(ground.old_module.Order, number="0")
        if lives:
            found = ground.old.get(one)
        elif slots:
            assert ground.old.get(one) is None
            lives, found = [max(slots.values(), key=lambda slot: slot.since)], ground.old.undelete(one)
        else:
            return
        assert found is not None
        assert found.buyer in {slot.buyer for slot in lives}
        assert len(ground.items()) == len(lives)


@settings(max_examples=settings().max_examples // 2)
@given(st.lists(STEPS, max_size=8), st.booleans())
def test_of_all_that_goes_to_one_new_key_what_lives_is_there(history: list[tuple[str, str, str]], copies: bool) -> None:
    slots: dict[str, Slot] = {}
    move = file(ChangeKey("Order", was=("ORDER#{number}", "ORDER"), copies=copies))
    with shop(*BY_BUYER, before=KEPT) as ground:
        migrator = ground.migrator(move)
        migrator.run(write=True)
        for now, (who, what, buyer) in enumerate(history):
            happens(ground, slots, who, what, buyer, now)
        old = slots.pop("old", None)
        left = skipped(migrator.run(write=True))
        if old is not None and old.lives and old.buyer in slots and slots[old.buyer].lives:
            assert left == {TAKEN: 1}
            return
        assert left == {}
        assert written(migrator.verify()) == 0
        migrator.cutover()
        assert skipped(migrator.retire(write=True)) == {}
        assert migrator.status()[0].state == "retired"
        if old is not None:
            slots[old.buyer] = max(old, slots.get(old.buyer, old))
        for buyer, slot in slots.items():
            one = key(ground.new_module.Order, buyer=buyer, number="0")
            assert (ground.new.get(one) is not None) == slot.lives
            assert slot.lives or ground.new.undelete(one) is not None
        assert len(ground.items()) == len(slots)


def test_a_dry_run_does_not_take_a_tombstone_for_what_gets_the_key() -> None:
    with shop(*BY_BUYER, before=KEPT) as ground:
        ground.migrator(MOVE).run(write=True)
        slots: dict[str, Slot] = {}
        for now, (what, buyer) in enumerate([("create", "ann"), ("delete", "ann"), ("create", "bob")]):
            happens(ground, slots, "new", what, buyer, now)
        told = ground.migrator(MOVE).rollback(write=False)
        assert (written(told), skipped(told)) == (2, {})


def test_a_copy_that_follows_its_item_takes_the_place_of_a_tombstone() -> None:
    """Code of the old model changes a field of the new key."""
    with shop(*BY_BUYER, before=KEPT) as ground:
        ground.old.create(ground.old_module.Order(number="0", buyer="ann"))
        migrator = ground.migrator(MOVE)
        migrator.run(write=True)
        happens(ground, {}, "new", "create", "bob", 1)
        ground.new.delete(named(ground, "new", "bob"))
        ground.old.update(named(ground, "old", ""), set={"buyer": "bob"})
        assert skipped(migrator.run(write=True)) == {}
        assert ground.new.get(named(ground, "new", "bob")) is not None
        assert ground.new.get(named(ground, "new", "ann")) is None


@pytest.mark.parametrize("lives", [True, False])
def test_what_another_entity_has_there_is_never_replaced(lives: bool) -> None:
    with shop(*BY_BUYER, before=KEPT) as ground:
        ground.old.create(ground.old_module.Order(number="0", buyer="ann"))
        if not lives:
            ground.old.delete(named(ground, "old", ""))
        other = {"PK": {"S": "OF#ann"}, "SK": {"S": "ORDER#0"}, "Type": {"S": "Else"}, "DeletedAt": {"S": "2026"}}
        ground.old.send("PutItem", {"TableName": "Shop", "Item": other})
        migrator = ground.migrator(MOVE)
        assert skipped(migrator.run(write=True)) == ({TAKEN: 1} if lives else {})
        if not lives:
            migrator.cutover()
            assert skipped(migrator.retire(write=True)) == {TAKEN: 1}
        assert other in ground.items()


def test_what_lives_again_while_a_tombstone_is_looked_at_stays() -> None:
    """At any request of the rollback the tombstone is brought back: then two live, and one of them is told."""
    for at in range(1, 40):
        with shop(*BY_BUYER, before=KEPT) as ground:
            ground.migrator(MOVE).run(write=True)
            slots: dict[str, Slot] = {}
            for now, (who, what) in enumerate([("new", "create"), ("new", "delete"), ("old", "create")]):
                happens(ground, slots, who, what, "ann", now)
            through = brought_back_at(ground, at)
            told = skipped(through.rollback(write=True))
            assert ground.old.get(named(ground, "old", "")) is not None
            back = ground.new.get(named(ground, "new", "ann")) is not None
            assert not told or back
            assert len(ground.items()) == 1 + back


def brought_back_at(ground: Shop, at: int) -> Migrator:
    """A migrator; at one of its requests the new model's item is brought back."""

    def between(count: int) -> None:
        if count == at:
            try:
                ground.new.undelete(named(ground, "new", "ann"))
            except (AlreadyExistsError, NotFoundError):
                return

    return ground.migrator(MOVE, session=ground.opened(lambda inner: Through(inner, between, lambda n: None)))
