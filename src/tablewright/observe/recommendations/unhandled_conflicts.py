"""Conflicts between writers that ended a program's work, since nobody caught them."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright import errors
from tablewright.observe.judging import a_second, share_of
from tablewright.observe.recommendation import Observed, Recommendation, Rule
from tablewright.observe.telling import by_boto
from tablewright.wording import counted, quantity

_TIMES = 3
_CONFLICTS: tuple[type[errors.TablewrightError], ...] = (
    errors.ConditionalCheckError,
    errors.AlreadyExistsError,
    errors.NotFoundError,
    errors.ConcurrentModificationError,
    errors.UniqueViolationError,
    errors.ContentionError,
    errors.ConditionalCheckFailed,
    errors.TransactionCanceled,
    errors.TransactionConflict,
    errors.TransactionInProgress,
    errors.IdempotentParameterMismatch,
)
_NAMES = {error.code: error.__name__ for error in reversed(_CONFLICTS)}
"""What is raised by code; where two have one, the first of them is what sessions raise."""
_SERVICE = {
    "ConditionalCheckFailedException": errors.ConditionalCheckError.code,
    "TransactionCanceledException": errors.TransactionCanceled.code,
    "TransactionConflictException": errors.TransactionConflict.code,
    "TransactionInProgressException": errors.TransactionInProgress.code,
    "IdempotentParameterMismatchException": errors.IdempotentParameterMismatch.code,
}
_BOTO = {code: name for name, code in _SERVICE.items()}
"""What a client of boto3 raises, by code."""


class UnhandledConflicts(Rule):
    """Conflicts are raised, and nobody catches them.

    That a condition does not hold is no failure of the table: somebody else was faster, or the thing is there already. Where
    nobody catches it, a person sees a crash instead of "the name is taken", and what a job had left to do is not done.

    It fires when three or more errors that mean a conflict went up uncaught: conditions that did not hold, unique values that
    were taken, transactions that were cancelled. They are counted where the collector is told of them:
    collector.watch_unhandled() does so for what ends a program or a thread, and collector.unhandled(error) is for the last
    handler of a framework. What boto3 raises is counted as well. What is caught is not counted.

    Catch ConditionalCheckError and its kinds where the write is made, and say what it means there; or let db.revise()
    repeat, which does so by itself.

    > 15 conflicts between writers went up uncaught, most of them ConcurrentModificationError.
    """

    name = "unhandled-conflicts"

    def find(self, seen: Observed) -> Iterator[Recommendation]:
        snapshot, times = seen.snapshot, dict[str, int]()
        for told, count in snapshot.unhandled.items():
            code = _SERVICE.get(told, told)
            if code in _NAMES and count > 0:
                times[code] = times.get(code, 0) + count
        total = sum(times.values())
        if total < _TIMES:
            return
        ordered = sorted(times, key=lambda code: (-times[code], code))
        boto = bool(snapshot.traffic) and all(by_boto(seen.plan, traffic) for traffic in snapshot.traffic)
        called = _BOTO if boto else _NAMES
        names = [called.get(code, _NAMES[code]) for code in ordered]
        again = "" if boto else " db.revise() repeats by itself."
        yield Recommendation(
            rule=self.name,
            severity="warning",
            category="best-practice",
            subject=snapshot.table,
            message=f"{counted(total, 'conflict')} between writers went up uncaught, most of them {names[0]}.",
            details=f"By error: {', '.join(f'{name} {quantity(times[code])}' for name, code in zip(names, ordered, strict=True))}.",
            action=(
                f"Catch {' and '.join(names[:2])} where the write is made, and say what it means there: try again with what is "
                f"stored now, or tell the caller.{again}"
            ),
            code=f"try:\n    ...\nexcept {'client.exceptions.' if boto else ''}{names[0]} as error:\n    ...",
            affected=tuple(names),
            evidence=dict(times),
            impact=share_of(total, snapshot.requests),
            frequency=a_second(snapshot, total),
            effort=1,
        )
