"""`tablewright backup delete`."""

from __future__ import annotations

from typing import Annotated

import typer

from tablewright.cli.models import MODEL_HELP
from tablewright.cli.opening import STAGE_HELP, TARGET_HELP, TableName


def delete(
    model: Annotated[str, typer.Argument(help=MODEL_HELP)],
    target: Annotated[str, typer.Argument(help=TARGET_HELP)],
    backup: Annotated[str, typer.Argument(help="The backup, by its name or ARN; latest is the newest one.")],
    stage: Annotated[str | None, typer.Option("--stage", help=STAGE_HELP)] = None,
    table_name: TableName = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Delete a backup.

    Example: tablewright backup delete shop/model.py shop.db before-sale
    """
    import json

    from msgspec import to_builtins

    from tablewright.cli.models import load_model
    from tablewright.cli.opening import opened
    from tablewright.evolve.backups.backups import delete_backup, find_backup

    table = load_model(model).table
    with opened(table, target, stage, table_name, create=False) as db:
        found = db._run(find_backup(db.table_name, backup))
        db._run(delete_backup(found))
    if as_json:
        print(json.dumps(to_builtins(found)))
    else:
        print(f"The backup {found.name} of {found.table} is deleted.")
