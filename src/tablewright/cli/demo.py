"""`tablewright demo`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def demo(
    file: Annotated[
        Path | None,
        typer.Option(help="Keep the shop's table in this file, to try things on it afterwards.", dir_okay=False),
    ] = None,
    plain: Annotated[bool, typer.Option("--plain", help="Only plain characters, no colours.")] = False,
) -> None:
    """A tour in a few seconds: a small shop on one table.

    It shows the model, the request that each access pattern becomes, what the patterns return, and how an order moves
    through an index. Nothing leaves this machine. Without --file, the table lives in a temporary file.

    Example: tablewright demo --file shop.db
    """
    from tablewright.cli.tour import run

    run(file, plain=plain)
