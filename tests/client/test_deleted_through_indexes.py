"""Collections deleted through an index: in batches where the index can say nothing that ends, else one by one, under a condition."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tablewright import (
    GSI,
    Collection,
    Entity,
    Keys,
    Query,
    Session,
    Table,
    attr,
    collect,
    key,
    many,
    query,
    sparse,
)
from tablewright.engine import Engine, open_engine
from tablewright.engine.faults import IndexLag
from tablewright.transport.embedded import EmbeddedTransport
from tests.client.conftest import AT_ONCE
from tests.client.doubles import OnTheWay

club = Table("Club", indexes=[GSI("Inverted", pk="SK", sk="PK"), GSI("GSI1"), GSI("GSI2")])


class Membership(Entity, table=club):
    keys = Keys(
        "PERSON#{name}",
        "GROUP#{group}",
        GSI1=("G#{group}", "P#{name}"),
        GSI2=sparse("ROLE#{role}", "{group}#{name}", when=attr("name") != "nobody"),
    )
    name: str
    group: str
    role: str = "member"


class Invitation(Entity, table=club):
    keys = Keys("INVITATION#{name}", "GROUP#{group}", GSI1=sparse("G#{group}", "I#{name}", when=attr("sent") == True))  # noqa: E712
    name: str
    group: str
    sent: bool = True


@club.pattern
def members(group: str) -> Query[Membership]:
    return query(Membership, Membership.group == group)


@club.pattern
def members_apart(group: str) -> Query[Membership]:
    return query(Membership, Membership.group == group).via("GSI1")


@club.pattern
def having(role: str) -> Query[Membership]:
    return query(Membership, Membership.role == role).via("GSI2")


@dataclass
class Everybody:
    members: list[Membership]
    invited: list[Invitation]


@club.pattern
def everybody(group: str) -> Collection[Everybody]:
    return collect(
        Everybody,
        members=many(query(Membership, Membership.group == group).via("GSI1")),
        invited=many(query(Invitation, Invitation.group == group).via("GSI1")),
    )


@pytest.fixture
def engine() -> Iterator[Engine]:
    with open_engine("memory:") as engine:
        yield engine


@pytest.fixture
def wire(engine: Engine) -> OnTheWay:
    return OnTheWay(EmbeddedTransport(engine, owned=False))


@pytest.fixture
def db(wire: OnTheWay) -> Iterator[Session]:
    with club.open(wire, create=True, retry=AT_ONCE) as opened:
        for number in range(30):
            opened.create(Membership(name=f"{number:02}", group="g"))
        opened.create(Membership(name="00", group="g2"))
        wire.restart()
        yield opened


def left(db: Session) -> set[tuple[str, str]]:
    return {(m.name, m.group) for m in db.scan_for_maintenance(Membership)}


@pytest.mark.parametrize("read", [members, members_apart])
def test_an_index_of_key_fields_is_deleted_in_batches(db: Session, wire: OnTheWay, read: Any) -> None:
    assert db.delete_collection(read("g")).items == 30
    assert wire.operations == ["Query", "BatchWriteItem", "BatchWriteItem"]
    assert left(db) == {("00", "g2")}


def test_a_filter_asks_for_a_condition(db: Session, wire: OnTheWay) -> None:
    found = query(Membership, Membership.group == "g").filter(Membership.role == "member")
    assert db.delete_collection(found).items == 30
    assert wire.operations == ["Query"] + ["DeleteItem"] * 30


def test_an_index_of_other_fields_is_deleted_under_conditions(db: Session, engine: Engine, wire: OnTheWay) -> None:
    with engine.faults.inject(IndexLag()):
        db.update(key(Membership, name="07", group="g"), set={"role": "admin"})
        wire.restart()
        assert db.delete_collection(having("member")).items == 30
    assert wire.operations == ["Query"] + ["DeleteItem"] * 31
    assert left(db) == {("07", "g")}


def test_each_part_of_a_collection_as_it_needs(db: Session, wire: OnTheWay) -> None:
    for name in ("x", "y"):
        db.create(Invitation(name=name, group="g"))
    wire.restart()
    assert db.delete_collection(everybody("g")).items == 32
    assert sorted(wire.operations) == ["BatchWriteItem"] * 2 + ["DeleteItem"] * 2 + ["Query"]
    assert left(db) == {("00", "g2")}


def test_what_came_back_meanwhile_goes_too(db: Session, wire: OnTheWay, engine: Engine) -> None:
    """Between the read and the delete an item is made anew: it still is what was asked for."""
    with club.open(EmbeddedTransport(engine, owned=False)) as other:

        def remade() -> None:
            other.delete(key(Membership, name="03", group="g"))
            other.create(Membership(name="03", group="g", role="new"))

        wire.before[1] = remade
        assert db.delete_collection(members("g")).items == 30
    assert left(db) == {("00", "g2")}
