"""`tablewright move verify`."""

from __future__ import annotations

from typing import Annotated

import typer

from tablewright.cli.move.opening import BadRows, File, Json, Legacy, Stage, Target


def verify(
    file: File,
    target: Target,
    legacy: Legacy = None,
    writing: Annotated[
        bool, typer.Option("--writing", help="Applications go on: counts and checksums are told, and decide nothing.")
    ] = False,
    bad_rows: BadRows = None,
    stage: Stage = None,
    as_json: Json = False,
) -> None:
    """Compare both sides, in both directions. It ends with 1 if anything differs, or cannot be moved at all.

    Where all is well, that is noted in the ledger: the next phase asks for it. Give --writing where applications write meanwhile.

    Example: tablewright move verify market.py --on market.db --writing
    """
    from tablewright.cli.bad_rows import bad_rows_file
    from tablewright.cli.move.opening import session_of
    from tablewright.cli.move.verifications import show_verification

    with session_of(file, target, legacy, stage) as session, bad_rows_file(bad_rows) as tell:
        found = session.verify(writing=writing, bad_row=tell)
    show_verification(found, as_json=as_json)
    if not found.well:
        raise typer.Exit(1)
