"""The jobs of a backfill, in this process or on a cluster, told of as they end."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from tablewright.cli.move.opening import progress_of
from tablewright.errors import ArgumentError

if TYPE_CHECKING:
    from tablewright.evolve.jobs import Report
    from tablewright.evolve.moving import MovingSession
    from tablewright.evolve.moving.bad_rows import Tell


class Cluster(NamedTuple):
    """Where the jobs run instead of here, and what its workers must know."""

    moving: str
    """Where the moving stands, as module:name."""
    address: str
    target: str
    """The legacy tables, as every worker can open them."""
    together: bool
    """Whether the new table is in the same place."""


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
    session: MovingSession,
    moves: list[str],
    to: Cluster,
    options: dict[str, Any],
    tell: Tell | None,
    *,
    quiet: bool,
) -> Iterator[Report]:
    """The same on a Dask cluster: workers make the work from the module that holds the moving."""
    from tablewright.evolve.jobs.dask import Recipe, run_on_dask
    from tablewright.evolve.moving.bad_rows import told_of

    if "sample" in options:
        raise ArgumentError("A sample is for a dry run in this process.", hint="Leave --sample or --dask out.")
    if options["write"]:
        session.backfills()  # refused where it does not belong to the phase
    schemas = session.key_schemas()
    for move in moves or session.moving.by_name:
        arguments = {
            "moving": to.moving,
            "move": move,
            "table": session.db.table_name,
            "together": to.together,
            "schemas": schemas,
        }
        recipe = Recipe("tablewright.evolve.moving.backfill:backfill_of", arguments)
        left = None if tell is None else told_of(session.moving.by_name[move], tell)
        report = run_on_dask(recipe, to.target, to.address, left=left, **options)
        if not quiet:
            print(report)
        yield report
