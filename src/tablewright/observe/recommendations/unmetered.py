"""Answers that do not tell what they consumed."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.observe.judging import a_second, percent, share_of
from tablewright.observe.recommendation import Observed, Recommendation, Rule
from tablewright.wording import counted, quantity

_ANSWERS = 20
_SHARE = 0.05
_NAMED = 3


class Unmetered(Rule):
    """Answers do not tell what they consumed.

    DynamoDB tells the capacity that a request took only if it is asked. Without that, nobody sees what is dear, and the
    figures of all other recommendations are too low.

    It fires when 20 answers or more, and 5% of all, came without consumed capacity.

    A session that is observed asks for it by itself. Requests that are written by hand, with db.send() or a client of
    boto3, need ReturnConsumedCapacity; and some servers that stand in for DynamoDB never tell it.

    > 81 answers did not tell what they consumed, 16% of all.
    """

    name = "unmetered"

    def find(self, seen: Observed) -> Iterator[Recommendation]:
        snapshot = seen.snapshot
        untold = sorted((t for t in snapshot.traffic if t.unmetered > 0), key=lambda t: (-t.unmetered, t.name))
        count, share = sum(t.unmetered for t in untold), share_of(sum(t.unmetered for t in untold), snapshot.requests)
        if count < _ANSWERS or share < _SHARE:
            return
        named = ", ".join(f"{t.name} {quantity(t.unmetered)}" for t in untold[:_NAMED])
        more = len(untold) - _NAMED
        yield Recommendation(
            rule=self.name,
            severity="info",
            category="best-practice",
            subject=snapshot.table,
            message=f"{counted(count, 'answer')} did not tell what they consumed, {percent(share)} of all.",
            details=f"By request: {named}{f', and {more} more' if more > 0 else ''}. The units that are told here are too low by theirs.",
            action="Ask for consumed capacity in requests that are written by hand: ReturnConsumedCapacity set to INDEXES.",
            code='db.send("Query", {"TableName": ..., "ReturnConsumedCapacity": "INDEXES"})',
            affected=tuple(t.name for t in untold),
            evidence={"unmetered": count, "share": share},
            impact=share,
            frequency=a_second(snapshot, count),
            effort=1,
        )
