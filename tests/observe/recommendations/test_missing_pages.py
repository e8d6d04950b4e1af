"""Answers that were cut, and whether somebody went on."""

from tablewright.observe.recommendation import Observed, Recommendation
from tablewright.observe.recommendations.missing_pages import MissingPages
from tablewright.observe.snapshot import Snapshot, Traffic


def found(cut: int, continued: int, operation: str = "Query") -> list[Recommendation]:
    traffic = Traffic(operation=operation, pattern="orders_of", requests=200, cut=cut, continued=continued)
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


def test_too_few() -> None:
    assert not found(4, 0)
