"""Old and new schema side by side: tables, indexes, and how many requests each read of the application takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from msgspec import Struct

from tablewright.evolve.moving.mapping import Moving
from tablewright.evolve.moving.sides import Walk, send

T = TypeVar("T")


class Schemas(Struct, frozen=True):
    """What there was, what there is, and what reads take on both sides."""

    legacy_indexes: Mapping[str, int]
    """The global and local indexes of each legacy table."""
    new_indexes: int
    reads: Mapping[str, tuple[int, int]]
    """The requests of each read: to legacy tables, and to the new one."""

    def text(self) -> str:
        """In words, as a Markdown table."""
        lines = [
            "| | legacy | new |",
            "|---|---|---|",
            f"| tables | {len(self.legacy_indexes)} | 1 |",
            f"| indexes | {sum(self.legacy_indexes.values())} | {self.new_indexes} |",
        ]
        lines += [f"| requests of `{name}` | {old} | {new} |" for name, (old, new) in self.reads.items()]
        return "\n".join(lines)


def legacy_indexes(moving: Moving) -> Walk[dict[str, int]]:
    """How many indexes each legacy table has."""
    found: dict[str, int] = {}
    for table in moving.keys:
        described = (yield from send("legacy", "DescribeTable", {"TableName": table}, repeatable=True))["Table"]
        kinds = ("GlobalSecondaryIndexes", "LocalSecondaryIndexes")
        found[table] = sum(len(described.get(kind, ())) for kind in kinds)
    return found


def counted(walk: Walk[T]) -> Walk[int]:
    """How many requests steps take."""
    count = 0
    response: Any = None
    try:
        while True:
            response = yield walk.send(response)
            count += 1
    except StopIteration:
        return count
