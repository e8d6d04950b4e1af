"""The table of access patterns: what each is for, the requests that it is proved to become, and what is expected of it."""

from __future__ import annotations

import json
from collections.abc import Iterator

from tablewright.compiler.plan import TablePlan
from tablewright.compiler.proofs import PatternProof, RequestProof, TableProof
from tablewright.generate.documents.blocks import Block, Grid, Heading, Listing, Text, code, codes, prose
from tablewright.generate.documents.markdown import to_markdown
from tablewright.generate.documents.wording import response
from tablewright.generate.material import Material
from tablewright.wording import counted, quantity

_COLUMNS = ("Entity", "Access pattern", "Parameters", "Response", "Request", "Index", "Key condition", "Reads at worst")
_EXPECTED = ("Frequency", "Latency target", "Source", "Notes")


def access_patterns(material: Material) -> str:
    """Every access pattern of the table."""
    return to_markdown([Heading(1, f"{material.table.name}: access patterns"), *pattern_blocks(material)])


def pattern_blocks(material: Material) -> list[Block]:
    """A row for each request that a pattern can become; what belongs to the pattern stands in its first row."""
    proof = material.proof
    if not proof.patterns:
        return [Text("The model declares no access patterns.")]
    rows = tuple(row for pattern in proof.patterns for row in _rows(material.plan, pattern))
    return [Text(_summary(proof)), Grid((*_COLUMNS, *_EXPECTED), rows)]


def request_blocks(material: Material) -> Iterator[Block]:
    """Each pattern with its requests exactly as they are sent."""
    for pattern in material.proof.patterns:
        yield Heading(1, pattern.name)
        if pattern.doc:
            yield Text(prose(pattern.doc))
        for request in pattern.requests:
            when = f", if {request.when}" if request.when else ""
            yield Text(f"{request.operation} on {_place(request)}{when}: {code(request.key_condition)}")
            yield Listing("json", json.dumps(request.request, indent=2, ensure_ascii=False))


def _summary(proof: TableProof) -> str:
    requests = [request for pattern in proof.patterns for request in pattern.requests]
    gets = sum(request.operation == "GetItem" for request in requests)
    return (
        f"{len(proof.patterns)} patterns become {len(requests)} different requests: {gets} GetItem, "
        f"{len(requests) - gets} Query, no Scan."
    )


def _rows(plan: TablePlan, pattern: PatternProof) -> Iterator[tuple[str, ...]]:
    expected = plan.table.expectations.of_pattern(pattern.name)
    usual = "" if expected.results is None else f", usually {quantity(expected.results)}"
    first = (
        ", ".join(pattern.entities),
        f"{code(pattern.name)}: {prose(pattern.doc)}" if pattern.doc else code(pattern.name),
        codes([f"{name}: {kind}" for name, kind in pattern.parameters.items()]),
        response(plan.table.patterns[pattern.name], plan) + usual,
    )
    facts = (
        "" if expected.rate is None else f"{quantity(expected.rate)}/s",
        "" if expected.latency_ms is None else f"{quantity(expected.latency_ms)} ms",
        prose(expected.source),
    )
    for number, request in enumerate(pattern.requests):
        notes = "; ".join(note for note in (prose(expected.note) if number == 0 else "", *_notes(request)) if note)
        asked = (request.operation, _place(request), code(request.key_condition), _worst(request))
        yield (*(("",) * 4 if number else first), *asked, *(("",) * 3 if number else facts), notes)


def _place(request: RequestProof) -> str:
    return request.index or "table"


def _worst(request: RequestProof) -> str:
    items, units = request.items_at_worst, request.read_units_at_worst
    told = [] if items is None else [counted(items, "item")]
    told += [] if units is None else [counted(units, "read unit")]
    return ", ".join(told)


def _notes(request: RequestProof) -> Iterator[str]:
    if request.when:
        yield f"if {request.when}"
    if request.unique:
        yield "one item or none"
    elif request.order:
        yield f"sorted by {codes(request.order)}" + (", descending" if request.descending else "")
    if request.consistent:
        yield "strongly consistent"
    if not request.single:
        yield f"one request for {' and '.join(request.fan_out)}"
    if request.filtered_by:
        yield f"then filtered by {codes(request.filtered_by)}, which saves no read units"
    if request.over_reads:
        yield f"may also read {', '.join(request.over_reads)}"
    yield from map(prose, request.unproved)
