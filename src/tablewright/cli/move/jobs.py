"""The jobs of a backfill, in this process or on a cluster, told of as they end."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tablewright.cli.move.opening import progress_of
from tablewright.errors import ArgumentError

if TYPE_CHECKING:
    from tablewright.evolve.jobs import Report
    from tablewright.evolve.moving import MovingSession


def run_here(session: MovingSession, moves: list[str], options: dict[str, Any], *, quiet: bool) -> Iterator[Report]:
    """One job after another."""
    for move in moves or session.moving.by_name:
        (report,) = session.backfill(move, **options, progress=progress_of(move))
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr)
        if not quiet:
            print(report)
        yield report


def run_there(
    name: str,
    session: MovingSession,
    moves: list[str],
    address: str,
    target: str,
    together: bool,
    options: dict[str, Any],
    *,
    quiet: bool,
) -> Iterator[Report]:
    """The same on a Dask cluster: workers make the work from the module that holds the moving."""
    from tablewright.evolve.jobs.dask import Recipe, run_on_dask

    if "sample" in options:
        raise ArgumentError("A sample is for a dry run in this process.", hint="Leave --sample or --dask out.")
    if options["write"]:
        session.backfills()  # refused where it does not belong to the phase
    for move in moves or session.moving.by_name:
        arguments = {"moving": name, "move": move, "table": session.db.table_name, "together": together}
        recipe = Recipe("tablewright.evolve.moving.backfill:backfill_of", arguments)
        report = run_on_dask(recipe, target, address, **options)
        if not quiet:
            print(report)
        yield report
