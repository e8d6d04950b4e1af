"""`tablewright migrate cutover`."""

from __future__ import annotations

from tablewright.cli.migrate.opening import Model, Name, Stage, Target


def cutover(model: Model, target: Target, name: Name = None, stage: Stage = None) -> None:
    """Note that readers may use what a migration has brought about. It is verified first.

    Example: tablewright migrate cutover shop/model.py --on shop.db
    """
    from tablewright.cli.migrate.opening import migrating

    with migrating(model, target, stage) as (migrator, _):
        print(f"{migrator.cutover(name)} is verified and cut over: deploy the readers of the new model.")
