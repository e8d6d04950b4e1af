"""`tablewright migrate verify`."""

from __future__ import annotations

import typer

from tablewright.cli.migrate.opening import (
    LeftFile,
    MaxRead,
    Model,
    Stage,
    Target,
    Working,
    migrating,
    show,
    show_left,
)
from tablewright.cli.opening import TableName
from tablewright.wording import counted


def verify(
    model: Model,
    target: Target,
    max_read_units: MaxRead = None,
    stage: Stage = None,
    table_name: TableName = None,
    left_items: LeftFile = None,
) -> None:
    """Count what is not yet as the migrations say that were run. It ends with 1 if there is anything, or one has not ended.

    Those that were not run are named; `cutover` refuses them.

    What the table holds of each entity is told as a digest, to be compared with one that was worked out elsewhere.

    Example: tablewright migrate verify shop/model.py --on shop.db
    """
    how = Working(max_read_units=max_read_units, stage=stage, table_name=table_name, left_items=left_items)
    with migrating(model, target, how) as (migrator, table, file):
        told = migrator.verify()
        for name, found in migrator.digests().items():
            print(f"{name}: {counted(found.items, 'item')}, digest {found.digest}")
        unfinished = migrator.unfinished()
        by = unfinished[0][1] if unfinished else "run"
        waiting = migrator.waiting()
        if told or not waiting:
            of = " for what was run" if waiting else ""
            show(told, table, write=False, by=f"`tablewright migrate {by} --write`", of=of)
        for one, verb in unfinished:
            print(
                f"{one.name} is {one.state}, and that has not ended: `tablewright migrate {verb} --write` goes on with it."
            )
        for name in waiting:
            print(
                f"{name} has not been run: nothing was looked at for it. `tablewright migrate plan` tells what it would do."
            )
        if waiting:
            print(f"{counted(len(waiting), 'migration')} {'was' if len(waiting) == 1 else 'were'} not run yet.")
        left = sum(one.outcome.left for one in told if one.outcome.looked)
        if left:
            show_left(left, file)
    if unfinished or any(one.outcome.left for one in told):
        raise typer.Exit(1)
