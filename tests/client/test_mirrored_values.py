"""Mirrored links whose two items do not hold the same bytes: sealed values, and halves that were left alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated, Any

import pytest

from tablewright import (
    AesGcm,
    Encrypted,
    Entity,
    Keys,
    Relationship,
    Session,
    Table,
    key,
)
from tablewright.errors import NotFoundError

SECRETS = {"k": b"1" * 32}
town = Table("Town")


class Person(Entity, table=town):
    keys = Keys("P#{name}", "P#{name}")
    name: str


class Follow(Entity, table=town):
    keys = Keys("P#{a}", "F#{b}")
    a: str
    b: str
    note: Annotated[str, Encrypted(AesGcm(lambda: SECRETS))] = ""
    times: int = 0


class Follower(Follow, table=town):
    keys = Keys("P#{b}", "G#{a}")


town.relate(
    Relationship(
        Person,
        Person,
        "M:N",
        "adjacency list",
        via=Follow,
        mirror=Follower,
        source_fields={"a": "name"},
        target_fields={"b": "name"},
    )
)
LINK, MIRROR = key(Follow, a="x", b="y"), key(Follower, a="x", b="y")


@pytest.fixture
def db() -> Iterator[Session]:
    with town.open("memory:") as db:
        db.create(Follow(a="x", b="y", note="one"))
        yield db


def edited(db: Session) -> None:
    with db.edit(LINK) as link:
        link.note = "two"


def in_transaction(db: Session) -> None:
    with db.transaction() as tx:
        tx.update(MIRROR, set={"note": "two"})


WAYS: dict[str, Callable[[Session], Any]] = {
    "update": lambda db: db.update(LINK, set={"note": "two"}),
    "update of the mirror": lambda db: db.update(MIRROR, set={"note": "two"}),
    "upsert": lambda db: db.upsert(Follow(a="x", b="y", note="two")),
    "upsert with changes": lambda db: db.upsert(Follower(a="x", b="y"), set={"note": "two"}),
    "put": lambda db: db.put(Follow(a="x", b="y", note="two")),
    "edit": edited,
    "transaction": in_transaction,
}


@pytest.mark.parametrize("way", sorted(WAYS))
def test_each_half_of_a_link_is_sealed_for_itself(db: Session, way: str) -> None:
    WAYS[way](db)
    for half in (db.get(LINK), db.get(MIRROR)):
        assert half is not None
        assert half.note == "two"
    items = [i for i in db.send("Scan", {"TableName": "Town"})["Items"] if "note" in i]
    assert len({i["note"]["B"] for i in items}) == 2


@pytest.mark.parametrize("half", ["link", "mirror"])
@pytest.mark.parametrize("together", [False, True], ids=["alone", "transaction"])
def test_an_upsert_does_not_make_two_different_halves_of_a_link(db: Session, half: str, together: bool) -> None:
    db.update(LINK, set={"times": 5})
    pk, sk = ("P#x", "F#y") if half == "link" else ("P#y", "G#x")
    db.send("DeleteItem", {"TableName": "Town", "Key": {"PK": {"S": pk}, "SK": {"S": sk}}})
    with pytest.raises(NotFoundError, match="Only one half of this link is stored"):
        if together:
            with db.transaction() as tx:
                tx.upsert(Follow(a="x", b="y"), add={"times": 1})
        else:
            db.upsert(Follow(a="x", b="y"), add={"times": 1})
    assert (db.get(LINK) is None, db.get(MIRROR) is None) == (half == "link", half == "mirror")
    db.put(Follow(a="x", b="y", times=9))
    assert [db.upsert(Follow(a="x", b="y"), add={"times": 1}).times for _ in range(2)] == [10, 11]
