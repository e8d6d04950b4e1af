"""Unique values while items have two keys: whatever code of either model does, each value belongs to whoever holds it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest

from tablewright import Entity, Keys, Session, SoftDelete, Table, key
from tablewright.engine import Engine, open_engine
from tablewright.errors import UniqueViolationError
from tablewright.evolve.migrations import ChangeKey
from tablewright.evolve.migrations.migrator import Migrator
from tests.evolve.migrations.tables import file, skipped


def model(pk: str) -> tuple[Table, type[Any]]:
    table = Table("Users")

    class User(Entity, table=table):
        keys = Keys(pk, "USER", unique=["mail"])
        user_id: str
        mail: str
        text: str = ""

    return table, User


class Ground:
    def __init__(self, engine: Engine, old: Session, new: Session, models: tuple[type[Any], type[Any]]) -> None:
        self.engine, self.old, self.new = engine, old, new
        self.before, self.after = models

    def held(self) -> dict[str, str]:
        """Who holds each value, by the markers."""
        items = self.engine.execute("Scan", {"TableName": "Users"})["Items"]
        return {i["PK"]["S"].rpartition("#")[2]: i["UniqueOwner"]["M"]["PK"]["S"] for i in items if "UniqueOwner" in i}

    def there(self) -> dict[str, str]:
        """The same by the items."""
        items = self.engine.execute("Scan", {"TableName": "Users"})["Items"]
        return {i["mail"]["S"]: i["PK"]["S"] for i in items if i.get("Type") == {"S": "User"}}


@contextmanager
def copied() -> Iterator[tuple[Ground, Migrator]]:
    (old, before), (new, after) = model("OLD#{user_id}"), model("NEW#{user_id}")
    with open_engine("memory:") as engine, old.open(engine) as then, new.open(engine, create=False) as now:
        for number in range(3):
            then.create(before(user_id=str(number), mail=f"m{number}"))
        step = ChangeKey("User", was=("OLD#{user_id}", "USER"), copies=True)
        migrator = Migrator(now, new, [file(step)])
        migrator.run(write=True)
        yield Ground(engine, then, now, (before, after)), migrator


def new_changes_the_value(ground: Ground) -> None:
    ground.new.update(key(ground.after, user_id="1"), set={"mail": "other"})


def new_changes_something_else(ground: Ground) -> None:
    ground.new.update(key(ground.after, user_id="1"), set={"text": "changed"})


def new_deletes(ground: Ground) -> None:
    ground.new.delete(key(ground.after, user_id="1"))


def new_changes_the_value_and_deletes(ground: Ground) -> None:
    new_changes_the_value(ground)
    new_deletes(ground)


def new_writes_it_anew(ground: Ground) -> None:
    new_deletes(ground)
    ground.new.create(ground.after(user_id="1", mail="anew"))


def old_changes_the_value(ground: Ground) -> None:
    ground.old.update(key(ground.before, user_id="1"), set={"mail": "other"})


def old_deletes(ground: Ground) -> None:
    ground.old.delete(key(ground.before, user_id="1"))


def old_deletes_what_new_changed(ground: Ground) -> None:
    new_changes_something_else(ground)
    old_deletes(ground)


def old_writes_it_anew(ground: Ground) -> None:
    old_deletes(ground)
    ground.old.create(ground.before(user_id="1", mail="anew"))


OPERATIONS = [
    new_changes_the_value,
    new_changes_something_else,
    new_deletes,
    new_changes_the_value_and_deletes,
    new_writes_it_anew,
    old_changes_the_value,
    old_deletes,
    old_deletes_what_new_changed,
    old_writes_it_anew,
]


@pytest.mark.parametrize("again", [False, True], ids=["at once", "run again first"])
@pytest.mark.parametrize("way", ["retire", "rollback"])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_each_value_belongs_to_who_holds_it(operation: Any, way: str, again: bool) -> None:
    with copied() as (ground, migrator):
        if way == "retire" and not again:
            migrator.cutover()
        operation(ground)
        if again:
            assert skipped(migrator.run(write=True)) == {}
            if way == "retire":
                migrator.cutover()
        told = migrator.retire(write=True) if way == "retire" else migrator.rollback(write=True)
        assert skipped(told) == {}
        assert ground.held() == ground.there()
        begins = "NEW#" if way == "retire" else "OLD#"
        assert all(owner.startswith(begins) for owner in ground.held().values())
        assert len(ground.there()) == (
            2 if "delete" in operation.__name__ and "new_changed" not in operation.__name__ else 3
        )


def soft_model(pk: str) -> tuple[Table, type[Any]]:
    table = Table("Users")

    class User(Entity, table=table, soft_delete=SoftDelete(keep=timedelta(days=30))):
        keys = Keys(pk, "USER", unique=["mail"])
        user_id: str
        mail: str

    return table, User


@pytest.mark.parametrize("copies", [True, False])
def test_what_was_deleted_softly_can_be_brought_back_from_its_new_key(copies: bool) -> None:
    (old, before), (new, after) = soft_model("OLD#{user_id}"), soft_model("NEW#{user_id}")
    with open_engine("memory:") as engine, old.open(engine) as then, new.open(engine, create=False) as now:
        for number in "12":
            then.create(before(user_id=number, mail=f"m{number}"))
            then.delete(key(before, user_id=number))
        then.create(before(user_id="3", mail="m1"))  # a value that was given up
        migrator = Migrator(now, new, [file(ChangeKey("User", was=("OLD#{user_id}", "USER"), copies=copies))])
        migrator.run(write=True)
        migrator.cutover()
        assert skipped(migrator.retire(write=True)) == {}
        assert now.undelete(key(after, user_id="2")).mail == "m2"
        with pytest.raises(UniqueViolationError):
            now.undelete(key(after, user_id="1"))
        assert skipped(migrator.rollback(write=True)) == {}
        then.delete(key(before, user_id="3"))
        assert then.undelete(key(before, user_id="1")).mail == "m1"
