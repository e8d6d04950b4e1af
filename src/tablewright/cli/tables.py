"""`tablewright tables`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tablewright.wording import counted

if TYPE_CHECKING:
    from tablewright.engine import Engine


def tables(
    file: Annotated[Path, typer.Argument(help="The file with the tables.", exists=True, dir_okay=False)],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """List the tables in a file, with their size and indexes.

    Sizes are by DynamoDB's rules, and indexes counted for themselves. The file may be in use.

    Example: tablewright tables tables.db
    """
    import json

    from tablewright.engine import open_engine

    with open_engine(file, sweep_every=None, backfills=False) as engine:
        names = table_names(engine)
        found = [_summary(engine.execute("DescribeTable", {"TableName": name})["Table"]) for name in names]
    if as_json:
        print(json.dumps(found, indent=2))
        return
    for one in found:
        keys = ", ".join(one["keys"])
        print(f"{one['name']} ({keys}): {counted(one['items'], 'item')}, {counted(one['bytes'], 'byte')}")
        for index in one["indexes"]:
            size = f"{counted(index['items'], 'item')}, {counted(index['bytes'], 'byte')}"
            print(f"  {index['name']} ({', '.join(index['keys'])}): {size}")
    if not found:
        print(f"{file} holds no tables.")


def table_names(engine: Engine) -> list[str]:
    """All tables that an engine has."""
    names: list[str] = []
    request: dict[str, Any] = {}
    while True:
        page = engine.execute("ListTables", request)
        names += page["TableNames"]
        if "LastEvaluatedTableName" not in page:
            return names
        request["ExclusiveStartTableName"] = page["LastEvaluatedTableName"]


def _summary(described: dict[str, Any]) -> dict[str, Any]:
    indexes = [*described.get("LocalSecondaryIndexes", []), *described.get("GlobalSecondaryIndexes", [])]
    return {
        "name": described["TableName"],
        **_figures(described, "Table"),
        "indexes": [{"name": index["IndexName"], **_figures(index, "Index")} for index in indexes],
    }


def _figures(described: dict[str, Any], what: str) -> dict[str, Any]:
    return {
        "keys": [element["AttributeName"] for element in described["KeySchema"]],
        "items": described["ItemCount"],
        "bytes": described[f"{what}SizeBytes"],
    }
