"""Plan: the mapping tried on samples of the legacy tables, before anything is written. Problems come as counts, without values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Literal

from msgspec import Struct

from tablewright.client.writes.action import same_key
from tablewright.errors import ArgumentError, ResourceNotFound
from tablewright.evolve.moving import ledger
from tablewright.evolve.moving.bad_rows import BadRow, Tell
from tablewright.evolve.moving.deriving import Unfit, derived, key_text, legacy_key
from tablewright.evolve.moving.gathering import owner_of, state_of
from tablewright.evolve.moving.sides import Place, Side, Walk, send
from tablewright.evolve.moving.strays import STRAY, strays
from tablewright.model.indexes import KeyAttribute
from tablewright.transport.answers import next_start
from tablewright.values.types import Item
from tablewright.wording import counted


class Plan(Struct, frozen=True):
    """What samples of the legacy tables would become."""

    sampled: Mapping[str, int]
    """Legacy items that were looked at, by table."""
    made: Mapping[str, int]
    """Items that they would become, by entity."""
    problems: Mapping[tuple[str, str], int]
    """What is wrong, by table or move, and how often."""
    remarks: Mapping[tuple[str, str], int] = {}
    """What would be made up or left out, by move, and how often."""

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
        lines = [f"{table}: {counted(count, 'item')} sampled" for table, count in self.sampled.items()]
        lines += [f"{entity}: {counted(count, 'item')} would be made" for entity, count in sorted(self.made.items())]
        lines += [
            f"{where}: {what}, {counted(count, 'time')} (remark)"
            for (where, what), count in sorted(self.remarks.items())
        ]
        lines += [
            f"{where}: {what}, {counted(count, 'time')}" for (where, what), count in sorted(self.problems.items())
        ]
        lines.append("Nothing is wrong." if self.well else "Mend the mapping or the items, and plan again.")
        return "\n".join(lines)


def plan(place: Place, sample: int | None = 1000, bad_row: Tell | None = None) -> Walk[Plan]:
    """Tries up to `sample` items of each legacy table, or all of them. `bad_row` gets the items that something is wrong with."""
    if sample is not None and (isinstance(sample, bool) or not isinstance(sample, int) or sample < 1):
        raise ArgumentError("A sample has at least one item.", field="sample", constraint="1 or more")
    sampled: dict[str, int] = {}
    made: Counter[str] = Counter()
    problems: Counter[tuple[str, str]] = Counter()
    remarks: Counter[tuple[str, str]] = Counter()
    owners: dict[bytes, str] = {}

    def note(table: str, item: Item, where: str, what: str) -> None:
        problems[where, what] += 1
        if bad_row is not None:
            key = {name: item[name] for name in place.moving.keys[table]}
            bad_row(BadRow("legacy", table, key, where, what))

    wrong = yield from wrong_tables(place)
    for table in place.moving.keys:
        if table in wrong:
            problems[table, wrong[table]] += 1
            continue
        sampled[table], start = 0, None
        while sample is None or sampled[table] < sample:
            items, start = yield from _page(table, sample and sample - sampled[table], start)
            sampled[table] += len(items)
            unowned: list[Item] = []
            for item in items:
                for what in place.moving.unmapped(table, item):
                    note(table, item, table, what)
                for move in place.moving.moves:
                    if move.table == table:
                        yield from _try(place, move.called, item, made, note, remarks, owners)
                    for name, join in move.joins.items():
                        if join.table == table and move.table not in wrong:
                            try:
                                yield from owner_of(move, name, item)
                            except Unfit as error:
                                note(table, item, move.called, error.reason)
                                unowned.append(item)
            if not wrong:
                for key in (yield from strays(place, table, [item for item in items if item not in unowned])):
                    note(table, key, table, STRAY)
            if start is None:
                break
    return Plan(sampled, dict(made), dict(problems), dict(remarks))


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


def key_schemas(place: Place) -> Walk[dict[str, tuple[KeyAttribute, ...]]]:
    """The key attributes of the legacy tables that are merged into others, the partition key first."""
    found: dict[str, tuple[KeyAttribute, ...]] = {}
    for table in {join.table: None for move in place.moving.moves for join in move.joins.values()}:
        described = (yield from send("legacy", "DescribeTable", {"TableName": table}, repeatable=True))["Table"]
        types = {each["AttributeName"]: each["AttributeType"] for each in described["AttributeDefinitions"]}
        names = {part["KeyType"]: part["AttributeName"] for part in described["KeySchema"]}
        kinds = [kind for kind in ("HASH", "RANGE") if kind in names]
        found[table] = tuple(KeyAttribute(names[kind], types[names[kind]]) for kind in kinds)
    return found


class Missing(Struct, frozen=True):
    """A table of a moving that is not there."""

    what: Literal["legacy table", "ledger", "new table"]
    table: str
    side: Side


def missing_tables(place: Place) -> Walk[list[Missing]]:
    """Tables of both sides that are not there."""
    wanted = [Missing("legacy table", table, "legacy") for table in place.moving.keys]
    wanted += [Missing("ledger", place.moving.ledger, side) for side in ledger.sides_of(place)]
    wanted.append(Missing("new table", place.table, "new"))
    missing: list[Missing] = []
    for one in wanted:
        try:
            yield from send(one.side, "DescribeTable", {"TableName": one.table}, repeatable=True)
        except ResourceNotFound:
            missing.append(one)
    return missing


def refuse_elsewhere(place: Place) -> Walk[None]:
    """Refuses a place without legacy tables. A ledger may be there too, but not the one that says how far the moving is."""
    missing = [one.table for one in (yield from missing_tables(place)) if one.what == "legacy table"]
    if missing:
        raise ResourceNotFound(
            f"There {'is' if len(missing) == 1 else 'are'} no {' and no '.join(missing)} where legacy tables should be.",
            hint="Say where they are by open_moving(..., legacy=...), or mend the mapping.",
        )


def _try(
    place: Place,
    name: str,
    item: Item,
    made: Counter[str],
    note: Callable[[str, Item, str, str], None],
    remarks: Counter[tuple[str, str]],
    owners: dict[bytes, str],
) -> Walk[None]:
    move = place.moving.by_name[name]
    try:
        state, _ = yield from state_of(place, move, item, trial=True)
        now = place.now()
        found, again = (derived(place.moving, move, state, now) for _ in range(2))
    except Unfit as error:
        note(move.table, item, name, error.reason)
        return
    if found.parts != again.parts:
        note(move.table, item, name, "a function makes something else of the same item each time")
    origin = f"{name}{key_text(legacy_key(move, item))}"
    remarks.update((name, text) for text in found.remarks)
    for part in found.parts:
        made[part.entity] += 1
        if owners.setdefault(same_key(part.key), origin) != origin:
            note(move.table, item, name, f"two legacy items become one {part.entity}")


def _page(table: str, most: int | None, start: Item | None) -> Walk[tuple[list[Item], Item | None]]:
    request: dict[str, Any] = {"TableName": table, "Limit": min(most or 1000, 1000)}
    if start is not None:
        request["ExclusiveStartKey"] = start
    response = yield from send("legacy", "Scan", request, repeatable=True)
    return response["Items"], next_start(response)
