"""Indexes that lag: they show what was, by the clock or until they are let go; everything else shows what is."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.engine import open_engine
from tablewright.engine.faults import IndexLag
from tests.engine.faults.world import World
from tests.engine.timed_lab import MovingClock


def test_an_index_shows_a_write_when_its_time_has_come(world: World) -> None:
    world.put("a", 1, g="x", r="1")
    with world.faults.inject(IndexLag(seconds=2)) as lag:
        world.put("a", 2, g="x", r="2")
        world.clock.move(1)
        world.put("a", 1, g="y", r="1")
        world("DeleteItem", TableName="Shop", Key=world.item("a", 2))
        assert (world.sorts("x"), world.sorts("y")) == (["1"], [])
        assert lag.held == 3
        world.clock.move(1)
        assert (world.sorts("x"), world.sorts("y")) == (["1", "2"], [])
        world.clock.move(1)
        assert (world.sorts("x"), world.sorts("y")) == ([], ["1"])
        assert (lag.held, lag.fired) == (0, 3)


def test_the_table_and_its_local_index_show_it_at_once(world: World) -> None:
    with world.faults.inject(IndexLag()):
        world.put("a", 1, g="x", r="1", l="1")
        assert world.get("a", 1) is not None
        local = world(
            "Query",
            TableName="Shop",
            IndexName="ByLocal",
            KeyConditionExpression="pk = :p",
            ExpressionAttributeValues={":p": {"S": "a"}},
        )
        assert local["Count"] == 1
        assert world("Scan", TableName="Shop")["Count"] == 1
        assert world("Scan", TableName="Shop", IndexName="ByGroup")["Count"] == 0
        statement = 'SELECT * FROM "Shop"."ByGroup" WHERE g = \'x\''
        assert world("ExecuteStatement", Statement=statement)["Items"] == []


def test_it_can_be_held_and_let_go(world: World) -> None:
    with world.faults.inject(IndexLag()) as lag:
        for number in range(3):
            world.put("a", number, g="x", r=str(number))
        world.clock.move(1_000_000)
        assert world.sorts("x") == []
        lag.release(2)
        assert world.sorts("x") == ["0", "1"]
        lag.release()
        assert world.sorts("x") == ["0", "1", "2"]
        world.put("a", 0, g="x", r="9")
        assert world.sorts("x") == ["0", "1", "2"]
    assert world.sorts("x") == ["1", "2", "0"]


def test_it_can_be_limited_to_a_table_and_an_index(world: World) -> None:
    world.create("Other")
    with world.faults.inject(IndexLag(table="Other")) as lag:
        world.put("a", 1, g="x", r="1")
        assert world.sorts("x") == ["1"]
    assert lag.fired == 0
    with world.faults.inject(IndexLag(index="Elsewhere")):
        world.put("a", 2, g="x", r="2")
        assert world.sorts("x") == ["1", "2"]


def test_a_table_made_anew_owes_nothing(world: World) -> None:
    with world.faults.inject(IndexLag()):
        world.put("a", 1, g="x", r="1")
        world("DeleteTable", TableName="Shop")
        world.create("Shop")
        world.put("a", 2, g="x", r="1")
        assert world.sorts("x") == []


GROUPS, SORTS = "xy", "123"
writes = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from([*GROUPS, None]), st.sampled_from(SORTS)), max_size=12
)
reads = st.fixed_dictionaries({"ScanIndexForward": st.booleans()}, optional={"Limit": st.integers(1, 4)})


@given(before=writes, after=writes, read=reads, released=st.integers(0, 12), low=st.sampled_from([None, *SORTS]))
def test_a_lagging_index_answers_like_one_that_was_asked_earlier(
    before: list[Any], after: list[Any], read: dict[str, Any], released: int, low: str | None
) -> None:
    """Page by page, whatever is read: the same as an index without the writes that are held back."""
    with open_engine("memory:") as lagging, open_engine("memory:") as plain:
        one, other = World(lagging, MovingClock()), World(plain, MovingClock())
        for world in (one, other):
            world.create("Shop")
        for write in before:
            _do(one, write)
        lag = one.faults.inject(IndexLag()).fault
        for write in after:
            _do(one, write)
        # Deletes of what is not there are no changes, so what is held is counted by the engine, not from the list.
        held = lag.held
        lag.release(min(released, held))
        for write in before:
            _do(other, write)
        with other.faults.inject(IndexLag()) as counting:
            for write in after:
                if counting.fired == min(released, held):
                    break
                _do(other, write)
        assert _everything(one, read, low) == _everything(other, read, low)


def _do(world: World, write: tuple[str, str | None, str]) -> None:
    pk, group, sort = write
    if group is None:
        world("DeleteItem", TableName="Shop", Key=world.item(pk, 1))
    else:
        world.put(pk, 1, g=group, r=sort)


def _everything(world: World, read: dict[str, Any], low: str | None) -> list[Any]:
    answers: list[Any] = []
    for group in GROUPS:
        request = {
            "TableName": "Shop",
            "IndexName": "ByGroup",
            "KeyConditionExpression": "g = :g" if low is None else "g = :g AND r >= :r",
            "ExpressionAttributeValues": {":g": {"S": group}} | ({} if low is None else {":r": {"S": low}}),
            **read,
        }
        answers += _pages(world, "Query", request)
    answers += _pages(world, "Scan", {"TableName": "Shop", "IndexName": "ByGroup", "Limit": read.get("Limit", 5)})
    return answers


def _pages(world: World, operation: str, request: dict[str, Any]) -> list[Any]:
    items: list[Any] = []
    while True:
        answer = world(operation, **request)
        items += answer["Items"]
        if "LastEvaluatedKey" not in answer:
            return items
        request = {**request, "ExclusiveStartKey": answer["LastEvaluatedKey"]}


def test_lag_over_many_portions(world: World) -> None:
    for number in range(200):
        world.put("a", number, g="x", r=f"{number:03}")
    expected = world.sorts("x")
    with world.faults.inject(IndexLag()):
        for number in range(0, 200, 3):
            world.put("a", number, g="x", r=f"{number:03}!")
            world("DeleteItem", TableName="Shop", Key=world.item("a", number + 1))
        for number in range(1000, 1100):
            world.put("a", number, g="x", r=f"{number % 200:03}+")
        assert world.sorts("x") == expected
        assert world.sorts("x", ScanIndexForward=False) == expected[::-1]
        assert world.sorts("x", Limit=150) == expected[:150]
    assert world.sorts("x") != expected


@pytest.mark.parametrize("segments", [1, 3])
def test_scans_by_segment_show_everything_once(world: World, segments: int) -> None:
    for number in range(30):
        world.put("a", number, g=f"g{number}", r="1")
    with world.faults.inject(IndexLag()):
        for number in range(30):
            world.put("a", number, g=f"new{number}", r="1")
        found: list[str] = []
        for segment in range(segments):
            answer = world("Scan", TableName="Shop", IndexName="ByGroup", Segment=segment, TotalSegments=segments)
            found += [item["g"]["S"] for item in answer["Items"]]
    assert sorted(found) == sorted(f"g{number}" for number in range(30))
