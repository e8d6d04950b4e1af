"""`tablewright entities archive`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tablewright.cli.entities.selection import ENTITY_HELP, PATTERN_HELP, WHERE_HELP, WITH_HELP
from tablewright.cli.models import MODEL_HELP
from tablewright.cli.opening import STAGE_HELP, TARGET_HELP, TableName
from tablewright.wording import counted


def archive(
    model: Annotated[str, typer.Argument(help=MODEL_HELP)],
    target: Annotated[str, typer.Argument(help=TARGET_HELP)],
    file: Annotated[Path, typer.Argument(help="The archive, such as old.json.gz.", dir_okay=False)],
    entity: Annotated[str | None, typer.Option("--entity", help=ENTITY_HELP)] = None,
    where: Annotated[list[str] | None, typer.Option("--where", help=WHERE_HELP)] = None,
    pattern: Annotated[str | None, typer.Option("--pattern", help=PATTERN_HELP)] = None,
    arguments: Annotated[list[str] | None, typer.Option("--with", help=WITH_HELP)] = None,
    write: Annotated[bool, typer.Option("--write", help="Archive and delete. Without it, only count.")] = False,
    stage: Annotated[str | None, typer.Option("--stage", help=STAGE_HELP)] = None,
    table_name: TableName = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Move obsolete entities out of the table into a file: archive, verify, delete.

    Items are written whole, as in DynamoDB's exports. The file is read again and compared with its digest; then each item
    that it holds is deleted, if it still is what was archived. After a kill, the same command goes on. Nothing is done
    without --write. It ends with 1 if an item was changed meanwhile, and therefore stayed.

    Example: tablewright entities archive shop/model.py shop.db old.json.gz --entity Order --where 'placed_at<2024-01-01T00:00Z'
    """
    import json

    from msgspec import to_builtins

    from tablewright.cli.models import load_model
    from tablewright.cli.opening import opened
    from tablewright.cli.telling import tell, without_scan_warnings
    from tablewright.evolve.transfer import archiving
    from tablewright.evolve.transfer.selecting import selected

    table = load_model(model).table
    chosen = selected(table, entity, where or (), pattern, arguments or ())
    with without_scan_warnings(), opened(table, target, stage, table_name, create=False) as db:
        done = archiving.archive(db, chosen, file, write=write, progress=tell)
    if as_json:
        print(json.dumps(to_builtins(done)))
    elif not write:
        print(f"{counted(done.items, 'item')} of {chosen.what} would be archived in {file} and deleted.")
        print("Nothing was written or deleted: this was a dry run. Add --write.")
    elif done.before:
        print(
            f"{file} was made, and its {counted(done.items, 'item')} deleted, by an earlier run. Nothing was done now."
        )
        print("What is selected today goes into another file.")
    else:
        print(f"{file} holds {counted(done.items, 'item')} of {chosen.what}; verified.")
        print(f"{done.deleted:,} deleted, {done.gone:,} gone before, {done.changed:,} changed meanwhile and left.")
    if done.changed:
        raise typer.Exit(1)
