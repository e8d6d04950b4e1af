"""Requests of code without sessions are recorded where they arrive: in the engine, in process and behind the server."""

from __future__ import annotations

from typing import Any

import boto3
import pytest

from tablewright.engine import Engine
from tablewright.server import Server
from tablewright.testing import (
    Faults,
    LostReply,
    MakeTable,
    ServerError,
    Throttle,
    assert_capacity,
    assert_requests,
    record_requests,
)


def use(client: Any) -> None:
    client.put_item(TableName="Notes", Item={"id": {"S": "1"}, "kind": {"S": "a"}})
    client.get_item(TableName="Notes", Key={"id": {"S": "1"}}, ConsistentRead=True)
    client.query(
        TableName="Notes",
        IndexName="ByKind",
        KeyConditionExpression="kind = :k",
        ExpressionAttributeValues={":k": {"S": "a"}},
    )
    client.execute_statement(Statement="SELECT * FROM Notes WHERE id = '1'")
    client.describe_table(TableName="Notes")


SENT = ("PutItem", "GetItem", "Query/ByKind", "ExecuteStatement", "DescribeTable")


@pytest.fixture(autouse=True)
def notes(tablewright_plain_table: MakeTable) -> None:
    """A table with an index."""
    tablewright_plain_table("Notes", "id", indexes={"ByKind": "kind"})


def test_clients_in_process(tablewright_boto3: Engine) -> None:
    client = boto3.client("dynamodb")
    with record_requests(tablewright_boto3) as meter:
        use(client)
    assert_requests(meter, *SENT)
    assert (meter.capacity.read, meter.capacity.write) == (2.0, 2.0)
    assert_capacity(meter, read=2, write=2)
    with pytest.raises(AssertionError, match="2 write units were consumed; 1 were allowed"):
        assert_capacity(meter, write=1)
    client.list_tables()
    assert len(meter.requests) == len(SENT)
    assert not tablewright_boto3.is_at_fault


def test_clients_of_the_server(tablewright_aws: Server) -> None:
    with record_requests(tablewright_aws.engine) as meter:
        use(boto3.client("dynamodb"))
    assert_requests(meter, *SENT)


def test_nobody_sees_capacity_that_he_did_not_ask_for(tablewright_boto3: Engine) -> None:
    client = boto3.client("dynamodb")
    key = {"id": {"S": "1"}}
    with record_requests(tablewright_boto3) as meter:
        assert "ConsumedCapacity" not in client.get_item(TableName="Notes", Key=key)
        asked = client.get_item(TableName="Notes", Key=key, ReturnConsumedCapacity="TOTAL")
    assert asked["ConsumedCapacity"] == {"TableName": "Notes", "CapacityUnits": 0.5}
    assert meter.capacity.read == 1.0


def test_errors_are_recorded_whoever_makes_them(tablewright_engine: Engine, tablewright_faults: Faults) -> None:
    put = {"TableName": "Notes", "Item": {"id": {"S": "1"}}}
    with record_requests(tablewright_engine) as meter:
        for fault in (Throttle(), LostReply(), ServerError()):
            with tablewright_faults.inject(fault), pytest.raises(Exception, match=r"."):
                tablewright_engine.execute("PutItem", put)
        tablewright_faults.clear()
        for operation, wrong in (
            ("PutItem", {"TableName": "Notes"}),
            ("GetItem", {"TableName": "None", "Key": {}}),
            ("Paint", {}),
        ):
            with pytest.raises(Exception, match=r"."):
                tablewright_engine.execute(operation, wrong)
    assert [one.operation for one in meter.requests] == ["PutItem"] * 4 + ["GetItem", "Paint"]
    assert all(one.error for one in meter.requests)
    # The one whose reply was lost had happened.
    assert [one.capacity.write for one in meter.requests] == [0, 1, 0, 0, 0, 0]


def test_two_may_watch(tablewright_engine: Engine) -> None:
    with record_requests(tablewright_engine) as outer:
        with record_requests(tablewright_engine) as inner:
            tablewright_engine.execute("ListTables", {})
        tablewright_engine.execute("DescribeLimits", {})
    assert_requests(inner, "ListTables")
    assert_requests(outer, "ListTables", "DescribeLimits")
