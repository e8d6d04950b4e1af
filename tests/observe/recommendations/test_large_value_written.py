"""Writes of large values, where nobody reads them."""

from typing import Annotated

from pydantic import Field

from tablewright import Entity, Keys, Table
from tablewright.observe.recommendation import Observed, Recommendation
from tablewright.observe.recommendations.large_value_written import LargeValueWritten
from tablewright.observe.snapshot import Snapshot, Traffic

KB = 1024
papers = Table("Papers")


class Paper(Entity, table=papers):
    keys = Keys("PAPER#{paper_id}", "PAPER")
    paper_id: str
    title: Annotated[str, Field(max_length=200)]
    pages: int
    text: str
    notes: list[str]


def found(largest: int, read: int = 0, entity: str = "Paper") -> list[Recommendation]:
    traffic = [
        Traffic(
            operation="PutItem", entity=entity, requests=40, write_units=2000.0, largest=largest, sized=4, size=200 * KB
        ),
        Traffic(operation="GetItem", entity="Paper", requests=40, read_units=100.0, largest=read),
        Traffic(operation="PutItem", entity="Note", requests=60, write_units=2000.0, largest=100 * KB),
    ]
    seen = Snapshot(table="Papers", spans=[(0.0, 10.0)], traffic=traffic)
    return list(LargeValueWritten().find(Observed(seen, papers.plan)))


def test_more_than_100_kb() -> None:
    (one,) = found(150 * KB)
    assert (one.severity, one.category, one.subject) == ("warning", "cost", "PutItem of Paper")
    assert one.message == "PutItem of Paper writes up to 150 KB, which takes 150 write units at least."
    assert one.details == (
        "The largest has 38% of the 400 KB that an item may hold. Of 4 items that were measured, a usual one has 50 KB. 40 requests "
        "took 50 write units each on average, with indexes."
    )
    assert one.action.endswith("Likely fields: text, notes.")
    assert one.code == "text: Annotated[str, Offloaded(S3Store(client, bucket), above=10_000)]"
    assert (one.impact, one.frequency) == (0.5, 4.0)


def test_near_the_limit() -> None:
    assert [one.severity for one in found(390 * KB)] == ["error"]


def test_an_entity_that_the_model_does_not_know() -> None:
    (one,) = found(150 * KB, entity="Scan")
    assert one.code == "body: Annotated[str, Offloaded(S3Store(client, bucket), above=10_000)]"


def test_what_is_read_as_large_is_told_by_the_rule_on_large_items() -> None:
    assert not found(150 * KB, read=150 * KB)


def test_small_enough() -> None:
    assert not found(100 * KB)


def test_nothing() -> None:
    assert not found(0)
