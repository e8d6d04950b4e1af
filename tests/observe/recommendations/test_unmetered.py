"""Answers without consumed capacity."""

from tablewright.observe.recommendation import Observed, Recommendation
from tablewright.observe.recommendations.unmetered import Unmetered
from tablewright.observe.snapshot import Snapshot, Traffic


def found(*unmetered: int, requests: int = 100) -> list[Recommendation]:
    traffic = [Traffic(operation=f"Op{n}", requests=requests, unmetered=u) for n, u in enumerate(unmetered)]
    return list(Unmetered().find(Observed(Snapshot(table="Shop", spans=[(0.0, 10.0)], traffic=traffic))))


def test_answers_that_do_not_tell() -> None:
    (one,) = found(10, 50, 0, 20, 1)
    assert (one.severity, one.category, one.subject) == ("info", "best-practice", "Shop")
    assert one.message == "81 answers did not tell what they consumed, 16% of all."
    assert one.details == (
        "By request: Op1 50, Op3 20, Op0 10, and 1 more. The units that are told here are too low by theirs."
    )
    assert one.affected == ("Op1", "Op3", "Op0", "Op4")
    assert one.frequency == 8.1


def test_all_tell() -> None:
    assert not found(0, 0)


def test_hardly_any() -> None:
    assert not found(40, requests=1000)


def test_too_few() -> None:
    assert not found(19, requests=19)


def test_nothing_was_asked() -> None:
    assert not found()
