"""`tablewright validate`."""

from __future__ import annotations

from typing import Annotated

import typer

from tablewright.cli.models import MODEL_HELP
from tablewright.cli.opening import STAGE_HELP, TARGET_HELP, TableName
from tablewright.wording import counted


def validate(
    model: Annotated[str, typer.Argument(help=MODEL_HELP)],
    target: Annotated[str, typer.Argument(help=TARGET_HELP)],
    keys: Annotated[
        bool, typer.Option("--keys", help="Name the primary keys of the first ten items of each kind.")
    ] = False,
    stage: Annotated[str | None, typer.Option("--stage", help=STAGE_HELP)] = None,
    table_name: TableName = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Check the stored items of a table against the model.

    Types, fields, keys, index keys, unknown attributes, schema versions and the markers of unique values. It reads the whole
    table, changes nothing, prints no values, and ends with 1 if an item is not as the model says.

    Example: tablewright validate shop/model.py shop.db
    """
    import json

    from msgspec import to_builtins

    from tablewright.cli.models import load_model
    from tablewright.cli.opening import opened
    from tablewright.survey.validating import validate_items

    table = load_model(model).table
    with opened(table, target, stage, table_name, create=False) as db:
        found = validate_items(db, table)
    if as_json:
        told = [
            {**to_builtins(one), "items": count, **({"keys": found.keys[one]} if keys else {})}
            for one, count in found.deviations.items()
        ]
        print(json.dumps({"items": found.items, "deviations": told}, indent=2))
    else:
        for one, count in found.deviations.items():
            print(f"{one.entity}: {one.message} ({counted(count, 'item')})")
            for key in found.keys[one] if keys else ():
                print(f"  {json.dumps(key, ensure_ascii=False)}")
        print(
            f"{counted(found.items, 'item')} looked at, {'all as the model says' if found.well else 'not all as the model says'}."
        )
    if not found.well:
        raise typer.Exit(1)
