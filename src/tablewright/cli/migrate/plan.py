"""`tablewright migrate plan`."""

from __future__ import annotations

from tablewright.cli.migrate.opening import MaxRead, Model, Stage, Target, Working, migrating, show


def plan(model: Model, target: Target, max_read_units: MaxRead = None, stage: Stage = None) -> None:
    """Count what running the migrations would write, and what it would cost. Nothing is written.

    Example: tablewright migrate plan shop/model.py --on shop.db
    """
    with migrating(model, target, Working(max_read_units=max_read_units, stage=stage)) as (migrator, table, _):
        show(migrator.plan(), table, write=False)
