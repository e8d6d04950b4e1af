"""The commands `tablewright migrate ...`: from one model to the next, with the items that are there."""

from __future__ import annotations

import typer

from tablewright.cli.migrate.cutover import cutover
from tablewright.cli.migrate.new import new
from tablewright.cli.migrate.plan import plan
from tablewright.cli.migrate.retire import retire
from tablewright.cli.migrate.rollback import rollback
from tablewright.cli.migrate.run import run
from tablewright.cli.migrate.status import status
from tablewright.cli.migrate.verify import verify
from tablewright.cli.usage import Command

__all__ = ["migrate"]

migrate = typer.Typer(
    name="migrate",
    help="Bring a table from one model to the next, and back.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (new, status, plan, run, verify, cutover, rollback, retire):
    migrate.command(cls=Command)(command)


@migrate.callback()
def options() -> None:
    """Bring a table from one model to the next, and back."""
