"""`tablewright pitr restore`."""

from __future__ import annotations

from typing import Annotated

import typer

from tablewright.cli.models import MODEL_HELP
from tablewright.cli.opening import STAGE_HELP, TARGET_HELP, TableName


def restore(
    model: Annotated[str, typer.Argument(help=MODEL_HELP)],
    target: Annotated[str, typer.Argument(help=TARGET_HELP)],
    to: Annotated[str, typer.Argument(help="The name of the new table.")],
    at: Annotated[
        str | None, typer.Option("--at", help="The moment, such as 2025-06-30T12:00Z; by default the latest.")
    ] = None,
    plain: Annotated[bool, typer.Option("--plain", help="Set nothing again that the model says.")] = False,
    stage: Annotated[str | None, typer.Option("--stage", help=STAGE_HELP)] = None,
    table_name: TableName = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Make a new table that holds what the table held at a moment, and set again what the model says.

    What AWS brings back and what not is the same as for backups; a restore never writes over a table.

    Example: tablewright pitr restore shop/model.py aws:eu-west-1 Shop-restored --at 2025-06-30T12:00Z
    """
    from tablewright.cli.models import load_model
    from tablewright.cli.opening import opened
    from tablewright.cli.restoring import moment, settled_table, waiting_for
    from tablewright.cli.telling import tell
    from tablewright.evolve.backups.recovery import restore_to

    table = load_model(model).table
    when = None if at is None else moment(at)
    with waiting_for(to), opened(table, target, stage, table_name, create=False) as db:
        made = db._run(restore_to(db.table_name, to, when, tell))
        settled_table(db, table, made, target, plain=plain, as_json=as_json)
