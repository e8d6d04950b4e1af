"""Plan: the mapping tried on samples of the legacy tables, before anything is written. Problems come as counts, without values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from tablewright.client.writes.action import same_key
from tablewright.errors import ArgumentError, ResourceNotFound
from tablewright.evolve.moving.deriving import State, Unfit, derive, key_text, legacy_key
from tablewright.evolve.moving.settling import read_joined
from tablewright.evolve.moving.sides import Place, Walk, send
from tablewright.transport.answers import next_start
from tablewright.values.types import Item


class Plan(Struct, frozen=True):
    """What samples of the legacy tables would become."""

    sampled: Mapping[str, int]
    """Legacy items that were looked at, by table."""
    made: Mapping[str, int]
    """Items that they would become, by entity."""
    problems: Mapping[tuple[str, str], int]
    """What is wrong, by table or move, and how often."""

    @property
    def well(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems

    @property
    def exit_code(self) -> int:
        """0 where nothing is wrong."""
        return 0 if self.well else 1

    def text(self) -> str:
        """In words."""
        lines = [f"{table}: {count} items sampled" for table, count in self.sampled.items()]
        lines += [f"{entity}: {count} items would be made" for entity, count in sorted(self.made.items())]
        lines += [f"{where}: {what}, {count} times" for (where, what), count in sorted(self.problems.items())]
        lines.append("Nothing is wrong." if self.well else "Mend the mapping or the items, and plan again.")
        return "\n".join(lines)


def plan(place: Place, sample: int = 1000) -> Walk[Plan]:
    """Tries up to `sample` items of each legacy table."""
    if isinstance(sample, bool) or not isinstance(sample, int) or sample < 1:
        raise ArgumentError("A sample has at least one item.", field="sample", constraint="1 or more")
    sampled: dict[str, int] = {}
    made: Counter[str] = Counter()
    problems: Counter[tuple[str, str]] = Counter()
    owners: dict[bytes, str] = {}
    wrong = yield from wrong_tables(place)
    for table in place.moving.keys:
        if table in wrong:
            problems[table, wrong[table]] += 1
            continue
        items = yield from _sample(table, sample)
        sampled[table] = len(items)
        known = place.moving.known(table)
        for item in items:
            for name in item.keys() - known:
                problems[table, f"the attribute {name!r} is neither mapped nor dropped"] += 1
        for move in place.moving.moves:
            if move.table != table:
                continue
            for item in items:
                yield from _try(place, move.called, item, made, problems, owners)
    return Plan(sampled, dict(made), dict(problems))


def wrong_tables(place: Place) -> Walk[dict[str, str]]:
    """Legacy tables that are not what the mapping says, and why."""
    wrong: dict[str, str] = {}
    for table, key in place.moving.keys.items():
        try:
            response = yield from send("legacy", "DescribeTable", {"TableName": table}, repeatable=True)
        except ResourceNotFound:
            wrong[table] = "there is no such table"
            continue
        theirs = {part["AttributeName"] for part in response["Table"]["KeySchema"]}
        if theirs != {*key}:
            wrong[table] = f"its key is {' and '.join(sorted(theirs))}, not {' and '.join(sorted(key))}"
    return wrong


def _try(
    place: Place,
    name: str,
    item: Item,
    made: Counter[str],
    problems: Counter[tuple[str, str]],
    owners: dict[bytes, str],
) -> Walk[None]:
    move = place.moving.by_name[name]
    try:
        joined, _ = yield from read_joined(move, item)
        parts = derive(place.moving, move, State(item, joined), place.now())
    except Unfit as error:
        problems[name, error.reason] += 1
        return
    origin = f"{name}{key_text(legacy_key(move, item))}"
    for part in parts:
        made[part.entity] += 1
        if owners.setdefault(same_key(part.key), origin) != origin:
            problems[name, f"two legacy items become one {part.entity}"] += 1


def _sample(table: str, sample: int) -> Walk[list[Item]]:
    items: list[Item] = []
    request: dict[str, Any] = {"TableName": table, "Limit": min(sample, 1000)}
    while True:
        response = yield from send("legacy", "Scan", request, repeatable=True)
        items += response["Items"]
        start = next_start(response)
        if start is None or len(items) >= sample:
            return items[:sample]
        request["ExclusiveStartKey"] = start
