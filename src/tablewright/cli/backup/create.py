"""`tablewright backup create`."""

from __future__ import annotations

from typing import Annotated

import typer

from tablewright.cli.models import MODEL_HELP
from tablewright.cli.opening import STAGE_HELP, TARGET_HELP, TableName


def create(
    model: Annotated[str, typer.Argument(help=MODEL_HELP)],
    target: Annotated[str, typer.Argument(help=TARGET_HELP)],
    name: Annotated[str | None, typer.Option("--name", help="How to call it; by default by the time.")] = None,
    stage: Annotated[str | None, typer.Option("--stage", help=STAGE_HELP)] = None,
    table_name: TableName = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Make a backup of a table, and wait until it is whole.

    Example: tablewright backup create shop/model.py shop.db --name before-sale
    """
    import json
    from datetime import UTC, datetime

    from msgspec import to_builtins

    from tablewright.cli.models import load_model
    from tablewright.cli.opening import opened
    from tablewright.cli.telling import tell
    from tablewright.evolve.backups.backups import create_backup

    table = load_model(model).table
    called = f"tablewright-{datetime.now(UTC):%Y%m%d-%H%M%S}" if name is None else name
    with opened(table, target, stage, table_name, create=False) as db:
        made = db._run(create_backup(db.table_name, called, tell))
    if as_json:
        print(json.dumps(to_builtins(made)))
    else:
        print(f"The backup {made.name} of {made.table} is there: {made.arn}")
