"""`tablewright verify`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tablewright.wording import counted


def verify(
    file: Annotated[Path, typer.Argument(help="The file with the tables.", exists=True, dir_okay=False)],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Check all in a file: checksums, keys, sizes and indexes.

    Every problem is a line, which names tables and indexes and no values, and then the command ends with 1. The file
    may be in use; all that is looked at is of one moment.

    Example: tablewright verify tables.db
    """
    import json
    import sys

    from tablewright.engine import Problem, open_engine
    from tablewright.errors import CorruptDataError

    if not as_json:
        print(f"Checking {file}, {counted(file.stat().st_size, 'byte')}.", file=sys.stderr)
    try:
        with open_engine(file, sweep_every=None, backfills=False) as engine:
            problems = engine.verify()
    except CorruptDataError as error:  # that there is damage is the answer, even where it hides all else
        problems = [Problem(error.message)]
        print("Restore the file from a copy, or its tables from exports.", file=sys.stderr)
    if as_json:
        print(json.dumps([{"what": one.what, "table": one.table, "index": one.index} for one in problems], indent=2))
    else:
        for one in problems:
            print(one)
        print(f"{counted(len(problems), 'problem')}." if problems else "All is well.")
    if problems:
        raise typer.Exit(1)
