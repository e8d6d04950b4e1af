"""Programs that call boto3 are observed too: client and resource, over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from boto3.dynamodb.conditions import Attr, Key
from botocore.config import Config
from botocore.exceptions import ClientError, EndpointConnectionError

from tablewright.engine import Engine
from tablewright.observe.boto import watch_client
from tablewright.observe.collector import Collector
from tablewright.observe.snapshot import TABLE
from tablewright.server import serve_in_thread
from tests.observe.shop import shop

WAYS = {"region_name": "eu-west-1", "aws_access_key_id": "x", "aws_secret_access_key": "x"}
ONCE = Config(retries={"total_max_attempts": 1}, connect_timeout=1, read_timeout=5)


@pytest.fixture
def url(engine: Engine) -> Iterator[str]:
    shop.open(engine).close()
    with serve_in_thread(engine) as server:
        yield server.url


@pytest.fixture
def client(url: str) -> Iterator[Any]:
    opened = boto3.client("dynamodb", endpoint_url=url, config=ONCE, **WAYS)
    yield opened
    opened.close()


def test_a_client(client: Any) -> None:
    collector = Collector()
    watch_client(client, "Shop", collector)
    name = {"PK": {"S": "CUSTOMER#1"}, "SK": {"S": "PROFILE"}}
    client.put_item(TableName="Shop", Item={**name, "GSI1PK": {"S": "x"}, "GSI1SK": {"S": "x"}})
    client.get_item(TableName="Shop", Key=name)
    client.query(
        TableName="Shop",
        KeyConditionExpression="PK = :p",
        FilterExpression="attribute_exists(nothing)",
        ExpressionAttributeValues={":p": {"S": "CUSTOMER#1"}},
    )
    client.transact_write_items(TransactItems=[{"Delete": {"TableName": "Shop", "Key": name}}])
    with pytest.raises(ClientError):
        client.delete_item(TableName="Shop", Key=name, ConditionExpression="attribute_exists(PK)")

    snapshot = collector.snapshot()
    found = {t.operation: t for t in snapshot.traffic}
    assert {name: t.requests for name, t in found.items()} == dict.fromkeys(
        ["PutItem", "GetItem", "Query", "TransactWriteItems", "DeleteItem"], 1
    )
    assert (found["PutItem"].write_units, found["PutItem"].index_units) == (2, {"GSI1": 1})
    assert (found["Query"].filtered, found["Query"].filtered_scanned, found["Query"].filtered_returned) == (1, 1, 0)
    assert found["DeleteItem"].failures == {"CONDITIONAL_CHECK_FAILED": 1}
    assert snapshot.places[TABLE].requests.top()[0].key == "CUSTOMER#1"
    assert snapshot.places[TABLE].requests.total == 5
    assert snapshot.billing.mode == "on-demand"


def test_a_resource(url: str) -> None:
    collector = Collector()
    resource: Any = boto3.resource("dynamodb", endpoint_url=url, config=ONCE, **WAYS)
    watch_client(resource.meta.client, "Shop", collector)
    table = resource.Table("Shop")
    table.put_item(Item={"PK": "CUSTOMER#1", "SK": "PROFILE", "total": 5})
    asked = {"KeyConditionExpression": Key("PK").eq("CUSTOMER#1") & Key("SK").begins_with("P")}
    assert table.query(**asked, FilterExpression=Attr("total").gt(3))["Count"] == 1
    table.scan()
    resource.meta.client.close()

    snapshot = collector.snapshot()
    assert {t.operation: t.requests for t in snapshot.traffic} == {"PutItem": 1, "Query": 1, "Scan": 1}
    assert [(w.key, w.count) for w in snapshot.places[TABLE].requests.top()] == [("CUSTOMER#1", 2)]
    assert sum(t.unmetered for t in snapshot.traffic) == 0


def test_other_tables_and_what_is_not_asked_for(client: Any) -> None:
    collector = Collector()
    watch_client(client, "Shop", collector, ask=False)
    client.scan(TableName="Shop")
    client.scan(TableName="Shop", ReturnConsumedCapacity="TOTAL")
    client.list_tables()
    with pytest.raises(ClientError):
        client.scan(TableName="Another")

    (found,) = collector.snapshot().traffic
    assert (found.requests, found.unmetered, found.failures) == (2, 1, {})


def test_no_answer(client: Any) -> None:
    collector = Collector()
    watch_client(client, "Shop", collector)
    client.meta.events.register("before-send.dynamodb", _refuse)
    with pytest.raises(EndpointConnectionError):
        client.scan(TableName="Shop")

    (found,) = collector.snapshot().traffic
    assert found.failures == {"NETWORK_ERROR": 1}


def _refuse(**_: Any) -> None:
    raise EndpointConnectionError(endpoint_url="http://nowhere")


def test_statements_of_a_client(client: Any) -> None:
    collector = Collector()
    watch_client(client, "Shop", collector)
    client.execute_statement(Statement="INSERT INTO \"Shop\" VALUE {'PK': 'a', 'SK': 'b'}")
    client.execute_statement(Statement='SELECT * FROM "Shop"."GSI1" WHERE GSI1PK = ?', Parameters=[{"S": "x"}])
    client.batch_execute_statement(
        Statements=[
            {"Statement": f"SELECT * FROM \"{table}\" WHERE PK = 'a' AND SK = 'b'"} for table in ("Shop", "Other")
        ]
    )
    with pytest.raises(ClientError):
        client.execute_statement(Statement='SELECT * FROM "Other"')

    found = {(t.operation, t.index): t for t in collector.snapshot().traffic}
    assert {shape: t.requests for shape, t in found.items()} == {
        ("ExecuteStatement", None): 1,
        ("ExecuteStatement", "GSI1"): 1,
        ("BatchExecuteStatement", None): 1,
    }
    assert (found["ExecuteStatement", None].write_units, found["ExecuteStatement", None].unmetered) == (1, 0)
    assert (found["BatchExecuteStatement", None].keys, found["BatchExecuteStatement", None].read_units) == (1, 0.5)
