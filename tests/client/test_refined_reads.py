"""A pattern's read that something is added to where it is used asks for what it says then, not for what the pattern said."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from pydantic import BaseModel

from tablewright import Collection, Entity, Get, Keys, Query, Session, Table, collect, get, many, query

house = Table("House")


class Room(Entity, table=house):
    keys = Keys("HOUSE#{house}", "ROOM#{number:2}")
    house: str
    number: int
    warm: bool = False


class Warmth(BaseModel):
    warm: bool


@house.pattern
def rooms(of: str, up_to: int | None = None) -> Query[Room]:
    return query(Room, Room.house == of).when(up_to, lambda n: Room.number <= n)


@house.pattern
def room(of: str, number: int) -> Get[Room]:
    return get(Room, Room.house == of, Room.number == number)


@dataclass
class Floor:
    rooms: list[Room]


@house.pattern
def floor(of: str) -> Collection[Floor]:
    return collect(Floor, rooms=many(query(Room, Room.house == of)))


@pytest.fixture
def db() -> Iterator[Session]:
    with house.open("memory:") as opened:
        for number in range(4):
            opened.create(Room(house="a", number=number, warm=number % 2 == 0))
        yield opened


def numbers(db: Session, read: Query[Room]) -> list[int]:
    return [room.number for room in db.execute(read)]


def test_a_query_is_filtered_turned_and_narrowed(db: Session) -> None:
    assert numbers(db, rooms("a")) == [0, 1, 2, 3]
    assert numbers(db, rooms("a").filter(Room.warm == True)) == [0, 2]  # noqa: E712
    assert numbers(db, rooms("a", 2).newest_first()) == [2, 1, 0]
    assert numbers(db, rooms("a").when(1, lambda n: Room.number >= n)) == [1, 2, 3]
    assert list(db.execute(rooms("a", 1).only(Warmth))) == [Warmth(warm=True), Warmth(warm=False)]
    assert len(db.execute(rooms("a").per_page(3)).page()) == 3


def test_reads_are_consistent_when_asked(db: Session) -> None:
    with db.measure() as meter:
        for rooms_read in (rooms("a"), rooms("a").consistent()):
            db.execute(rooms_read).all()
        for room_read in (room("a", 1), room("a", 1).consistent()):
            db.execute(room_read)
        for floor_read in (floor("a"), floor("a").consistent()):
            db.execute(floor_read)
    assert [r.capacity.read for r in meter.requests] == [0.5, 1.0] * 3


def test_one_item_is_narrowed(db: Session) -> None:
    assert db.execute(room("a", 2).only(Warmth)) == Warmth(warm=True)


def test_only_what_the_filter_leaves_is_deleted(db: Session) -> None:
    assert db.delete_collection(rooms("a").filter(Room.warm == True)).items == 2  # noqa: E712
    assert numbers(db, rooms("a")) == [1, 3]
