"""Items that code of both models has written while they have two keys: told, until somebody says who wins."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal

import pytest

from tablewright import Entity, Keys, Session, Table, key
from tablewright.engine import Engine, open_engine
from tablewright.evolve.migrations import ChangeKey
from tablewright.evolve.migrations.migrator import Migrator
from tablewright.evolve.migrations.works.guarding import MARKS
from tablewright.evolve.migrations.works.moving import TAKEN
from tablewright.evolve.migrations.works.pairing import BOTH
from tests.evolve.migrations.tables import file, skipped

Winner = Literal["old", "new"]


def model(pk: str, sk: str) -> tuple[Table, type[Any]]:
    table = Table("Users")

    class User(Entity, table=table):
        keys = Keys(pk, sk, unique=["mail"])
        user_id: str
        group: str = "a"
        mail: str
        text: str = ""

    return table, User


class Side:
    """An application on one of the models, and what it does to a user."""

    def __init__(self, session: Session, user: type[Any], name: Winner) -> None:
        self.session, self.user, self.name = session, user, name

    @property
    def key(self) -> Any:
        return key(self.user, user_id="1", **({"group": "a"} if self.name == "new" else {}))

    def edit(self) -> tuple[str, str]:
        """The text; tells the mail and the text that it has by now, as this application sees it."""
        self.session.update(self.key, set={"text": self.name})
        return "m1", self.name

    def rename(self) -> tuple[str, str]:
        """The unique value."""
        self.session.update(self.key, set={"mail": f"{self.name}-mail"})
        return f"{self.name}-mail", ""

    def replace(self) -> tuple[str, str]:
        """It is deleted, and written anew."""
        self.session.delete(self.key)
        self.session.create(self.user(user_id="1", mail=f"{self.name}-anew", text="anew"))
        return f"{self.name}-anew", "anew"

    def delete(self) -> None:
        """It is deleted."""
        self.session.delete(self.key)


class Ground:
    """A table of users with copies, and an application on each model."""

    def __init__(self, engine: Engine, old: Side, new: Side, table: Table) -> None:
        self.engine, self.old, self.new, self.table = engine, old, new, table

    def migrator(self, wins: Winner | None) -> Migrator:
        step = ChangeKey("User", was=("OLD#{user_id}", "USER"), copies=True, wins=wins)
        return Migrator(self.new.session, self.table, [file(step)])

    def users(self) -> dict[str, tuple[str, str]]:
        """Mail and text of each, by its partition."""
        items = self._items()
        return {
            i["PK"]["S"]: (i["mail"]["S"], i.get("text", {}).get("S", ""))
            for i in items
            if i.get("Type") == {"S": "User"}
        }

    def held(self) -> dict[str, str]:
        """Who holds each unique value."""
        return {
            i["PK"]["S"].rpartition("#")[2]: i["UniqueOwner"]["M"]["PK"]["S"]
            for i in self._items()
            if "UniqueOwner" in i
        }

    def _items(self) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = self.engine.execute("Scan", {"TableName": "Users"})["Items"]
        return items

    def is_settled(self) -> bool:
        """Whether no marks are left, and each unique value belongs to whoever has it."""
        has = {mail: place for place, (mail, _) in self.users().items()}
        return self.held() == has and not any(MARKS & item.keys() for item in self._items())


@contextmanager
def copied() -> Iterator[Ground]:
    (then, before), (now, after) = model("OLD#{user_id}", "USER"), model("NEW#{user_id}", "{group}")
    with open_engine("memory:") as engine, then.open(engine) as old, now.open(engine, create=False) as new:
        for number in range(3):
            old.create(before(user_id=str(number), mail=f"m{number}"))
        ground = Ground(engine, Side(old, before, "old"), Side(new, after, "new"), now)
        ground.migrator(None).run(write=True)
        yield ground


OLD_DOES = [Side.edit, Side.rename, Side.replace]
NEW_DOES = [*OLD_DOES, Side.delete]
KNOWN = [
    (old, new)
    for old in OLD_DOES
    for new in NEW_DOES
    if (old, new) not in {(Side.replace, Side.replace), (Side.replace, Side.delete)}
]
"""What leaves a mark on one side at least: what was deleted and written anew has none."""


@pytest.mark.parametrize("wins", ["old", "new"])
@pytest.mark.parametrize("end", ["retire", "rollback"])
@pytest.mark.parametrize("runs", [False, True], ids=["at the end", "in a run before"])
@pytest.mark.parametrize(("old_does", "new_does"), KNOWN, ids=lambda one: one.__name__)
def test_who_wins_is_kept(
    old_does: Callable[[Side], tuple[str, str]],
    new_does: Callable[[Side], tuple[str, str] | None],
    runs: bool,
    end: str,
    wins: Winner,
) -> None:
    with copied() as ground:
        ground.migrator(None).cutover()
        by_old, by_new = old_does(ground.old), new_does(ground.new)
        expected = by_old if wins == "old" else by_new
        if runs:
            assert BOTH in skipped(ground.migrator(None).run(write=True))
            assert skipped(ground.migrator(wins).run(write=True)) == {}
            found = ground.new.session.get(ground.new.key)
            assert (None if found is None else (found.mail, found.text)) == expected
        else:
            assert BOTH in skipped(getattr(ground.migrator(None), end)(write=True))
        assert skipped(getattr(ground.migrator(wins), end)(write=True)) == {}
        assert ground.users().get("NEW#1" if end == "retire" else "OLD#1") == expected
        assert len(ground.users()) == 2 + (expected is not None)
        assert ground.is_settled()


@pytest.mark.parametrize("wins", ["old", "new", None])
@pytest.mark.parametrize("end", ["retire", "rollback"])
def test_what_both_wrote_anew_is_never_overwritten(end: str, wins: Winner | None) -> None:
    with copied() as ground:
        ground.migrator(None).cutover()
        by_old, by_new = ground.old.replace(), ground.new.replace()
        # Nothing tells that they were a pair; two items that get one key by mistake look the same.
        assert skipped(getattr(ground.migrator(wins), end)(write=True)) == {TAKEN: 1}
        assert (ground.users()["OLD#1"], ground.users()["NEW#1"]) == (by_old, by_new)


@pytest.mark.parametrize("wins", ["old", "new", None])
def test_what_the_old_model_wrote_anew_outlives_a_copy_that_is_gone(wins: Winner | None) -> None:
    with copied() as ground:
        ground.migrator(None).cutover()
        by_old = ground.old.replace()
        ground.new.delete()
        assert skipped(ground.migrator(wins).retire(write=True)) == {}
        assert ground.users()["NEW#1"] == by_old
        assert ground.is_settled()
