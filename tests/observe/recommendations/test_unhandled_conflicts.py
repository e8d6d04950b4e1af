"""Conflicts that nobody caught."""

from tablewright.observe.recommendation import Observed, Recommendation
from tablewright.observe.recommendations.unhandled_conflicts import UnhandledConflicts
from tablewright.observe.snapshot import Snapshot, Traffic


def found(**unhandled: int) -> list[Recommendation]:
    seen = Snapshot(
        table="Shop", spans=[(0.0, 10.0)], traffic=[Traffic(operation="PutItem", requests=100)], unhandled=unhandled
    )
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


def test_other_errors_are_no_conflicts() -> None:
    assert not found(THROTTLED=50, NETWORK_ERROR=50)


def test_too_few() -> None:
    assert not found(ALREADY_EXISTS=2)


def test_nothing() -> None:
    assert not found()
