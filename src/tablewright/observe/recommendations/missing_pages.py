"""Answers that were cut at 1 MB, and nobody asked for the rest."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.observe.judging import a_second, percent, share_of
from tablewright.observe.recommendation import Observed, Recommendation, Rule
from tablewright.observe.snapshot import Traffic
from tablewright.observe.telling import by_boto
from tablewright.wording import counted, quantity

_ANSWERS = 5
_SHARE = 0.5
"""Of the answers that were cut: some callers have seen enough."""
_BOTO = (
    "Go on with ExclusiveStartKey set to the LastEvaluatedKey of the answer, until there is none, as a paginator does. Where the first items "
    "are enough, say so with Limit: that costs less than 1 MB."
)
_BOTO_CODE = 'for page in client.get_paginator("{operation}").paginate(...):\n    ...'


class MissingPages(Rule):
    """Answers are cut at 1 MB, and nobody asks for the rest.

    A query or scan answers with 1 MB at most, and says where it stopped. Whoever does not go on from there takes a part for
    the whole: a sum is too low, a list too short, and only for those who have much.

    It fires when five answers or more ended at 1 MB though no number of items was asked for, and less than half as many
    requests went on; those who page by a number of items are somebody else, and left out of both.

    Iterate over the results of db.run(), which reads page after page; or hand out page(...).cursor. Where a part is enough,
    ask for it with take() or per_page(), which also costs less.

    > orders_of() got 36 answers that ended at 1 MB, and nobody asked for the rest.
    """

    name = "missing-pages"

    def find(self, seen: Observed) -> Iterator[Recommendation]:
        for traffic in seen.snapshot.of("Query", "Scan"):
            missing = traffic.cut - traffic.read_on
            if missing >= _ANSWERS and missing > _SHARE * traffic.cut:
                yield _recommendation(seen, traffic, missing)


def _recommendation(seen: Observed, traffic: Traffic, missing: int) -> Recommendation:
    return Recommendation(
        rule=MissingPages.name,
        severity="warning",
        category="best-practice",
        subject=traffic.name,
        message=f"{traffic.name} got {counted(missing, 'answer')} that ended at 1 MB, and nobody asked for the rest.",
        details=(
            f"{quantity(traffic.cut)} of {counted(traffic.requests, 'answer')} were cut at 1 MB "
            f"({percent(share_of(traffic.cut, traffic.requests))}), and {counted(traffic.read_on, 'request')} went on where another had "
            "stopped. What was not fetched is missing from the result, without an error."
        ),
        action=_BOTO
        if by_boto(seen.plan, traffic)
        else (
            "Iterate over the results, which reads on until the end, or hand out page(...).cursor and go on from it. Where the "
            "first items are enough, say so with take() or per_page(): that costs less than 1 MB."
        ),
        code=_BOTO_CODE.replace("{operation}", traffic.operation.lower())
        if by_boto(seen.plan, traffic)
        else "for one in db.run(pattern, ...):\n    ...",
        affected=(traffic.name,),
        evidence={"cut": traffic.cut, "read_on": traffic.read_on, "requests": traffic.requests},
        impact=share_of(missing, seen.snapshot.requests),
        frequency=a_second(seen.snapshot, missing),
        effort=1,
    )
