"""Items whose keys are not made of what they hold, as adopted tables have them: they have no way back, and are left where they are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tablewright import Entity, Keys, KeyStyle, Table, key
from tablewright.engine import open_engine
from tablewright.evolve.migrations import ChangeKey
from tablewright.evolve.migrations.migrator import Migrator
from tablewright.evolve.migrations.works.moving import OTHER_FIELDS
from tests.evolve.migrations.tables import file, shop, skipped, written

old = Table("Users", key_style=KeyStyle.adopted("|"))
new = Table("Users", key_style=KeyStyle.adopted("|"))


class OldUser(Entity, table=old, type="User"):
    keys = Keys("u|{uid}", "profile")
    uid: str


class User(Entity, table=new):
    keys = Keys("usr|{uid}", "profile")
    uid: str


ODD = {"PK": {"S": "u|5"}, "SK": {"S": "profile"}, "uid": {"S": "55"}}
TYPED = {"PK": {"S": "u|6"}, "SK": {"S": "profile"}, "uid": {"S": "66"}, "Type": {"S": "User"}}
UNREADABLE = {"PK": {"S": "u|7"}, "SK": {"S": "profile"}, "uid": {"N": "7"}, "Type": {"S": "User"}}


@contextmanager
def users() -> Iterator[tuple[Any, Any]]:
    """Sessions of both models, on a table with two users of whom the one fits his key, and two that do not."""
    with open_engine("memory:") as engine, old.open(engine, create=True) as before, new.open(engine) as db:
        for uid in "12":
            before.create(OldUser(uid=uid))
        for item in (ODD, TYPED):
            before.send("PutItem", {"TableName": "Users", "Item": item})
        yield before, db


def keys(db: Any) -> list[str]:
    found = db.send("Scan", {"TableName": "Users"})["Items"]
    return sorted(item["PK"]["S"] for item in found if "uid" in item)


@pytest.mark.parametrize("copies", [True, False])
def test_what_lies_under_a_key_of_other_fields_is_left_and_told(copies: bool) -> None:
    with users() as (before, db):
        migrator = Migrator(db, new, [file(ChangeKey("User", was=("u|{uid}", "profile"), copies=copies))])
        assert skipped(migrator.run(write=False)) == {OTHER_FIELDS: 2}
        for _ in range(2):
            assert skipped(migrator.run(write=True)) == {OTHER_FIELDS: 2}
        assert keys(db) == sorted([*(["u|1", "u|2"] if copies else []), "u|5", "u|6", "usr|1", "usr|2"])
        assert skipped(migrator.rollback(write=True)) == {}
        assert keys(db) == ["u|1", "u|2", "u|5", "u|6"]
        assert before.get(key(OldUser, uid="1")) is not None
        assert migrator.status()[0].state is None


def test_what_is_mended_meanwhile_goes_on() -> None:
    with users() as (before, db):
        migrator = Migrator(db, new, [file(ChangeKey("User", was=("u|{uid}", "profile"), copies=True))])
        migrator.run(write=True)
        for item in (ODD, TYPED):
            before.send("PutItem", {"TableName": "Users", "Item": {**item, "uid": {"S": item["PK"]["S"][2:]}}})
        assert skipped(migrator.run(write=True)) == {}
        migrator.cutover()
        assert skipped(migrator.retire(write=True)) == {}
        assert keys(db) == ["usr|1", "usr|2", "usr|5", "usr|6"]


@pytest.mark.parametrize("copies", [True, False])
def test_a_field_of_the_old_key_that_new_code_changed_decides_where_an_item_goes_back_to(copies: bool) -> None:
    moved = [('Keys("ORDER#{number}", "ORDER", GSI1', 'Keys("SALE#{number}", "SALE", GSI1')]
    before = [
        ('Keys("ORDER#{number}", "ORDER", GSI1', 'Keys("ORDER#{number}", "{state}", GSI1'),
        ("def order(number: str)", "def order(number: str, state: str)"),
        ("get(Order, Order.number == number)", "get(Order, Order.number == number, Order.state == state)"),
    ]
    with shop(*moved, before=before) as ground:
        ground.fill(2)
        migrator = ground.migrator(file(ChangeKey("Order", was=("ORDER#{number}", "{state}"), copies=copies)))
        migrator.run(write=True)
        ground.new.update(key(ground.new_module.Order, number="1"), set={"state": "late"})
        assert skipped(migrator.rollback(write=True)) == {}
        assert ground.old.run(ground.old_module.order, "1", "late") is not None
        assert [order.state for order in ground.old.run(ground.old_module.orders_of, "b1")] == ["late"]
        assert written(ground.migrator().verify()) == 0


def test_what_cannot_be_read_is_in_the_way_of_no_rollback() -> None:
    with users() as (before, db):
        before.send("PutItem", {"TableName": "Users", "Item": UNREADABLE})
        migrator = Migrator(db, new, [file(ChangeKey("User", was=("u|{uid}", "profile"), copies=False))])
        assert sum(skipped(migrator.run(write=True)).values()) == 3
        assert skipped(migrator.rollback(write=True)) == {}
        assert keys(db) == ["u|1", "u|2", "u|5", "u|6", "u|7"]


def test_what_two_migrations_have_moved_comes_back_step_by_step() -> None:
    first = file(ChangeKey("Order", was=("ORDER#{number}", "ORDER"), copies=False))
    second = file(ChangeKey("Order", was=("SALE#{number}", "SALE"), copies=False), name="0002_again", digest="two")
    with shop(('Keys("ORDER#{number}", "ORDER", GSI1', 'Keys("THING#{number}", "THING", GSI1')) as ground:
        ground.fill(2)
        before = ground.items()
        ground.migrator(first, second).run(write=True)
        assert skipped(ground.migrator(first, second).rollback(write=True)) == {}
        assert skipped(ground.migrator(first, second).verify()) == {}
        assert skipped(ground.migrator(first, second).rollback(write=True)) == {}
        assert ground.items() == before
