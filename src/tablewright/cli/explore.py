"""`tablewright explore`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from tablewright.cli.models import MODEL_HELP
from tablewright.cli.opening import STAGE_HELP, TARGET_HELP, TableName
from tablewright.wording import counted


def explore(
    model: Annotated[str, typer.Argument(help=MODEL_HELP)],
    target: Annotated[str, typer.Argument(help=TARGET_HELP)],
    entity: Annotated[str | None, typer.Option("--entity", help="List the items of this entity.")] = None,
    collection: Annotated[
        str | None, typer.Option("--collection", help="List the items of this partition, such as CUSTOMER#alice.")
    ] = None,
    index: Annotated[str | None, typer.Option("--index", help="Look for the collection in this index.")] = None,
    limit: Annotated[int, typer.Option("--limit", help="How many items at most.", min=1)] = 50,
    stage: Annotated[str | None, typer.Option("--stage", help=STAGE_HELP)] = None,
    table_name: TableName = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Look at the items of a table by entity or by collection.

    Without --entity or --collection it counts, and names the largest collection of each entity to look into.

    Example: tablewright explore shop/model.py shop.db --collection CUSTOMER#alice
    """
    import json

    from msgspec import to_builtins

    from tablewright.cli.models import load_model
    from tablewright.cli.opening import opened
    from tablewright.errors import ArgumentError
    from tablewright.survey.exploring import collection_of, count_entities, entities_of, printable, shown

    if entity is not None and collection is not None:
        raise ArgumentError("Both an entity and a collection were named.", hint="Name one of them.")
    if index is not None and collection is None:
        raise ArgumentError("An index was named without a collection.", hint="Add --collection STATUS#PENDING.")
    table = load_model(model).table
    found: list[Any] = []
    with opened(table, target, stage, table_name, create=False) as db:
        if collection is not None:
            found += collection_of(db, table, collection, index, limit)
        elif entity is not None:
            found += entities_of(db, table, entity, limit)
        else:
            found += count_entities(db, table)
    if as_json:
        print(json.dumps([to_builtins(one) for one in found], indent=2, ensure_ascii=False))
    elif entity is None and collection is None:
        for one in found:
            most = f", most of them ({one.in_largest}) in {one.largest}" if one.in_largest > 1 else ""
            told = f"{one.type}: {counted(one.items, 'item')} in {counted(one.collections, 'collection')}{most}"
            print(printable(told))
    else:
        for line in shown(found):
            print(line)
        print(f"{counted(len(found), 'item')}{', and perhaps more' if len(found) == limit else ''}.")
