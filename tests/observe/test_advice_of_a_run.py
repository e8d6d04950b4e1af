"""Advice from real runs: sessions on the embedded engine, watched by a collector, with traffic of which the truth is known."""

from collections.abc import Iterator
from random import Random
from typing import Literal

import pytest

from tablewright import GSI, Entity, Keys, Query, Session, Table, key, query
from tablewright.observe.collector import Collector
from tablewright.observe.recommendation import Recommendation
from tablewright.observe.snapshot import Thresholds

desk = Table("Desk", indexes=[GSI("GSI1")])


class Ticket(Entity, table=desk):
    keys = Keys("TICKET#{number}", "TICKET", GSI1=("TEAM#{team}", "{number}"))
    number: str
    team: str
    status: Literal["open", "closed"] = "closed"
    body: str = ""


@desk.pattern
def tickets_of(team: str) -> Query[Ticket]:
    return query(Ticket, Ticket.team == team)


@desk.pattern
def open_tickets(team: str) -> Query[Ticket]:
    return query(Ticket, Ticket.team == team).filter(Ticket.status == "open")


@pytest.fixture
def db() -> Iterator[Session]:
    # However busy the machine of the tests is, nothing is slow here.
    collector = Collector(sample=1.0, thresholds=Thresholds(slow_ms=60_000.0))
    with desk.open("memory:", observe=collector) as session:
        yield session


def fill(db: Session, number: int, teams: int, *, every: int = 50) -> None:
    """So many tickets; one of `every` is open."""
    with db.batch() as batch:
        for n in range(number):
            batch.put(Ticket(number=f"t{n}", team=f"team-{n % teams}", status="closed" if n % every else "open"))


def found(db: Session, rule: str) -> list[Recommendation]:
    return [one for one in db.recommendations() if one.rule == rule]


HARMLESS = {
    *("hot-partition", "hot-index-partition", "inefficient-scan", "capacity-mode", "large-projection", "unused-index"),
    *("large-item", "sparse-index", "slow-requests", "costly-reads", "costly-writes"),
}
"""What must not be said of traffic that is even; that one caller sends many requests one by one is another matter."""


def test_even_traffic_is_not_blamed(db: Session) -> None:
    random = Random(1)
    fill(db, 200, 40)
    for _ in range(1_200):
        db.get(key(Ticket, number=f"t{random.randrange(200)}"))
    for n in range(150):
        list(db.run(tickets_of, f"team-{n % 40}"))
    assert HARMLESS.isdisjoint(one.rule for one in db.recommendations())


def test_a_hot_partition_of_an_index_is_found_with_its_share(db: Session) -> None:
    random = Random(2)
    fill(db, 100, 50)
    for _ in range(1_100):
        list(db.run(tickets_of, "team-7" if random.random() < 0.4 else f"team-{random.randrange(50)}"))
    (one,) = found(db, "hot-index-partition")
    assert one.subject == "GSI1 TEAM#team-7"
    assert one.impact == pytest.approx(0.4, abs=0.05)
    assert one.breaks == ("tickets_of()", "open_tickets()")


def test_scans_with_two_percent_of_use_are_found(db: Session) -> None:
    fill(db, 200, 5)
    for _ in range(10):
        db.send(
            "Scan",
            {
                "TableName": db.table_name,
                "FilterExpression": "#s = :open",
                "ExpressionAttributeNames": {"#s": "status"},
                "ExpressionAttributeValues": {":open": {"S": "open"}},
                "ReturnConsumedCapacity": "TOTAL",
            },
        )
    (one,) = found(db, "inefficient-scan")
    assert one.message == "Scan returns 2% of the items that it looks at."
    assert one.details.startswith("40 of 2,000 items passed the filter, in 10 requests that took ")
    assert one.saves is not None
    assert 0 < one.saves < 0.98


def test_a_filter_is_no_sparse_key_where_another_pattern_wants_the_rest(db: Session) -> None:
    fill(db, 200, 10)
    for n in range(100):
        list(db.run(open_tickets, f"team-{n % 10}"))
    assert found(db, "sparse-index") == []


def test_a_large_item_is_found_by_its_size(db: Session) -> None:
    db.put(Ticket(number="t1", team="web", body="x" * 120 * 1024))
    (one,) = found(db, "large-item")
    assert one.message == "The largest Ticket has at least 120 KB; DynamoDB refuses items of more than 400 KB."
    assert "nothing bounds body" in one.action
