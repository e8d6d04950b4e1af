"""The commands `tablewright entities ...`: entities of a model from files and databases, into files, into an archive."""

from __future__ import annotations

import typer

from tablewright.cli.entities.archive import archive
from tablewright.cli.entities.export import export
from tablewright.cli.entities.import_ import import_
from tablewright.cli.usage import Command

__all__ = ["entities"]

entities = typer.Typer(
    name="entities",
    help="Import, export and archive the entities of a model.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
entities.command("import", cls=Command)(import_)
entities.command(cls=Command)(export)
entities.command(cls=Command)(archive)


@entities.callback()
def options() -> None:
    """Import, export and archive the entities of a model."""
