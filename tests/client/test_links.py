"""Many-to-many links: mirrored items that are always written together, and links whose ends exist."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from tablewright import (
    GSI,
    Aggregate,
    Entity,
    Keys,
    Query,
    Relationship,
    Session,
    Shard,
    SoftDelete,
    Table,
    children,
    key,
    query,
    require,
    stored,
)
from tablewright.engine import Engine, open_engine
from tablewright.errors import (
    AlreadyExistsError,
    ArgumentError,
    ConcurrentModificationError,
    ConditionalCheckError,
    ModelError,
    NotFoundError,
    TransactionError,
)
from tablewright.transport.embedded import EmbeddedTransport
from tests.client.conftest import AT_ONCE, ticking
from tests.client.doubles import OnTheWay

social = Table("Social", indexes=[GSI("GSI1")])


class User(Entity, table=social):
    keys = Keys("USER#{username}", "USER#{username}")
    username: str


class Follow(Entity, table=social, version=True):
    """Whom somebody follows, the loudest first."""

    keys = Keys("USER#{follower}", "FOLLOWS#{following}", GSI1=("FOLLOWED-BY#{follower}", "{volume:3}#{following}"))
    follower: str
    following: str
    volume: int = Field(default=0, ge=0, le=999)
    note: str | None = None


class Follower(Follow, table=social, version=True):
    """The same link, from the other side, sorted otherwise."""

    keys = Keys("USER#{following}", "FOLLOWER#{follower}", GSI1=("FOLLOWERS-OF#{following}", "{note}#{follower}"))


class Membership(Entity, table=social):
    """One item, with an inverted index."""

    keys = Keys("GROUP#{group}", "MEMBER#{username}", GSI1=("MEMBER#{username}", "GROUP#{group}"))
    group: str
    username: str
    role: Literal["admin", "member"] = "member"


class Group(Entity, table=social):
    keys = Keys("GROUP#{name}", "GROUP#{name}")
    name: str


social.relate(
    Relationship(
        User,
        User,
        "M:N",
        "adjacency list",
        via=Follow,
        mirror=Follower,
        source_fields={"follower": "username"},
        target_fields={"following": "username"},
    ),
    Relationship(
        Group, User, "M:N", "materialised graph", via=Membership, source_fields=("group",), target_fields=("username",)
    ),
)


@social.pattern
def followed_by(username: str) -> Query[Follow]:
    return query(Follow, Follow.follower == username)


@social.pattern
def followers_of(username: str) -> Query[Follower]:
    return query(Follower, Follower.following == username)


@social.change
def turn_up(f: Follow, by: int) -> None:
    require(f.volume < 500)
    f.volume = f.volume + by


@dataclass
class Town:
    db: Session
    wire: OnTheWay
    other: Session
    engine: Engine

    def items(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.engine.execute("Scan", {"TableName": "Social"})["Items"]
        return found


@pytest.fixture
def town() -> Iterator[Town]:
    clock = ticking()
    with open_engine("memory:") as engine:
        wire = OnTheWay(EmbeddedTransport(engine, owned=False))
        with (
            social.open(EmbeddedTransport(engine, owned=False), create=True, clock=clock) as other,
            social.open(wire, clock=clock, retry=AT_ONCE) as db,
        ):
            for name in ("ada", "bob", "cleo"):
                other.create(User(username=name))
            other.create(Group(name="chess"))
            yield Town(db, wire, other, engine)
            check_pairs(db)
            assert engine.verify() == []


def version_of(entity: Entity) -> int | None:
    known = stored(entity)
    assert known is not None
    return known.version


def escaped(name: str) -> str:
    return name.replace("#", "%23")


def check_pairs(db: Session) -> None:
    """Every link has its mirror, and the two say the same."""
    links = {(f.follower, f.following): f for f in db.scan_for_maintenance(Follow)}
    mirrors = {(f.follower, f.following): f for f in db.scan_for_maintenance(Follower)}
    assert {k: f.model_dump() for k, f in links.items()} == {k: f.model_dump() for k, f in mirrors.items()}
    versions = [[version_of(f) for _, f in sorted(side.items())] for side in (links, mirrors)]
    assert versions[0] == versions[1]
    for (follower, following), mirror in mirrors.items():
        index = db.send(
            "Query",
            {
                "TableName": db.table_name,
                "IndexName": "GSI1",
                "KeyConditionExpression": "GSI1PK = :p",
                "ExpressionAttributeValues": {":p": {"S": f"FOLLOWERS-OF#{escaped(following)}"}},
            },
        )["Items"]
        expected = [] if mirror.note is None else [f"{mirror.note}#{escaped(follower)}"]
        assert [i["GSI1SK"]["S"] for i in index if i["follower"]["S"] == follower] == expected


ADA_BOB = key(Follow, follower="ada", following="bob")
BOB_ADA = key(Follower, follower="ada", following="bob")


# ---------------------------------------------------------------------------------------------------- mirrors


def test_both_directions_read_what_was_written_once(town: Town) -> None:
    follow = town.db.create(Follow(follower="ada", following="bob", note="x"))
    assert town.wire.operations == ["TransactWriteItems"]
    assert version_of(follow) == 1
    town.db.create(Follower(follower="cleo", following="bob"))
    assert [f.following for f in town.db.run(followed_by, "ada")] == ["bob"]
    assert [f.follower for f in town.db.run(followers_of, "bob")] == ["ada", "cleo"]
    assert [f.following for f in town.db.run(followed_by, "cleo")] == ["bob"]
    with pytest.raises(AlreadyExistsError):
        town.db.create(Follower(follower="ada", following="bob"))


def test_updates_of_all_kinds_reach_both(town: Town) -> None:
    town.db.create(Follow(follower="ada", following="bob"))
    changed = town.db.update(ADA_BOB, set={"note": "loud"}, add={"volume": 3})
    assert (changed.note, changed.volume) == ("loud", 3)
    check_pairs(town.db)
    assert town.db.apply(turn_up, ADA_BOB, by=4).volume == 7
    check_pairs(town.db)
    with town.db.edit(BOB_ADA) as mirror:
        mirror.note = "louder"
    check_pairs(town.db)
    town.db.update(ADA_BOB, remove=["note"])
    check_pairs(town.db)
    put = town.db.put(Follow(follower="ada", following="bob", volume=9, note="again"))
    assert version_of(put) == 6
    check_pairs(town.db)
    before = town.db.update(ADA_BOB, set={"volume": 10}, returns="old")
    assert before.volume == 9
    assert town.db.put(Follow(follower="ada", following="bob"), returns="old") == before.model_copy(
        update={"volume": 10}
    )
    town.db.upsert(Follow(follower="ada", following="bob"), set={"volume": 11})
    town.db.upsert(Follow(follower="bob", following="ada", volume=1))
    assert [f.volume for f in town.db.run(followers_of, "ada")] == [1]
    assert [f.volume for f in town.db.run(followers_of, "bob")] == [11]
    assert town.db.increment(ADA_BOB, Follow.volume, 2) == 13


def test_deletes_take_both(town: Town) -> None:
    town.db.create(Follow(follower="ada", following="bob", note="n"))
    gone = town.db.delete(BOB_ADA)
    assert gone is not None
    assert gone.note == "n"
    assert town.db.delete(ADA_BOB) is None
    assert town.db.get(ADA_BOB) is None
    town.db.create(Follow(follower="ada", following="bob"))
    town.db.delete_collection(query(Follower, Follower.following == "bob"))
    assert town.db.get(ADA_BOB) is None


def test_conditions_and_locks_are_on_the_one_that_is_named(town: Town) -> None:
    follow = town.db.create(Follow(follower="ada", following="bob"))
    mirror = town.db.get(BOB_ADA)
    assert mirror is not None
    town.other.update(BOB_ADA, add={"volume": 1})
    for stale in (follow, mirror):
        with pytest.raises(ConcurrentModificationError):
            town.db.update(stale, set={"note": "x"})
        with pytest.raises(ConcurrentModificationError):
            town.db.delete(stale)
    with pytest.raises(ConditionalCheckError):
        town.db.update(ADA_BOB, set={"note": "x"}, when=Follow.volume == 7)
    with pytest.raises(NotFoundError):
        town.db.update(key(Follow, follower="ada", following="cleo"), set={"note": "x"})


def test_a_writer_in_between_is_met(town: Town) -> None:
    town.db.create(Follow(follower="ada", following="bob", note="a"))
    town.wire.restart()
    town.wire.before = {1: lambda: town.other.update(BOB_ADA, set={"note": "b"})}
    town.db.update(ADA_BOB, add={"volume": 5})
    found = town.db.get(BOB_ADA)
    assert found is not None
    assert (found.note, found.volume) == ("b", 5)


def test_a_lost_reply_is_one_link(town: Town) -> None:
    town.wire.lose = {0}
    town.db.create(Follow(follower="ada", following="bob"))
    assert len(town.items()) == 6


def test_transactions_hold_both_and_name_the_write_that_failed(town: Town) -> None:
    town.db.create(Follow(follower="bob", following="cleo"))
    with pytest.raises(AlreadyExistsError) as caught, town.db.transaction() as tx:
        tx.create(Follow(follower="ada", following="bob"))
        tx.create(Follower(follower="bob", following="cleo"))
    assert caught.value.context["action"] == 1
    assert town.db.get(ADA_BOB) is None
    with town.db.transaction() as tx:
        tx.create(Follow(follower="ada", following="bob"))
        tx.delete(key(Follow, follower="bob", following="cleo"))
    assert [f.follower for f in town.db.run(followers_of, "cleo")] == []
    with pytest.raises(TransactionError, match="same item"), town.db.transaction() as tx:
        tx.update(ADA_BOB, set={"note": "x"})
        tx.update(BOB_ADA, set={"note": "y"})


def test_a_batch_refuses_what_it_would_leave_without_a_mirror(town: Town) -> None:
    with pytest.raises(ArgumentError, match="has a"), town.db.batch() as batch:
        batch.put(Follow(follower="ada", following="bob"))
    with town.db.batch(transactional=True) as batch:
        batch.put(Follow(follower="ada", following="bob"))
    assert town.db.get(BOB_ADA) is not None


def test_async_links_are_mirrored_too() -> None:
    async def working() -> int:
        async with social.open_async("memory:") as db:
            for name in ("ada", "bob"):
                await db.create(User(username=name))
            await db.link(Follow(follower="ada", following="bob"))
            async with db.transaction() as tx:
                tx.link(Follow(follower="bob", following="ada"))
            await db.update(ADA_BOB, add={"volume": 2})
            return sum([f.volume async for f in db.run(followers_of, "bob")])

    assert asyncio.run(working()) == 2


@pytest.mark.dynamodb_local
def test_mirrors_on_dynamodb_local(dynamodb_local_url: str) -> None:
    with social.open(dynamodb_local_url, create=True, table_name="mirrors") as db:
        try:
            db.create(Follow(follower="ada", following="bob", note="a"))
            db.update(BOB_ADA, set={"note": "b"}, add={"volume": 2})
            db.put(Follow(follower="ada", following="cleo"))
            check_pairs(db)
            db.delete(ADA_BOB)
            check_pairs(db)
            assert [f.following for f in db.run(followed_by, "ada")] == ["cleo"]
        finally:
            db.delete_table()


# ------------------------------------------------------------------------------------------------------- ends


def test_a_link_is_made_where_both_ends_are(town: Town) -> None:
    town.db.link(Follow(follower="ada", following="bob"))
    with pytest.raises(NotFoundError, match="no such User"):
        town.db.link(Follow(follower="ada", following="dan"))
    with pytest.raises(NotFoundError, match="no such User"):
        town.db.link(Follower(follower="dan", following="ada"))
    town.db.link(Follow(follower="ada", following="ada"))
    town.db.link(Membership(group="chess", username="ada"))
    with pytest.raises(NotFoundError, match="no such Group"):
        town.db.link(Membership(group="go", username="ada"))
    with pytest.raises(ArgumentError, match="no relationship is made of"):
        town.db.link(User(username="eve"))


def test_a_link_in_a_transaction_checks_its_ends(town: Town) -> None:
    with pytest.raises(NotFoundError), town.db.transaction() as tx:
        tx.link(Follow(follower="ada", following="dan"))
    with town.db.transaction() as tx:
        tx.link(Follow(follower="ada", following="bob"))
    assert town.db.get(BOB_ADA) is not None


# ------------------------------------------------------------------------------------------------ random writes

PEOPLE = st.sampled_from(["ada", "bob", "c#d"])
WRITES = st.tuples(
    st.sampled_from(["create", "put", "set", "add", "edit", "delete", "upsert"]), PEOPLE, PEOPLE, st.booleans()
)


@given(writes=st.lists(WRITES, max_size=12))
def test_any_writes_leave_pairs(writes: list[tuple[str, str, str, bool]]) -> None:
    expected: dict[tuple[str, str], dict[str, Any]] = {}
    numbers = itertools.count(1)
    with social.open("memory:") as db:
        for what, one, two, mirrored in writes:
            entity = Follower if mirrored else Follow
            ends: dict[str, Any] = {"follower": one, "following": two}
            n = next(numbers)
            target = key(entity, **ends)
            there = expected.get((one, two))
            match what:
                case "create":
                    if there is not None:
                        with pytest.raises(AlreadyExistsError):
                            db.create(entity(**ends, volume=n))
                        continue
                    db.create(entity(**ends, volume=n))
                    expected[one, two] = {"volume": n, "note": None}
                case "put":
                    db.put(entity(**ends, note=f"p{n}"))
                    expected[one, two] = {"volume": 0, "note": f"p{n}"}
                case "upsert":
                    db.upsert(entity(**ends, volume=n), set={"note": f"u{n}"})
                    expected[one, two] = {"volume": n, "note": None} if there is None else {**there, "note": f"u{n}"}
                case "delete":
                    db.delete(target)
                    expected.pop((one, two), None)
                case "set" if there is not None:
                    db.update(target, set={"note": f"s{n}"})
                    there["note"] = f"s{n}"
                case "add" if there is not None:
                    db.update(target, add={"volume": 1})
                    there["volume"] += 1
                case "edit" if there is not None:
                    with db.edit(target) as edited:
                        edited.note = f"e{n}"
                    there["note"] = f"e{n}"
        check_pairs(db)
        found = {
            (f.follower, f.following): {"volume": f.volume, "note": f.note} for f in db.scan_for_maintenance(Follow)
        }
        assert found == expected


# -------------------------------------------------------------------------------------------------- declaring


def declared(**other: Any) -> None:
    """A relationship with one thing changed."""
    table = Table("Trial")

    class Person(Entity, table=table):
        keys = Keys("P#{name}", "P#{name}")
        name: str

    class Knows(Entity, table=table):
        keys = Keys("P#{one}", "KNOWS#{two}")
        one: str
        two: str
        since: datetime | None = None

    class Known(Knows, table=table):
        keys = Keys("P#{two}", "KNOWN#{one}")

    class Versioned(Knows, table=table, version=True):
        keys = Keys("P#{two}", "VERSIONED#{one}")

    class Larger(Knows, table=table):
        keys = Keys("P#{two}", "LARGER#{one}")
        more: str = ""

    class Sharded(Knows, table=table):
        keys = Keys("P#{two}", "SHARDED#{shard}", derive={"shard": Shard("one", of=4)})

    class Soft(Knows, table=table, soft_delete=SoftDelete()):
        keys = Keys("P#{two}", "SOFT#{one}")

    class Tree(Aggregate[Person]):
        pass

    kinds = {"Known": Known, "Versioned": Versioned, "Larger": Larger, "Soft": Soft, "Sharded": Sharded, "Knows": Knows}
    given: dict[str, Any] = {
        "via": Knows,
        "mirror": Known,
        "source_fields": ("one",),
        "target_fields": ("two",),
        "strategy": "adjacency list",
    }
    given |= {name: kinds.get(value, value) if isinstance(value, str) else value for name, value in other.items()}
    table.relate(Relationship(Person, Person, "M:N", **given))

    class Both(Aggregate[Person]):
        links: list[Knows] = children(by={"one": "name"})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"mirror": None}, "cannot be served"),
        ({"mirror": "Versioned"}, "differ in version"),
        ({"mirror": "Larger"}, "has other fields"),
        ({"mirror": "Soft"}, "differ in soft_delete"),
        ({"mirror": "Sharded"}, "key of Sharded does not hold one"),
        ({"mirror": "Knows"}, "cannot be served"),
        ({"strategy": "normalised"}, "has a mirror, but no links"),
        ({"via": None}, "needs via="),
        ({}, "Knows has mirrors"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_what_cannot_be_a_mirror_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        declared(**given)


def test_ends_that_a_transaction_names_twice_are_checked_once(town: Town) -> None:
    for name in ("ada", "bob", "cyd"):
        town.db.put(User(username=name))
    with town.db.transaction() as tx:
        tx.link(Follow(follower="ada", following="bob"))
        tx.link(Follow(follower="ada", following="cyd"))
        tx.create(User(username="eve"))
        tx.link(Follow(follower="eve", following="bob"))
    assert town.db.get(key(Follow, follower="ada", following="cyd")) is not None
    assert town.db.get(key(Follow, follower="eve", following="bob")) is not None
    with town.db.transaction() as tx:  # the end may be made after it was linked
        tx.link(Follow(follower="flo", following="eve"))
        tx.create(User(username="flo"))
    with pytest.raises(NotFoundError), town.db.transaction() as tx:
        tx.link(Follow(follower="flo", following="bob"))
        tx.link(Follow(follower="nobody", following="bob"))
    assert town.db.get(key(Follow, follower="flo", following="bob")) is None
    with pytest.raises(TransactionError), town.db.transaction() as tx:
        tx.delete(key(User, username="flo"))
        tx.link(Follow(follower="flo", following="bob"))
