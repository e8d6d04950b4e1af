"""The same for what reads otherwise than by a query: by keys, trees, links, copies, counters, statements, plain tables, and for
what deletes what it reads. And every kind of cursor is refused wherever it does not belong, before any request."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from tablewright import (
    GSI,
    Aggregate,
    Entity,
    Get,
    Keys,
    Mixed,
    PlainTable,
    Query,
    ReadCache,
    Relationship,
    Session,
    Shard,
    ShardedCounter,
    SoftDelete,
    Table,
    Unique,
    attr,
    between,
    children,
    get,
    is_in,
    key,
    open_table,
    query,
    sort_key,
    starts_with,
)
from tablewright.engine import open_engine
from tablewright.errors import CursorError
from tablewright.keybuilding import index_key, primary_key
from tablewright.transport.embedded import EmbeddedTransport
from tests.client.conftest import CURSOR_KEYS
from tests.client.doubles import OnTheWay

estate = Table("Estate", indexes=[GSI("GSI1"), GSI("GSI2")])


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
        db.count_up(visits(tenant=tenant))
    return built


def seen(found: Iterable[Any]) -> list[tuple[str, str]]:
    return sorted((h.tenant, h.house) for h in found)


def text_of(item: dict[str, Any], name: str) -> str:
    found: str = item[name]["S"]
    return found


@given(st.lists(st.tuples(IDS, IDS, IDS), min_size=1, max_size=6), st.lists(st.tuples(IDS, IDS), max_size=2))
@settings(max_examples=25, deadline=None)
def test_items_trees_links_copies_and_counters_are_those_of_their_tenant(
    drawn: Drawn, strangers: list[tuple[str, str]]
) -> None:
    with open_engine("memory:") as engine, estate.open(engine, cursor_keys=CURSOR_KEYS) as db:
        built = fill(db, drawn)
        asked = [*dict.fromkeys([*built, *strangers])]
        cached = estate.open(engine, cache=ReadCache())
        for reader in (db, cached, cached):
            ones = [reader.get(key(House, tenant=t, house=h)) for t, h in asked]
            assert [o and (o.tenant, o.house) for o in ones] == [a if a in built else None for a in asked]
        wanted = [key(House, tenant=t, house=h) for t, h in asked]
        for many in (
            db.get_many(wanted),
            db.get_many(wanted, together=True),
            db.get_many(wanted, only=Look),
            [db.run(named, t, h) for t, h in asked],
        ):
            assert [m and (m.tenant, m.house) for m in many] == [a if a in built else None for a in asked]
        for tenant, house in asked:
            inside, mine = built.get((tenant, house), []), [(t, h) for t, h in built if t == tenant]
            assert seen(db.run(looks, tenant)) == sorted(mine)
            assert db.tally(houses(tenant)).count == db.tally(streets(tenant), of=lambda _: 1).total == len(mine)
            assert db.total(visits(tenant=tenant)) == len(mine)
            both = [x for x in db.run(in_house, tenant, house) if isinstance(x, Room)]
            assert sorted(r.room for r in both) == sorted(inside)
            assert all((r.tenant, r.house) == (tenant, house) for r in both)
            if (tenant, house) not in built:
                continue
            tree = db.load_tree(HouseTree, key(House, tenant=tenant, house=house))
            assert [(r.tenant, r.house) for r in tree.rooms] == [(tenant, house)] * len(inside)
            assert sorted(r.room for r in tree.rooms) == sorted(inside)
            assert tree.orphans == ()
            assert sorted((p.tenant, p.other) for p in db.run(paths_from, tenant, house)) == sorted(mine)
            assert sorted((p.tenant, p.house) for p in db.run(paths_to, tenant, house)) == sorted(mine)
            db.update(key(House, tenant=tenant, house=house), set={"colour": "red"})
            stale = db.stale_copies(key(House, tenant=tenant, house=house))
            assert sorted(r.room for r in stale if isinstance(r, Room)) == sorted(inside)
            assert seen(stale) == [(tenant, house)] * len(inside)
            db.refresh_copies(key(House, tenant=tenant, house=house))
        cached.close()


def plain_reads(table: PlainTable, tenant: str, house: str) -> dict[str, tuple[Iterable[dict[str, Any]], bool]]:
    """Reads by keys that were built by hand, and whether they are about one house."""
    own = primary_key(House, tenant=tenant, house=house)
    partition, sort = text_of(own, "PK"), text_of(own, "SK")
    by_name = index_key(House, "GSI1", tenant=tenant, house=house)
    return {
        "all": (table.query(partition), False),
        "one": (table.query(partition, sort), True),
        "below": (table.query(partition, between(sort_key, sort, sort + "$")), True),
        "beginning": (table.query(partition, starts_with(sort_key, sort + "#")), True),
        "by name": (table.query(text_of(by_name, "GSI1PK"), index="GSI1"), True),
        "key": ([i for i in [table.get({"PK": partition, "SK": sort})] if i is not None], True),
        "keys": ([i for i in table.get_many([{"PK": partition, "SK": sort}], together=True) if i is not None], True),
    }


@given(st.lists(st.tuples(IDS, IDS, IDS), min_size=1, max_size=6))
@settings(max_examples=25, deadline=None)
def test_keys_that_are_built_by_hand_reach_their_tenant_only(drawn: Drawn) -> None:
    with (
        open_engine("memory:") as engine,
        estate.open(engine, cursor_keys=CURSOR_KEYS) as db,
        open_table("Estate", engine) as table,
    ):
        built = fill(db, drawn)
        for (tenant, house), inside in built.items():
            for what, (found, one) in plain_reads(table, tenant, house).items():
                items = list(found)
                assert items, what
                assert {i["tenant"] for i in items} == {tenant}, what
                assert not one or {i["house"] for i in items} == {house}, what
            own = primary_key(House, tenant=tenant, house=house)
            parameters = [text_of(own, "PK"), text_of(own, "SK") + "#"]
            below = 'SELECT * FROM "{table}" WHERE PK = ? AND begins_with(SK, ?)'
            assert sorted(r.room for r in db.statement(below, parameters, into=Room)) == sorted(inside)
            listed = 'SELECT tenant, house FROM "{table}"."GSI1" WHERE GSI1PK = ?'
            name = [text_of(index_key(House, "GSI1", tenant=tenant, house=house), "GSI1PK")]
            assert seen(db.statement(listed, name, into=Look)) == [(tenant, house)]


@given(
    st.lists(st.tuples(IDS, IDS, IDS), min_size=1, max_size=6), st.integers(0, 5), st.sampled_from(["below", "query"])
)
@settings(max_examples=25, deadline=None)
def test_what_is_deleted_together_is_of_one_tenant(drawn: Drawn, number: int, way: str) -> None:
    with estate.open("memory:", cursor_keys=CURSOR_KEYS) as db:
        built = fill(db, drawn)
        tenant, house = list(built)[number % len(built)]
        if way == "below":
            db.delete_collection(key(House, tenant=tenant, house=house))
            left = [a for a in built if a != (tenant, house)]
        else:
            db.delete_collection(streets(tenant))
            left = [a for a in built if a[0] != tenant]
        assert seen(db.scan_for_maintenance(House)) == sorted(left)
        kept = [a for a in built if way == "query" or a != (tenant, house)]
        assert sorted({(r.tenant, r.house) for r in db.scan_for_maintenance(Room)}) == sorted(kept)


# ------------------------------------------------------------------------------------------------------- cursors

NOW = datetime(2026, 1, 31, tzinfo=UTC)
STATEMENT = 'SELECT * FROM "{table}" WHERE PK = ?'
Going = Callable[[Any, str, "str | None"], Any]
"""One page of a read for a tenant, from a cursor on."""

SESSION_READS: dict[str, Going] = {
    "query": lambda db, t, c: db.run(paths_from, t, "0").page(1, c),
    "filled": lambda db, t, c: db.run(paths_from, t, "0").page(1, c, fill=True),
    "filtered": lambda db, t, c: db.execute(query(House, House.tenant == t).filter(House.colour == "white")).page(1, c),
    "newest first": lambda db, t, c: db.execute(query(House, House.tenant == t).newest_first()).page(1, c),
    "view": lambda db, t, c: db.run(looks, t).page(1, c),
    "shards": lambda db, t, c: db.run(streets, t).page(1, c),
    "list": lambda db, t, c: db.run(of_some, [t, "x"]).page(1, c),
    "several entities": lambda db, t, c: db.run(in_house, t, "0").page(1, c),
    "index": lambda db, t, c: db.execute(query(Room, Room.tenant == t).via("GSI1")).page(1, c),
    "mirror": lambda db, t, c: db.run(paths_to, t, "0").page(1, c),
    "statement": lambda db, t, c: db.statement(STATEMENT, [f"FROM#{t}#0"], into=Path).page(1, c),
    "changes": lambda db, t, c: db.changes(House, House.tenant == t, since=c, limit=1),
}
PLAIN_READS: dict[str, Going] = {
    "plain query": lambda table, t, c: table.query(f"TENANT#{t}").page(1, c),
    "plain range": lambda table, t, c: table.query(f"TENANT#{t}", starts_with(sort_key, "HOUSE#")).page(1, c),
    "plain index": lambda table, t, c: table.query(f"ROOMS#{t}", index="GSI1").page(1, c),
    "plain scan": lambda table, t, c: table.scan(filter=attr("tenant") == t).page(1, c, fill=True),
}


def sweeping(db: Session, entity: type[Entity], cursor: str | None) -> str:
    """The cursor of a sweep that stops at its first page."""
    swept = db.sweep_for_maintenance(entity, len, segments=2, since=cursor, progress=lambda _: False)
    assert swept.cursor is not None
    return swept.cursor


class Ground:
    """Two tables with the same items for two tenants, and every way to them."""

    def __init__(self) -> None:
        self.now = NOW
        self.wire = OnTheWay(EmbeddedTransport.open("memory:"))
        self.tables: dict[str, PlainTable] = {}
        self.sessions: dict[str, Session] = {}
        for name in ("Estate", "Another"):
            self.sessions[name] = self.open(name)
            for tenant in ("mine", "yours"):
                fill(self.sessions[name], [(tenant, str(n), str(n + m)) for n in range(3) for m in range(2)])
            self.tables[name] = open_table(
                name, self.wire, cursor_keys=CURSOR_KEYS, cursor_max_age=60, clock=lambda: self.now
            )
        self.wire.restart()

    def open(self, name: str, **more: Any) -> Session:
        return estate.open(
            self.wire,
            create=True,
            table_name=name,
            cursor_keys=CURSOR_KEYS,
            cursor_max_age=60,
            clock=lambda: self.now,
            **more,
        )

    def reads(self, name: str) -> dict[str, Callable[[str, str | None], Any]]:
        """Every read of one table."""
        db, table = self.sessions[name], self.tables[name]
        of_session = {n: lambda t, c, go=go: go(db, t, c) for n, go in SESSION_READS.items()}
        return {**of_session, **{n: lambda t, c, go=go: go(table, t, c) for n, go in PLAIN_READS.items()}}


@pytest.fixture(scope="module")
def ground() -> Ground:
    return Ground()


def altered(cursor: str) -> Iterable[str]:
    """Cursors with one character changed, left out or added, here and there."""
    for place in range(0, len(cursor), 7):
        other = "A" if cursor[place] != "A" else "B"
        yield cursor[:place] + other + cursor[place + 1 :]
        yield cursor[:place] + cursor[place + 1 :]
    yield cursor + "A"
    yield cursor + "="


EVERY_READ = [*SESSION_READS, *PLAIN_READS]


@pytest.mark.parametrize("kind", EVERY_READ)
def test_a_cursor_of_any_kind_goes_on_with_its_own_read_and_no_other(kind: str, ground: Ground) -> None:
    reads = ground.reads("Estate")
    cursor = reads[kind]("mine", None).cursor
    assert cursor is not None
    assert reads[kind]("mine", cursor) is not None
    ground.wire.restart()
    same = {"query", "filled"} if kind in ("query", "filled") else {kind}  # a page is filled by the same requests
    wrong: list[Callable[[], object]] = [lambda go=go: go("mine", cursor) for n, go in reads.items() if n not in same]
    wrong.append(lambda: reads[kind]("yours", cursor))
    wrong.append(lambda: ground.reads("Another")[kind]("mine", cursor))
    wrong.append(lambda: sweeping(ground.sessions["Estate"], House, cursor))
    wrong += [lambda text=text: reads[kind]("mine", text) for text in altered(cursor)]
    for attempt in wrong:
        with pytest.raises(CursorError):
            attempt()
    assert ground.wire.sent == []


@pytest.mark.parametrize("kind", SESSION_READS)
def test_a_cursor_belongs_to_the_tenant_of_its_session(kind: str, ground: Ground) -> None:
    going = SESSION_READS[kind]
    cursor = going(ground.open("Estate", tenant="mine"), "mine", None).cursor
    others = ground.open("Estate", tenant="yours"), ground.open("Estate")
    ground.wire.restart()
    for other in others:
        with pytest.raises(CursorError):
            going(other, "mine", cursor)
    assert ground.wire.sent == []


@pytest.mark.parametrize("kind", EVERY_READ)
def test_a_cursor_of_any_kind_expires(kind: str) -> None:
    ground = Ground()
    read = ground.reads("Estate")[kind]
    cursor = read("mine", None).cursor
    ground.now += timedelta(seconds=61)
    ground.wire.restart()
    with pytest.raises(CursorError, match="expired"):
        read("mine", cursor)
    assert ground.wire.sent == []


def test_the_cursor_of_a_sweep_is_refused_like_any_other() -> None:
    ground = Ground()
    inner = ground.wire.inner.send
    ground.wire.inner.send = lambda operation, request: inner(  # type: ignore[method-assign]
        operation, {**request, "Limit": 2} if operation == "Scan" else request
    )
    db = ground.sessions["Estate"]
    cursor = sweeping(db, House, None)
    sweeping(db, House, cursor)
    mine = ground.open("Estate", tenant="mine")
    ground.wire.restart()
    wrong: list[Callable[[], object]] = [
        *(lambda text=text: sweeping(db, House, text) for text in altered(cursor)),
        *(lambda go=go: go("mine", cursor) for go in ground.reads("Estate").values()),
        lambda: sweeping(db, Room, cursor),
        lambda: sweeping(ground.sessions["Another"], House, cursor),
        lambda: sweeping(mine, House, cursor),
    ]
    for attempt in wrong:
        with pytest.raises(CursorError):
            attempt()
    ground.now += timedelta(seconds=61)
    with pytest.raises(CursorError, match="expired"):
        sweeping(db, House, cursor)
    assert ground.wire.sent == []
