"""The commands `tablewright pitr ...`: a table as it was at some moment."""

from __future__ import annotations

import typer

from tablewright.cli.pitr.off import off
from tablewright.cli.pitr.on import on
from tablewright.cli.pitr.restore import restore
from tablewright.cli.pitr.status import status
from tablewright.cli.usage import Command

__all__ = ["pitr"]

pitr = typer.Typer(
    name="pitr",
    help="Recovery of a table to a point in time.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
pitr.command(cls=Command)(status)
pitr.command(cls=Command)(on)
pitr.command(cls=Command)(off)
pitr.command(cls=Command)(restore)


@pitr.callback()
def options() -> None:
    """Recovery of a table to a point in time."""
