"""What belongs to somebody: listed from the top, erased from the bottom, whatever stops it on the way; nobody else loses anything."""

from __future__ import annotations

import asyncio
import uuid
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest

from tablewright import (
    GSI,
    Collection,
    Deleted,
    Deleting,
    Entity,
    Get,
    Keys,
    Query,
    Relationship,
    Session,
    SoftDelete,
    Table,
    before_delete,
    collect,
    get,
    key,
    many,
    query,
)
from tablewright.engine import open_engine
from tablewright.engine.faults import IndexLag, Unprocessed
from tablewright.errors import (
    ArgumentError,
    ConditionalCheckError,
    CursorError,
    OutcomeUnknownError,
    UnprocessedError,
)
from tablewright.testing import assert_no_traces
from tablewright.transport.embedded import EmbeddedTransport
from tests.client.conftest import AT_ONCE
from tests.client.doubles import OnTheWay

club = Table("Club", indexes=[GSI("GSI1")])


class Member(Entity, table=club):
    keys = Keys("MEMBER#{member}", "MEMBER", GSI1=("EMAIL#{email}", "MEMBER"), unique=["email"])
    member: str
    email: str


class Room(Entity, table=club, soft_delete=SoftDelete(keep=timedelta(days=7))):
    keys = Keys("MEMBER#{member}", "ROOM#{room}", GSI1=("ROOM#{room}", "ROOM"))
    member: str
    room: str


class Note(Entity, table=club):
    keys = Keys("ROOM#{room}", "NOTE#{number:3}")
    room: str
    number: int


class Guest(Entity, table=club):
    keys = Keys("ROOM#{room}", "GUEST#{guest}")
    room: str
    guest: str


class Review(Entity, table=club):
    keys = Keys("FILM#{film}", "REVIEW#{author}", GSI1=("AUTHOR#{author}", "{film}"))
    film: str
    author: str
    stars: int = 3


class Vote(Entity, table=club):
    keys = Keys("VOTE#{vote}", "VOTE", GSI1=("VOTER#{voter}", "{vote}"))
    vote: str
    voter: str


class Friend(Entity, table=club):
    keys = Keys("MEMBER#{member}", "FRIEND#{friend}")
    member: str
    friend: str


class Befriended(Entity, table=club):
    keys = Keys("MEMBER#{friend}", "OF#{member}")
    member: str
    friend: str


class Film(Entity, table=club):
    keys = Keys("FILM#{film}", "FILM")
    film: str


club.relate(
    Relationship(
        Member,
        Member,
        "M:N",
        "materialised graph",
        via=Friend,
        mirror=Befriended,
        source_fields=("member",),
        target_fields=("friend",),
    )
)


@dataclass
class Inside:
    notes: list[Note]
    guests: list[Guest]


@club.pattern
def member(member: str) -> Get[Member]:
    return get(Member, Member.member == member)


@club.pattern
def rooms_of(member: str) -> Query[Room]:
    return query(Room, Room.member == member)


@club.pattern
def inside(room: str) -> Collection[Inside]:
    return collect(Inside, notes=many(query(Note, Note.room == room)), guests=many(query(Guest, Guest.room == room)))


@club.pattern
def reviews_of(member: str, film: str | None = None) -> Query[Review]:
    return query(Review, Review.author == member).when(film, lambda f: Review.film == f)


@club.pattern
def votes_of(member: str) -> Query[Vote]:
    return query(Vote, Vote.voter == member)


@club.pattern
def friends_of(member: str) -> Query[Friend]:
    return query(Friend, Friend.member == member)


@club.pattern
def friend_of(member: str) -> Query[Befriended]:
    return query(Befriended, Befriended.friend == member)


everything_of = club.belongings(
    member, rooms_of, reviews_of, votes_of, friends_of, friend_of, below={Room: inside}, beside=[Film]
)


def fill(db: Session, who: str, rooms: int = 2, notes: int = 3) -> None:
    db.create(Member(member=who, email=f"{who}@example.com"))
    for room in range(rooms):
        db.create(Room(member=who, room=f"{who}-{room}"))
        for number in range(notes):
            db.create(Note(room=f"{who}-{room}", number=number))
        db.create(Guest(room=f"{who}-{room}", guest="g"))
    for film in ("alien", "brazil"):
        db.create(Review(film=film, author=who))
    db.create(Vote(vote=f"v-{who}", voter=who))
    db.create(Friend(member=who, friend="other"))
    db.create(Friend(member="other", friend=who))


def stored(db: Session) -> list[Any]:
    items = db.send("Scan", {"TableName": db.table_name, "ConsistentRead": True})["Items"]
    return sorted(items, key=str)


@pytest.fixture(params=["memory", pytest.param("dynamodb-local", marks=[pytest.mark.dynamodb_local, pytest.mark.full])])
def db(request: pytest.FixtureRequest) -> Any:
    place = "memory:" if request.param == "memory" else request.getfixturevalue("dynamodb_local_url")
    name = f"club-{uuid.uuid4().hex}"
    with club.open(place, create=True, table_name=name, cursor_keys=[b"a secret of the tests, no more"]) as opened:
        yield opened
        # DynamoDB Local has ten threads, of which each table with a time to live takes one: soon it would make no index any more.
        opened.delete_table()


def shown(entity: Entity) -> str:
    return " ".join([type(entity).__name__, *(str(v) for v in entity.model_dump().values())])


OF_ANN = [
    "Member ann ann@example.com",
    "Room ann ann-0",
    *("Guest ann-0 g", "Note ann-0 0", "Note ann-0 1", "Note ann-0 2"),
    "Room ann ann-1",
    *("Guest ann-1 g", "Note ann-1 0", "Note ann-1 1", "Note ann-1 2"),
    *("Review alien ann 3", "Review brazil ann 3", "Vote v-ann ann"),
    *("Friend ann other", "Befriended other ann"),
]


# ---------------------------------------------------------------------------------------------------- listing


def test_each_item_is_listed_once_before_what_lies_below_it(db: Session) -> None:
    fill(db, "ann")
    fill(db, "anna")
    assert [shown(e) for e in db.belongings(everything_of("ann"))] == OF_ANN
    assert db.belongings(everything_of("ann")).count() == len(OF_ANN)
    assert db.belongings(everything_of("nobody")).all() == []
    assert db.belongings(everything_of("nobody")).first() is None


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
def test_pages_go_on_where_the_last_one_ended(db: Session, size: int) -> None:
    fill(db, "ann")
    found: list[str] = []
    cursor: str | None = None
    for _ in range(100):
        page = db.belongings(everything_of("ann")).page(size, cursor)
        assert len(page) <= size
        found += [shown(e) for e in page]
        cursor = page.cursor
        if cursor is None:
            break
    assert found == OF_ANN


def test_a_list_goes_on_although_what_it_stood_at_is_gone(db: Session) -> None:
    fill(db, "ann")
    page = db.belongings(everything_of("ann")).page(4)
    assert shown(page.items[-1]) == "Note ann-0 0"
    db.purge(key(Room, member="ann", room="ann-0"))
    rest = db.belongings(everything_of("ann")).page(100, page.cursor)
    assert [shown(e) for e in rest] == OF_ANN[6:]


def test_a_cursor_is_good_for_one_owner(db: Session) -> None:
    fill(db, "ann")
    cursor = db.belongings(everything_of("ann")).page(2).cursor
    with pytest.raises(CursorError):
        db.belongings(everything_of("bob")).page(2, cursor)


def test_what_lies_below_a_deleted_item_is_listed_and_the_tombstone_is_not(db: Session) -> None:
    fill(db, "ann", rooms=1, notes=1)
    db.delete(key(Room, member="ann", room="ann-0"))
    listed = [shown(e) for e in db.belongings(everything_of("ann"))]
    assert "Note ann-0 0" in listed
    assert "Room ann ann-0" not in listed


# ---------------------------------------------------------------------------------------------------- erasing


def test_nothing_is_left_of_one_and_everything_of_others(db: Session) -> None:
    fill(db, "bob")
    before = stored(db)
    fill(db, "ann")
    db.delete(key(Room, member="ann", room="ann-1"))  # a tombstone, which reads hide
    told: list[int] = []
    assert db.erase(everything_of("ann"), progress=told.append) == Deleted(len(OF_ANN), True)
    assert_no_traces(db, "ann")
    assert stored(db) == before
    assert told == sorted(told)
    assert told[-1] == len(OF_ANN)
    assert db.erase(everything_of("ann")) == Deleted(0, True)
    db.create(Member(member="ann", email="ann@example.com"))  # the address is free


def test_steps_go_on_with_what_is_left(db: Session) -> None:
    fill(db, "ann")
    sizes = []
    while True:
        step = db.erase(everything_of("ann"), limit=4)
        sizes.append(step.items)
        if step.done:
            break
        assert db.get(member("ann")) is not None
    assert sum(sizes) == len(OF_ANN)
    assert max(sizes) <= 4
    assert_no_traces(db, "ann")


def test_it_can_be_killed_before_and_after_any_request() -> None:
    number = 0
    while True:
        killed = False
        for lost in (False, True):
            with open_engine("memory:") as engine:
                wire = OnTheWay(EmbeddedTransport(engine, owned=False))
                with club.open(engine) as other, club.open(wire, retry=AT_ONCE, create=False) as db:
                    fill(other, "bob", rooms=1, notes=1)
                    before = stored(other)
                    fill(other, "ann", notes=1)
                    other.delete(key(Room, member="ann", room="ann-1"))
                    killed |= _killed_at(number, wire, db, lost=lost)
                    assert db.erase(everything_of("ann")).done
                    assert_no_traces(other, "ann")
                    assert stored(other) == before
        if not killed:
            break
        number += 1
    assert number > 15


class Killed(BaseException):
    """The process ends here: nothing may catch it and go on."""


def _killed_at(number: int, wire: OnTheWay, db: Session, *, lost: bool) -> bool:
    inner = wire.inner

    class Dying:
        def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
            dying = len(wire.sent) == number + 1
            if dying and not lost:
                raise Killed
            answer = inner.send(operation, request)
            if dying:
                raise Killed
            return answer

        def close(self) -> None:
            inner.close()

    wire.restart()
    wire.inner = Dying()
    try:
        db.erase(everything_of("ann"))
    except Killed:
        return True
    finally:
        wire.inner = inner
    return False


def test_it_is_called_again_until_it_succeeds() -> None:
    with open_engine("memory:") as engine:
        wire = OnTheWay(EmbeddedTransport(engine, owned=False))
        with club.open(engine) as other, club.open(wire, retry=AT_ONCE, create=False) as db:
            fill(other, "ann")
            wire.restart()
            wire.lose = set(range(2, 60, 3))
            done = False
            with engine.faults.inject(Unprocessed(operations="BatchWriteItem", share=0.7, seed=1)):
                while not done:
                    with suppress(UnprocessedError, OutcomeUnknownError):
                        done = db.erase(everything_of("ann")).done
            assert_no_traces(other, "ann")


def test_what_moved_on_behind_an_index_stays() -> None:
    with open_engine("memory:") as engine, club.open(engine) as db:
        fill(db, "ann", rooms=0)
        with engine.faults.inject(IndexLag()):
            db.update(key(Vote, vote="v-ann"), set={"voter": "bob"})
            db.erase(everything_of("ann"))
        assert [v.voter for v in db.run(votes_of, "bob")] == ["bob"]


def test_what_lies_below_something_that_moved_on_stays() -> None:
    trade = Table("Trade", indexes=[GSI("GSI1")])

    class Dealer(Entity, table=trade):
        keys = Keys("DEALER#{dealer}", "DEALER")
        dealer: str

    class Deal(Entity, table=trade):
        keys = Keys("DEAL#{deal}", "DEAL", GSI1=("DEALER#{dealer}", "{deal}"))
        deal: str
        dealer: str

    class Paper(Entity, table=trade):
        keys = Keys("DEAL#{deal}", "PAPER#{paper}")
        deal: str
        paper: str

    @trade.pattern
    def the_dealer(dealer: str) -> Get[Dealer]:
        return get(Dealer, Dealer.dealer == dealer)

    @trade.pattern
    def deals_of(dealer: str) -> Query[Deal]:
        return query(Deal, Deal.dealer == dealer)

    @trade.pattern
    def papers_of(deal: str) -> Query[Paper]:
        return query(Paper, Paper.deal == deal)

    of = trade.belongings(the_dealer, deals_of, below={Deal: papers_of})
    with open_engine("memory:") as engine, trade.open(engine) as db:
        for deal in ("d1", "d2"):
            db.create(Deal(deal=deal, dealer="ann"))
            db.create(Paper(deal=deal, paper="p"))
        with engine.faults.inject(IndexLag()):
            db.update(key(Deal, deal="d1"), set={"dealer": "bob"})
            assert db.erase(of("ann")) == Deleted(2, True)
        assert [type(e).__name__ for e in db.belongings(of("bob"))] == ["Deal", "Paper"]
        assert len(stored(db)) == 2


def test_an_optional_field_without_a_value_leads_nowhere() -> None:
    shed = Table("Shed")

    class Tool(Entity, table=shed):
        keys = Keys("TOOL#{tool}", "TOOL")
        tool: str
        box: str | None = None

    class Box(Entity, table=shed):
        keys = Keys("BOX#{box}", "BOX")
        box: str

    @shed.pattern
    def the_tool(tool: str) -> Get[Tool]:
        return get(Tool, Tool.tool == tool)

    @shed.pattern
    def the_box(box: str) -> Get[Box]:
        return get(Box, Box.box == box)

    of = shed.belongings(the_tool, below={Tool: the_box})
    with shed.open("memory:") as db:
        for tool, box in (("saw", None), ("axe", "b1")):
            db.create(Tool(tool=tool, box=box))
        db.create(Box(box="b1"))
        assert [type(e) for e in db.belongings(of("saw"))] == [Tool]
        assert [type(e) for e in db.belongings(of("axe"))] == [Tool, Box]
        assert [db.erase(of(tool)) for tool in ("saw", "axe")] == [Deleted(1, True), Deleted(2, True)]
        assert stored(db) == []


def test_hooks_hear_of_what_goes() -> None:
    heard: list[dict[str, Any]] = []
    desk = Table("Desk")

    class Owner(Entity, table=desk):
        keys = Keys("OWNER#{owner}", "OWNER")
        owner: str

        @staticmethod
        @before_delete
        def hear(deleting: Deleting) -> None:
            heard.append(dict(deleting.key))

    @desk.pattern
    def the_owner(owner: str) -> Get[Owner]:
        return get(Owner, Owner.owner == owner)

    of = desk.belongings(the_owner)
    with desk.open("memory:") as opened:
        opened.create(Owner(owner="ann"))
        assert opened.erase(of("ann")) == Deleted(1, True)
    assert heard == [{"owner": "ann"}]


def test_the_same_with_asyncio() -> None:
    async def work() -> tuple[list[str], Deleted, int]:
        async with club.open_async(engine) as db:
            listed = [shown(e) async for e in db.belongings(everything_of("ann"))]
            return listed, await db.erase(everything_of("ann")), await db.belongings(everything_of("ann")).count()

    with open_engine("memory:") as engine:
        with club.open(engine) as db:
            fill(db, "ann")
        assert asyncio.run(work()) == (OF_ANN, Deleted(len(OF_ANN), True), 0)


# ------------------------------------------------------------------------------------------- an owner in a state

house = Table("House", indexes=[GSI("GSI1")])


class Tenant(Entity, table=house):
    keys = Keys("TENANT#{tenant}", "TENANT")
    tenant: str
    leaving: bool = False


class Chair(Entity, table=house):
    keys = Keys("TENANT#{tenant}", "CHAIR#{number:3}")
    tenant: str
    number: int


class Key(Entity, table=house):
    keys = Keys("KEY#{name}", "KEY", GSI1=("TENANT#{tenant}", "{name}"), unique=["name"])
    name: str
    tenant: str


@house.pattern
def the_tenant(tenant: str) -> Get[Tenant]:
    return get(Tenant, Tenant.tenant == tenant)


@house.pattern
def chairs_of(tenant: str) -> Query[Chair]:
    return query(Chair, Chair.tenant == tenant)


@house.pattern
def keys_of(tenant: str) -> Query[Key]:
    return query(Key, Key.tenant == tenant)


all_of_tenant = house.belongings(the_tenant, chairs_of, keys_of)
LEAVING = Tenant.leaving == True  # noqa: E712 - a condition, not a comparison


def move_in(db: Session, *, leaving: bool, chairs: int = 30) -> None:
    db.create(Tenant(tenant="t", leaving=leaving))
    for number in range(chairs):
        db.create(Chair(tenant="t", number=number))
    for name in ("front", "back"):
        db.create(Key(name=name, tenant="t"))


def test_whoever_has_the_id_next_loses_nothing_to_an_erasure_of_somebody_before() -> None:
    """Before each request another worker finishes, and somebody comes in with the same id and the same keys."""
    number, refused = 0, 0
    while True:
        with open_engine("memory:") as engine:
            wire = OnTheWay(EmbeddedTransport(engine, owned=False))
            with house.open(engine) as other, house.open(wire, retry=AT_ONCE, create=False) as db:
                move_in(other, leaving=True)
                wire.restart()
                new: list[Any] = []

                def anew(other: Session = other, new: list[Any] = new) -> None:
                    other.erase(all_of_tenant("t"), when=LEAVING)
                    move_in(other, leaving=False)
                    new.extend(stored(other))

                wire.before = {number: anew}
                try:
                    assert db.erase(all_of_tenant("t"), when=LEAVING).done
                except ConditionalCheckError:
                    refused += 1
                if len(wire.sent) <= number:
                    assert stored(other) == []
                    break
                assert stored(other) == new
        number += 1
    assert number > 5
    assert refused == number


def test_who_stays_keeps_everything() -> None:
    async def work() -> None:
        async with house.open_async(engine) as db:
            with pytest.raises(ConditionalCheckError):
                await db.erase(all_of_tenant("t"), when=LEAVING)

    with open_engine("memory:") as engine, house.open(engine) as db:
        move_in(db, leaving=False, chairs=2)
        before = stored(db)
        with pytest.raises(ConditionalCheckError):
            db.erase(all_of_tenant("t"), when=LEAVING, limit=1)
        asyncio.run(work())
        assert stored(db) == before


def test_who_leaves_goes_in_steps_and_what_has_no_owner_goes_too() -> None:
    async def rest() -> Deleted:
        async with house.open_async(engine) as db:
            return await db.erase(all_of_tenant("t"), when=LEAVING)

    with open_engine("memory:") as engine, house.open(engine) as db:
        move_in(db, leaving=True)
        assert db.erase(all_of_tenant("t"), when=LEAVING, limit=31) == Deleted(31, False)
        assert asyncio.run(rest()) == Deleted(2, True)
        db.create(Chair(tenant="t", number=1))
        db.create(Key(name="front", tenant="t"))
        assert db.erase(all_of_tenant("t"), when=LEAVING) == Deleted(2, True)
        assert stored(db) == []


def test_a_condition_needs_an_owner_with_a_key(db: Session) -> None:
    of = club.belongings(
        rooms_of, member, reviews_of, votes_of, friends_of, friend_of, below={Room: inside}, beside=[Film]
    )
    with pytest.raises(ArgumentError, match="primary key"):
        db.erase(of("ann"), when=Room.room == "x")
    with pytest.raises(ArgumentError, match="Room"):
        db.erase(everything_of("ann"), when=Room.room == "x")


def test_what_an_index_shows_late_is_found_by_the_second_look() -> None:
    with open_engine("memory:") as engine:
        wire = OnTheWay(EmbeddedTransport(engine, owned=False))
        with house.open(engine) as other, house.open(wire, create=False) as db:
            move_in(other, leaving=True, chairs=1)
            with engine.faults.inject(IndexLag()) as lag:
                other.create(Key(name="late", tenant="t"))
                wire.restart()
                queries = 0

                class Counting:
                    def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
                        nonlocal queries
                        queries += "IndexName" in request
                        if queries == 2:
                            lag.release()
                        return engine.execute(operation, request)

                    def close(self) -> None: ...

                wire.inner = Counting()
                assert db.erase(all_of_tenant("t"), when=LEAVING) == Deleted(5, True)
            assert stored(other) == []


def test_wrong_arguments_are_refused(db: Session) -> None:
    for wrong in (lambda: db.erase("ann"), lambda: db.belongings(member("ann"))):  # type: ignore[arg-type]
        with pytest.raises(ArgumentError, match="nobody's belongings"):
            wrong()
    for limit in (0, True, "1"):
        with pytest.raises(ArgumentError, match="at least one"):
            db.erase(everything_of("ann"), limit=limit)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="no function"):
        db.erase(everything_of("ann"), progress=3)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="may not be None"):
        everything_of(None)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="at least one"):
        db.belongings(everything_of("ann")).page(0)
