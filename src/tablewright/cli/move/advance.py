"""`tablewright move advance`."""

from __future__ import annotations

from typing import Annotated

import typer

from tablewright.cli.move.opening import File, Flags, Legacy, Stage, Target


def advance(
    file: File,
    phase: Annotated[str, typer.Argument(help="The phase to go to.")],
    target: Target,
    legacy: Legacy = None,
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Wait until it holds everywhere.")] = True,
    flags: Flags = None,
    stage: Stage = None,
) -> None:
    """Go on to the next phase, if all that it needs holds, and wait until every process knows it.

    Phases are dual, shadow, switched and new. What is missing is told, with what to do about it.

    Example: tablewright move advance market.py dual --on market.db
    """
    from tablewright.cli.move.opening import session_of
    from tablewright.cli.move.phases import known_phase, wait_for

    with session_of(file, target, legacy, stage, flags=flags) as session:
        wait_for(session.advance(known_phase(phase)), wait=wait)
