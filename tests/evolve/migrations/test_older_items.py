"""Items of older schema versions in a migration: nothing is taken away that makes current items of them."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright import GSI, Entity, Keys, Table, key
from tablewright.engine import Engine, open_engine
from tablewright.evolve.migrations import (
    AddIndex,
    FillKeys,
    RemoveAttributes,
    RenameAttribute,
    SplitAttribute,
    SplitItem,
    UpgradeEntity,
)
from tablewright.evolve.migrations.migrator import Migrator
from tablewright.evolve.migrations.ways_out import way_out
from tablewright.evolve.migrations.works.guarding import READ
from tests.evolve.migrations.tables import file, skipped, written


def old_model() -> tuple[Table, type[Any]]:
    table = Table("Users", indexes=[GSI("GSI1")])

    class User(Entity, table=table):
        keys = Keys("USER#{user_id}", "USER")
        user_id: str
        name: str

    return table, User


def new_model() -> tuple[Table, type[Any]]:
    table = Table("Users", indexes=[GSI("GSI1")])

    class User(Entity, table=table, schema_version=2):
        keys = Keys("USER#{user_id}", "USER", GSI1=("LAST#{last}", "{user_id}"))
        user_id: str
        first: str
        last: str
        mail: str | None = None

    @table.upcast(User, 1)
    def split_name(item: dict[str, Any]) -> dict[str, Any]:
        first, _, last = item.pop("name").partition(" ")
        return {**item, "first": first, "last": last}

    return table, User


@pytest.fixture
def engine() -> Any:
    with open_engine("memory:") as made:
        table, user = old_model()
        with table.open(made) as db:
            db.create(user(user_id="1", name="Ada Lovelace"))
            db.create(user(user_id="2", name="Grace Hopper"))
        yield made


def test_what_readers_of_older_items_need_is_not_removed(engine: Engine) -> None:
    table, user = new_model()
    with table.open(engine, create=False) as db:
        migrator = Migrator(db, table, [file(RemoveAttributes("User", ("name",)), UpgradeEntity("User"))])
        migrator.run(write=True)
        migrator.cutover()
        told = migrator.retire(write=True)
        assert (written(told), skipped(told)) == (2, {})
        assert [db.get(key(user, user_id=name)).last for name in "12"] == ["Lovelace", "Hopper"]


def test_without_an_upgrade_they_are_left_and_told(engine: Engine) -> None:
    table, user = new_model()
    with table.open(engine, create=False) as db:
        migrator = Migrator(db, table, [file(RemoveAttributes("User", ("name",)))])
        migrator.run(write=True)
        migrator.cutover()
        told = migrator.retire(write=True)
        assert (written(told), skipped(told)) == (0, {READ: 2})
        assert {way_out(one, READ) for one in told} == {
            "Read these items with upgrade_on_read=True, which makes current ones of them, and repeat the command."
        }
        with table.open(engine, create=False, upgrade_on_read=True) as reading:
            assert {one.last for one in reading.scan_for_maintenance(user)} == {"Lovelace", "Hopper"}
        assert skipped(migrator.retire(write=True)) == {}
        assert db.get(key(user, user_id="1")).last == "Lovelace"


def letters(item: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [("Letter", {"user_id": item["user_id"], "letter": letter}) for letter in sorted({*item["name"]})]


@pytest.mark.parametrize(
    "step",
    [
        RenameAttribute("User", "name", to="mail"),
        SplitItem("User", by=letters, removes=("name",), parts=("Letter",)),
    ],
    ids=lambda step: type(step).__name__,
)
def test_items_of_a_version_that_nobody_knows_are_left_as_they_are(engine: Engine, step: Any) -> None:
    table, _ = new_model()

    class Letter(Entity, table=table):
        keys = Keys("USER#{user_id}", "LETTER#{letter}")
        user_id: str
        letter: str

    place = {"TableName": "Users", "Key": {"PK": {"S": "USER#1"}, "SK": {"S": "USER"}}}
    change = {"UpdateExpression": "SET SchemaVersion = :v", "ExpressionAttributeValues": {":v": {"N": "3"}}}
    engine.execute("UpdateItem", {**place, **change})
    before = engine.execute("GetItem", place)["Item"]
    reason = "A stored User is of version 3, and this program knows versions up to 2."
    with table.open(engine, create=False) as db:
        migrator = Migrator(db, table, [file(step)])
        assert skipped(migrator.plan()) == {reason: 1}
        assert skipped(migrator.run(write=True)) == {reason: 1}
        assert engine.execute("GetItem", place)["Item"] == before
        assert skipped(migrator.rollback(write=True)) == {}
        assert engine.execute("GetItem", place)["Item"] == before


@pytest.mark.parametrize("own", [True, False])
def test_readers_are_told_to_wait_for_an_index_that_older_items_come_into_at_the_end(engine: Engine, own: bool) -> None:
    table = Table("Users", indexes=[GSI("GSI1"), *([GSI("ByLast", pk="last", sk="user_id")] if own else [])])

    class User(Entity, table=table, schema_version=2):
        keys = (
            Keys("USER#{user_id}", "USER", ByLast=("{last}", "{user_id}"))
            if own
            else Keys("USER#{user_id}", "USER", GSI1=("LAST#{last}", "{user_id}"))
        )
        user_id: str
        last: str

    @table.upcast(User, 1)
    def last_name(item: dict[str, Any]) -> dict[str, Any]:
        return {**item, "last": item.pop("name").partition(" ")[2]}

    steps = [AddIndex("ByLast", pk=("last (S)",), sk=("user_id (S)",)), FillKeys("User", "ByLast")]
    with table.open(engine, create=False) as db:
        migrator = Migrator(db, table, [file(*(steps if own else [FillKeys("User", "GSI1")]), UpgradeEntity("User"))])
        migrator.run(write=True)
        migrator.cutover()
        assert [remark.partition(",")[0] for remark in migrator.remarks] == (
            ["Items of older schema versions come into ByLast when 0001_change is retired"] if own else []
        )


def apart(name: str) -> list[str]:
    first, _, last = name.partition(" ")
    return [first, last]


def together(first: str, last: str) -> str:
    return f"{first} {last}"


SPLIT = SplitAttribute("User", "name", into=("first", "last"), by=apart, back=together), UpgradeEntity("User")


def test_an_attribute_that_an_upcast_takes_away_does_not_take_those_with_it_that_were_made_of_it(
    engine: Engine,
) -> None:
    table, user = new_model()
    with table.open(engine, create=False) as db:
        migrator = Migrator(db, table, [file(*SPLIT)])
        assert skipped(migrator.run(write=True)) == {}
        db.update(key(user, user_id="1"), set={"mail": "ada@x"})
        assert (written(migrator.run(write=True)), skipped(migrator.verify())) == (0, {})
        migrator.cutover()
        assert skipped(migrator.retire(write=True)) == {}
        assert [db.get(key(user, user_id=name)).last for name in "12"] == ["Lovelace", "Hopper"]
        assert not any("name" in item for item in db.send("Scan", {"TableName": "Users"})["Items"])


def test_what_an_upcast_needs_is_not_removed_where_nothing_upgrades(engine: Engine) -> None:
    table, user = new_model()
    with table.open(engine, create=False) as db:
        migrator = Migrator(db, table, [file(SPLIT[0])])
        migrator.run(write=True)
        migrator.cutover()
        assert skipped(migrator.retire(write=True)) == {READ: 2}
        assert [db.get(key(user, user_id=name)).last for name in "12"] == ["Lovelace", "Hopper"]
