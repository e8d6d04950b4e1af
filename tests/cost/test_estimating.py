"""Estimates: equal to what is measured for items of the expected size, and honest about what was assumed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from tablewright import (
    GSI,
    LSI,
    Deployment,
    Entity,
    Get,
    Keys,
    NaturalKey,
    Query,
    Shard,
    Table,
    attr,
    get,
    key,
    query,
    sparse,
)
from tablewright.cost.estimating import estimate
from tablewright.cost.prices import load_prices
from tablewright.cost.showing import shown
from tablewright.errors import ArgumentError
from tablewright.values.sizes import item_size

START = datetime(2026, 1, 31, 12, 0, 0, 1, tzinfo=UTC)


class Desk:
    """A model with every projection, a unique rule, a sparse index, shards, changes and patterns."""

    def __init__(self) -> None:
        self.table = table = Table(
            "Desk",
            indexes=[
                GSI("GSI1"),
                GSI("GSI2", projection="KEYS_ONLY"),
                GSI("GSI3", projection=["subject"]),
                LSI("LSI1", projection=["subject"]),
            ],
        )

        class Number(BaseModel):
            ticket: str

        class Agent(Entity, table=table):
            keys = Keys("AGENT#{agent}", "AGENT#{agent}", GSI1=("EMAIL#{email}", "AGENT"), unique=["email"])
            agent: str
            email: NaturalKey
            notes: str = ""

        class Ticket(Entity, table=table):
            keys = Keys(
                "AGENT#{agent}",
                "TICKET#{opened}#{ticket}",
                GSI1=("TICKET#{ticket}", "TICKET"),
                GSI2=sparse("OPEN#{shard}", "{opened}#{ticket}", when=attr("status") == "open"),
                GSI3=("STATUS#{status}", "{opened}#{ticket}"),
                LSI1="SUBJECT#{subject}",
                derive={"shard": Shard("ticket", of=4)},
            )
            agent: str
            ticket: str
            opened: datetime
            status: str = "open"
            subject: str
            body: str = ""

        @table.change
        def close(ticket: Ticket) -> None:
            ticket.status = "done"

        @table.change
        def write(ticket: Ticket, body: str) -> None:
            ticket.body = body

        @table.pattern
        def ticket(ticket: str) -> Get[Ticket]:
            return get(Ticket, Ticket.ticket == ticket)

        @table.pattern
        def tickets_of(agent: str) -> Query[Ticket]:
            return query(Ticket, Ticket.agent == agent).consistent()

        class Subject(BaseModel):
            subject: str

        @table.pattern
        def by_status(status: str) -> Query[Subject]:
            return query(Ticket, Ticket.status == status).only(Subject)

        @table.pattern
        def open_tickets() -> Query[Number]:
            return query(Ticket, Ticket.status == "open").only(Number)

        self.Agent, self.Ticket, self.close, self.write = Agent, Ticket, close, write
        self.ticket, self.tickets_of, self.by_status, self.open_tickets = ticket, tickets_of, by_status, open_tickets


def units(desk: Desk, *items: Any, size: int) -> Any:
    for entity in items:
        desk.table.expect(entity, size=size)
    return {entity.name: entity for entity in estimate(desk.table).entities}


@settings(max_examples=40)
@given(body=st.integers(0, 6000), status=st.sampled_from(["open", "idle"]))
def test_writes_cost_what_is_measured(body: int, status: str) -> None:
    desk = Desk()
    ticket = desk.Ticket(
        agent="a" * 24, ticket="t" * 24, opened=START, status=status, subject="s" * 24, body="b" * body
    )
    agent = desk.Agent(agent="a" * 24, email="e" * 24, notes="n" * body)
    with desk.table.open("memory:") as db:
        for entity, item in ((desk.Ticket, ticket), (desk.Agent, agent)):
            with db.measure() as created:
                db.create(item)
            stored = db.send("Scan", {"TableName": "Desk"})["Items"]
            size = next(item_size(i) for i in stored if i["Type"]["S"] == entity.__name__)
            cost = units(desk, entity, size=size)[entity.__name__]
            # An item that is not open is not in the sparse index, whose copy is counted.
            absent = 1.0 if entity is desk.Ticket and status != "open" else 0.0
            assert created.capacity.write == cost.create.total - absent
        place = key(desk.Ticket, agent="a" * 24, ticket="t" * 24, opened=START)
        cost = units(desk, size=0)["Ticket"]
        with db.measure() as written:
            db.apply(desk.write, place, body="c" * body)
        assert written.capacity.write == cost.changes["write"].total
        with db.measure() as closed:
            db.apply(desk.close, place)
        # Leaving the sparse index is a delete; the worst case is a delete and an insert.
        assert closed.capacity.write == cost.changes["close"].total - (1.0 if status == "open" else 2.0)
        with db.measure() as deleted:
            db.delete(key(desk.Agent, agent="a" * 24))
        assert deleted.capacity.write == units(desk, size=0)["Agent"].delete.total


@pytest.mark.parametrize("size", [500, 3000])
@pytest.mark.parametrize("count", [1, 7])
def test_reads_cost_what_is_measured(size: int, count: int) -> None:
    desk = Desk()
    with desk.table.open("memory:") as db:
        for number in range(count):
            opened = START + timedelta(seconds=number)
            db.create(
                desk.Ticket(agent="a" * 24, ticket=f"{number:024}", opened=opened, subject="s" * 24, body="b" * size)
            )
        sizes = [item_size(item) for item in db.send("Scan", {"TableName": "Desk"})["Items"]]
        desk.table.expect(desk.Ticket, size=max(sizes))
        for pattern in (desk.tickets_of, desk.by_status):
            desk.table.expect(pattern, results=count)
        costs = {cost.name: cost for cost in estimate(desk.table).patterns}
        reads: list[tuple[Any, list[str]]] = [
            (desk.ticket, ["0" * 24]),
            (desk.tickets_of, ["a" * 24]),
            (desk.by_status, ["open"]),
        ]
        for pattern, arguments in reads:
            with db.measure() as measured:
                found = db.run(pattern, *arguments)
                assert pattern is desk.ticket or len(list(found)) == count
            assert measured.capacity.read == costs[pattern.name].units, pattern.name
        with db.measure() as measured:
            assert len(list(db.run(desk.open_tickets))) == count
        assert measured.capacity.read == costs["open_tickets"].units == 2.0
        assert costs["open_tickets"].requests == 4


def test_likely_sizes_are_those_of_items_as_they_are_assumed() -> None:
    desk = Desk()
    with desk.table.open("memory:") as db:
        db.create(
            desk.Ticket(agent="a" * 24, ticket="t" * 24, opened=START, status="s" * 24, subject="s" * 24, body="b" * 24)
        )
        db.create(desk.Agent(agent="a" * 24, email="e" * 24, notes="n" * 24))
        stored = {item["Type"]["S"]: item_size(item) for item in db.send("Scan", {"TableName": "Desk"})["Items"]}
    likely = {entity.name: entity.size for entity in estimate(desk.table).entities}
    # The item is in no sparse index with that status, so that it lacks both attributes of GSI2.
    sparse_keys = len("GSI2PKOPEN#0GSI2SK") + 27 + 1 + 24
    assert likely == {"Agent": stored["Agent"], "Ticket": stored["Ticket"] + sparse_keys}


def test_a_month() -> None:
    desk = Desk()
    desk.table.expect(desk.Agent, items=1000, size=500, writes=1)
    desk.table.expect(desk.Ticket, items=1_000_000, size=2000, writes=10, per={"agent": 400})
    desk.table.expect(desk.ticket, rate=100)
    found = estimate(desk.table, share=0.5)
    month = 730 * 3600 * 0.5
    # An agent: 2 + 2 for its marker, and 1 on GSI1; a ticket: 2, and 2 + 1 + 1 + 1 on its indexes.
    assert sum(found.writes.values()) == 5 + 70
    assert found.writes["GSI1"] == 1 + 20
    assert found.bill().writes == pytest.approx(75 * month * 0.625 / 1e6)
    assert found.bill().reads == pytest.approx(100 * 0.5 * month * 0.125 / 1e6)
    assert found.bill("on-demand", "infrequent").writes == pytest.approx(75 * month * 0.78 / 1e6)
    assert found.bill().storage == pytest.approx(found.stored / 2**30 * 0.25)
    assert found.stored > 1_000_000 * (2 * 2000 + 5 * 100)
    # The table 24 units on writes, for its local index as well; each at 70 %, and nothing less than one.
    ready = sum(max(1, -(-(found.writes[p] * 10) // 7)) for p in ("GSI1", "GSI2", "GSI3"))
    ready += -(-(found.writes["the table"] + found.writes["LSI1"]) * 10 // 7)
    assert found.bill("provisioned").writes == pytest.approx(ready * 730 * 0.00065)
    assert [o.bill.total for o in found.offers] == sorted(o.bill.total for o in found.offers)
    tickets = next(p for p in found.patterns if p.name == "tickets_of")
    assert (tickets.items, tickets.units) == (400, 196.0)


def test_what_is_assumed_is_said() -> None:
    desk = Desk()
    desk.table.expect(desk.Ticket, items=10, size=100)
    text = shown(estimate(desk.table))
    for line in (
        "  - Prices are those of us-east-1 since 2024-11, without taxes and without the free tier.",
        "  - Sizes that nobody said follow from the fields, with texts of 24 characters and lists of 3: Agent.",
        "  - Counted as none, since nobody said items: Agent.",
        "  - Counted as none, since nobody said rate: ticket(), tickets_of(), by_status(), open_tickets().",
        "  - Sparse indexes hold less than is counted here, as long as expect(..., indexed={...}) does not say how much: "
        "Ticket on GSI2.",
        "    close(), at worst: 6 (the table 1, GSI1 1, GSI2 2, GSI3 2)",
        "  open_tickets: 2 (10 items of 100 bytes from GSI2 in 4 requests)",
    ):
        assert line in text.splitlines(), text


def test_recovery_is_paid_for_the_table_and_its_local_indexes() -> None:
    desk = Desk()
    desk.table.expect(desk.Ticket, items=1_000_000, size=2000)
    desk.table.expect(desk.Agent, items=0)
    found = estimate(desk.table)
    places = {e.name: e for e in found.entities}["Ticket"]
    kept = sum(places.stored[p] + 100 * places.records[p] for p in ("the table", "LSI1"))
    for mode in ("on-demand", "provisioned"):
        bill = found.bill(mode)
        assert bill.recovery == pytest.approx(kept / 2**30 * 0.20)
        assert bill.total == pytest.approx(bill.reads + bill.writes + bill.storage + bill.recovery)
    assert sum(s.month for s in found.shares if s.what == "recovery") == pytest.approx(found.bill().recovery)
    assert f"recovery {found.bill().recovery:,.2f})" in shown(found)


def test_recovery_is_not_paid_where_it_is_off() -> None:
    table = Table("Off", deployment=Deployment(recovery=False))

    class Thing(Entity, table=table):
        keys = Keys("THING#{name}", "THING")
        name: str

    table.expect(Thing, items=1_000_000, size=1_000)
    found = estimate(table)
    assert {o.bill.recovery for o in found.offers} == {0.0}
    assert "recovery" not in shown(found).lower()


def test_recovery_without_a_price_is_told(tmp_path: Path) -> None:
    prices = tmp_path / "prices.toml"
    rates = "reads = 1\nwrites = 1\nread_hour = 1\nwrite_hour = 1\nstorage = 1\n"
    prices.write_text(f'[own]\nregion = "x"\nsince = "y"\n[own.classes.standard]\n{rates}')
    text = shown(estimate(Desk().table, load_prices(prices)))
    assert "Recovery to a point in time is switched on and not counted where these prices name none" in text


def test_a_share_is_one_of_the_peak() -> None:
    with pytest.raises(ArgumentError, match="from 0 to 1"):
        estimate(Desk().table, share=1.5)
    with pytest.raises(ArgumentError, match="no price for on-demand glacier"):
        estimate(Desk().table, load_prices()).bill("on-demand", "glacier")
