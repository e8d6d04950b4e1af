"""When faults strike: by count, by share from a seed, by table and operation; and that they end."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright.engine.faults import KINDS, Conflict, Fault, ServerError, Throttle, describe_fault, parse_fault
from tablewright.errors import ConfigError, ServiceError
from tests.engine.faults.world import World


def struck(world: World, fault: Fault, requests: int = 10) -> list[int]:
    """At which of so many requests a fault strikes."""
    found: list[int] = []
    with world.faults.inject(fault):
        for number in range(1, requests + 1):
            try:
                world.get("a", number)
            except ServiceError:
                found.append(number)
    assert fault.seen == requests
    assert fault.fired == len(found)
    return found


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [
        ({}, list(range(1, 11))),
        ({"nth": 3}, [3]),
        ({"nth": (2, 9)}, [2, 9]),
        ({"every": 4}, [4, 8]),
        ({"first": 2}, [1, 2]),
        ({"every": 2, "times": 3}, [2, 4, 6]),
        ({"share": 0.0}, []),
        ({"share": 1.0, "times": 1}, [1]),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_by_count(world: World, schedule: dict[str, Any], expected: list[int]) -> None:
    assert struck(world, ServerError(**schedule)) == expected


def test_a_share_is_drawn_from_its_seed(world: World) -> None:
    first = struck(world, ServerError(share=0.3, seed=5), 100)
    assert first == struck(world, ServerError(share=0.3, seed=5), 100)
    assert first != struck(world, ServerError(share=0.3, seed=6), 100)
    assert 15 < len(first) < 45


def test_only_the_tables_and_operations_that_are_named(world: World) -> None:
    world.create("Other")
    with world.faults.inject(ServerError(table="Shop", operations="writes")) as fault:
        world.put("a", 1, table="Other")
        assert world.get("a", 1) is None
        world("DescribeTable", TableName="Shop")
        assert world.error("PutItem", TableName="Shop", Item=world.item("a", 1)).wire_name == "InternalServerError"
        arn = "arn:aws:dynamodb:eu-west-1:000000000000:table/Shop"
        assert world.error("PutItem", TableName=arn, Item=world.item("a", 1)).wire_name == "InternalServerError"
    assert fault.fired == 2
    with world.faults.inject(ServerError(operations=["DescribeTable"])):
        assert world.error("DescribeTable", TableName="Shop").wire_name == "InternalServerError"
        assert world.get("a", 1) is None


def test_statements_are_for_the_table_that_they_name(world: World) -> None:
    world.create("Other")
    with world.faults.inject(ServerError(table="Shop")):
        assert world("ExecuteStatement", Statement='SELECT * FROM "Other"')["Items"] == []
        refused = world.error("ExecuteStatement", Statement="SELECT * FROM \"Shop\" WHERE pk = 'a'")
    assert refused.wire_name == "InternalServerError"


def test_faults_end_with_their_block_or_when_they_are_cleared(world: World) -> None:
    world.faults.inject(Throttle())
    second = world.faults.inject(Conflict())
    assert [fault.name for fault in world.faults.active] == ["throttle", "conflict"]
    assert world.engine.is_at_fault
    second.remove()
    world.faults.clear()
    assert not world.engine.is_at_fault
    assert world.get("a", 1) is None
    with pytest.raises(ZeroDivisionError), world.faults.inject(Throttle()):
        raise ZeroDivisionError
    assert world.faults.active == ()


def test_one_fault_is_at_work_once(world: World) -> None:
    fault = Throttle()
    world.faults.inject(fault)
    with pytest.raises(ConfigError, match="already"):
        world.faults.inject(fault)
    with pytest.raises(ConfigError, match="no fault"):
        world.faults.inject("throttle")  # type: ignore[type-var]


def test_requests_that_are_wrong_anyway_are_refused_for_that(world: World) -> None:
    with world.faults.inject(Throttle()) as fault:
        assert world.error("GetItem", TableName="Shop").wire_name == "ValidationException"
        assert world.error("Nonsense").wire_name == "UnknownOperationException"
    assert fault.seen == 0


@pytest.mark.parametrize(
    "text",
    [
        "throttle",
        "throttle:table=Shop,every=3",
        "conflict:nth=1+4,times=1",
        "server-error:share=0.25,seed=7,carried-out=true",
        "lost-reply:operations=PutItem+UpdateItem,carried-out=false",
        "slow-reply:seconds=0.5",
        "index-lag:table=Shop,seconds=2,index=ByGroup",
        "partition-limits:read=10,write=5",
        "provisioned-throughput:burst=10",
        "unprocessed:first=2",
        "expired-token",
        "request-limit",
    ],
)
def test_faults_are_text_too(text: str) -> None:
    fault = parse_fault(text)
    assert fault.name == text.partition(":")[0]
    assert sorted(describe_fault(fault).replace(":", ",").split(",")) == sorted(text.replace(":", ",").split(","))


def test_every_kind_has_a_name_of_its_own() -> None:
    assert sorted(KINDS) == sorted({kind.name for kind in KINDS.values()})


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("sabotage", "There is no fault 'sabotage'. There are conflict"),
        ("throttle:color=red", "no setting 'color'"),
        ("throttle:every", "sets nothing"),
        ("Throttle:every=2", r"no fault 'Throttle'. Did you mean throttle\? There are conflict"),
        ("lost_reply", r"Did you mean lost-reply\?"),
        ("throttle:every=x", "cannot be 'x'. Give a whole number"),
        ("throttle:share=0.1,seed=x", "cannot be 'x'. Give a whole number"),
        ("throttle:share=x", "cannot be 'x'. Give a number"),
        ("throttle:nth=1-4", "cannot be '1-4'. Give whole numbers with a plus between"),
        ("throttle:every=0", "whole numbers from 1 on"),
        ("throttle:every=2,first=1", "two schedules"),
        ("throttle:share=2", "between 0 and 1"),
        ("throttle:operations=Guess", "no operation"),
        ("conflict:operations=GetItem", "does nothing to GetItem"),
        ("server-error:carried-out=maybe", "cannot be 'maybe'. Give true or false"),
        ("slow-reply", "needs seconds"),
        ("slow-reply:seconds=-1", "from 0 to 300"),
        ("slow-reply:seconds=nan", "from 0 to 300"),
        ("slow-reply:seconds=1e18", "from 0 to 300"),
        ("index-lag:seconds=-1", "not negative"),
        ("index-lag:operations=Query", "no setting 'operations'.*; it has table, seconds, index"),
        ("partition-limits:write=0", "above zero"),
        ("provisioned-throughput:burst=0", "at least 1 second"),
    ],
)
def test_wrong_faults_are_refused_with_a_reason(text: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        parse_fault(text)
