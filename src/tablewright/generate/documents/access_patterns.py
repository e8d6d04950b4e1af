"""The table of access patterns: what each is for, the request that it becomes, and what is expected of it."""

from __future__ import annotations

from typing import Any

from tablewright.compiler.catalogue import listed
from tablewright.compiler.plan import TablePlan
from tablewright.compiler.reads import CollectionPlan, ReadPlan
from tablewright.generate.documents.blocks import Block, Grid, Heading, Text, code, codes
from tablewright.generate.documents.markdown import to_markdown
from tablewright.generate.documents.wording import condition, quantity, response
from tablewright.generate.material import Material
from tablewright.model.expectations import ReadsExpected
from tablewright.model.pattern import Pattern

_COLUMNS = ("Entity", "Access pattern", "Parameters", "Response", "Request", "Index", "Key condition")
_EXPECTED = ("Frequency", "Latency target", "Source", "Notes")


def access_patterns(material: Material) -> str:
    """Every access pattern of the table."""
    return to_markdown(pattern_blocks(material.plan))


def pattern_blocks(plan: TablePlan) -> list[Block]:
    """A row for each request that a pattern can become; what belongs to the pattern stands in its first row."""
    head = Heading(1, f"{plan.table.name}: access patterns")
    if not plan.patterns:
        return [head, Text("The model declares no access patterns.")]
    rows = tuple(row for name in plan.patterns for row in _rows(plan, plan.table.patterns[name]))
    return [head, Text(_summary(plan)), Grid((*_COLUMNS, *_EXPECTED), rows)]


def _summary(plan: TablePlan) -> str:
    requests = [r for name, p in plan.table.patterns.items() for r in listed(p, plan.patterns[name]).requests]
    gets = sum(r.operation == "GetItem" for r in requests)
    return (
        f"{len(plan.patterns)} patterns become {len(requests)} different requests: {gets} GetItem, "
        f"{len(requests) - gets} Query, no Scan."
    )


def _rows(plan: TablePlan, pattern: Pattern[..., Any]) -> list[tuple[str, ...]]:
    told = listed(pattern, plan.patterns[pattern.name])
    expected = plan.table.expectations.of_pattern(pattern.name)
    parameters = codes([f"{name}: {kind}" for name, kind in told.parameters.items()])
    filters = {str(variant.shown()): filters_of(variant) for variant in plan.patterns[pattern.name].values()}
    rows: list[tuple[str, ...]] = []
    for number, request in enumerate(told.requests):
        first = number == 0
        rows.append(
            (
                ", ".join(told.entities) if first else "",
                _named(pattern) if first else "",
                parameters if first else "",
                _response(plan, pattern, expected) if first else "",
                request.operation,
                request.index or "table",
                code(request.key),
                *([_frequency(expected), _latency(expected), expected.source] if first else ["", "", ""]),
                "; ".join(n for n in (expected.note if first else "", request.note, filters[str(request)]) if n),
            )
        )
    return rows


def _named(pattern: Pattern[..., Any]) -> str:
    return f"{code(pattern.name)}: {pattern.doc}" if pattern.doc else code(pattern.name)


def _response(plan: TablePlan, pattern: Pattern[..., Any], expected: ReadsExpected) -> str:
    usual = "" if expected.results is None else f", usually {quantity(expected.results)}"
    return response(pattern, plan) + usual


def _frequency(expected: ReadsExpected) -> str:
    return "" if expected.rate is None else f"{quantity(expected.rate)}/s"


def _latency(expected: ReadsExpected) -> str:
    return "" if expected.latency_ms is None else f"{quantity(expected.latency_ms)} ms"


def filters_of(plan: ReadPlan) -> str:
    """The filter of a read in words; empty where there is none."""
    reads = [part.query for part in plan.parts] if isinstance(plan, CollectionPlan) else [plan]
    told = " and ".join(condition(f) for read in reads for f in getattr(read, "filters", ()))
    return f"filter: {told}" if told else ""
