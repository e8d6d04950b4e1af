"""`tablewright move runbook`."""

from __future__ import annotations

from tablewright.cli.move.opening import File


def runbook(file: File) -> None:
    """Print the whole way for this mapping: phases, commands, what to look at, and the way back. As Markdown.

    Example: tablewright move runbook market.py > MOVING.md
    """
    from tablewright.cli.move.opening import named_moving
    from tablewright.evolve.moving import runbook as written

    print(written(named_moving(file)[0], file), end="")
