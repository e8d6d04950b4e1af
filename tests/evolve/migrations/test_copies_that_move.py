"""Copies whose items get other values in the fields of the new key, while both are there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tablewright import key
from tablewright.errors import ArgumentError
from tablewright.evolve.migrations import ChangeKey, MoveEntity
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
        part = ground.migrator(MOVE)._files[0].migration.steps[0].run(ground.migrator(MOVE)._stages.ground())[1]
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


# --------------------------------------------------------------------------------------------- local indexes

LOCAL = [
    ("import GSI,", "import GSI, LSI,"),
    ('indexes=[GSI("GSI1")]', 'indexes=[GSI("GSI1"), LSI("LSI1")]'),
    ("get(Order, Order.number == number)", 'get(Order, Order.number == number, Order.buyer == "b1")'),
    (
        "query(Order, Order.buyer == buyer)",
        'query(Order, Order.buyer == buyer, Order.day >= "2")',
    ),
]


def by_buyer(pk: str, sk: str) -> tuple[str, str]:
    """Orders in a partition of their buyer, by their days too."""
    keys = 'Keys("ORDER#{number}", "ORDER", GSI1=("BUYER#{buyer}", "ORDER#{number}"))'
    index = 'GSI1=("STATE#{state}", "ORDER#{number}"), LSI1="DAY#{day}"'
    return keys, f'Keys("{pk}#{{buyer}}", "{sk}#{{number}}", {index})'


def test_readers_of_a_local_index_find_copies_in_another_partition() -> None:
    migration = file(MoveEntity("Order", was=("ORDER#{buyer}", "ORDER#{number}")))
    with shop(*LOCAL, by_buyer("SALE", "ORDER"), before=[*LOCAL, by_buyer("ORDER", "ORDER")]) as ground:
        ground.fill(4)

        def found() -> tuple[list[str], list[str]]:
            old = ground.old.run(ground.old_module.orders_of, "b1")
            new = ground.new.run(ground.new_module.orders_of, "b1")
            return [order.number for order in old], [order.number for order in new]

        assert found() == (["1", "3"], [])
        ground.migrator(migration).run(write=True)
        assert found() == (["1", "3"], ["1", "3"])
        assert not any("GSI1PK" in item for item in ground.items() if COPY in item)
        ground.migrator(migration).cutover()
        assert written(ground.migrator(migration).run(write=True)) == 0
        assert found() == (["1", "3"], ["1", "3"])
        ground.migrator(migration).retire(write=True)
        assert found() == ([], ["1", "3"])
        ground.migrator(migration).rollback(write=True)
        assert found() == (["1", "3"], [])


def test_readers_of_a_local_index_do_not_meet_copies_in_the_same_partition() -> None:
    migration = file(ChangeKey("Order", was=("ORDER#{buyer}", "ORDER#{number}"), copies=True))
    with shop(*LOCAL, by_buyer("ORDER", "SALE"), before=[*LOCAL, by_buyer("ORDER", "ORDER")]) as ground:
        ground.fill(4)
        ground.migrator(migration).run(write=True)
        assert [o.number for o in ground.old.run(ground.old_module.orders_of, "b1")] == ["1", "3"]
        assert not any("LSI1SK" in item for item in ground.items() if COPY in item)


UNSTAMPED = [("class Order(Entity, table=shop):", "class Order(Entity, table=shop, timestamps=False):")]


def test_readers_of_an_index_do_not_meet_a_copy_that_was_written_as_it_is() -> None:
    """An update makes index keys anew, and nothing else where the values are those that were there."""
    moved = ('Keys("ORDER#{number}", "ORDER", GSI1', 'Keys("SALE#{number}", "SALE", GSI1')
    with shop(*UNSTAMPED, moved, before=UNSTAMPED) as ground:
        ground.fill(1)
        ground.migrator(MOVE).run(write=True)
        ground.new.update(key(ground.new_module.Order, number="0"), set={"buyer": "b0"})
        assert written(ground.migrator(MOVE).verify()) == 1
        assert skipped(ground.migrator(MOVE).run(write=True)) == {}
        for db, module in ((ground.old, ground.old_module), (ground.new, ground.new_module)):
            assert [order.number for order in db.run(module.orders_of, "b0")] == ["0"]
        assert written(ground.migrator(MOVE).run(write=True)) == 0
        ground.migrator(MOVE).cutover()
        ground.migrator(MOVE).retire(write=True)
        assert [order.number for order in ground.new.run(ground.new_module.orders_of, "b0")] == ["0"]
