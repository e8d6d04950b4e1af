"""`tablewright move repair`."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from tablewright.cli.move.opening import BadRows, File, InFlight, Json, Legacy, Stage, Target, Write
from tablewright.wording import counted


class Wins(StrEnum):
    """Which side is right."""

    LEGACY = "legacy"
    NEW = "new"


def repair(
    file: File,
    target: Target,
    legacy: Legacy = None,
    write: Write = False,
    max_write_units: Annotated[
        float | None, typer.Option("--max-write-units", help="Write units a second, at most.", min=0.1)
    ] = None,
    in_flight: InFlight = 8,
    wins: Annotated[
        Wins | None,
        typer.Option(
            "--wins", help="In the phase new: which side is right where the new table was written since it was noted."
        ),
    ] = None,
    bad_rows: BadRows = None,
    stage: Stage = None,
    as_json: Json = False,
) -> None:
    """Write what the ledger says is still to be written. It ends with 1 if anything is left.

    Without --write it is counted. Run it every few minutes while both sides are written, and after a backfill. In the phase new
    it writes only what the new table was not written over since; --wins decides about the rest.

    Example: tablewright move repair market.py --on market.db --write
    """
    from tablewright.cli.bad_rows import bad_rows_file
    from tablewright.cli.move.opening import session_of, stopping_writes
    from tablewright.cli.move.repairs import show_repair
    from tablewright.evolve.moving.late import LATE

    with (
        session_of(file, target, legacy, stage) as session,
        bad_rows_file(bad_rows) as tell,
        stopping_writes(write=write),
    ):
        if write:
            done = session.repair(
                max_write_units=max_write_units,
                bad_row=tell,
                in_flight=in_flight,
                wins=None if wins is None else wins.value,
            )
            settled, left = done.settled, dict(done.failed)
        else:
            settled, left = 0, dict(session.pending(bad_row=tell))
    show_repair(settled, left, write=write, as_json=as_json)
    if not write and left and not as_json:
        print(f"{counted(sum(left.values()), 'item')} to be written. --write does it.")
    if LATE in left and not as_json:
        print("--wins legacy or --wins new says which side is right.")
    if left:
        raise typer.Exit(1)
