"""Answers that were cut, and whether somebody went on."""

from typing import Any

from tablewright.client.calls import Call
from tablewright.observe.collector import Collector
from tablewright.observe.recommendation import Observed, Recommendation
from tablewright.observe.recommendations.missing_pages import MissingPages
from tablewright.observe.snapshot import Snapshot, Traffic


def found(cut: int, read_on: int, operation: str = "Query") -> list[Recommendation]:
    traffic = Traffic(operation=operation, pattern="orders_of", requests=200, cut=cut, read_on=read_on)
    return list(MissingPages().find(Observed(Snapshot(table="Shop", spans=[(0.0, 10.0)], traffic=[traffic]))))


def test_nobody_goes_on() -> None:
    (one,) = found(40, 4)
    assert (one.severity, one.category, one.subject) == ("warning", "best-practice", "orders_of()")
    assert one.message == "orders_of() got 36 answers that ended at 1 MB, and nobody asked for the rest."
    assert one.details == (
        "40 of 200 answers were cut at 1 MB (20%), and 4 requests went on where another had stopped. What was not fetched is "
        "missing from the result, without an error."
    )
    assert (one.impact, one.frequency) == (0.18, 3.6)


def test_scans_as_well() -> None:
    assert found(40, 0, "Scan")


def test_whoever_reads_on() -> None:
    assert not found(40, 40)
    assert not found(40, 20)


def test_pages_of_a_number_are_not_cut() -> None:
    assert not found(0, 0)


def test_who_pages_by_a_number_goes_on_for_nobody_else() -> None:
    collector = Collector()
    watcher = collector.watch("Shop", "PK", "SK", {})
    stop = {"PK": {"S": "CUSTOMER#1"}, "SK": {"S": "ORDER#1"}}
    asked = {"KeyConditionExpression": "PK = :p", "ExpressionAttributeValues": {":p": {"S": "CUSTOMER#1"}}}
    for _ in range(20):
        for request, answer in ((asked, {"LastEvaluatedKey": stop}), ({**asked, "Limit": 9, **_from(stop)}, {})):
            call = Call("Query", request, pattern="orders_of")
            watcher.answered(call, {"Items": [], "Count": 9, **answer}, watcher.timer(), 0, measured=False)

    (one,) = MissingPages().find(Observed(collector.snapshot()))
    assert one.evidence == {"cut": 20, "read_on": 0, "requests": 40}
    for _ in range(20):
        call = Call("Query", {**asked, **_from(stop)}, pattern="orders_of")
        watcher.answered(call, {"Items": [], "Count": 9}, watcher.timer(), 0, measured=False)
    assert not [*MissingPages().find(Observed(collector.snapshot()))]


def _from(stop: dict[str, Any]) -> dict[str, Any]:
    return {"ExclusiveStartKey": stop}


def test_too_few() -> None:
    assert not found(4, 0)
