"""`tablewright move mend`."""

from __future__ import annotations

import typer

from tablewright.cli.move.opening import BadRows, File, InFlight, Json, Legacy, Stage, Target, Write


def mend(
    file: File,
    target: Target,
    legacy: Legacy = None,
    write: Write = False,
    in_flight: InFlight = 8,
    bad_rows: BadRows = None,
    stage: Stage = None,
    as_json: Json = False,
) -> None:
    """Write anew or remove whatever differs in the new table. It ends with 1 if anything is left.

    For after a time in which only legacy tables were written, after a change of the mapping, or where somebody else changed
    moved items. Without --write it is verified only; with it, what is left is told.

    Example: tablewright move mend market.py --on market.db --write
    """
    from tablewright.cli.bad_rows import bad_rows_file
    from tablewright.cli.move.opening import session_of, stopping_writes
    from tablewright.cli.move.repairs import show_repair
    from tablewright.cli.move.verifications import show_verification

    with (
        session_of(file, target, legacy, stage) as session,
        bad_rows_file(bad_rows) as tell,
        stopping_writes(write=write),
    ):
        if write:
            done = session.mend(bad_row=tell, in_flight=in_flight)
            show_repair(done.settled, done.failed, write=True, as_json=as_json, found=done.found)
            well = done.well
        else:
            found = session.verify(writing=True, bad_row=tell)
            show_verification(found, as_json=as_json)
            well = found.well
            if found.differences and not as_json:
                print("Nothing was written. --write does it.")
    if not well:
        raise typer.Exit(1)
