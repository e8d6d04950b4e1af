"""`tablewright migrate run`."""

from __future__ import annotations

from typing import Annotated

import typer

from tablewright.cli.migrate.opening import Dask, MaxRead, MaxWrite, Model, Segments, Stage, TakeOver, Target, Write


def run(
    model: Model,
    target: Target,
    write: Write = False,
    to: Annotated[str | None, typer.Option("--to", help="The last migration to run: its name, or its number.")] = None,
    max_read_units: MaxRead = None,
    max_write_units: MaxWrite = None,
    segments: Segments = None,
    dask: Dask = None,
    stage: Stage = None,
    take_over: TakeOver = False,
) -> None:
    """Carry out the migrations that are not retired yet.

    The new form is brought about beside the old one, while applications go on. Those that ran before are looked through
    again, for what code of either model has written since. It ends with 1 if items had to be left as they are.

    Example: tablewright migrate run shop/model.py --on shop.db --write
    """
    from tablewright.cli.migrate.opening import migrating, show

    with migrating(
        model,
        target,
        stage,
        take_over=take_over,
        max_read_units=max_read_units,
        max_write_units=max_write_units,
        segments=segments,
        dask=dask,
    ) as (migrator, table):
        told = migrator.run(write=write, to=to)
        show(told, table, write=write)
    if any(one.outcome.skipped for one in told):
        raise typer.Exit(1)
