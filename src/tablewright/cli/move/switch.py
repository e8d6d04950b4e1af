"""`tablewright move switch`."""

from __future__ import annotations

from typing import Annotated

import typer

from tablewright.cli.move.opening import File, Flags, Legacy, Stage, Target
from tablewright.wording import counted


def switch(
    file: File,
    percent: Annotated[int, typer.Argument(help="Of a hundred subjects, how many read the new table.", min=0, max=100)],
    target: Target,
    legacy: Legacy = None,
    flags: Flags = None,
    stage: Stage = None,
) -> None:
    """Let so many of a hundred subjects read the new table, in the phase switched. It also ends a kill.

    Example: tablewright move switch market.py 10 --on market.db
    """
    from tablewright.cli.move.opening import session_of

    with session_of(file, target, legacy, stage, flags=flags) as session:
        session.switch(percent)
    within = session.moving.refresh
    print(f"{percent} percent of subjects read the new table, within {counted(within, 'second')}.")
