"""`tablewright migrate verify`."""

from __future__ import annotations

import typer

from tablewright.cli.migrate.opening import Model, Stage, Target


def verify(model: Model, target: Target, stage: Stage = None) -> None:
    """Count what is not yet as the migrations say that were run. It ends with 1 if there is anything.

    Example: tablewright migrate verify shop/model.py --on shop.db
    """
    from tablewright.cli.migrate.opening import migrating, show

    with migrating(model, target, stage) as (migrator, table):
        told = migrator.verify()
        show(told, table, write=False)
    if any(one.outcome.left for one in told):
        raise typer.Exit(1)
