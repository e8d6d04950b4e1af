"""The same for what reads otherwise than by a query: by keys, trees, links, copies, counters, statements, plain tables, and for
what deletes what it reads."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tablewright import PlainTable, ReadCache, between, key, open_table, sort_key, starts_with
from tablewright.engine import open_engine
from tablewright.keybuilding import index_key, primary_key
from tests.client.conftest import CURSOR_KEYS
from tests.property.estate import (
    DRAWN,
    IDS,
    MET,
    Drawn,
    House,
    HouseTree,
    Look,
    Room,
    estate,
    fill,
    houses,
    in_house,
    looks,
    named,
    paths_from,
    paths_to,
    roads_to,
    streets,
    visits,
)


def seen(found: Iterable[Any]) -> list[tuple[str, str]]:
    return sorted((h.tenant, h.house) for h in found)


def text_of(item: dict[str, Any], name: str) -> str:
    found: str = item[name]["S"]
    return found


@example(MET, [("a#a", "a")])
@given(DRAWN, st.lists(st.tuples(IDS, IDS), max_size=2))
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
            assert seen(db.run(roads_to, tenant, house)) == sorted(mine)
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


@example(MET)
@given(DRAWN)
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


@example(MET, 0, "below")
@example(MET, 0, "query")
@given(DRAWN, st.integers(0, 5), st.sampled_from(["below", "query"]))
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
