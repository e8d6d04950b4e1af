"""`tablewright migrate cutover`."""

from __future__ import annotations

from tablewright.cli.migrate.opening import MaxRead, Model, Name, Stage, TakeOver, Target


def cutover(
    model: Model,
    target: Target,
    name: Name = None,
    max_read_units: MaxRead = None,
    stage: Stage = None,
    take_over: TakeOver = False,
) -> None:
    """Note that readers may use what a migration has brought about. It is verified first.

    Example: tablewright migrate cutover shop/model.py --on shop.db
    """
    from tablewright.cli.migrate.opening import migrating

    with migrating(model, target, stage, take_over=take_over, max_read_units=max_read_units) as (migrator, _):
        print(f"{migrator.cutover(name)} is verified and cut over: deploy the readers of the new model.")
