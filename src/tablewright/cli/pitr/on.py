"""`tablewright pitr on`."""

from __future__ import annotations

from typing import Annotated

import typer

from tablewright.cli.models import MODEL_HELP
from tablewright.cli.opening import STAGE_HELP, TARGET_HELP, TableName


def on(
    model: Annotated[str, typer.Argument(help=MODEL_HELP)],
    target: Annotated[str, typer.Argument(help=TARGET_HELP)],
    days: Annotated[int | None, typer.Option("--days", help="How many days back.", min=1, max=35)] = None,
    stage: Annotated[str | None, typer.Option("--stage", help=STAGE_HELP)] = None,
    table_name: TableName = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Switch recovery to a point in time on, for as many days as the model or --days says.

    Example: tablewright pitr on shop/model.py aws:eu-west-1 --days 14
    """
    from tablewright.cli.models import load_model
    from tablewright.cli.opening import opened
    from tablewright.cli.restoring import show_recovery
    from tablewright.evolve.backups.recovery import switch_recovery

    table = load_model(model).table
    declared = table.deployment.recovery
    wanted = days or (None if isinstance(declared, bool) else declared)
    with opened(table, target, stage, table_name, create=False) as db:
        show_recovery(db.table_name, db._run(switch_recovery(db.table_name, on=True, days=wanted)), as_json=as_json)
