"""Tables without a model, made in a line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from tablewright.client.plain.opening import open_table
from tablewright.client.plain.table import PlainTable
from tablewright.engine import Engine
from tablewright.errors import ConfigError

_KINDS = ("S", "N", "B")


class MakeTable(Protocol):
    """The fixture `tablewright_plain_table`."""

    def __call__(
        self,
        name: str,
        partition_key: str,
        sort_key: str | None = None,
        /,
        *,
        indexes: Mapping[str, tuple[str, ...] | str] | None = None,
        **more: Any,
    ) -> PlainTable:
        """Makes a table and opens it; it is closed when the test is over."""
        ...


def make_table(
    engine: Engine,
    name: str,
    partition_key: str,
    sort_key: str | None = None,
    /,
    *,
    indexes: Mapping[str, tuple[str, ...] | str] | None = None,
    **more: Any,
) -> PlainTable:
    """Make a table without a model in an engine and open it: `make_table(engine, "Orders", "customer", "number:N")`.

    A key is a string unless a type stands behind a colon: S, N or B. `indexes` names global indexes with their keys,
    `{"ByStatus": ("status", "number:N")}`; whatever else CreateTable takes goes along as it is.
    """
    kinds: dict[str, str] = {}
    request: dict[str, Any] = {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": _schema(kinds, partition_key, sort_key),
    }
    if indexes:
        request["GlobalSecondaryIndexes"] = [
            {
                "IndexName": index,
                "KeySchema": _schema(kinds, *([keys] if isinstance(keys, str) else keys)),
                "Projection": {"ProjectionType": "ALL"},
            }
            for index, keys in indexes.items()
        ]
    request["AttributeDefinitions"] = [{"AttributeName": key, "AttributeType": kind} for key, kind in kinds.items()]
    engine.execute("CreateTable", request | more, faultless=True)
    return open_table(name, engine)


def _schema(kinds: dict[str, str], *keys: str | None) -> list[dict[str, str]]:
    schema: list[dict[str, str]] = []
    for key in filter(None, keys):
        attribute, colon, kind = key.rpartition(":") if ":" in key else (key, "", "S")
        if kind not in _KINDS:
            raise ConfigError(
                f"The key {key!r} has no type {kind!r}.",
                hint=f"Its type can be S, N or B: '{attribute}:N'. A colon in the name needs a type behind it: '{key}:S'.",
            )
        if kinds.setdefault(attribute, kind) != kind and colon:
            raise ConfigError(f"The key attribute {attribute} has two types.", hint="Say the same type everywhere.")
        schema.append({"AttributeName": attribute, "KeyType": "RANGE" if schema else "HASH"})
    return schema
