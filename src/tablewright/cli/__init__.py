"""The command line: one thin file per command. Commands import what they need when they run, so that help is quick."""

from __future__ import annotations

import io
import sys
from typing import Annotated

import typer

from tablewright.cli.adopt import adopt
from tablewright.cli.advise import advise
from tablewright.cli.backup import backup
from tablewright.cli.capacity import capacity
from tablewright.cli.check import check
from tablewright.cli.cost import cost
from tablewright.cli.dal import dal
from tablewright.cli.demo import demo
from tablewright.cli.design import design
from tablewright.cli.diff import diff
from tablewright.cli.entities import entities
from tablewright.cli.explore import explore
from tablewright.cli.export import export
from tablewright.cli.generate import generate
from tablewright.cli.import_ import import_
from tablewright.cli.infer import infer
from tablewright.cli.lint import lint
from tablewright.cli.load import load
from tablewright.cli.migrate import migrate
from tablewright.cli.move import move
from tablewright.cli.new import new
from tablewright.cli.pitr import pitr
from tablewright.cli.seed import seed
from tablewright.cli.serve import serve
from tablewright.cli.tables import tables
from tablewright.cli.test_patterns import tested_patterns
from tablewright.cli.usage import Command
from tablewright.cli.validate import validate
from tablewright.cli.verify import verify
from tablewright.cli.version import version, wanted
from tablewright.errors import TablewrightError

__all__ = ["app", "main"]

app = typer.Typer(
    name="tablewright",
    help="DynamoDB single-table design in Python: one model file, everything else follows from it.",
    epilog="Start with: tablewright demo",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(cls=Command)(demo)
app.command(cls=Command)(check)
app.command(cls=Command)(generate)
app.command(cls=Command)(adopt)
app.command(cls=Command)(lint)
app.add_typer(design)
app.command(cls=Command)(cost)
app.command(cls=Command)(capacity)
app.command(cls=Command)(load)
app.command(cls=Command)(advise)
app.command(cls=Command)(diff)
app.add_typer(migrate)
app.add_typer(move)
app.command(cls=Command)(infer)
app.command(cls=Command)(serve)
app.command(cls=Command)(tables)
app.command(cls=Command)(export)
app.command("import", cls=Command)(import_)
app.command(cls=Command)(verify)
app.add_typer(entities)
app.add_typer(backup)
app.add_typer(pitr)
app.command(cls=Command)(seed)
app.command("test-patterns", cls=Command)(tested_patterns)
app.command(cls=Command)(explore)
app.command(cls=Command)(validate)
app.command(cls=Command)(dal)
app.command(cls=Command)(new)
app.command(cls=Command)(version)


@app.callback()
def options(
    _version: Annotated[
        bool, typer.Option("--version", "-V", callback=wanted, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Options that stand before the command."""


def main() -> None:
    """The command `tablewright`. It ends with 1 where a command did its work and the answer is no (findings, differences,
    files that are not up to date), and with 2 where it could not do it. An error of ours is a message, not a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that cannot show a character is no reason to fail
    try:
        app()
    except TablewrightError as error:
        print(f"Error: {error.message}", file=sys.stderr)
        if error.hint:
            print(error.hint, file=sys.stderr)
        print(f"({type(error).__name__}, {error.code})", file=sys.stderr)
        sys.exit(2)
