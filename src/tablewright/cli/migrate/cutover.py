"""`tablewright migrate cutover`."""

from __future__ import annotations

from tablewright.cli.migrate.opening import MaxRead, Model, Name, Stage, TakeOver, Target, Working, migrating
from tablewright.cli.opening import TableName


def cutover(
    model: Model,
    target: Target,
    name: Name = None,
    max_read_units: MaxRead = None,
    stage: Stage = None,
    table_name: TableName = None,
    take_over: TakeOver = False,
) -> None:
    """Note that readers may use what a migration has brought about. It is verified first.

    Example: tablewright migrate cutover shop/model.py --on shop.db
    """
    how = Working(max_read_units=max_read_units, stage=stage, table_name=table_name, take_over=take_over)
    with migrating(model, target, how) as (migrator, *_):
        done = migrator.cutover(name)
        if done is not None:
            print(f"{done} is verified and cut over: deploy the readers of the new model.")
        for remark in migrator.remarks:
            print(remark)
        if done is None:
            print("Nothing to do.")
