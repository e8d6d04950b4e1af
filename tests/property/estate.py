"""Tenants with houses, rooms, paths between houses and counted visits: what reads otherwise than by a query, reads this."""

from __future__ import annotations

from hypothesis import strategies as st
from pydantic import BaseModel

from tablewright import (
    GSI,
    Aggregate,
    Entity,
    Get,
    Keys,
    Mixed,
    Query,
    Relationship,
    Session,
    Shard,
    ShardedCounter,
    SoftDelete,
    Table,
    Unique,
    children,
    get,
    is_in,
    query,
)

estate = Table("Estate", indexes=[GSI("GSI1"), GSI("GSI2"), GSI("Inverted", pk="SK", sk="PK")])


class House(Entity, table=estate):
    keys = Keys(
        "TENANT#{tenant}",
        "HOUSE#{house}",
        GSI1=("NAME#{tenant}#{house}", "HOUSE"),
        GSI2=("STREET#{tenant}#{shard}", "{updated_at}#{house}"),
        derive={"shard": Shard("house", of=2)},
        unique=[Unique("tenant", "sign")],
    )
    tenant: str
    house: str
    sign: str | None = None
    colour: str = "white"


class Room(Entity, table=estate, soft_delete=SoftDelete()):
    keys = Keys("TENANT#{tenant}", "HOUSE#{house}#ROOM#{room}", GSI1=("ROOMS#{tenant}", "{house}#{room}"))
    tenant: str
    house: str
    room: str
    colour: str = "white"


class Path(Entity, table=estate):
    """From house to house, found from either end."""

    keys = Keys("FROM#{tenant}#{house}", "TO#{other}")
    tenant: str
    house: str
    other: str


class Back(Path, table=estate):
    keys = Keys("TO#{tenant}#{other}", "FROM#{house}")


class Road(Entity, table=estate):
    """The same as one item, read from its other end through an inverted index."""

    keys = Keys("ROAD#{tenant}#{house}", "ROAD#{tenant}#{other}")
    tenant: str
    house: str
    other: str


class Visits(Entity, table=estate):
    keys = Keys("VISITS#{tenant}#{shard:1}", "VISITS")
    tenant: str
    shard: int
    visits: int = 0


class HouseTree(Aggregate[House]):
    rooms: list[Room] = children(order_by="room")


class Look(BaseModel):
    """A part of a house."""

    tenant: str
    house: str


@estate.pattern
def named(tenant: str, house: str) -> Get[House]:
    return get(House, House.tenant == tenant, House.house == house).via("GSI1")


@estate.pattern
def looks(tenant: str) -> Query[Look]:
    return query(House, House.tenant == tenant).only(Look)


@estate.pattern
def houses(tenant: str) -> Query[House]:
    return query(House, House.tenant == tenant)


@estate.pattern
def streets(tenant: str) -> Query[House]:
    return query(House, House.tenant == tenant).via("GSI2")


@estate.pattern
def of_some(tenants: list[str]) -> Query[House]:
    return query(House, is_in(House.tenant, tenants)).via("GSI2")


@estate.pattern
def rooms(tenant: str, house: str) -> Query[Room]:
    return query(Room, Room.tenant == tenant, Room.house == house)


@estate.pattern
def in_house(tenant: str, house: str) -> Mixed[House | Room]:
    return query(House, House.tenant == tenant, House.house == house) | query(
        Room, Room.tenant == tenant, Room.house == house
    )


@estate.pattern
def paths_from(tenant: str, house: str) -> Query[Path]:
    return query(Path, Path.tenant == tenant, Path.house == house)


@estate.pattern
def paths_to(tenant: str, other: str) -> Query[Back]:
    return query(Back, Back.tenant == tenant, Back.other == other)


@estate.pattern
def roads_to(tenant: str, other: str) -> Query[Road]:
    return query(Road, Road.tenant == tenant, Road.other == other).via("Inverted")


ENDS = {"tenant": "tenant", "house": "house"}
estate.relate(
    Relationship(
        House,
        House,
        "M:N",
        "adjacency list",
        via=Path,
        mirror=Back,
        source_fields=ENDS,
        target_fields={"tenant": "tenant", "other": "house"},
    ),
    Relationship(Room, House, "1:N", "shallow duplication", copies={"colour": "colour"}, by=ENDS, found_by=rooms),
)
visits = ShardedCounter(Visits.shard, Visits.visits, of=3)

IDS = st.one_of(
    st.text(alphabet="a#%$é😀\x01 ", min_size=1, max_size=3),
    st.sampled_from(["a", "a#", "a#ROOM", "a#HOUSE#a", "a$", "a%", "a%23", "TENANT#a", "#", "HOUSE", "1", "a#1"]),
)
Drawn = list[tuple[str, str, str]]
NEIGHBOURS = IDS.flatmap(lambda one: st.tuples(st.just(one), IDS.map(lambda more: one + more), IDS))
"""Ids of which one begins like another."""
DRAWN: st.SearchStrategy[Drawn] = NEIGHBOURS.flatmap(
    lambda ids: st.lists(st.tuples(*[st.sampled_from(ids)] * 3), min_size=1, max_size=6)
)
"""Tenants, houses and rooms whose names meet in every way."""
MET: Drawn = [("a", "a", "a"), ("a", "aa", "a"), ("a", "a#", "a#"), ("a#", "a", "a"), ("aa", "a", "a")]
"""The same by hand: each is the beginning of another."""
Rooms = dict[tuple[str, str], list[str]]
"""The rooms of each tenant's houses."""


def fill(db: Session, drawn: Drawn) -> Rooms:
    """Houses with rooms; a path leads from each house to every house of its tenant."""
    built: Rooms = {}
    for tenant, house, room in drawn:
        built.setdefault((tenant, house), [])
        if room not in built[tenant, house]:
            built[tenant, house].append(room)
    for (tenant, house), inside in built.items():
        db.create(House(tenant=tenant, house=house, sign=house))
        for room in inside:
            db.create(Room(tenant=tenant, house=house, room=room))
        for other in (h for t, h in built if t == tenant):
            db.put(Path(tenant=tenant, house=house, other=other))
            db.put(Road(tenant=tenant, house=house, other=other))
        db.count_up(visits(tenant=tenant))
    return built
