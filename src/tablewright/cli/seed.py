"""`tablewright seed`."""

from __future__ import annotations

from typing import Annotated

import typer

from tablewright.cli.models import MODEL_HELP
from tablewright.cli.opening import STAGE_HELP, TARGET_HELP, TableName
from tablewright.cli.seeding import SEED_HELP
from tablewright.wording import counted


def seed(
    model: Annotated[str, typer.Argument(help=MODEL_HELP)],
    target: Annotated[str, typer.Argument(help=TARGET_HELP)],
    seed_data: Annotated[str | None, typer.Option("--seed-data", help=SEED_HELP)] = None,
    generated: Annotated[bool, typer.Option("--generated", help="Make data up, though there is a seed.py.")] = False,
    each: Annotated[int, typer.Option("--each", help="How many entities of a kind are made up.", min=1)] = 12,
    random_seed: Annotated[int, typer.Option("--random-seed", help="Another number makes up other data.")] = 0,
    create: Annotated[
        bool, typer.Option("--create", help="Make the table if it is missing; in files it always is.")
    ] = False,
    stage: Annotated[str | None, typer.Option("--stage", help=STAGE_HELP)] = None,
    table_name: TableName = None,
) -> None:
    """Fill a table with seed data; it may be run again.

    Running it again restores what it once wrote, and adds nothing. What is made up is the same each time.

    Example: tablewright seed shop/model.py shop.db
    """
    from tablewright.cli.models import load_model
    from tablewright.cli.opening import opened
    from tablewright.cli.seeding import seeder

    table = load_model(model).table
    source, write = seeder(table, seed_data, generated=generated, each=each, seed=random_seed)
    with opened(table, target, stage, table_name, create=True if create else None) as db:
        number, name = write(db), db.table_name
    many = f"{counted(number, 'item')} " if isinstance(number, int) else ""
    print(f"{many}written to {name} in {target}, from {source}.")
