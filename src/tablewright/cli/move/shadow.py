"""`tablewright move shadow`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from tablewright.cli.move.opening import File, Json, Legacy, Stage, Target
from tablewright.wording import counted


def shadow(
    file: File,
    target: Target,
    legacy: Legacy = None,
    reads: Annotated[
        Path | None,
        typer.Option(
            "--reads",
            help='Reads to try, a line each: {"read": "reviews_of", "with": {"merchant_id": "m1"}}.',
            dir_okay=False,
        ),
    ] = None,
    tell: Annotated[
        bool, typer.Option("--tell", help="Add what was compared to what the ledger knows, in the phase shadow.")
    ] = False,
    stage: Stage = None,
    as_json: Json = False,
) -> None:
    """Tell what shadow reads found: those of applications, or those of a file, which are asked on both sides now.

    Reads are called by their pattern's name; FILE's module must hold them. It ends with 1 if answers differ or fail.

    Example: tablewright move shadow market.py --on market.db --reads reads.jsonl
    """
    from tablewright.cli.move.opening import counts_json, print_json, session_and_name
    from tablewright.cli.move.reads import reads_in

    with session_and_name(file, target, legacy, stage) as (session, name):
        if reads is None:
            progress = session.progress()
            compared, differed = progress.compared, progress.differed
            if as_json:
                print_json({"phase": progress.phase, "compared": compared, "differed": differed})
            else:
                print(
                    f"{counted(compared, 'read')} compared by applications in the phase {progress.phase!r}, {differed:,} differed."
                )
        else:
            for read, first, others in reads_in(reads, name):
                session.shadow(read, *first, **others)
            report = session.shadow_report()
            phase = session.tell().phase if tell else None
            differed = report.differed + report.new.errors
            if as_json:
                sides = {
                    name: {"reads": side.reads, "errors": side.errors, "seconds": side.seconds, "slow": side.slow}
                    for name, side in (("legacy", report.legacy), ("new", report.new))
                }
                found = counts_json(report.differences)
                kept = {"kept": phase == "shadow"} if tell else {}
                told = {"compared": report.compared, "differed": report.differed, "differences": found}
                print_json({**told, **kept, **sides})
            else:
                print(report.text())
            if phase not in (None, "shadow"):
                print(
                    f"The ledger keeps nothing of it: it counts in the phase 'shadow' only, and this is {phase!r}.",
                    file=sys.stderr,
                )
    if differed:
        raise typer.Exit(1)
