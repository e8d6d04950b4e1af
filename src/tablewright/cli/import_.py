"""`tablewright import`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tablewright.wording import counted


def import_(
    file: Annotated[
        str,  # a Path would forget a ./ that says that it is a file
        typer.Argument(help="The file for the table; made if there is none.", show_default=False),
    ],
    folder: Annotated[
        Path, typer.Argument(help="The folder with an export, or with files of items.", exists=True, file_okay=False)
    ],
    name: Annotated[str | None, typer.Option(help="Give the table this name.")] = None,
    definition: Annotated[
        Path | None,
        typer.Option(
            help="A CreateTable request in JSON, for items that do not say what table they belong in.",
            exists=True,
            dir_okay=False,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Make a table from an export, or from files of items.

    Those may hold DynamoDB JSON or CSV, packed with gzip or not. Exports from AWS, copied from S3, can be read too.
    Items that the table cannot hold are counted and left out, and the first ten are told by file and line; the command
    then ends with 1. Writers of the file wait meanwhile.

    Example: tablewright import copy.db backup --name OrdersCopy
    """
    import json
    import os
    import sys

    from tablewright.engine import open_engine
    from tablewright.errors import ConfigError, ResourceInUse

    wanted = None
    if definition is not None:
        try:
            wanted = json.loads(definition.read_bytes())
        except ValueError:
            wanted = None
        if not isinstance(wanted, dict):
            raise ConfigError(f"{definition} does not hold a JSON object.", hint="Give it a CreateTable request.")
    if os.path.isdir(file):
        raise ConfigError(f"{file} is a folder.", hint="Give the path of a file; it is made if there is none.")
    is_new = not os.path.exists(file)
    try:
        with open_engine(file, sweep_every=None) as engine:
            if not as_json:
                print(f"Reading {folder}.", file=sys.stderr)
            done = engine.import_table(folder, name, wanted)
    except BaseException as error:
        if isinstance(error, ResourceInUse):
            error.hint = "Give the new table another name with --name."
        if is_new:
            for made in (file, f"{file}-wal", f"{file}-shm"):
                Path(made).unlink(missing_ok=True)
        raise
    if as_json:
        left_out = [one._asdict() for one in done.left_out]
        print(json.dumps({"table": done.table, "items": done.imported, "errors": done.errors, "left_out": left_out}))
    else:
        for one in done.left_out:
            print(one, file=sys.stderr)
        if (more := done.errors - len(done.left_out)) > 0:
            print(f"And {more:,} more.", file=sys.stderr)
        left = f"; {done.errors:,} could not be taken" if done.errors else ""
        print(f"The table {done.table} has {counted(done.imported, 'item')}{left}.")
    if done.errors:
        raise typer.Exit(1)
