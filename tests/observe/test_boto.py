"""Programs that call boto3 are observed too: client and resource, over HTTP."""

from __future__ import annotations

from base64 import b64encode
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
from tablewright.values.sizes import item_size
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


def test_a_table_may_be_named_by_its_arn(client: Any) -> None:
    arn = client.describe_table(TableName="Shop")["Table"]["TableArn"]
    collector = Collector()
    watch_client(client, arn, collector)
    name = {"PK": {"S": "CUSTOMER#1"}, "SK": {"S": "PROFILE"}}
    client.get_item(TableName=arn, Key=name)
    client.get_item(TableName="Shop", Key=name)
    client.transact_get_items(TransactItems=[{"Get": {"TableName": arn, "Key": name}}])
    snapshot = collector.snapshot()
    assert (snapshot.table, snapshot.requests) == ("Shop", 3)


def test_conflicts_that_nobody_caught(client: Any) -> None:
    collector = Collector()
    watch_client(client, "Shop", collector)
    name = {"PK": {"S": "CUSTOMER#1"}, "SK": {"S": "PROFILE"}}
    for _ in range(3):
        try:
            client.delete_item(TableName="Shop", Key=name, ConditionExpression="attribute_exists(PK)")
        except ClientError as error:
            collector.unhandled(error)
    for other in (ValueError("no answer"), ClientError({"Error": {"Code": "NoSuchBucket"}}, "GetObject")):
        collector.unhandled(other)
    assert collector.snapshot().unhandled == {"CONDITIONAL_CHECK_FAILED": 3}
    (told,) = collector.recommendations()
    assert told.rule == "unhandled-conflicts"
    assert told.affected == ("ConditionalCheckFailedException",)


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


NAME = {"PK": {"S": "CUSTOMER#1"}, "SK": {"S": "PROFILE"}}


@pytest.fixture
def two_tables(client: Any) -> Any:
    """The same client, with a table beside the shop and items in both."""
    client.create_table(
        TableName="Stock",
        KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "PK", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    client.put_item(TableName="Shop", Item=NAME)
    for number in range(3):
        client.put_item(TableName="Stock", Item={"PK": {"S": f"PART#{number}"}})
    return client


def test_one_client_for_several_tables(two_tables: Any) -> None:
    shops, stocks = Collector(), Collector()
    watch_client(two_tables, "Shop", shops)
    watch_client(two_tables, "Stock", stocks)
    two_tables.get_item(TableName="Shop", Key=NAME)
    for _ in range(2):
        two_tables.get_item(TableName="Stock", Key={"PK": {"S": "PART#1"}})

    for collector, place, times in ((shops, "CUSTOMER#1", 1), (stocks, "PART#1", 2)):
        snapshot = collector.snapshot()
        (found,) = snapshot.traffic
        assert (found.requests, found.returned, found.read_units) == (times, times, times / 2)
        assert [(w.key, w.count) for w in snapshot.places[TABLE].requests.top()] == [(place, times)]


def test_requests_to_several_tables_are_parted(two_tables: Any) -> None:
    shops, stocks = Collector(), Collector()
    watch_client(two_tables, "Shop", shops)
    watch_client(two_tables, "Stock", stocks)
    parts = [{"PK": {"S": f"PART#{number}"}} for number in range(3)]
    two_tables.batch_get_item(RequestItems={"Shop": {"Keys": [NAME]}, "Stock": {"Keys": parts}})
    gets = [{"Get": {"TableName": "Stock", "Key": part}} for part in parts]
    two_tables.transact_get_items(TransactItems=[gets[0], {"Get": {"TableName": "Shop", "Key": NAME}}, *gets[1:]])
    asked = [f"SELECT * FROM Stock WHERE PK = 'PART#{number}'" for number in range(3)]
    asked.insert(1, "SELECT * FROM Shop WHERE PK = 'CUSTOMER#1' AND SK = 'PROFILE'")
    two_tables.batch_execute_statement(Statements=[{"Statement": one} for one in asked])
    puts = {"Shop": [{"PutRequest": {"Item": NAME}}], "Stock": [{"PutRequest": {"Item": part}} for part in parts]}
    two_tables.batch_write_item(RequestItems=puts)

    for collector, items in ((shops, 1), (stocks, 3)):
        found = {t.operation: t for t in collector.snapshot().traffic}
        read = ("BatchGetItem", "TransactGetItems", "BatchExecuteStatement")
        assert {name: (t.requests, t.keys, t.returned) for name, t in found.items()} == {
            **dict.fromkeys(read, (1, items, items)),
            "BatchWriteItem": (1, items, 0),
        }
        assert [found[name].read_units for name in read] == [items / 2, items * 2, items / 2]
        assert found["BatchWriteItem"].write_units == items


def test_what_is_asked_of_others_is_not_returned(two_tables: Any) -> None:
    collector = Collector()
    watch_client(two_tables, "Shop", collector)
    two_tables.batch_get_item(RequestItems={"Shop": {"Keys": [NAME]}, "Stock": {"Keys": [{"PK": {"S": "PART#1"}}]}})

    (found,) = collector.snapshot().traffic
    assert (found.keys, found.returned) == (1, 1)


def test_several_collectors_of_one_table(client: Any) -> None:
    first, second = Collector(), Collector()
    for collector in (first, second, second):
        watch_client(client, "Shop", collector)
    client.get_item(TableName="Shop", Key=NAME)

    assert [collector.snapshot().requests for collector in (first, second)] == [1, 1]


@pytest.mark.parametrize("kind", ["client", "resource"])
def test_what_is_read_is_measured(url: str, kind: str) -> None:
    opened: Any = boto3.resource("dynamodb", endpoint_url=url, config=ONCE, **WAYS)
    table, collector = opened.Table("Shop"), Collector()
    item = {"PK": "CUSTOMER#1", "SK": "PROFILE", "picture": b"p" * 30_000, "parts": {b"a", b"bc"}, "seen": 12}
    table.put_item(Item=item)
    client = opened.meta.client if kind == "resource" else boto3.client("dynamodb", endpoint_url=url, **WAYS)
    watch_client(client, "Shop", collector)
    found: Any = None
    for _ in range(20):
        if kind == "resource":
            found = table.get_item(Key={"PK": "CUSTOMER#1", "SK": "PROFILE"})["Item"]
        else:
            found = client.get_item(TableName="Shop", Key=NAME)["Item"]
    opened.meta.client.close()
    client.close()

    # What the program gets is as it always is.
    assert found["picture"] == (item["picture"] if kind == "resource" else {"B": item["picture"]})
    (traffic,) = collector.snapshot().traffic
    assert traffic.sized
    written = item_size(
        {
            **NAME,
            "picture": {"B": b64encode(b"p" * 30_000).decode()},
            "parts": {"BS": ["YQ==", "YmM="]},
            "seen": {"N": "12"},
        }
    )
    assert traffic.size == traffic.sized * written


def test_large_items_that_are_read_whole_are_advised_on(client: Any) -> None:
    collector = Collector(sample=1)
    client.put_item(TableName="Shop", Item={**NAME, "text": {"S": "x" * 12_000}})
    watch_client(client, "Shop", collector)
    for _ in range(100):
        client.get_item(TableName="Shop", Key=NAME)

    assert "large-projection" in [one.rule for one in collector.recommendations()]
