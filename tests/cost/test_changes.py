"""Declared changes cost, at worst, what is measured: also where a unique value moves, or an index holds what the library adds."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablewright import GSI, Entity, Keys, Table, key
from tablewright.cost.entities import TABLE
from tablewright.cost.estimating import estimate
from tablewright.cost.growth import grow
from tablewright.cost.observed import ObservedUse, ObservedWrites, as_observed
from tablewright.cost.prices import MONTH
from tablewright.cost.showing import shown
from tablewright.values.sizes import item_size


@settings(max_examples=settings().max_examples // 10)
@given(body=st.integers(1, 3000), stamps=st.booleans(), version=st.booleans())
def test_a_change_costs_what_is_measured(body: int, stamps: bool, version: bool) -> None:
    table = Table(
        "Accounts",
        indexes=[
            GSI("Versions", projection=["Version"]),
            GSI("Times", projection=["UpdatedAt"]),
            GSI("Notes", projection=["note"]),
            GSI("Bare", projection="KEYS_ONLY"),
        ],
    )

    class Account(Entity, table=table, version=version, timestamps=stamps):
        keys = Keys(
            "ACCOUNT#{account}",
            "ACCOUNT",
            Versions=("V#{account}", "V"),
            Times=("T#{account}", "T"),
            Notes=("N#{account}", "N"),
            Bare=("B#{mail}", "B"),
            unique=["mail", "name"],
        )
        account: str
        mail: str
        name: str
        note: str
        body: str
        count: int = 0

    @table.change
    def move(one: Account, mail: str) -> None:
        one.mail = mail

    @table.change
    def write(one: Account, text: str) -> None:
        one.note = text

    @table.change
    def number(one: Account, to: int) -> None:
        one.count = to

    with table.open("memory:") as db:
        db.create(Account(account="a", mail="m1@x", name="n", note="n", body="b" * body))
        size = max(item_size(item) for item in db.send("Scan", {"TableName": "Accounts"})["Items"])
        table.expect(Account, size=size)
        (cost,) = estimate(table).entities
        place = key(Account, account="a")
        with db.measure() as moved:
            db.apply(move, place, mail="m2@x")
        with db.measure() as written:
            db.apply(write, place, text="o")
        with db.measure() as numbered:
            db.apply(number, place, to=7)
    assert moved.capacity.write == cost.changes["move"].total
    assert written.capacity.write == cost.changes["write"].total
    assert numbered.capacity.write == cost.changes["number"].total
    # The item, and what the library adds to each write.
    assert set(cost.changes["number"].indexes) == {
        *(["Versions"] if version else []),
        *(["Times"] if stamps else []),
    }
    # Of a write nobody declared, whatever can hold something of it is counted.
    assert set(cost.update.indexes) == {"Versions", "Times", "Notes"}


def tickets() -> tuple[Table, type[Any], Any]:
    table = Table("Tickets", indexes=[GSI("GSI1"), GSI("GSI2", projection="KEYS_ONLY")])

    class Ticket(Entity, table=table):
        keys = Keys("TICKET#{ticket}", "TICKET", GSI1=("STATUS#{status}", "{ticket}"), GSI2=("ALL", "{ticket}"))
        ticket: str
        status: str
        body: str

    @table.change
    def close(one: Ticket, status: str) -> None:
        one.status = status

    table.expect(Ticket, items=1_000, writes=10)
    return table, Ticket, close


def test_changes_of_which_it_is_said_how_often_they_are_made_are_billed_as_they_are_measured() -> None:
    table, ticket, close = tickets()
    with table.open("memory:") as db:
        with db.measure() as used:
            for number in range(6):
                db.create(ticket(ticket=str(number), status="OPEN", body="b" * 1_300))
            for number in range(4):
                db.apply(close, key(ticket, ticket=str(number)), status="SHUT")
        size = max(item_size(item) for item in db.send("Scan", {"TableName": "Tickets"})["Items"])
    table.expect(ticket, size=size)
    creates = estimate(table)
    table.expect(close, rate=4)
    found = estimate(table)

    assert sum(creates.writes.values()) == 50
    assert sum(found.writes.values()) == used.capacity.write == 6 * 5 + 4 * 6
    assert found.writes == {TABLE: 20, "GSI1": 6 * 2 + 4 * 4, "GSI2": 6}
    assert found.bill().writes == pytest.approx(creates.bill().writes * 54 / 50)
    assert sum(s.month for s in found.shares if s.what == "writes") == pytest.approx(found.bill().writes)
    assert "close(), at worst: 6 (the table 2, GSI1 4), 4 a second" in shown(found)


def test_where_changes_are_more_than_the_writes_that_were_said_they_are_the_writes() -> None:
    table, _, close = tickets()
    table.expect(close, rate=30)
    (cost,) = estimate(table).entities

    assert cost.writes == 30
    assert cost.own == cost.changes["close"]


def test_what_is_changed_makes_no_items_in_months_to_come() -> None:
    table, _, close = tickets()
    table.expect(close, rate=4)
    growth = grow(table, 2, traffic=0.1)

    assert growth.months[0].bill == estimate(table).bill()
    made = growth.months[1].items["Ticket"] - 1_000
    assert made == pytest.approx(6 * MONTH, rel=0.1)
    writes = [month.bill.writes for month in growth.months]
    assert writes == pytest.approx([writes[0], writes[0] * 1.1, writes[0] * 1.21])


def test_what_is_observed_takes_the_place_of_changes_too() -> None:
    table, _, close = tickets()
    table.expect(close, rate=400)
    seen = ObservedUse(since=0, until=100, seconds=100, entities={"Ticket": ObservedWrites(requests=100)})
    planned, _ = as_observed(table, seen)

    assert [cost.writes for cost in estimate(planned).entities] == [1]
    assert table.expectations.changed(table.entities["Ticket"]) == 400
