"""Patterns: whether they ran, how often, what for, and at what cost, against what was declared of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tablewright.compiler.plan import TablePlan
from tablewright.compiler.reads import ReadPlan, parts_of
from tablewright.cost.reads import PatternCost, pattern_cost
from tablewright.cost.sizes import Sizes
from tablewright.model.expectations import Expectations
from tablewright.observe.drift.found import Departure, PatternUse, UndeclaredUse
from tablewright.observe.judging import a_second, lasted, milliseconds, percent, share_of
from tablewright.observe.sketches.quantiles import Quantiles
from tablewright.observe.snapshot import Snapshot, Traffic
from tablewright.observe.statements import STATEMENTS
from tablewright.wording import counted, quantity

READS = frozenset({"GetItem", "BatchGetItem", "TransactGetItems", "Query", "Scan", *STATEMENTS})
LONG = 86_400.0
"""Seconds after which something that did not happen is worth a word: a day has its quiet hours."""
MANY = 1_000
"""Requests after which that is so."""
_RUNS = 50
"""Calls after which averages are worth a word."""
_WITHIN = 1.2
"""An average so many times the declared peak is no matter of counting."""
_DEARER, _CHEAPER = 1.5, 0.5
_UNITS = 0.5
"""The smallest read: less is rounding."""
_MORE, _FEWER = 2.0, 0.5
_RESULTS = 5
_SLOWER = 1.1
_ANSWERS = 100
"""Requests of which the slowest in a hundred can be told."""
_UNDECLARED, _UNDECLARED_SHARE = 20, 0.01


def busiest_second(snapshot: Snapshot) -> int | None:
    """The most requests of all kinds in one second, at most; None if nobody counted."""
    return max((m.peak_requests for m in snapshot.minutes.values()), default=None)


def pattern_uses(plan: TablePlan, snapshot: Snapshot) -> Iterator[PatternUse]:
    """Every declared pattern."""
    said = plan.table.expectations
    sizes = {entity: Sizes(known, said.of(entity).size) for entity, known in plan.entities.items()}
    for name, variants in plan.patterns.items():
        cost, expected = pattern_cost(name, variants, sizes, said), said.of_pattern(name)
        traffic = [t for t in snapshot.traffic if t.pattern == name and t.operation in READS]
        requests = sum(t.requests for t in traffic)
        fans = any(part.served.fan_out for read in variants.values() for part in parts_of(read))
        runs = max(0.0, (requests - sum(t.continued for t in traffic)) / (max(1, cost.requests) if fans else 1))
        latency = Quantiles()
        for one in traffic:
            latency.merge(one.latency)
        yield PatternUse(
            name=name,
            index=cost.index,
            requests=requests,
            runs=runs,
            rate=a_second(snapshot, runs),
            declared_rate=expected.rate,
            units=sum(t.read_units for t in traffic) / runs if runs else None,
            expected_units=cost.units if _declared(variants, cost, said) else None,
            results=sum(t.returned for t in traffic) / runs if runs else None,
            declared_results=expected.results,
            p99_ms=latency.quantile(0.99) * 1000 if latency.count else None,
            declared_ms=expected.latency_ms,
        )


def _declared(variants: Mapping[Any, ReadPlan], cost: PatternCost, said: Expectations) -> bool:
    """Whether what a call takes follows from something that was declared: how many items it reads, or how large they are."""
    expected = said.of_pattern(cost.name)
    if expected.results is not None or expected.scanned is not None:
        return True
    entities = {part.plan.entity for read in variants.values() for part in parts_of(read)}
    return not cost.guessed and any(said.of(entity).size is not None for entity in entities)


def pattern_departures(use: PatternUse, snapshot: Snapshot) -> Iterator[Departure]:
    """Where a pattern is not as it was declared."""
    name = f"{use.name}()"
    if not use.requests:
        if snapshot.seconds >= LONG and snapshot.requests >= MANY:
            text = f"{name} did not run, in {lasted(snapshot.seconds)} with {counted(snapshot.requests, 'request')}."
            yield Departure("pattern-unseen", name, text, use.declared_rate, 0.0)
        return
    yield from _how_often(use, snapshot, name)
    if use.runs >= _RUNS:
        yield from _how_dear(use, name)
        yield from _how_many(use, name)
    yield from _how_quick(use, name)


def _how_quick(use: PatternUse, name: str) -> Iterator[Departure]:
    if use.p99_ms is None or use.declared_ms is None or use.requests < _ANSWERS:
        return
    if use.p99_ms > _SLOWER * use.declared_ms:
        text = (
            f"{name} is answered within {milliseconds(use.p99_ms / 1000)} in 99 of 100 requests; declared are "
            f"{milliseconds(use.declared_ms / 1000)}."
        )
        yield Departure("pattern-slower", name, text, use.declared_ms, use.p99_ms)


def _how_often(use: PatternUse, snapshot: Snapshot, name: str) -> Iterator[Departure]:
    declared = use.declared_rate
    if declared is None or use.runs < _RUNS:
        return
    if use.rate > _WITHIN * declared and snapshot.seconds >= 60:
        text = f"{name} runs {quantity(use.rate)} times a second on average; declared are {quantity(declared)} at the peak."
        yield Departure("pattern-more-often", name, text, declared, use.rate)
        return
    most = busiest_second(snapshot)
    if most is not None and most < declared / 2 and snapshot.seconds >= LONG:
        text = (
            f"{name} is declared with {quantity(declared)} calls a second at the peak, but the busiest second of the whole table had "
            f"{counted(most, 'request')}, in {lasted(snapshot.seconds)}."
        )
        yield Departure("pattern-less-often", name, text, declared, float(most))


def _how_dear(use: PatternUse, name: str) -> Iterator[Departure]:
    units, expected = use.units or 0.0, use.expected_units
    if expected is None or units <= 0 or abs(units - expected) <= _UNITS:
        return
    if units > _DEARER * expected:
        text = f"A call of {name} takes {counted(round(units, 2), 'read unit')}; by what is declared it should be {quantity(expected)}."
        yield Departure("pattern-dearer", name, text, expected, units)
    elif units < _CHEAPER * expected:
        text = f"A call of {name} takes {counted(round(units, 2), 'read unit')}, less than the {quantity(expected)} by what is declared."
        yield Departure("pattern-cheaper", name, text, expected, units)


def _how_many(use: PatternUse, name: str) -> Iterator[Departure]:
    results, declared = use.results or 0.0, use.declared_results
    if declared is None or abs(results - declared) < _RESULTS:
        return
    if results > _MORE * declared:
        text = f"{name} returns {counted(round(results, 1), 'item')} on average; declared are {quantity(declared)}."
        yield Departure("pattern-more-results", name, text, declared, results)
    elif results < _FEWER * declared:
        text = f"{name} returns {counted(round(results, 1), 'item')} on average, of {quantity(declared)} that are declared."
        yield Departure("pattern-fewer-results", name, text, declared, results)


# ---------------------------------------------------------------------------------------------- without a declaration


def undeclared(plan: TablePlan, snapshot: Snapshot) -> Iterator[UndeclaredUse]:
    """Reads that are of no pattern of the model, the most frequent first."""
    strangers = [
        t
        for t in snapshot.traffic
        if t.operation in READS
        and t.pattern not in plan.patterns
        and t.write is None  # what a write needs is part of it, and no pattern's
        and t.requests > 0
        and (t.read_units or not t.write_units)  # a statement may be a write
    ]
    for one in sorted(strangers, key=lambda t: (-t.requests, t.name, t.index or "")):
        share = share_of(one.requests, snapshot.requests)
        yield UndeclaredUse(
            one.operation, one.index, one.pattern, one.entity, one.requests, share, max(0.0, one.read_units)
        )


def undeclared_departures(uses: Iterable[UndeclaredUse]) -> Iterator[Departure]:
    """Those of them that are no exceptions."""
    for use in uses:
        if use.requests >= _UNDECLARED and use.share >= _UNDECLARED_SHARE:
            name = described(use)
            text = (
                f"No pattern declares {name}: {counted(use.requests, 'request')}, {percent(use.share)} of all, for "
                f"{counted(round(use.read_units, 1), 'read unit')}."
            )
            yield Departure("undeclared-requests", name, text, None, float(use.requests))


def described(use: UndeclaredUse) -> str:
    """What it is called."""
    name = Traffic(operation=use.operation, pattern=use.pattern, entity=use.entity).name
    return name if use.index is None else f"{name} by {use.index}"
