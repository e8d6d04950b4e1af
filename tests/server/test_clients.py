"""Real clients, unmodified: boto3's client and resource, PynamoDB, aiodynamo, and from Node the AWS SDK."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from tablewright.server import Server, serve_in_thread

ACCESS, SECRET = "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
KEYS = {"aws_access_key_id": ACCESS, "aws_secret_access_key": SECRET, "region_name": "eu-west-1"}
SCHEMA: dict[str, Any] = {
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [
        {"AttributeName": "pk", "AttributeType": "S"},
        {"AttributeName": "sk", "AttributeType": "N"},
    ],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
}


@pytest.fixture(scope="module", params=["open", "signed"])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server in memory that takes anybody, then one on a file that verifies signatures."""
    if request.param == "open":
        with serve_in_thread("memory:") as running:
            yield running
    else:
        file = tmp_path_factory.mktemp("clients") / "tables.db"
        with serve_in_thread(file, access_key=ACCESS, secret_key=SECRET) as running:
            yield running


@pytest.fixture
def client(server: Server) -> Iterator[Any]:
    config = Config(retries={"total_max_attempts": 1})
    made = boto3.client("dynamodb", endpoint_url=server.url, config=config, **KEYS)
    yield made
    made.close()


def test_the_boto3_client(client: Any) -> None:
    table = "FromBoto3"
    description = client.create_table(TableName=table, **SCHEMA)["TableDescription"]
    assert description["TableArn"] == f"arn:aws:dynamodb:eu-west-1:000000000000:table/{table}"
    client.get_waiter("table_exists").wait(TableName=table)
    item = {"pk": {"S": "a"}, "sk": {"N": "1"}, "b": {"B": b"\x00\xff"}, "text": {"S": "grüße ✓"}}
    client.put_item(TableName=table, Item=item)
    assert client.get_item(TableName=table, Key={"pk": {"S": "a"}, "sk": {"N": "1"}})["Item"] == item
    puts = [{"PutRequest": {"Item": {"pk": {"S": "a"}, "sk": {"N": str(n)}}}} for n in range(2, 27)]
    assert client.batch_write_item(RequestItems={table: puts})["UnprocessedItems"] == {}
    pages = client.get_paginator("query").paginate(
        TableName=table,
        KeyConditionExpression="pk = :p",
        ExpressionAttributeValues={":p": {"S": "a"}},
        PaginationConfig={"PageSize": 10},
    )
    assert [int(one["sk"]["N"]) for page in pages for one in page["Items"]] == list(range(1, 27))
    with pytest.raises(client.exceptions.ConditionalCheckFailedException) as failed:
        client.put_item(
            TableName=table,
            Item=item,
            ConditionExpression="attribute_not_exists(pk)",
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
    assert failed.value.response["Item"] == item
    check = {"TableName": table, "Key": {"pk": {"S": "z"}, "sk": {"N": "1"}}}
    with pytest.raises(client.exceptions.TransactionCanceledException) as cancelled:
        client.transact_write_items(
            TransactItems=[{"ConditionCheck": check | {"ConditionExpression": "attribute_exists(pk)"}}]
        )
    assert cancelled.value.response["CancellationReasons"][0]["Code"] == "ConditionalCheckFailed"
    with pytest.raises(ClientError, match="Requested resource not found"):
        client.get_item(TableName="Nowhere", Key={"pk": {"S": "a"}})
    client.delete_table(TableName=table)
    client.get_waiter("table_not_exists").wait(TableName=table)


def test_the_boto3_client_compresses_large_requests_where_told(server: Server) -> None:
    config = Config(request_min_compression_size_bytes=1000)
    client = boto3.client("dynamodb", endpoint_url=server.url, config=config, **KEYS)
    client.create_table(TableName="Compressed", **SCHEMA)
    item = {"pk": {"S": "a"}, "sk": {"N": "1"}, "text": {"S": "x" * 100_000}}
    client.put_item(TableName="Compressed", Item=item)
    assert client.get_item(TableName="Compressed", Key={"pk": {"S": "a"}, "sk": {"N": "1"}})["Item"] == item
    client.delete_table(TableName="Compressed")
    client.close()


def test_the_boto3_streams_client(server: Server, client: Any) -> None:
    specification = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
    client.create_table(TableName="Streamed", StreamSpecification=specification, **SCHEMA)
    client.put_item(TableName="Streamed", Item={"pk": {"S": "a"}, "sk": {"N": "1"}})
    streams = boto3.client("dynamodbstreams", endpoint_url=server.url, **KEYS)
    (stream,) = streams.list_streams(TableName="Streamed")["Streams"]
    assert stream["StreamArn"].startswith("arn:aws:dynamodb:eu-west-1:")
    shards = streams.describe_stream(StreamArn=stream["StreamArn"])["StreamDescription"]["Shards"]
    place = {"StreamArn": stream["StreamArn"], "ShardId": shards[0]["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
    iterator = streams.get_shard_iterator(**place)["ShardIterator"]
    (record,) = streams.get_records(ShardIterator=iterator)["Records"]
    assert (record["eventName"], record["awsRegion"]) == ("INSERT", "eu-west-1")
    client.delete_table(TableName="Streamed")
    streams.close()


def test_the_boto3_resource(server: Server) -> None:
    from boto3.dynamodb.conditions import Attr, Key

    resource = boto3.resource("dynamodb", endpoint_url=server.url, **KEYS)
    table = resource.create_table(TableName="FromResource", **SCHEMA)
    table.wait_until_exists()
    with table.batch_writer() as batch:
        for number in range(60):
            batch.put_item(Item={"pk": "a", "sk": number, "price": Decimal("1.5") * number, "tags": {"x", "y"}})
    found = table.query(
        KeyConditionExpression=Key("pk").eq("a") & Key("sk").between(10, 19), FilterExpression=Attr("price").gte(18)
    )
    assert [item["sk"] for item in found["Items"]] == list(range(12, 20))
    assert found["Items"][0] == {"pk": "a", "sk": 12, "price": Decimal("18"), "tags": {"x", "y"}}
    table.delete()
    resource.meta.client.close()


def test_pynamodb(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    from pynamodb.attributes import NumberAttribute, UnicodeAttribute, UnicodeSetAttribute
    from pynamodb.exceptions import PutError
    from pynamodb.models import Model

    monkeypatch.setenv("AWS_ACCESS_KEY_ID", ACCESS)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)

    class Thing(Model):
        class Meta:
            table_name = "FromPynamoDB"
            host = server.url
            region = "eu-west-1"
            billing_mode = "PAY_PER_REQUEST"

        pk = UnicodeAttribute(hash_key=True)
        sk = NumberAttribute(range_key=True)
        tags = UnicodeSetAttribute(null=True)
        count = NumberAttribute(default=0)

    Thing.create_table(wait=True)
    with Thing.batch_write() as batch:
        for number in range(30):
            batch.save(Thing("a", number, tags={"x"}))
    thing = Thing.get("a", 7)
    thing.update(actions=[Thing.count.add(3), Thing.tags.add({"y"})])
    assert (Thing.get("a", 7).count, Thing.get("a", 7).tags) == (3, {"x", "y"})
    assert [one.sk for one in Thing.query("a", Thing.sk >= 25)] == [25, 26, 27, 28, 29]
    with pytest.raises(PutError):
        Thing("a", 7).save(condition=Thing.pk.does_not_exist())
    Thing.delete_table()
    Thing._connection.connection.client.close()


def test_aiodynamo(server: Server) -> None:
    import httpx
    from aiodynamo.client import Client
    from aiodynamo.credentials import Key as AwsKey
    from aiodynamo.credentials import StaticCredentials
    from aiodynamo.errors import ItemNotFound
    from aiodynamo.expressions import F, HashKey, RangeKey
    from aiodynamo.http.httpx import HTTPX
    from aiodynamo.models import KeySchema, KeySpec, KeyType, PayPerRequest
    from yarl import URL

    async def work() -> None:
        async with httpx.AsyncClient() as session:
            client = Client(HTTPX(session), StaticCredentials(AwsKey(ACCESS, SECRET)), "eu-west-1", URL(server.url))
            keys = KeySchema(KeySpec("pk", KeyType.string), KeySpec("sk", KeyType.number))
            await client.create_table("FromAiodynamo", PayPerRequest(), keys, wait_for_active=True)
            table = client.table("FromAiodynamo")
            await asyncio.gather(*(table.put_item({"pk": "a", "sk": n, "text": "y" * 500}) for n in range(20)))
            await table.update_item({"pk": "a", "sk": 3}, F("count").set(5))
            assert (await table.get_item({"pk": "a", "sk": 3}))["count"] == 5
            with pytest.raises(ItemNotFound):
                await table.get_item({"pk": "b", "sk": 3})
            condition = HashKey("pk", "a") & RangeKey("sk").gte(15)
            assert [item["sk"] async for item in table.query(condition)] == [15, 16, 17, 18, 19]
            await client.delete_table("FromAiodynamo", wait_for_disabled=True)

    asyncio.run(work())


def test_the_document_client_of_the_sdk_for_javascript(server: Server, run_node: Callable[..., str]) -> None:
    script = Path(__file__).parent / "document_client.cjs"
    assert run_node(script, server.url, ACCESS, SECRET) == "well\n"
    # A name that may mean either kind of address.
    assert run_node(script, server.url.replace("127.0.0.1", "localhost"), ACCESS, SECRET) == "well\n"
