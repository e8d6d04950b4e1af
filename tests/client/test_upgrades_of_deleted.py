"""Upgrades on read of what is deleted softly in the meantime: it stays gone, whatever the read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from pydantic import BaseModel

from tablewright import GSI, Collection, Entity, Keys, Query, SoftDelete, Table, collect, key, many, query
from tablewright.engine import open_engine
from tablewright.errors import AlreadyExistsError
from tablewright.transport.embedded import EmbeddedTransport
from tests.client.doubles import OnTheWay

KEEP = SoftDelete(keep=timedelta(days=30))
INDEXES = [GSI("GSI1"), GSI("GSI2", projection=["SchemaVersion"])]

old = Table("Team", indexes=INDEXES)
new = Table("Team", indexes=INDEXES)


class OldUser(Entity, table=old, type="User", schema_version=1, soft_delete=KEEP):
    keys = Keys("TEAM#{team}", "USER#{uid}", GSI1=("TOWN#{town}", "{uid}"), GSI2=("YEAR#{year}", "{uid}"))
    team: str
    uid: str
    town: str = "Ulm"
    year: int = 2026
    name: str = ""


class User(Entity, table=new, schema_version=2, soft_delete=KEEP):
    keys = Keys("TEAM#{team}", "USER#{uid}", GSI1=("TOWN#{town}", "{uid}"), GSI2=("YEAR#{year}", "{uid}"))
    team: str
    uid: str
    town: str = "Ulm"
    year: int = 2026
    full: str = ""


class Place(Entity, table=new):
    keys = Keys("TEAM#{team}", "PLACE")
    team: str


@new.upcast(User, 1)
def named(item: dict[str, Any]) -> dict[str, Any]:
    return {"full": item.pop("name"), **item}


class Brief(BaseModel):
    uid: str


@dataclass
class Team:
    users: list[User]
    places: list[Place]


@new.pattern
def of_team(team: str) -> Query[User]:
    return query(User, User.team == team)


@new.pattern
def in_town(town: str) -> Query[User]:
    return query(User, User.town == town)


@new.pattern
def briefly(year: int) -> Query[Brief]:
    return query(User, User.year == year).only(Brief)


@new.pattern
def whole_team(team: str) -> Collection[Team]:
    return collect(Team, users=many(query(User, User.team == team)), places=many(query(Place, Place.team == team)))


BOTH = [key(User, team="a", uid="1"), key(User, team="a", uid="2")]
READS: dict[str, Callable[[Any], list[Any]]] = {
    "get": lambda db: [db.get(BOTH[0]), db.get(BOTH[1])],
    "get of a part": lambda db: db.get_many(BOTH, only=Brief),
    "many": lambda db: db.get_many(BOTH),
    "sweep": lambda db: list(db.scan_for_maintenance(User)),
    "query": lambda db: db.run(of_team, "a").all(),
    "index": lambda db: db.run(in_town, "Ulm").all(),
    "narrow index": lambda db: db.run(briefly, 2026).all(),
    "collection": lambda db: db.run(whole_team, "a").users,
}


@pytest.fixture(params=[True, False], ids=["upgrading", "reading"])
def opened(request: pytest.FixtureRequest) -> Iterator[tuple[Any, Any, OnTheWay]]:
    """Somebody else, code that reads, and what goes between this and the table."""
    with open_engine("memory:") as engine:
        before = old.open(EmbeddedTransport(engine, owned=False), create=True)
        other = new.open(EmbeddedTransport(engine, owned=False))
        wire = OnTheWay(EmbeddedTransport(engine, owned=False))
        db = new.open(wire, upgrade_on_read=request.param)
        for uid in "12":
            before.create(OldUser(team="a", uid=uid, name="Ann"))
        wire.restart()
        yield other, db, wire


@pytest.mark.parametrize("at", [1, 2, 3])
@pytest.mark.parametrize("read", READS)
def test_what_is_deleted_softly_meanwhile_stays_gone(opened: tuple[Any, Any, OnTheWay], read: str, at: int) -> None:
    """At any request behind the first, which met it: it is handed out as it was, or not at all."""
    other, db, wire = opened
    wire.before[at] = lambda: other.delete(BOTH[0])
    found = [one for one in READS[read](db) if one is not None]
    assert [one.uid for one in found] in (["1", "2"], ["2"])
    assert all(getattr(one, "full", "Ann") == "Ann" for one in found)
    if len(wire.operations) > at:
        if at == 1 and wire.operations != ["GetItem", "GetItem"]:  # which are one for each
            assert [one.uid for one in found] == ["2"]
        wire.restart()
        assert [one.uid for one in READS[read](db) if one is not None] == ["2"]


def test_who_brings_back_what_was_deleted_softly_meanwhile_meets_the_tombstone(
    opened: tuple[Any, Any, OnTheWay],
) -> None:
    other, db, wire = opened
    wire.before[1] = lambda: other.delete(BOTH[0])
    try:
        assert db.undelete(BOTH[0]).full == "Ann"
    except AlreadyExistsError:
        assert wire.operations[:2] != ["GetItem", "UpdateItem"]
