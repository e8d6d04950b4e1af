"""Conflicts that nobody caught."""

from tablewright.observe.recommendation import Observed, Recommendation
from tablewright.observe.recommendations.unhandled_conflicts import UnhandledConflicts
from tablewright.observe.snapshot import Snapshot, Traffic


def found(entity: str | None = "Order", **unhandled: int) -> list[Recommendation]:
    traffic = Traffic(operation="PutItem", entity=entity, requests=100)
    seen = Snapshot(table="Shop", spans=[(0.0, 10.0)], traffic=[traffic], unhandled=unhandled)
    return list(UnhandledConflicts().find(Observed(seen)))


def test_conflicts_that_nobody_caught() -> None:
    (one,) = found(CONCURRENT_MODIFICATION=12, CONDITIONAL_CHECK_FAILED=3, THROTTLED=50)
    assert (one.severity, one.category, one.subject) == ("warning", "best-practice", "Shop")
    assert one.message == "15 conflicts between writers went up uncaught, most of them ConcurrentModificationError."
    assert one.details == "By error: ConcurrentModificationError 12, ConditionalCheckError 3."
    assert one.code == "try:\n    ...\nexcept ConcurrentModificationError as error:\n    ..."
    assert (one.impact, one.frequency) == (0.15, 1.5)


def test_names_of_the_service_mean_the_same() -> None:
    (one,) = found(ConditionalCheckFailedException=2, CONDITIONAL_CHECK_FAILED=1, TransactionCanceledException=1)
    assert one.details == "By error: ConditionalCheckError 3, TransactionCanceled 1."


def test_programs_of_boto3_are_told_its_names() -> None:
    (one,) = found(None, CONDITIONAL_CHECK_FAILED=5, TRANSACTION_CANCELED=1)
    assert one.details == "By error: ConditionalCheckFailedException 5, TransactionCanceledException 1."
    assert one.code == "try:\n    ...\nexcept client.exceptions.ConditionalCheckFailedException as error:\n    ..."
    assert "db." not in one.action


def test_other_errors_are_no_conflicts() -> None:
    assert not found(THROTTLED=50, NETWORK_ERROR=50)


def test_too_few() -> None:
    assert not found(ALREADY_EXISTS=2)


def test_nothing() -> None:
    assert not found()
