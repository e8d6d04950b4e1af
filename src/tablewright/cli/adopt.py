"""`tablewright adopt`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tablewright.cli.writing import FORCE_HELP


def adopt(
    file: Annotated[
        Path, typer.Argument(help="A data model that NoSQL Workbench exported, as JSON.", exists=True, dir_okay=False)
    ],
    table: Annotated[str | None, typer.Option("--table", help="The table, where there are several.")] = None,
    to: Annotated[
        Path | None, typer.Option("--to", help="The file to write, instead of printing.", dir_okay=False)
    ] = None,
    force: Annotated[bool, typer.Option("--force", help=FORCE_HELP)] = False,
) -> None:
    """Begin a model from a data model of NoSQL Workbench.

    Each facet becomes an entity. Key templates are taken from the facets' aliases, or from sample data; what neither tells
    is guessed, and a comment says so. A file that somebody made or edited is not written over.

    Example: tablewright adopt workbench.json --to model.py
    """
    import sys

    from tablewright.cli.writing import write_file
    from tablewright.errors import ArgumentError
    from tablewright.generate.workbench.sketching import models_of

    models = models_of(file.read_bytes())
    if table is None and len(models) != 1:
        raise ArgumentError(
            f"{file} holds {len(models)} tables.", hint=f"Name one: --table {next(iter(models), '...')}."
        )
    text = next(iter(models.values())) if table is None else models.get(table)
    if text is None:
        raise ArgumentError(f"{file} holds no table {table!r}.", hint=f"Its tables are: {', '.join(models)}.")
    if to is None:
        sys.stdout.write(text)
        return
    write_file(to, text, force=force)
    print(f"Written to {to}.")
