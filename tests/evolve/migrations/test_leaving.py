"""Which items a migration has left: in one file, also where a second process goes on with what a first one began."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tablewright.evolve.migrations import RenameAttribute
from tests.evolve.migrations.tables import Crash, Shop, Through, file, shop, skipped

STATE = file(RenameAttribute("Order", "state", to="status"))
DAY = file(RenameAttribute("Order", "day", to="date"), name="0002_dates")
LEFT = {f"ORDER#{number}" for number in range(0, 12, 2)}


@contextmanager
def torn() -> Iterator[Shop]:
    """Orders of which every second has both forms of two attributes, and nobody noted which was first."""
    with shop() as ground:
        ground.fill(12)
        for item in ground.items():
            if item["PK"]["S"] in LEFT and item["SK"] == {"S": "ORDER"}:
                both = {**item, "status": {"S": "other"}, "date": {"S": "other"}}
                ground.old.send("PutItem", {"TableName": "Shop", "Item": both})
        yield ground


def found(path: Path) -> Counter[tuple[str, str]]:
    told = [json.loads(line) for line in path.read_text().splitlines()]
    return Counter((one["migration"], one["key"]["PK"]["S"]) for one in told)


def crashing(ground: Shop, at: int) -> Any:
    def crash(count: int) -> None:
        if count >= at:
            raise Crash

    return ground.opened(lambda inner: Through(inner, crash, lambda n: None))


@pytest.mark.parametrize("segments", [1, 3])
def test_killed_again_and_again_none_is_missing(tmp_path: Path, segments: int) -> None:
    path, kills, told = tmp_path / "left.jsonl", 0, None
    path.write_text('{"migration": "0001_change", "of": "another time"}\n')
    with torn() as ground:
        while told is None:
            session = crashing(ground, 18)
            migrator = ground.migrator(STATE, session=session, take_over=True, left_in=path, segments=segments)
            try:
                told = migrator.run(write=True)
            except Crash:
                kills += 1
                assert kills < 30
        assert kills > 1
        assert set(found(path)) == {("0001_change", one) for one in LEFT}


def test_of_what_is_looked_through_anew_each_item_stands_there_once(tmp_path: Path) -> None:
    path = tmp_path / "left.jsonl"
    with torn() as ground:
        ground.migrator(STATE, left_in=path).run(write=True)
        at = 0
        while not (path.exists() and ("0002_dates", "ORDER#0") in found(path)):
            at += 4
            killed = ground.migrator(STATE, DAY, session=crashing(ground, at), take_over=True, left_in=path)
            with pytest.raises(Crash):
                killed.run(write=True)
        half = found(path)
        with path.open("a") as lines:
            lines.write('{"migration": "0002_dat')  # as a kill leaves it
        told = ground.migrator(STATE, DAY, take_over=True, left_in=path, segments=1).run(write=True)
        assert sum(skipped(told).values()) == 12
        once = {("0001_change", one): 1 for one in LEFT}
        assert {one: count for one, count in found(path).items() if one[0] == "0001_change"} == once
        assert {one for one in found(path) if one[0] == "0002_dates"} == {("0002_dates", one) for one in LEFT}
        assert {one for one in half if one[0] == "0002_dates"} <= set(found(path))
        again = ground.migrator(STATE, DAY, left_in=path).run(write=True)
        assert sum(skipped(again).values()) == 12
        assert set(found(path).values()) == {1}


def test_retire_and_rollback_tell_what_they_leave(tmp_path: Path) -> None:
    path = tmp_path / "left.jsonl"
    with shop() as ground:
        ground.fill(4)
        ground.migrator(STATE).run(write=True)
        ground.migrator(STATE).cutover()
        both = "SET #a = :a, #b = :b"
        for number in (1, 3):
            request = {
                "TableName": "Shop",
                "Key": {"PK": {"S": f"ORDER#{number}"}, "SK": {"S": "ORDER"}},
                "UpdateExpression": both,
                "ExpressionAttributeNames": {"#a": "state", "#b": "status"},
                "ExpressionAttributeValues": {":a": {"S": "one"}, ":b": {"S": "other"}},
            }
            ground.old.send("UpdateItem", request)
        wanted = {("0001_change", "ORDER#1"): 1, ("0001_change", "ORDER#3"): 1}
        for write in (False, True):
            ground.migrator(STATE, left_in=path).retire(write=write)
            assert found(path) == wanted
        for write in (False, True):
            ground.migrator(STATE, left_in=path).rollback(write=write)
            assert found(path) == wanted
