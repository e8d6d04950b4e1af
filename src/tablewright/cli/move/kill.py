"""`tablewright move kill`."""

from __future__ import annotations

from tablewright.cli.move.opening import File, Flags, Legacy, Stage, Target
from tablewright.wording import counted


def kill(file: File, target: Target, legacy: Legacy = None, flags: Flags = None, stage: Stage = None) -> None:
    """Let everybody read the legacy tables again, at once. Both sides are still written; `switch` ends it.

    Example: tablewright move kill market.py --on market.db
    """
    from tablewright.cli.move.opening import session_of

    with session_of(file, target, legacy, stage, flags=flags) as session:
        progress = session.kill()
    print(f"Everybody reads the legacy tables, within {counted(session.moving.refresh, 'second')}.")
    if progress.behind:
        print(
            "They may lack what was written while the phase changed: `tablewright move restore-legacy --write` tells them."
        )
