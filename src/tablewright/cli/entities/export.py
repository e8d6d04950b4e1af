"""`tablewright entities export`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tablewright.cli.entities.selection import ENTITY_HELP, PATTERN_HELP, WHERE_HELP, WITH_HELP
from tablewright.cli.models import MODEL_HELP
from tablewright.cli.opening import STAGE_HELP, TARGET_HELP, TableName
from tablewright.cli.writing import FORCE_HELP
from tablewright.wording import counted


def export(
    model: Annotated[str, typer.Argument(help=MODEL_HELP)],
    target: Annotated[str, typer.Argument(help=TARGET_HELP)],
    file: Annotated[Path, typer.Argument(help="The file to write: .csv, .jsonl or .parquet.", dir_okay=False)],
    entity: Annotated[str | None, typer.Option("--entity", help=ENTITY_HELP)] = None,
    where: Annotated[list[str] | None, typer.Option("--where", help=WHERE_HELP)] = None,
    pattern: Annotated[str | None, typer.Option("--pattern", help=PATTERN_HELP)] = None,
    arguments: Annotated[list[str] | None, typer.Option("--with", help=WITH_HELP)] = None,
    file_format: Annotated[
        str | None, typer.Option("--format", help="csv, jsonl or parquet, where the name does not tell.")
    ] = None,
    as_text: Annotated[
        list[str] | None, typer.Option("--as-text", help="A column of Parquet to write as text; may be repeated.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help=FORCE_HELP)] = False,
    stage: Annotated[str | None, typer.Option("--stage", help=STAGE_HELP)] = None,
    table_name: TableName = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Write entities to a file, which `tablewright entities import` reads again exactly.

    The file appears when it is whole. Encrypted fields are written as they are read: decrypted.

    Example: tablewright entities export shop/model.py shop.db orders.csv --pattern orders_of --with username=alice
    """
    import json

    from tablewright.cli.models import load_model
    from tablewright.cli.opening import opened
    from tablewright.cli.telling import tell, without_scan_warnings
    from tablewright.evolve.transfer.exporting import export_rows, format_of
    from tablewright.evolve.transfer.selecting import selected

    table = load_model(model).table
    chosen = selected(table, entity, where or (), pattern, arguments or ())
    kind = format_of(file, file_format)
    with without_scan_warnings(), opened(table, target, stage, table_name, create=False) as db:
        done = export_rows(db, chosen, file, kind, as_text=as_text or (), force=force, progress=tell)
    if as_json:
        print(json.dumps({"file": str(done.path), "rows": done.rows, "bytes": done.size}))
    else:
        print(f"{counted(done.rows, 'row')} of {chosen.what}, {counted(done.size, 'byte')}, written to {done.path}.")
