"""What was proved, in words: one block for each pattern, then what is wrong beside them, then a summary."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Literal, TypeAlias

from msgspec import Struct

from tablewright.compiler.proofs.results import PatternProof, Problem, RequestProof, TableProof
from tablewright.compiler.reasons import Counterexample
from tablewright.wording import counted

Tone: TypeAlias = Literal["name", "good", "bad", "plain", "quiet"]


class Line(Struct, frozen=True):
    """One line of text, and how it is meant."""

    text: str
    tone: Tone = "plain"


def shown(proof: TableProof, *, requests: bool = False) -> Iterator[Line]:
    """Everything, line by line; with `requests` also each request as it is sent."""
    for pattern in proof.patterns:
        yield from _pattern(pattern, requests=requests)
        yield Line("")
    for problem in proof.problems:
        yield from _problem(problem)
        yield Line("")
    for open_point in proof.unproved:
        yield Line(f"Not proved: {open_point}", "quiet")
    if proof.unused_indexes:
        yield Line(f"No pattern reads through {', '.join(proof.unused_indexes)}.", "quiet")
    yield Line(summary(proof), "good" if proof.holds else "bad")


def summary(proof: TableProof) -> str:
    """How many patterns there are, and how many of them are served."""
    total, unserved = len(proof.patterns), len(proof.unserved)
    served = "" if not total else ", all served" if not unserved else f", {unserved} not served"
    said = f"{proof.table}: {counted(total, 'pattern')}{served}"
    if proof.problems:
        count = len(proof.problems)
        said += f"; {counted(count, 'other definition')} {'is' if count == 1 else 'are'} refused"
    return said + "."


def _pattern(pattern: PatternProof, *, requests: bool) -> Iterator[Line]:
    parameters = ", ".join(f"{name}: {kind}" for name, kind in pattern.parameters.items())
    returned = f" -> {', '.join(pattern.entities)}" if pattern.entities else ""
    yield Line(f"{pattern.name}({parameters}){returned}", "name")
    if pattern.doc:
        yield Line(f"  {pattern.doc.splitlines()[0]}", "quiet")
    for request in pattern.requests:
        yield from _request(request, whole=requests)
    if pattern.served:
        return
    if not any(reason.key_path for reason in pattern.reasons):
        yield Line("  Refused:", "bad")
    else:
        yield Line("  Not served:", "bad")
    for reason in pattern.reasons:
        yield from _indented(f"- {reason}", 4)
        if reason.counterexample is not None:
            yield from _example(reason.counterexample)
    for position, edit in enumerate(pattern.edits):
        yield Line(f"  {'This would serve it' if position == 0 else 'Or'}: {edit.text}.", "good")
    if not pattern.edits:
        for remedy in dict.fromkeys(r.remedy for r in pattern.reasons if r.remedy is not None):
            yield Line(f"  {remedy}")
        if pattern.stuck:
            yield Line(f"  No change is proposed: {pattern.stuck}.")


def _request(request: RequestProof, *, whole: bool) -> Iterator[Line]:
    when = f", if {request.when}" if request.when else ""
    yield Line(f"  {request.operation} {request.index or 'table'}{when}: {request.key_condition}")
    yield Line(f"    {'; '.join(_facts(request))}", "quiet")
    if request.may_repeat:
        quoted = ", ".join(f'"{name}"' for name in request.may_repeat)
        rule = quoted if len(request.may_repeat) == 1 else f"Unique({quoted})"
        yield Line(
            f"    not unique: a second item may have the same {', '.join(request.may_repeat)}, and the get would fail; "
            f"unique=[{rule}] in its Keys keeps that out",
            "quiet",
        )
    if whole:
        yield from (Line(f"    {line}", "quiet") for line in json.dumps(request.request, indent=2).splitlines())


def _facts(request: RequestProof) -> Iterator[str]:
    if not request.unique and request.order:
        yield f"sorted by {', '.join(request.order)}{', descending' if request.descending else ''}"
    if request.consistent:
        yield "consistent"
    if request.fan_out:
        count = "" if request.partitions is None else f"{counted(request.partitions, 'request')}, "
        among = (
            f", counted for {request.counted} of them"
            if request.partitions is None and request.counted is not None
            else ""
        )
        yield f"{count}one for {' and '.join(request.fan_out)}{among}"
    if request.over_reads:
        yield f"may also read {', '.join(request.over_reads)}"
    if request.filtered_by:
        yield f"then drops what a filter on {', '.join(request.filtered_by)} leaves out"
    items, units = request.items_at_worst, request.read_units_at_worst
    if items is None:
        yield "how many items at worst is unknown"
    else:
        yield f"at most {counted(items, 'item')}"
    if units is not None:
        yield counted(units, "read unit")
    elif items is not None:
        yield "how many read units is unknown"


def _problem(problem: Problem) -> Iterator[Line]:
    yield Line(f"{problem.kind} {problem.name}", "name")
    yield Line(f"  Refused, {problem.place}:" if problem.place is not None else "  Refused:", "bad")
    yield from _indented(problem.text.removeprefix(f"{problem.place}: "), 4)
    if problem.counterexample is not None:
        yield from _example(problem.counterexample)
    if problem.remedy is not None:
        yield Line(f"  {problem.remedy}")


def _example(example: Counterexample) -> Iterator[Line]:
    yield Line("      For example:", "quiet")
    for item in example.items:
        yield Line(f"        {item}", "quiet")
    yield Line(f"        {example.text}", "quiet")


def _indented(text: str, by: int) -> Iterator[Line]:
    yield from (Line(" " * by + line) for line in text.splitlines())
