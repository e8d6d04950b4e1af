"""`tablewright dal`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tablewright.cli.models import MODEL_HELP
from tablewright.cli.writing import FORCE_HELP
from tablewright.wording import counted


def dal(
    model: Annotated[str, typer.Argument(help=MODEL_HELP)],
    to: Annotated[Path, typer.Option("--to", help="The package to write; made if missing.", file_okay=False)],
    is_async: Annotated[bool, typer.Option("--async", help="For asyncio: functions and handlers are awaited.")] = False,
    force: Annotated[bool, typer.Option("--force", help=FORCE_HELP)] = False,
) -> None:
    """Write a data-access layer for a model.

    entities/, data_access/ with a module for each entity and a function for each access pattern and change, api/ with
    handlers, and tests that run on the embedded engine. It is a start: the files are yours to edit. Put it beside the
    model, so that both are imported from one folder.

    Example: tablewright dal shop/model.py --to shop/dal
    """
    from tablewright.cli.models import load_model
    from tablewright.cli.writing import variable_of, write_generated
    from tablewright.scaffold.dal import dal_files

    table = load_model(model).table
    module, variable = variable_of(table)
    files = dal_files(table.plan, module, variable, is_async=is_async)
    write_generated(to, files, force=force)
    print(f"{counted(len(files), 'file')} in {to}. Try them: python -m pytest {to}")
