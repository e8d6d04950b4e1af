"""The commands `tablewright backup ...`: copies of a whole table, made and restored."""

from __future__ import annotations

import typer

from tablewright.cli.backup.create import create
from tablewright.cli.backup.delete import delete
from tablewright.cli.backup.list_ import list_
from tablewright.cli.backup.restore import restore
from tablewright.cli.usage import Command

__all__ = ["backup"]

backup = typer.Typer(
    name="backup",
    help="Make, list, restore and delete backups of a table.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
backup.command(cls=Command)(create)
backup.command("list", cls=Command)(list_)
backup.command(cls=Command)(restore)
backup.command(cls=Command)(delete)


@backup.callback()
def options() -> None:
    """Make, list, restore and delete backups of a table."""
