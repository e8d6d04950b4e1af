"""The answers of a job held against its model: budget, rates, items, latency and consistency."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.cost.estimating import estimate
from tablewright.lint.design import Design
from tablewright.model.deployment import Provisioned
from tablewright.scaffold.job.evidence import Evidence
from tablewright.scaffold.job.items import listing
from tablewright.wording import quantity

_APART = 2
"""How many times more or less is another order of things: peaks need not coincide, and all of this is estimated."""


def contradictions(evidence: Evidence) -> list[str]:
    """Where the model is not what the answers ask for, or what it expects is not what they tell."""
    if not evidence.has_model:
        return []
    return [*_cost(evidence), *_scale(evidence), *_latency(evidence), *_delay(evidence)]


def _cost(evidence: Evidence) -> Iterator[str]:
    budget = evidence.overview.needs.budget_usd_a_month
    if not budget or not evidence.plan.entities:
        return
    mode = "provisioned" if isinstance(evidence.plan.table.deployment.billing, Provisioned) else "on-demand"
    found = estimate(evidence.material)
    total = found.bill(mode).total
    if total > budget:
        yield (
            f"The budget is {budget:,.2f} USD a month; what the model expects costs {total:,.2f} {found.currency}, "
            f"{mode}, at its peak rates all the time. See tablewright cost, also with --share."
        )


def _scale(evidence: Evidence) -> Iterator[str]:
    said = evidence.plan.table.expectations
    reads = [said.of_pattern(name).rate for name in evidence.plan.table.patterns]
    writes = [said.of(entity).writes for entity in evidence.plan.entities]
    items = [said.of(entity).items for entity in evidence.plan.entities]
    for answer, expected, what, where in (
        (evidence.overview.scale.requests_per_second, [*reads, *writes], "requests a second", "rate= and writes="),
        (evidence.overview.scale.items, items, "items", "items="),
    ):
        known = [number for number in expected if number is not None]
        total = sum(known)
        if not answer or not known:
            continue
        # What nobody spoke of may make up the difference, but it cannot make the sum smaller.
        if total > _APART * answer or (len(known) == len(expected) and total * _APART < answer):
            yield f"The overview says {quantity(answer)} {what}; what the model expects ({where}) is {quantity(total)} in sum."


def _latency(evidence: Evidence) -> Iterator[str]:
    limit = evidence.overview.needs.p99_ms
    said = evidence.plan.table.expectations
    slow = [f"{n}()" for n in evidence.plan.table.patterns if limit and (said.of_pattern(n).latency_ms or 0) > limit]
    told = listing(slow, "expected to take longer")
    if told is not None:
        yield f"99 of 100 requests shall take {quantity(limit)} ms at most; {told}."


def _delay(evidence: Evidence) -> Iterator[str]:
    if evidence.overview.needs.consistency != "strong":
        return
    late = {
        f"{read.pattern.name}()": None
        for read in Design(evidence.plan).reads
        if read.path.index is not None and not read.path.index.local
    }
    told = listing(list(late), "read through a global index, which answers with a delay")
    if told is not None:
        yield f"Every read shall see the last write; {told}."
