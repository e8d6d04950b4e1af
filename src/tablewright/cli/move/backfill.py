"""`tablewright move backfill`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tablewright.cli.move.opening import BadRows, File, Json, Legacy, Stage, Target, Write
from tablewright.wording import counted

if TYPE_CHECKING:
    from tablewright.evolve.jobs import Report
    from tablewright.evolve.moving import BadRow


def backfill(
    file: File,
    target: Target,
    legacy: Legacy = None,
    write: Write = False,
    move: Annotated[
        list[str] | None, typer.Option("--move", help="Only this move; may be given more than once.")
    ] = None,
    segments: Annotated[
        int | None, typer.Option(help="Parts of a legacy table that are read side by side; 8.", min=1, max=1000)
    ] = None,
    in_flight: Annotated[int, typer.Option(help="Writes under way at once.", min=1, max=1000)] = 64,
    max_read_units: Annotated[float | None, typer.Option(help="Read units a second, at most.", min=0.1)] = None,
    max_write_units: Annotated[float | None, typer.Option(help="Write units a second, at most.", min=0.1)] = None,
    sample: Annotated[
        int | None, typer.Option(help="In a dry run: pages of each segment; the rest is projected.", min=1)
    ] = None,
    lease: Annotated[
        float | None,
        typer.Option(help="Seconds after which another run may go on where this one was killed; 60.", min=0.5),
    ] = None,
    restart: Annotated[bool, typer.Option("--restart", help="Forget how far an earlier run was.")] = False,
    take_over: Annotated[
        bool, typer.Option("--take-over", help="Go on at once where another run was killed and still holds a job.")
    ] = False,
    dask: Annotated[
        str | None,
        typer.Option(help="The scheduler of a Dask cluster, tcp://HOST:PORT, whose workers can import FILE's module."),
    ] = None,
    bad_rows: BadRows = None,
    stage: Stage = None,
    as_json: Json = False,
) -> None:
    """Move what was in the legacy tables before both sides were written; whatever is newer stays as it is.

    Without --write it is counted and priced. Ctrl-C stops it at a checkpoint, and the same command goes on there, as it does
    after a kill. Run `tablewright move repair` after it. It ends with 1 if items were skipped, each with a reason.

    Example: tablewright move backfill market.py --on market.db --write --max-write-units 500
    """
    from tablewright.cli.bad_rows import bad_rows_file
    from tablewright.cli.move.opening import print_json, session_and_name, stopping

    options: dict[str, Any] = {"write": write, "in_flight": in_flight, "restart": restart, "take_over": take_over}
    limits = {"segments": segments, "max_read_units": max_read_units, "max_write_units": max_write_units}
    options |= {
        name: value for name, value in {**limits, "sample": sample, "lease": lease}.items() if value is not None
    }
    reports: list[Report] = []
    in_file = 0

    with (
        session_and_name(file, target, legacy, stage) as (session, name),
        bad_rows_file(bad_rows) as tell,
        stopping(),
    ):

        def told(row: BadRow) -> None:
            nonlocal in_file
            in_file += 1
            if tell is not None:
                tell(row)

        from tablewright.cli.move.jobs import Cluster, run_here, run_there

        if dask is not None:
            to = Cluster(name, dask, legacy or target, together=legacy in (None, target))
            reports += run_there(session, move or [], to, options, None if tell is None else told, quiet=as_json)
        else:
            reports += run_here(session, move or [], {**options, "bad_row": told}, quiet=as_json)
        pending = session.pending()
    left = sum(one.counts.left for one in reports)
    if as_json:
        print_json({"reports": [one.to_dict() for one in reports], "pending": dict(pending)})
    elif not write:
        print("Nothing was written. --write does it.")
    elif pending:
        print(f"{counted(sum(pending.values()), 'item')} to be written: `tablewright move repair` does it.")
    if left:
        print(f"{counted(left, 'item')} skipped.", file=sys.stderr)
        if bad_rows is not None and in_file < left:
            print(
                f"{bad_rows} has {in_file:,} of them. The others were skipped before this run went on; a dry run has all.",
                file=sys.stderr,
            )
        raise typer.Exit(1)
