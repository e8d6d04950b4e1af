"""`tablewright backup restore`."""

from __future__ import annotations

from typing import Annotated

import typer

from tablewright.cli.models import MODEL_HELP
from tablewright.cli.opening import STAGE_HELP, TARGET_HELP, TableName


def restore(
    model: Annotated[str, typer.Argument(help=MODEL_HELP)],
    target: Annotated[str, typer.Argument(help=TARGET_HELP)],
    backup: Annotated[str, typer.Argument(help="The backup, by its name or ARN; latest is the newest one.")],
    to: Annotated[str, typer.Argument(help="The name of the new table.")],
    plain: Annotated[bool, typer.Option("--plain", help="Set nothing again that the model says.")] = False,
    stage: Annotated[str | None, typer.Option("--stage", help=STAGE_HELP)] = None,
    table_name: TableName = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Make a new table from a backup, wait until it can be used, and set again what the model says.

    AWS brings back items, indexes, capacity and encryption. Expiry, the stream, recovery, protection and tags are set again here;
    what is left to do is told. A restore never writes over a table.

    Example: tablewright backup restore shop/model.py aws:eu-west-1 latest Shop-restored
    """
    from tablewright.cli.models import load_model
    from tablewright.cli.opening import opened
    from tablewright.cli.restoring import settled_table, waiting_for
    from tablewright.cli.telling import tell
    from tablewright.evolve.backups.backups import find_backup, restore_backup

    table = load_model(model).table
    with waiting_for(to), opened(table, target, stage, table_name, create=False) as db:
        found = db._run(find_backup(db.table_name, backup))
        made = db._run(restore_backup(found, to, tell))
        settled_table(db, table, made, target, plain=plain, as_json=as_json)
