"""`tablewright move plan`."""

from __future__ import annotations

from typing import Annotated

import typer

from tablewright.cli.move.opening import BadRows, File, Json, Legacy, Stage, Target


def plan(
    file: File,
    target: Target,
    legacy: Legacy = None,
    sample: Annotated[int, typer.Option(help="Items of each legacy table to try.", min=1)] = 1000,
    every: Annotated[bool, typer.Option("--all", help="Try all items.")] = False,
    bad_rows: BadRows = None,
    stage: Stage = None,
    as_json: Json = False,
) -> None:
    """Try the mapping on samples of the legacy tables. Nothing is written. It ends with 1 if something is wrong.

    It needs nothing but the legacy tables: the place of the new table may be made later, by `tablewright move prepare`.

    Example: tablewright move plan market.py --on market.db
    """
    from tablewright.cli.bad_rows import bad_rows_file
    from tablewright.cli.move.opening import counts_json, print_json, session_of

    with session_of(file, target, legacy, stage, legacy_alone=True) as session, bad_rows_file(bad_rows) as tell:
        found = session.plan(None if every else sample, bad_row=tell)
    if as_json:
        print_json(
            {
                "sampled": dict(found.sampled),
                "made": dict(found.made),
                "remarks": counts_json(found.remarks),
                "problems": counts_json(found.problems),
                "well": found.well,
            }
        )
    else:
        print(found.text())
    if not found.well:
        raise typer.Exit(1)
