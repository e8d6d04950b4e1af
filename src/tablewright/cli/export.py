"""`tablewright export`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tablewright.cli.tables import table_names
from tablewright.wording import counted


def export(
    file: Annotated[Path, typer.Argument(help="The file with the tables.", exists=True, dir_okay=False)],
    table: Annotated[str, typer.Argument(help="The table's name.")],
    folder: Annotated[Path, typer.Argument(help="The folder to write below; made if missing.", file_okay=False)],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Write a table to a folder, laid out as DynamoDB's exports.

    All items are of one moment; the file may be in use meanwhile. What was written says itself what the table is like:
    `tablewright import` makes it again, and so can AWS, from S3.

    Example: tablewright export tables.db Orders backup
    """
    import json
    import sys

    from tablewright.engine import open_engine
    from tablewright.errors import ResourceNotFound

    with open_engine(file, sweep_every=None, backfills=False) as engine:
        try:
            if not as_json:
                count = engine.execute("DescribeTable", {"TableName": table})["Table"]["ItemCount"]
                print(f"Writing about {counted(count, 'item')}.", file=sys.stderr)
            done = engine.export_table(table, folder)
        except ResourceNotFound as error:
            error.hint = f"{file} holds {', '.join(table_names(engine)) or 'no tables'}."
            raise
    if as_json:
        print(json.dumps({"table": table, "folder": str(done.folder), "items": done.items, "bytes": done.size}))
    else:
        print(f"{counted(done.items, 'item')}, {counted(done.size, 'byte')}, written to {done.folder}")
