"""Policies of single writes allow every request that such a write can lead to, and no action more."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright import GSI, Entity, Get, Keys, Table, get, key, number, require
from tablewright.generate.iam.policies import roles, writes
from tests.support.iam import actions, check, sending

stock = Table("Stock", indexes=[GSI("GSI1"), GSI("Ranks", pk="kind", sk=number("rank"))])


class Bare(Entity, table=stock, timestamps=False):
    keys = Keys("BARE#{name}", "BARE")
    name: str
    colour: str = "red"
    note: str = ""


class Ranked(Entity, table=stock):
    keys = Keys("RANKED#{name}", "RANKED", Ranks=("{kind}", "{rank}"))
    name: str
    kind: str = "k"
    rank: int = 0


class Listed(Entity, table=stock):
    keys = Keys("LISTED#{name}", "LISTED", GSI1=("COLOUR#{colour}", "{name}"))
    name: str
    colour: str = "red"
    tags: set[str] = {"new"}  # noqa: RUF012 - Pydantic copies it
    count: int = 0


class Kept(Entity, table=stock, nested="kept"):
    keys = Keys("KEPT#{name}", "KEPT")
    name: str
    note: str = ""


@stock.pattern
def listed(name: str) -> Get[Listed]:
    return get(Listed, Listed.name == name)


@stock.change
def write(bare: Bare, text: str | None = None) -> None:
    require(bare.colour == "red")
    if text is not None:
        bare.note = text


@stock.change
def rank(ranked: Ranked, to: int) -> None:
    ranked.rank = to


@stock.change
def paint(one: Listed, colour: str) -> None:
    one.colour = colour


@stock.change
def tag(one: Listed, name: str) -> None:
    one.tags.add(name)


@stock.change
def count(one: Listed, by: int | None = None) -> None:
    if by is not None:
        one.count += by


@stock.change
def note(kept: Kept, text: str) -> None:
    kept.note = text


CHANGES: dict[str, tuple[Any, type[Entity], list[dict[str, Any]], set[str], set[str]]] = {
    "perhaps nothing": (write, Bare, [{"text": "x"}, {}], {"UpdateItem", "ConditionCheckItem", "GetItem"}, set()),
    "perhaps the time": (count, Listed, [{"by": 1}, {}], {"UpdateItem"}, {"GetItem"}),
    "an index of fields": (rank, Ranked, [{"to": 3}], {"UpdateItem"}, set()),
    "an index with a key field": (paint, Listed, [{"colour": "blue"}], {"UpdateItem"}, set()),
    "what begins with its default": (tag, Listed, [{"name": "x"}], {"UpdateItem", "GetItem"}, set()),
    "what lies in a map": (note, Kept, [{"text": "x"}], {"UpdateItem"}, {"GetItem"}),
}


@pytest.mark.parametrize("case", CHANGES)
def test_a_change_may_do_what_it_does(case: str) -> None:
    """What it does here, and what it may have to do elsewhere."""
    change, entity, calls, needed, elsewhere = CHANGES[case]
    policy = writes(stock.plan)[change.name]
    assert actions(policy) == needed | elsewhere
    with sending(stock) as (db, told):
        db.create(entity(name="a"))
        told()
        for arguments in calls:
            db.apply(change, key(entity, name="a"), **arguments)
        requests = told()
    check(policy, stock, requests)
    assert {r.action.partition(":")[2] for r in requests} == needed


def test_an_update_of_nothing_is_a_check() -> None:
    policy = writes(stock.plan)["Bare.update"]
    with sending(stock) as (db, told):
        db.create(Bare(name="a"))
        told()
        db.update(key(Bare, name="a"), set={})
        requests = told()
    assert {r.action for r in requests} == {"dynamodb:ConditionCheckItem", "dynamodb:GetItem"}
    check(policy, stock, requests)


def test_a_map_that_is_missing_is_made() -> None:
    policy = writes(stock.plan)["note"]
    with sending(stock) as (db, told):
        item = {"PK": {"S": "KEPT#a"}, "SK": {"S": "KEPT"}, "Type": {"S": "Kept"}, "name": {"S": "a"}}
        db.send("PutItem", {"TableName": db.table_name, "Item": item})
        told()
        db.apply(note, key(Kept, name="a"), text="x")
        check(policy, stock, told())


def test_what_a_write_never_does_is_not_allowed() -> None:
    found = writes(stock.plan)
    for entity in ("Bare", "Ranked", "Listed"):
        assert actions(found[f"{entity}.create"]) == {"PutItem"}
        assert actions(found[f"{entity}.put"]) == {"UpdateItem"}
        assert actions(found[f"{entity}.delete"]) == {"DeleteItem"}
        looks = {"ConditionCheckItem"} if entity == "Bare" else set()
        assert actions(found[f"{entity}.update"]) == {"UpdateItem", "GetItem"} | looks


def test_whoever_migrates_reads_every_index() -> None:
    resources = {
        resource
        for statement in roles(stock.plan)["migration"].statements
        if "Query" in statement.actions
        for resource in statement.resources
    }
    assert resources == {"", "/index/GSI1", "/index/Ranks"}
    reader = {r for s in roles(stock.plan)["reader"].statements for r in s.resources}
    assert reader == {""}
