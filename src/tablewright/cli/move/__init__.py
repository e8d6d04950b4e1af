"""The commands `tablewright move ...`: many legacy tables become one, while the application runs."""

from __future__ import annotations

import typer

from tablewright.cli.move.advance import advance
from tablewright.cli.move.back import back
from tablewright.cli.move.backfill import backfill
from tablewright.cli.move.kill import kill
from tablewright.cli.move.mend import mend
from tablewright.cli.move.plan import plan
from tablewright.cli.move.prepare import prepare
from tablewright.cli.move.repair import repair
from tablewright.cli.move.restore_legacy import restore_legacy
from tablewright.cli.move.retire import retire
from tablewright.cli.move.runbook import runbook
from tablewright.cli.move.shadow import shadow
from tablewright.cli.move.status import status
from tablewright.cli.move.switch import switch
from tablewright.cli.move.verify import verify
from tablewright.cli.usage import Command

__all__ = ["move"]

move = typer.Typer(
    name="move",
    help="Move many legacy tables into one, phase by phase, and back.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (runbook, plan, prepare, status, advance, back, backfill, repair, verify, mend, shadow, switch, kill):
    move.command(cls=Command)(command)
move.command("restore-legacy", cls=Command)(restore_legacy)
move.command(cls=Command)(retire)


@move.callback()
def options() -> None:
    """Move many legacy tables into one, phase by phase, and back."""
