"""Writes on both sides while others write the new table alone: on the way into the last phase, on the way back, and with clocks that differ."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tablewright import Entity, Get, Keys, Query, Table, get, key, query
from tablewright.engine import open_engine
from tablewright.errors import ArgumentError, TablewrightError
from tablewright.evolve.moving import LegacyGet, LegacyQuery, Move, Moving, MovingSession, Read, open_moving
from tablewright.evolve.moving.late import LATE
from tablewright.evolve.moving.restoring import TWICE
from tablewright.transport.embedded import EmbeddedTransport
from tests.client.doubles import OnTheWay
from tests.evolve.moving.conftest import AT_ONCE
from tests.evolve.moving.dying import Crash, Dying
from tests.evolve.moving.late_notes import Ground as Late
from tests.evolve.moving.merchants import Clock
from tests.evolve.moving.people import Person, into_new, old_table, person
from tests.evolve.moving.way_back import Ground, back, grounds


@pytest.fixture(params=["together", "apart"])
def ground(request: pytest.FixtureRequest) -> Iterator[Ground]:
    yield from grounds(request.param)


def to_nothing(session: MovingSession) -> None:
    """Until legacy tables lack nothing; what somebody has to decide is decided for the new table."""
    for _ in range(5):
        if session.restore_legacy().nothing:
            return
        session.repair(wins="new")
    raise AssertionError("it never ends")


def test_whoever_is_faster_in_the_new_table_loses_nothing(ground: Ground) -> None:
    """At every request of a write on both sides."""
    with ground.open() as session, ground.open() as alone:
        back(ground, session)
        ground.clock.pass_(seconds=11)
        for at in itertools.count():
            name = f"by who writes alone, {at}"
            way = OnTheWay(EmbeddedTransport(ground.new, owned=False))
            beside = None if ground.legacy is ground.new else EmbeddedTransport(ground.legacy, owned=False)
            opened = open_moving(ground.moving, way, legacy=beside, clock=ground.clock, retry=AT_ONCE, create=False)
            way.before[at] = lambda name=name: alone.db.update(key(Person, person_id="1"), set={"name": name})
            written = opened.update("Old", {"id": "1"}, set={"mail": f"mail {at}"})
            if len(way.sent) <= at:
                break
            to_nothing(session)
            found = session.db.run(person, "1")
            assert found is not None
            assert found.name == name
            assert (found.mail == f"mail {at}") is written.settled
            assert ground.old("1") == {"id": "1", "mail": found.mail, "name": name}
        assert at > 3


def test_clocks_that_differ_lose_nothing(ground: Ground) -> None:
    with ground.open() as session:
        to_nothing(session)
        assert session.verify().well
        session.go_back("switched")
        ground.clock.pass_(seconds=16)
        to_nothing(session)
        session.switch(100)
        assert session.verify().well
        session.advance("new")
        ground.clock.pass_(seconds=10.5)
        slow = Clock()
        slow.now = ground.clock.now - timedelta(seconds=4)
        beside = None if ground.legacy is ground.new else ground.legacy
        with open_moving(ground.moving, ground.new, legacy=beside, clock=slow, retry=AT_ONCE) as late:
            session.db.update(key(Person, person_id="1"), set={"name": "Ada"})
            assert late.update("Old", {"id": "1"}, set={"mail": "other"}).settled
            assert session.db.run(person, "1") == Person(person_id="1", mail="other", name="Ada")


def test_a_clock_that_is_put_back_makes_no_late_note_an_ordinary_one() -> None:
    with open_engine("memory:") as engine:
        late = Late(engine, engine)
        late.put_and_die(id="1", mail="late")
        late.hold()
        late.session.db.update(key(Person, person_id="1"), set={"name": "newer"})
        for _ in range(2):
            assert late.session.repair().failed == {LATE: 1}
            late.clock.pass_(seconds=-4)
        assert late.session.db.run(person, "1") == Person(person_id="1", mail="m1", name="newer")


def test_notes_are_settled_before_the_way_back() -> None:
    with open_engine("memory:") as new, open_engine("memory:") as old:
        late = Late(old, new)
        late.put_and_die(id="1", mail="late")
        late.hold()
        assert late.session.verify().exit_code in (0, 1)
        with pytest.raises(ArgumentError, match="pending in the ledger") as told:
            late.session.go_back("switched")
        assert "repair()" in str(told.value)


@pytest.mark.parametrize("apart", [False, True])
def test_late_notes_that_exchange_values_are_settled(apart: bool) -> None:
    with open_engine("memory:") as new, open_engine("memory:") as other:
        late = Late(other if apart else new, new)
        late.put_and_die(id="1", mail="m2")
        late.put_and_die(id="2", mail="m1")
        late.hold()
        assert late.session.repair().failed == {}
        assert (late.mail("1"), late.mail("2")) == ("m2", "m1")


def test_a_late_note_of_what_cannot_be_moved_ends_by_a_decision() -> None:
    with open_engine("memory:") as new, open_engine("memory:") as old:
        late = Late(old, new)
        late.put_and_die(id="1", mail="x" * 3_000)
        late.hold()
        (reason,) = late.session.repair().failed
        assert "2048" in reason
        assert late.session.repair(wins="legacy").failed == {reason: 1}
        assert late.session.repair(wins="new").failed == {}
        assert late.session.repair() == late.session.repair()
        assert late.mail("1") == "m1"


def test_a_late_note_is_settled_whenever_its_writer_died() -> None:
    settled = 0
    for at in range(1, 14):
        with open_engine("memory:") as new, open_engine("memory:") as old:
            late = Late(old, new)
            dying = Dying(at, after=True)
            ways = [dying.on(EmbeddedTransport(engine, owned=False)) for engine in (new, old)]
            writer = open_moving(
                late.session.moving, ways[0], legacy=ways[1], clock=late.clock, retry=AT_ONCE, create=False
            )
            with suppress(Crash):
                writer.update("Old", {"id": "1"}, set={"mail": "late"})
            late.hold()
            pending = bool(late.session.pending())
            assert late.session.repair().failed == {}, at
            assert not pending or late.mail("1") == "late"
            settled += pending
    assert settled >= 3


def test_known_to_be_unfit_is_refused_on_both_sides_once_reads_are_switched() -> None:
    with open_engine("memory:") as new, open_engine("memory:") as old:
        late = Late(old, new)
        before = old.execute("GetItem", {"TableName": "Old", "Key": {"id": {"S": "1"}}})
        with pytest.raises(ArgumentError, match="cannot become what its move says"):
            late.session.put("Old", {"id": "1", "mail": "x" * 3_000})
        assert old.execute("GetItem", {"TableName": "Old", "Key": {"id": {"S": "1"}}}) == before


# ------------------------------------------------------------------ keys that hold more than the legacy key, and wide items

ratings = Table("Ratings")


class Rating(Entity, table=ratings):
    keys = Keys("SHOP#{shop}", "AT#{at}#{number}")
    shop: str
    number: str
    at: datetime
    stars: int


@ratings.pattern
def ratings_of(shop: str) -> Query[Rating]:
    return query(Rating, Rating.shop == shop)


RATINGS = Read(Rating, lambda shop: LegacyQuery("OldR", {"shop": shop}), ratings_of, ordered=False)


def day(number: int) -> datetime:
    return datetime(2026, 1, number, tzinfo=UTC)


def rated(session: MovingSession) -> list[tuple[str, int, int]]:
    return [(one.number, one.at.day, one.stars) for one in session.db.run(ratings_of, "s")]


@pytest.fixture
def rating_ground() -> Iterator[Ground]:
    move = Move(
        table="OldR",
        key=("shop", "number"),
        entity=Rating,
        uses=("ts",),
        fields={
            "shop": "shop",
            "number": "number",
            "at": lambda item: datetime.fromisoformat(item["ts"]),
            "stars": "stars",
        },
        back=lambda one: {
            "shop": one.shop,
            "number": one.number,
            "ts": one.at.isoformat(),
            "stars": one.stars,
        },
    )
    moving = Moving("ratings", table=ratings, moves=[move], safety_period=timedelta(0))
    with open_engine("memory:") as engine:
        names = ("shop", "number")
        engine.execute(
            "CreateTable",
            {
                **old_table("OldR"),
                "AttributeDefinitions": [{"AttributeName": n, "AttributeType": "S"} for n in names],
                "KeySchema": [
                    {"AttributeName": n, "KeyType": k} for n, k in zip(names, ("HASH", "RANGE"), strict=True)
                ],
            },
        )
        item = {"shop": {"S": "s"}, "number": {"S": "2"}, "ts": {"S": day(1).isoformat()}, "stars": {"N": "1"}}
        engine.execute("PutItem", {"TableName": "OldR", "Item": item})
        made = Ground(engine, engine, Clock(), moving)
        with made.open() as session:
            into_new(session, made.clock, RATINGS, "s")
        yield made


def test_an_item_that_moved_in_the_new_table_is_found_there(rating_ground: Ground) -> None:
    with rating_ground.open() as session, rating_ground.open() as alone:
        back(rating_ground, session)
        alone.db.delete(key(Rating, shop="s", number="2", at=day(1)))
        alone.db.create(Rating(shop="s", number="2", at=day(6), stars=5))
        alone.db.create(Rating(shop="s", number="9", at=day(7), stars=1))
        rating_ground.clock.pass_(seconds=16)
        assert session.update("OldR", {"shop": "s", "number": "2"}, set={"stars": 4}).settled
        moved = {"shop": "s", "number": "9", "ts": day(8).isoformat(), "stars": 3}
        assert session.put("OldR", moved).settled
        to_nothing(session)
        assert rated(session) == [("2", 6, 4), ("9", 8, 3)]
        assert not session.progress().behind
        assert session.mend().failed == {}


def test_two_items_that_would_be_one_are_told_and_left(rating_ground: Ground) -> None:
    with rating_ground.open() as session:
        session.db.create(Rating(shop="s", number="2", at=day(9), stars=5))
        for _ in range(2):
            assert session.restore_legacy().left == {TWICE: 1}
        session.db.delete(key(Rating, shop="s", number="2", at=day(1)))
        to_nothing(session)


def test_a_way_back_for_items_of_many_attributes() -> None:
    table = Table("Wide")
    fields: dict[str, Any] = {f"f{n}": (int, n) for n in range(160)}
    namespace = {"__annotations__": {"uid": str} | {n: t for n, (t, _) in fields.items()}}
    namespace |= {n: v for n, (_, v) in fields.items()}
    wide: Any = type(Entity)("Many", (Entity,), {"keys": Keys("W#{uid}", "W"), **namespace}, table=table)

    def one(uid: str) -> Get[wide]:
        return get(wide, wide.uid == uid)

    pattern = table.pattern(one)
    move = Move(
        table="Old",
        key=("id",),
        entity=wide,
        uses=("all",),
        fields={"uid": "id"} | {n: (lambda item, n=n: item["all"][n]) for n in fields},
        back=lambda made: {"id": made.uid, "all": {n: getattr(made, n) for n in fields}},
    )
    moving = Moving("wide", table=table, moves=[move], safety_period=timedelta(0))
    with open_engine("memory:") as engine:
        engine.execute("CreateTable", old_table())
        made = Ground(engine, engine, Clock(), moving)
        with made.open() as session:
            into_new(session, made.clock, Read(wide, lambda uid: LegacyGet("Old", {"id": uid}), pattern), "1")
            session.db.create(wide(uid="2"))
            assert session.restore_legacy(write=False).written == 1
            assert session.restore_legacy().written == 1
            assert session.restore_legacy().nothing


# ------------------------------------------------------------------------------------------ what has no way back


def test_several_moves_of_one_table_have_no_way_back_and_say_so() -> None:
    both = Table("Both")

    class Profile(Entity, table=both):
        keys = Keys("U#{uid}", "PROFILE")
        uid: str

    class Theme(Entity, table=both):
        keys = Keys("U#{uid}", "THEME")
        uid: str

    @both.pattern
    def profile(uid: str) -> Get[Profile]:
        return get(Profile, Profile.uid == uid)

    moves = [
        Move(
            name=entity.__name__,
            table="Old",
            key=("id",),
            entity=entity,
            fields={"uid": "id"},
            back=lambda one: {"id": one.uid},
        )
        for entity in (Profile, Theme)
    ]
    moving = Moving("both", table=both, moves=moves, safety_period=timedelta(0))
    with open_engine("memory:") as engine:
        engine.execute("CreateTable", old_table())
        engine.execute("PutItem", {"TableName": "Old", "Item": {"id": {"S": "1"}}})
        made = Ground(engine, engine, Clock(), moving)
        with made.open() as session:
            into_new(session, made.clock, Read(Profile, lambda uid: LegacyGet("Old", {"id": uid}), profile), "1")
            for refused in (session.restore_legacy, lambda: session.go_back("switched")):
                with pytest.raises(TablewrightError, match="several moves read Old"):
                    refused()
