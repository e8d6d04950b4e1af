"""The last lines: what to try next."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from rich.table import Table as Grid
from rich.text import Text

from tablewright.cli.tour.look import Look
from tablewright.cli.tour.model import short
from tablewright.cli.tour.shop import model


def _command() -> str:
    """How to call this program again: `make demo` runs it from an environment that is not on the path."""
    if shutil.which("tablewright"):
        return "tablewright"
    return "python -m tablewright" if Path(sys.argv[0]).name == "__main__.py" else short(sys.argv[0])


def show(look: Look, file: Path | None) -> None:
    """Where to look, what to run."""
    steps = [("Read the model", short(model.__file__))]
    if file is None:
        steps.append(("Keep the table", f"{_command()} demo --file shop.db"))
    else:
        steps.append(("The table stays", short(str(file))))
    tutorial = Path(model.__file__ or "").parents[2] / "docs" / "tutorial.md"
    if tutorial.is_file():
        steps.append(("Write your own", short(str(tutorial))))
        steps.append(("Run every check", "make test"))
    else:
        steps.append(("Write your own", "copy that file and change it"))
    lines = Grid.grid(padding=(0, 2))
    for name, what in steps:
        lines.add_row(Text(name, "bold"), Text(what, "cyan", overflow="fold"))
    look.show("", look.panel(lines, title="What next"))
