"""Everything in a table at one moment, and what is different at another."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Any

from tablewright.client.session import AsyncSession, Session
from tablewright.engine import Engine
from tablewright.errors import ArgumentError
from tablewright.transport.answers import next_start
from tablewright.values import Item

Key = tuple[str, ...]

_MOST_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Every item of a table by its key, exactly as stored, with the library's own attributes."""

    table: str
    items: Mapping[Key, Item]

    def __len__(self) -> int:
        return len(self.items)

    def since(self, earlier: Snapshot) -> Difference:
        """What has changed from an earlier one to this."""
        before, after = earlier.items, self.items
        return Difference(
            added={key: after[key] for key in after if key not in before},
            removed={key: before[key] for key in before if key not in after},
            changed={key: (before[key], after[key]) for key in before if key in after and before[key] != after[key]},
        )


@dataclass(frozen=True, slots=True)
class Difference:
    """Items that came, went, and changed (as they were and as they are). It is false when there are none."""

    added: Mapping[Key, Item]
    removed: Mapping[Key, Item]
    changed: Mapping[Key, tuple[Item, Item]]

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)

    def __str__(self) -> str:
        lines = [f"+ {_name(key)}" for key in self.added] + [f"- {_name(key)}" for key in self.removed]
        for key, (before, after) in self.changed.items():
            lines.append(f"~ {_name(key)}")
            for name in sorted(before.keys() | after.keys()):
                if before.get(name) != after.get(name):
                    lines.append(f"    {name}: {_value(before.get(name))} -> {_value(after.get(name))}")
        if not lines:
            return "Nothing has changed."
        counts = ((self.added, "added"), (self.removed, "removed"), (self.changed, "changed"))
        heading = ", ".join(f"{len(items)} {what}" for items, what in counts if items)
        more = [] if len(lines) <= _MOST_SHOWN else [f"and {len(lines) - _MOST_SHOWN} lines more"]
        return "\n".join([heading, *lines[:_MOST_SHOWN], *more])


def snapshot(source: Session | Engine, table: str | None = None) -> Snapshot:
    """Every item of a session's table, or of one of an engine's tables."""
    if isinstance(source, Engine):
        if table is None:
            raise ArgumentError("An engine has many tables.", hint='Name one: snapshot(engine, "Shop").')
        name = table
    else:
        name = source.table_name
    send: Callable[[str, dict[str, Any]], dict[str, Any]] = (
        source.execute if isinstance(source, Engine) else source.send
    )
    steps = _reading(name)
    request = next(steps)
    try:
        while True:
            request = steps.send(send(*request))
    except StopIteration as stop:
        return Snapshot(name, stop.value)


async def snapshot_async(source: AsyncSession) -> Snapshot:
    """Every item of an async session's table."""
    steps = _reading(source.table_name)
    request = next(steps)
    try:
        while True:
            request = steps.send(await source.send(*request))
    except StopIteration as stop:
        return Snapshot(source.table_name, stop.value)


def assert_unchanged(before: Snapshot, after: Snapshot) -> None:
    """The two hold the same items; otherwise the difference is told."""
    __tracebackhide__ = True
    difference = after.since(before)
    if difference:
        raise AssertionError(f"The table {after.table} has changed: {difference}")


def _reading(table: str) -> Generator[tuple[str, dict[str, Any]], dict[str, Any], dict[Key, Item]]:
    described = yield "DescribeTable", {"TableName": table}
    names = [element["AttributeName"] for element in described["Table"]["KeySchema"]]
    items: dict[Key, Item] = {}
    request: dict[str, Any] = {"TableName": table, "ConsistentRead": True}
    while True:
        page = yield "Scan", request
        for item in page["Items"]:
            items[tuple(next(iter(item[name].values())) for name in names)] = item
        start = next_start(page)
        if start is None:
            return dict(sorted(items.items()))
        request = {**request, "ExclusiveStartKey": start}


def _name(key: Key) -> str:
    return " / ".join(dict.fromkeys(key))


def _value(value: Any) -> str:
    if value is None:
        return "(none)"
    ((tag, inner),) = value.items()
    return str(inner) if tag == "N" else json.dumps(inner, ensure_ascii=False)
