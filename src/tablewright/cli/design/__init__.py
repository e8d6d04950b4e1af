"""The commands `tablewright design ...`: from what an application reads to the keys of its table."""

from __future__ import annotations

import typer

from tablewright.cli.design.propose import propose
from tablewright.cli.design.relationship import relationship
from tablewright.cli.design.sign import sign
from tablewright.cli.design.start import start
from tablewright.cli.design.status import status
from tablewright.cli.usage import Command

__all__ = ["design"]

design = typer.Typer(
    name="design",
    help="Design a table: from what an application reads to its keys.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
design.command(cls=Command)(start)
design.command(cls=Command)(status)
design.command(cls=Command)(sign)
design.command(cls=Command)(relationship)
design.command(cls=Command)(propose)


@design.callback()
def options() -> None:
    """Design a table: from what an application reads to its keys."""
