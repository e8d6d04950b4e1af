"""`tablewright migrate plan`."""

from __future__ import annotations

from tablewright.cli.migrate.opening import MaxRead, Model, Stage, Target, Working, migrating, show
from tablewright.cli.opening import TableName


def plan(
    model: Model, target: Target, max_read_units: MaxRead = None, stage: Stage = None, table_name: TableName = None
) -> None:
    """Count what running the migrations would write, and what it would cost. Nothing is written.

    Example: tablewright migrate plan shop/model.py --on shop.db
    """
    how = Working(max_read_units=max_read_units, stage=stage, table_name=table_name)
    with migrating(model, target, how) as (migrator, table, _):
        show(migrator.plan(), table, write=False)
