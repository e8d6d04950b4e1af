"""`tablewright backup list`."""

from __future__ import annotations

from typing import Annotated

import typer

from tablewright.cli.models import MODEL_HELP
from tablewright.cli.opening import STAGE_HELP, TARGET_HELP, TableName


def list_(
    model: Annotated[str, typer.Argument(help=MODEL_HELP)],
    target: Annotated[str, typer.Argument(help=TARGET_HELP)],
    stage: Annotated[str | None, typer.Option("--stage", help=STAGE_HELP)] = None,
    table_name: TableName = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """List the backups of a table, the oldest first.

    Example: tablewright backup list shop/model.py shop.db
    """
    import json

    from msgspec import to_builtins

    from tablewright.cli.models import load_model
    from tablewright.cli.opening import opened
    from tablewright.evolve.backups.backups import list_backups

    table = load_model(model).table
    with opened(table, target, stage, table_name, create=False) as db:
        found, name = db._run(list_backups(db.table_name)), db.table_name
    if as_json:
        print(json.dumps([to_builtins(one) for one in found], indent=2))
        return
    for one in found:
        size = "" if one.size is None else f", {one.size:,} bytes"
        print(f"{one.created:%Y-%m-%d %H:%M:%S} {one.status} {one.name}{size}: {one.arn}")
    if not found:
        print(f"{name} has no backups.")
