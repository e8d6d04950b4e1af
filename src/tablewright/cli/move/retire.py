"""`tablewright move retire`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tablewright.cli.move.opening import File, Json, Legacy, Stage, Target, Write
from tablewright.wording import counted


def retire(
    file: File,
    folder: Annotated[Path, typer.Argument(help="Where the archives go.", file_okay=False)],
    target: Target,
    legacy: Legacy = None,
    write: Write = False,
    delete_ledger: Annotated[
        bool, typer.Option("--delete-ledger", help="Delete the ledger too, once all legacy tables are retired.")
    ] = False,
    stage: Stage = None,
    as_json: Json = False,
) -> None:
    """Archive each legacy table, read the archive again, and delete the table; only in the phase new, after the safety period.

    Without --write it only says whether it may. After Ctrl-C or a crash, the same command goes on.

    Example: tablewright move retire market.py archive --on market.db --write
    """
    from msgspec import to_builtins

    from tablewright.cli.move.opening import print_json, session_of, stopping

    says = "The same command goes on where it was." if write else "Nothing was deleted."
    with session_of(file, target, legacy, stage) as session, stopping(f"Stopped. {says}"):
        moving = session.moving
        session.check_retirement()
        archives = session.retire(folder) if write else {}
        if write and delete_ledger:
            session.delete_ledgers()
    if as_json:
        print_json({"dry_run": not write, "tables": list(moving.keys), "archives": to_builtins(archives)})
        return
    for table in moving.keys:
        if write:
            print(f"{table}: {counted(archives[table].items, 'item')} in {folder / table}.json.gz, and deleted")
        else:
            print(f"{table}: would be archived in {folder / table}.json.gz, and deleted")
    if not write:
        print("Nothing was deleted. --write does it.")
    elif delete_ledger:
        print(f"{moving.ledger}: deleted")
