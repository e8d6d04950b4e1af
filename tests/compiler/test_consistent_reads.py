"""Consistent reads of several entities: refused at definition where a global index would have to give them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from tablewright import GSI, Collection, Entity, Keys, Mixed, Query, Table, collect, many, query
from tablewright.errors import PatternError

port = Table("Port", indexes=[GSI("GSI1")])


class Ship(Entity, table=port):
    keys = Keys("DOCK#{dock}", "SHIP#{ship}", GSI1=("FLAG#{flag}", "SHIP#{ship}"))
    dock: str
    ship: str
    flag: str


class Crane(Entity, table=port):
    keys = Keys("DOCK#{dock}", "CRANE#{crane}", GSI1=("FLAG#{flag}", "CRANE#{crane}"))
    dock: str
    crane: str
    flag: str


@dataclass
class Dock:
    ships: list[Ship]
    cranes: list[Crane]


def ships(flag: str) -> Query[Ship]:
    return query(Ship, Ship.flag == flag)


def cranes(flag: str) -> Query[Crane]:
    return query(Crane, Crane.flag == flag)


def one_query(flag: str) -> Query[Ship]:
    return ships(flag).consistent()


def mixed(flag: str) -> Mixed[Ship | Crane]:
    return (ships(flag) | cranes(flag)).consistent()


def mixed_by_index(flag: str) -> Mixed[Ship | Crane]:
    return (ships(flag).via("GSI1") | cranes(flag).via("GSI1")).consistent()


def one_of_a_mixed_read(flag: str) -> Mixed[Ship | Crane]:
    return ships(flag) | cranes(flag).consistent()


def collection(flag: str) -> Collection[Dock]:
    return collect(Dock, ships=many(ships(flag)), cranes=many(cranes(flag))).consistent()


def part_of_a_collection(flag: str) -> Collection[Dock]:
    return collect(Dock, ships=many(ships(flag)), cranes=many(cranes(flag).consistent()))


WRONG: list[Callable[[str], Any]] = [
    one_query,
    mixed,
    mixed_by_index,
    one_of_a_mixed_read,
    collection,
    part_of_a_collection,
]


@pytest.mark.parametrize("read", WRONG, ids=lambda read: read.__name__)
def test_a_global_index_gives_no_consistent_reads(read: Callable[[str], Any]) -> None:
    with pytest.raises(PatternError, match="GSI1: global indexes have no consistent reads") as refused:
        port.pattern(read)
    assert refused.value.hint == "Leave .consistent() out, or read by the table's key."
    with (
        port.open("memory:") as db,
        db.measure() as meter,
        pytest.raises(PatternError, match="GSI1: global indexes have no consistent reads"),
    ):
        db.execute(read("nl"))
    assert not meter.requests


def test_the_table_itself_is_read_consistently_where_one_part_asks_for_it() -> None:
    here = query(Ship, Ship.dock == "1")
    there = query(Crane, Crane.dock == "1")
    with port.open("memory:") as db:
        ship, crane = db.create(Ship(dock="1", ship="s", flag="nl")), db.create(Crane(dock="1", crane="c", flag="nl"))
        with db.measure() as meter:
            assert db.execute((here | there).consistent()).all() == [crane, ship]
            assert db.execute(here | there.consistent()).all() == [crane, ship]
            for read in (
                collect(Dock, ships=many(here), cranes=many(there)).consistent(),
                collect(Dock, ships=many(here.consistent()), cranes=many(there)),
            ):
                assert db.execute(read) == Dock([ship], [crane])
    assert [r.capacity.read for r in meter.requests] == [1.0] * 4, "twice what others cost"


def test_a_collection_may_be_a_plain_dict() -> None:
    with port.open("memory:") as db:
        ship = db.create(Ship(dock="1", ship="s", flag="nl"))
        assert db.execute(collect(dict, ships=many(query(Ship, Ship.dock == "1")))) == {"ships": [ship]}
