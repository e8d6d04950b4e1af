"""`tablewright migrate verify`."""

from __future__ import annotations

import typer

from tablewright.cli.migrate.opening import MaxRead, Model, Stage, Target


def verify(model: Model, target: Target, max_read_units: MaxRead = None, stage: Stage = None) -> None:
    """Count what is not yet as the migrations say that were run. It ends with 1 if there is anything.

    What the table holds of each entity is told as a digest, to be compared with one that was worked out elsewhere.

    Example: tablewright migrate verify shop/model.py --on shop.db
    """
    from tablewright.cli.migrate.opening import migrating, show
    from tablewright.wording import counted

    with migrating(model, target, stage, max_read_units=max_read_units) as (migrator, table):
        told = migrator.verify()
        for name, found in migrator.digests().items():
            print(f"{name}: {counted(found.items, 'item')}, digest {found.digest}")
        show(told, table, write=False)
    if any(one.outcome.left for one in told):
        raise typer.Exit(1)
