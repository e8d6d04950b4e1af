"""`tablewright migrate rollback`."""

from __future__ import annotations

import typer

from tablewright.cli.migrate.opening import (
    Dask,
    MaxRead,
    MaxWrite,
    Model,
    Name,
    Segments,
    Stage,
    TakeOver,
    Target,
    Write,
)


def rollback(
    model: Model,
    target: Target,
    write: Write = False,
    name: Name = None,
    max_read_units: MaxRead = None,
    max_write_units: MaxWrite = None,
    segments: Segments = None,
    dask: Dask = None,
    stage: Stage = None,
    take_over: TakeOver = False,
) -> None:
    """Undo the last migration that was run: the old form is brought back, with what was written since.

    It ends with 1 if items had to be left as they are.

    Example: tablewright migrate rollback shop/model.py --on shop.db --write
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
        told = migrator.rollback(name, write=write)
        show(told, table, write=write)
    if any(one.outcome.skipped for one in told):
        raise typer.Exit(1)
