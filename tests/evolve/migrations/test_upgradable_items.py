"""Items that an upgrade would have to leave: told by `run`, so that nothing is cut over that cannot be retired."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tablewright import GSI, Entity, Keys, Table, key
from tablewright.engine import Engine, open_engine
from tablewright.errors import ArgumentError
from tablewright.evolve.migrations import MoveEntity, UpgradeEntity
from tablewright.evolve.migrations.migrator import Migrator
from tablewright.evolve.upgrading import HELD
from tests.evolve.migrations.tables import file, skipped, written

Model = tuple[Table, type[Any]]


def old_model() -> Model:
    table = Table("Users", indexes=[GSI("GSI1")])

    class User(Entity, table=table, schema_version=1):
        keys = Keys("USER#{user_id}", "USER", unique=["mail"])
        user_id: str
        name: str
        mail: str

    return table, User


def new_model(pk: str = "USER#{user_id}", *, own_fields: bool = True) -> Model:
    by_last = [GSI("ByLast", pk=["last"], sk=["user_id"])] if own_fields else []
    table = Table("Users", indexes=[GSI("GSI1"), *by_last])

    class User(Entity, table=table, schema_version=2):
        keys = (
            Keys(pk, "USER", GSI1=("LAST#{last}", "{first}"), ByLast=("{last}", "{user_id}"), unique=["mail"])
            if own_fields
            else Keys(pk, "USER", GSI1=("LAST#{last}", "{first}"), unique=["mail"])
        )
        user_id: str
        first: str
        last: str
        mail: str

    @table.upcast(User, 1)
    def split_name(item: dict[str, Any]) -> Any:
        name = item.pop("name")
        first, _, last = name.partition(" ")
        if name == "no dict":
            return None
        if name == "a float":
            return {**item, "first": 1.5, "last": last}
        if name == "other key":
            return {**item, "first": first, "last": last, "user_id": "7"}
        return {**item, "first": first, "last": last, "mail": item["mail"].lower()}

    return table, User


@pytest.fixture
def engine() -> Iterator[Engine]:
    with open_engine("memory:") as made:
        yield made
        assert made.verify() == []


def filled(engine: Engine, *users: tuple[str, str]) -> None:
    table, user = old_model()
    with table.open(engine, create=True) as db:
        for number, (name, mail) in enumerate(users):
            db.create(user(user_id=str(number), name=name, mail=mail))


def is_left(engine: Engine, reason: str) -> None:
    """`run` leaves it in a dry run and in a real one, and nothing is cut over; `retire` would have left it too."""
    table, _ = new_model()
    with table.open(engine, create=False) as db:
        migrator = Migrator(db, table, [file(UpgradeEntity("User"))], fitting=False)
        for told in (migrator.run(write=False), migrator.run(write=True), migrator.verify()):
            (why,) = skipped(told)
            assert reason in why
            assert skipped(told) == {why: 1}
        with pytest.raises(ArgumentError, match="not finished"):
            migrator.cutover()


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("no dict", "returned NoneType, no dict"),
        ("a float", "made a 'first' that cannot be stored: A float is not an exact number."),
        ("other key", "change a field of its primary key"),
        ("empty ", "an empty"),
        ("long " + 2050 * "x", "bytes"),
    ],
    ids=lambda text: text[:12],
)
def test_what_could_not_be_upgraded_is_told_by_run(engine: Engine, name: str, reason: str) -> None:
    filled(engine, ("Ada Lovelace", "a"), (name, "b"))
    is_left(engine, reason)


@pytest.mark.parametrize("mails", [("Ann@x", "ann@x"), ("Ann@x", "ANN@x")], ids=["held", "claimed twice"])
def test_a_unique_value_that_another_item_holds(engine: Engine, mails: tuple[str, str]) -> None:
    filled(engine, *(("Ada Lovelace", mail) for mail in mails))
    is_left(engine, HELD)


def test_one_that_is_written_after_the_cutover_is_left_with_the_reason(engine: Engine) -> None:
    filled(engine, ("Ada Lovelace", "Ann@x"))
    table, _ = new_model()
    with table.open(engine, create=False) as db:
        migrator = Migrator(db, table, [file(UpgradeEntity("User"))], fitting=False)
        assert skipped(migrator.run(write=True)) == {}
        migrator.cutover()
        old, user = old_model()
        with old.open(engine, create=False) as older:
            older.create(user(user_id="9", name="Ann Lee", mail="ann@x"))
        told = migrator.retire(write=True)
        assert (written(told), skipped(told)) == (1, {HELD: 1})


@pytest.mark.parametrize("copies", [True, False])
def test_items_that_move_are_upgraded_where_they_will_lie(engine: Engine, copies: bool) -> None:
    filled(engine, ("Ada Lovelace", "Ann@x"), ("Grace Hopper", "Bob@x"))
    table, user = new_model("PERSON#{user_id}", own_fields=not copies)
    steps = (MoveEntity("User", was=("USER#{user_id}", "USER"), copies=copies), UpgradeEntity("User"))
    with table.open(engine, create=False) as db:
        migrator = Migrator(db, table, [file(*steps)], fitting=False)
        for write in (False, True, True):
            assert skipped(migrator.run(write=write)) == {}
        assert written(migrator.verify()) == 0
        migrator.cutover()
        assert skipped(migrator.retire(write=True)) == {}
        assert sorted(one.mail for one in db.scan_for_maintenance(user)) == ["ann@x", "bob@x"]


def plain_user(pk: str, version: int) -> Model:
    table = Table("Plain", indexes=[GSI("GSI1")])

    class User(Entity, table=table, schema_version=version):
        keys = Keys(pk, "USER", GSI1=("USERS", "{user_id}"), unique=["user_id"])
        user_id: str
        name: str = ""

    if version == 2:
        table.upcast(User, 1)(lambda item: {**item, "name": item["name"].upper()})
    return table, User


@pytest.mark.parametrize("moved", [True, False])
def test_items_that_a_later_migration_moves_are_upgraded_where_they_lie(moved: bool) -> None:
    files = (
        file(UpgradeEntity("User"), name="0001_upgrade"),
        file(MoveEntity("User", was=("USER#{user_id}", "USER")), name="0002_move", digest="two"),
    )
    (before, old), (table, new) = plain_user("USER#{user_id}", 1), plain_user("PERSON#{user_id}", 2)
    with open_engine("memory:") as engine, before.open(engine) as db, table.open(engine, create=False) as session:
        db.create(old(user_id="1", name="Ada"))
        migrator = Migrator(session, table, files)
        assert skipped(migrator.run(write=True, to=None if moved else "1")) == {}
        migrator.cutover("1")
        assert skipped(migrator.retire("1", write=True)) == {}
        items = [item for item in engine.execute("Scan", {"TableName": "Plain"})["Items"] if "name" in item]
        assert [(item["name"], item["SchemaVersion"]) for item in items] == [({"S": "ADA"}, {"N": "2"})] * (1 + moved)
        migrator.run(write=True)
        migrator.cutover()
        assert skipped(migrator.retire(write=True)) == {}
        assert session.get(key(new, user_id="1")).name == "ADA"
        assert session.delete(key(new, user_id="1")) is not None
        rest = engine.execute("Scan", {"TableName": "Plain"})["Items"]
        assert [item["Type"]["S"] for item in rest] == ["tablewright.migrations"]
