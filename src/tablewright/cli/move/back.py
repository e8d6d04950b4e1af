"""`tablewright move back`."""

from __future__ import annotations

from typing import Annotated

import typer

from tablewright.cli.move.opening import File, Flags, Legacy, Stage, Target


def back(
    file: File,
    target: Target,
    legacy: Legacy = None,
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Wait until it holds everywhere.")] = True,
    flags: Flags = None,
    stage: Stage = None,
) -> None:
    """Go back to the phase before, if nothing is lost by it, and wait until every process knows it.

    Example: tablewright move back market.py --on market.db
    """
    from tablewright.cli.move.opening import session_of
    from tablewright.cli.move.phases import phase_before, wait_for

    with session_of(file, target, legacy, stage, flags=flags) as session:
        gone_back = session.go_back(phase_before(session.progress()))
        wait_for(gone_back, wait=wait)
    if gone_back.behind:
        print("Now run `tablewright move restore-legacy --write` until there is nothing to do.")
