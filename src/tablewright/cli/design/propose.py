"""`tablewright design propose`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tablewright.cli.writing import FORCE_HELP
from tablewright.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tablewright.compiler.proofs import RequestProof
    from tablewright.cost.estimating import Estimate
    from tablewright.synth.proposal import Proposal


def propose(
    file: Annotated[Path, typer.Argument(help="The design: a Python file that holds a Design(...).", dir_okay=False)],
    to: Annotated[
        Path | None, typer.Option("--to", help="The file to write the model to, if not printed.", dir_okay=False)
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say why: each key, what was rejected, the request of each pattern.")
    ] = False,
    alternatives: Annotated[
        bool, typer.Option("--alternatives", help="Say what would do as well, at which price.")
    ] = False,
    multi_attribute: Annotated[
        bool,
        typer.Option(
            "--multi-attribute", help="Make indexes that hold one entity of its own attributes, where that does."
        ),
    ] = False,
    force: Annotated[bool, typer.Option("--force", help=FORCE_HELP)] = False,
) -> None:
    """Find keys and the fewest indexes for a design, and write it as a model.

    The model is the design's own file with Table(...), indexes and keys; nothing else in it changes. It is built and
    proved before it is shown. Explanations go to standard error. A file that
    somebody made or edited is not written over. All that is wrong in the design is told, with its lines.

    Example: tablewright design propose design.py --to model.py --explain
    """
    import sys

    from tablewright.cli.writing import write_file
    from tablewright.errors import ArgumentError
    from tablewright.synth.proposal import propose as find

    if to is not None and to.exists() and to.resolve() == file.resolve():
        raise ArgumentError("The model would replace its design.", hint="Name another file with --to.")
    found = find(file, multi_attribute=multi_attribute)
    for line in _summary(found, explain=explain, alternatives=alternatives):
        print(line, file=sys.stderr)
    if to is None:
        sys.stdout.write(found.code)
    else:
        write_file(to, found.code, force=force)
        print(f"Written to {to}.", file=sys.stderr)


def _summary(found: Proposal, *, explain: bool, alternatives: bool) -> Iterator[str]:
    proved = "fewer would not do" if found.minimal else "not proved minimal: the search was ended before its end"
    entities = counted(len(found.entities), "entity", "entities")
    indexes = counted(len(found.indexes), "index", "indexes")
    yield f"{found.table}: {entities}, {counted(len(found.proof.patterns), 'pattern')}, {indexes} ({proved})."
    if explain:
        yield from _section("Keys", found.explained.choices)
        yield from _section("Requests", [_request(p.name, r) for p in found.proof.patterns for r in p.requests])
        yield from _section("Rejected", found.explained.rejected)
        yield from _section("Cost", _cost(found.estimate))
    if alternatives:
        yield from _section("Alternatives", found.explained.alternatives or ("None that costs as little.",))
    yield from _section("To look at", found.explained.hints)


def _request(pattern: str, request: RequestProof) -> str:
    when = f", {request.when}" if request.when else ""
    words = f"{pattern}(){when}: {request.operation} {request.index or 'table'}: {request.key_condition}"
    if request.fan_out:
        words += f", once for {' and '.join(request.fan_out)}"
    return words + (f", which may also read {', '.join(request.over_reads)}" if request.over_reads else "")


def _cost(estimate: Estimate) -> list[str]:
    """A month on demand, as far as the design says what is expected."""
    bill = estimate.bill()
    if not bill.total:
        return []
    parts = f"reads {bill.reads:,.2f}, writes {bill.writes:,.2f}, storage {bill.storage:,.2f}"
    return [f"{bill.total:,.2f} {estimate.currency} a month on demand: {parts}. `tablewright cost` tells the rest."]


def _section(title: str, lines: tuple[str, ...] | list[str]) -> Iterator[str]:
    if lines:
        yield f"{title}:"
        yield from (f"  - {line}" for line in lines)
