"""`tablewright pitr status`."""

from __future__ import annotations

from typing import Annotated

import typer

from tablewright.cli.models import MODEL_HELP
from tablewright.cli.opening import STAGE_HELP, TARGET_HELP, TableName


def status(
    model: Annotated[str, typer.Argument(help=MODEL_HELP)],
    target: Annotated[str, typer.Argument(help=TARGET_HELP)],
    stage: Annotated[str | None, typer.Option("--stage", help=STAGE_HELP)] = None,
    table_name: TableName = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Tell whether a table can be restored as it was, and from when on. It ends with 1 if recovery is off.

    Example: tablewright pitr status shop/model.py aws:eu-west-1
    """
    from tablewright.cli.models import load_model
    from tablewright.cli.opening import opened
    from tablewright.cli.restoring import show_recovery
    from tablewright.evolve.backups.recovery import recovery_of

    table = load_model(model).table
    with opened(table, target, stage, table_name, create=False) as db:
        found = db._run(recovery_of(db.table_name))
        show_recovery(db.table_name, found, as_json=as_json)
    if not found.on:
        raise typer.Exit(1)
