"""`tablewright test-patterns`."""
# ruff: noqa: PT028 - the name of this file is the name of a command, and it holds no tests

from __future__ import annotations

from typing import Annotated

import typer

from tablewright.cli.models import MODEL_HELP
from tablewright.cli.seeding import SEED_HELP
from tablewright.wording import counted


def tested_patterns(
    model: Annotated[str, typer.Argument(help=MODEL_HELP)],
    seed_data: Annotated[str | None, typer.Option("--seed-data", help=SEED_HELP)] = None,
    generated: Annotated[bool, typer.Option("--generated", help="Make data up, though there is a seed.py.")] = False,
    each: Annotated[int, typer.Option("--each", help="How many entities of a kind are made up.", min=1)] = 12,
    random_seed: Annotated[int, typer.Option("--random-seed", help="Another number makes up other data.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Run every access pattern on seed data and check the results.

    Each is run in memory, in every variant, with arguments that are taken from the data, and compared with a look at every
    item. It ends with 1 if one finds too much, too little, another order, or nothing at all.

    Example: tablewright test-patterns shop/model.py
    """
    import json

    from msgspec import to_builtins

    from tablewright.cli.models import load_model
    from tablewright.cli.seeding import seeder
    from tablewright.model.entity import Entity
    from tablewright.survey.items import stored_items
    from tablewright.testing.trying import TriedPattern, try_patterns

    loaded = load_model(model, leniently=True)
    if loaded.failed is not None:
        raise loaded.failed
    table = loaded.table
    _, write = seeder(table, seed_data, generated=generated, each=each, seed=random_seed)
    with table.open("memory:", table_name=table.label) as db:
        write(db)
        data = [found for item in stored_items(db) if isinstance(found := db.decode(item), Entity)]
        tried = try_patterns(db, table, data)
    tried += [
        TriedPattern(r.name, problems=(f"it is refused: {r.error.message}",))
        for r in loaded.refused
        if r.kind == "pattern"
    ]
    wrong = sum(not one.well for one in tried)
    if as_json:
        print(json.dumps([to_builtins(one) for one in tried], indent=2))
    else:
        for one in tried:
            told = f"{counted(one.calls, 'call')}, {counted(one.items, 'item')}"
            print(f"{'ok  ' if one.well else 'FAIL'} {one.name}: {told if one.well else '; '.join(one.problems)}")
        print(f"{counted(len(tried), 'pattern')} on {counted(len(data), 'item')}, {wrong or 'none'} wrong.")
    if wrong:
        raise typer.Exit(1)
