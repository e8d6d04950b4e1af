"""Copies whose items get other values in the fields of the new key, while both are there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tablewright import key
from tablewright.errors import ArgumentError
from tablewright.evolve.migrations import MoveEntity
from tablewright.evolve.migrations.works.guarding import COPIED, COPY
from tablewright.evolve.migrations.works.moving import TAKEN
from tests.evolve.migrations.tables import Shop, file, shop, skipped, written
from tests.evolve.migrations.test_key_steps import put

BY_DAY = [
    ('Keys("ORDER#{number}", "ORDER", GSI1', 'Keys("SALE#{number}", "DAY#{day}", GSI1'),
    ("get(Order, Order.number == number)", 'get(Order, Order.number == number, Order.day == "2026-01-01")'),
]
MOVE = file(MoveEntity("Order", was=("ORDER#{number}", "ORDER")))


@contextmanager
def copied() -> Iterator[Shop]:
    """Two orders with copies, the day of one of which the old model has changed since."""
    with shop(*BY_DAY) as ground:
        ground.fill(2)
        ground.migrator(MOVE).run(write=True)
        put(ground, "1", day="2026-03-03")
        yield ground


def keys_of(ground: Shop, number: str) -> list[tuple[str, str]]:
    """Where an order lies."""
    found = [item for item in ground.items() if item["Type"] == {"S": "Order"} and item["number"] == {"S": number}]
    return [(item["PK"]["S"], item["SK"]["S"]) for item in found]


def test_a_copy_goes_where_the_new_model_looks_for_it() -> None:
    with copied() as ground:
        assert written(ground.migrator(MOVE).verify()) == 1
        with pytest.raises(ArgumentError):
            ground.migrator(MOVE).cutover()
        assert skipped(ground.migrator(MOVE).run(write=True)) == {}
        assert keys_of(ground, "1") == [("ORDER#1", "ORDER"), ("SALE#1", "DAY#2026-03-03")]
        assert written(ground.migrator(MOVE).verify()) == 0
        ground.migrator(MOVE).cutover()
        assert ground.new.get(key(ground.new_module.Order, number="1", day="2026-03-03")) is not None
        ground.migrator(MOVE).retire(write=True)
        assert keys_of(ground, "1") == [("SALE#1", "DAY#2026-03-03")]


def test_a_copy_that_lies_wrong_is_found_although_nothing_was_written_since() -> None:
    with copied() as ground:
        old, copy = ((i for i in ground.items() if mark in i and i["number"] == {"S": "1"}) for mark in (COPIED, COPY))
        part = ground.migrator(MOVE)._files[0].migration.steps[0].run(ground.migrator(MOVE)._ground())[1]
        item, twin = next(old), next(copy)
        wrong = {"PK": twin["PK"], "SK": twin["SK"]}
        made = part.copy(item, wrong)  # type: ignore[union-attr]
        ground.new.send("PutItem", {"TableName": "Shop", "Item": made})
        note = part.mark(wrong, part.substance(item))  # type: ignore[union-attr]
        ground.new.send("PutItem", {"TableName": "Shop", "Item": {**item, COPIED: note}})
        assert written(ground.migrator(MOVE).verify()) == 1
        ground.migrator(MOVE).run(write=True)
        assert keys_of(ground, "1") == [("ORDER#1", "ORDER"), ("SALE#1", "DAY#2026-03-03")]


def test_an_item_is_moved_to_its_right_key_at_the_end_too() -> None:
    with shop(*BY_DAY) as ground:
        ground.fill(2)
        ground.migrator(MOVE).run(write=True)
        ground.migrator(MOVE).cutover()
        put(ground, "1", day="2026-03-03")
        assert skipped(ground.migrator(MOVE).retire(write=True)) == {}
        assert keys_of(ground, "1") == [("SALE#1", "DAY#2026-03-03")]


def test_a_copy_that_finds_its_place_taken_is_told_and_stays() -> None:
    with copied() as ground:
        ground.new.create(ground.new_module.Order(number="1", buyer="b", day="2026-03-03"))
        before = ground.items()
        assert skipped(ground.migrator(MOVE).run(write=True)) == {TAKEN: 1}
        assert ground.items() == before


def test_a_rollback_removes_a_copy_that_lies_wrong() -> None:
    with copied() as ground:
        assert skipped(ground.migrator(MOVE).rollback(write=True)) == {}
        assert keys_of(ground, "1") == [("ORDER#1", "ORDER")]


@pytest.mark.parametrize("way", ["run", "retire", "rollback"])
def test_a_copy_of_an_item_that_has_another_one_goes(way: str) -> None:
    with shop(*BY_DAY) as ground:
        ground.fill(2)
        ground.migrator(MOVE).run(write=True)
        copy = next(i for i in ground.items() if COPY in i and i["number"] == {"S": "1"})
        put(ground, "1", day="2026-03-03")
        ground.migrator(MOVE).run(write=True)
        ground.migrator(MOVE).cutover()
        ground.new.send("PutItem", {"TableName": "Shop", "Item": copy})  # as if it had been written in between
        if way == "run":
            ground.migrator(MOVE).run(write=True)
            assert keys_of(ground, "1") == [("ORDER#1", "ORDER"), ("SALE#1", "DAY#2026-03-03")]
        elif way == "retire":
            ground.migrator(MOVE).retire(write=True)
            assert keys_of(ground, "1") == [("SALE#1", "DAY#2026-03-03")]
        else:
            ground.migrator(MOVE).rollback(write=True)
            assert keys_of(ground, "1") == [("ORDER#1", "ORDER")]
