"""The fixtures as tests of applications use them: in this very run, with the plugin that is installed."""

from __future__ import annotations

import asyncio
import os
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import boto3
import botocore.exceptions
import httpx
import pytest
from aiodynamo.client import Client
from aiodynamo.credentials import Credentials
from aiodynamo.http.httpx import HTTPX
from boto3.dynamodb.conditions import Attr
from boto3.dynamodb.conditions import Key as Where
from pynamodb.attributes import UnicodeAttribute
from pynamodb.models import Model
from yarl import URL

from tablewright import RetryPolicy
from tablewright.engine import Engine
from tablewright.errors import ConfigError, OutcomeUnknownError, Throttled
from tablewright.server import Server
from tablewright.testing import (
    Faults,
    IndexLag,
    LostReply,
    MakeTable,
    ManualClock,
    OpenAsyncTable,
    OpenTable,
    ServerError,
    Throttle,
    boto3_in_process,
)
from tests.testing.accounts import NOTES, Account, account, accounts, accounts_of

early: Any = boto3.session.Session("testing", "testing", region_name="eu-west-1").client("dynamodb")
"""A client that was made long before any fixture."""


@pytest.mark.parametrize("turn", [1, 2])
def test_every_test_has_an_empty_table(tablewright_table: OpenTable, turn: int) -> None:
    db = tablewright_table(accounts)
    assert db.run(account, "1") is None
    db.create(Account(number="1", balance=turn))
    assert tablewright_table(accounts).run(account, "1") == Account(number="1", balance=turn)


def test_options_are_those_of_open(tablewright_table: OpenTable) -> None:
    assert tablewright_table(accounts, table_name="Elsewhere").table_name == "Elsewhere"


def test_an_async_table(tablewright_async_table: OpenAsyncTable) -> None:
    async def work() -> None:
        async with tablewright_async_table(accounts) as db:
            await db.create(Account(number="1"))
            assert await db.run(account, "1") == Account(number="1")

    asyncio.run(work())


def test_a_file(tablewright_file_table: OpenTable, tmp_path: Path) -> None:
    tablewright_file_table(accounts).create(Account(number="1"))
    assert (tmp_path / "tablewright.db").exists()
    assert tablewright_file_table(accounts).run(account, "1") == Account(number="1")


def test_a_plain_table(tablewright_plain_table: MakeTable, tablewright_boto3: Engine) -> None:
    orders = tablewright_plain_table(
        "Orders",
        "customer",
        "number:N",
        indexes={"ByStatus": ("status", "number:N")},
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
    )
    orders.put({"customer": "ann", "number": 1, "status": "open"})
    assert early.query(
        TableName="Orders",
        IndexName="ByStatus",
        KeyConditionExpression="#s = :s AND #n = :n",
        ExpressionAttributeNames={"#s": "status", "#n": "number"},
        ExpressionAttributeValues={":s": {"S": "open"}, ":n": {"N": "1"}},
    )["Items"] == [{"customer": {"S": "ann"}, "number": {"N": "1"}, "status": {"S": "open"}}]
    assert len(boto3.client("dynamodbstreams").list_streams(TableName="Orders")["Streams"]) == 1
    with pytest.raises(ConfigError, match="two types"):
        tablewright_plain_table("Others", "id", indexes={"Odd": "id:N"})


@pytest.mark.parametrize("wrong", ["customer:X", "customer:n", "customer:number", "customer:"])
def test_a_key_of_a_type_that_there_is_not(
    tablewright_plain_table: MakeTable, tablewright_engine: Engine, wrong: str
) -> None:
    for keys in ((wrong,), ("id", wrong)):
        with pytest.raises(ConfigError, match=f"The key '{wrong}' has no type .* can be S, N or B"):
            tablewright_plain_table("Orders", *keys)
    with pytest.raises(ConfigError, match="can be S, N or B"):
        tablewright_plain_table("Orders", "id", indexes={"ByCustomer": wrong})
    assert tablewright_engine.execute("ListTables", {}) == {"TableNames": []}


def test_a_key_with_a_colon_in_its_name(tablewright_plain_table: MakeTable) -> None:
    tablewright_plain_table("Orders", "shop:customer:S").put({"shop:customer": "ann"})


@pytest.mark.parametrize("fixture", ["tablewright_table", "tablewright_async_table", "tablewright_file_table"])
def test_a_name_is_no_model(request: pytest.FixtureRequest, fixture: str) -> None:
    with pytest.raises(ConfigError, match=f"{fixture} opens a table of a model") as refused:
        request.getfixturevalue(fixture)("Orders")
    assert "tablewright_plain_table" in str(refused.value.hint)


def test_boto3_that_is_not_there_is_told_kindly(tablewright_engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "botocore"]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ConfigError, match="needs boto3") as refused, boto3_in_process(tablewright_engine):
        pytest.fail("nothing was refused")
    assert "'tablewright[aws]'" in str(refused.value.hint)
    assert "in a clone of the project: pip install '.[aws]'" in str(refused.value.hint)


def test_an_error_of_boto3_has_no_foreign_past(tablewright_engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "aiobotocore", None)
    monkeypatch.setitem(sys.modules, "aiobotocore.client", None)
    with pytest.raises(botocore.exceptions.ClientError) as refused, boto3_in_process(tablewright_engine):
        early.describe_table(TableName="Nothing")
    assert refused.value.__context__ is None


def test_time_is_the_tests(
    tablewright_clock: ManualClock, tablewright_table: OpenTable, tablewright_faults: Faults
) -> None:
    db = tablewright_table(accounts, clock=tablewright_clock.time)
    with tablewright_faults.inject(IndexLag(seconds=5)):
        db.create(Account(number="1"))
        assert db.run(accounts_of, "main").all() == []
        tablewright_clock.move(5)
        assert db.run(accounts_of, "main").all() == [Account(number="1")]


def test_faults_are_the_engines(tablewright_table: OpenTable, tablewright_faults: Faults) -> None:
    db = tablewright_table(accounts)
    tablewright_faults.inject(LostReply(operations="UpdateItem"))
    db.create(Account(number="1"))
    with pytest.raises(OutcomeUnknownError):
        db.update(account("1"), add={"balance": 5})


# --------------------------------------------------------------------------------------------------------- the server


@pytest.mark.parametrize("turn", [1, 2])
def test_every_test_has_an_empty_server(tablewright_server: Server, turn: int) -> None:
    with accounts.open(tablewright_server.url, create=True) as db:
        assert db.run(account, "1") is None
        db.create(Account(number="1", balance=turn))


def test_every_fixture_reaches_the_same_tables(
    tablewright_aws: Server,
    tablewright_table: OpenTable,
    tablewright_engine: Engine,
    tablewright_faults: Faults,
) -> None:
    assert tablewright_aws.engine is tablewright_engine
    assert tablewright_faults is tablewright_engine.faults
    tablewright_table(accounts).create(Account(number="1"))
    with accounts.open(tablewright_aws.url) as db:
        assert db.run(account, "1") == Account(number="1")
    with boto3_in_process(tablewright_engine):
        assert early.list_tables()["TableNames"] == ["Accounts"]


def test_the_server_runs_by_the_tests_time(tablewright_aws: Server, tablewright_clock: ManualClock) -> None:
    client = boto3.client("dynamodb")
    client.create_table(**NOTES)
    client.update_time_to_live(TableName="Notes", TimeToLiveSpecification={"Enabled": True, "AttributeName": "until"})
    until = str(int(tablewright_clock.now()) + 3600)
    client.put_item(TableName="Notes", Item={"id": {"S": "1"}, "until": {"N": until}})
    assert tablewright_aws.engine.sweep() == 0
    tablewright_clock.move(3700)
    assert tablewright_aws.engine.sweep() == 1
    made = client.create_table(**{**NOTES, "TableName": "Later"})["TableDescription"]["CreationDateTime"]
    assert made.timestamp() == pytest.approx(tablewright_clock.now(), abs=1)


def test_faults_are_the_servers(tablewright_server: Server, tablewright_faults: Faults) -> None:
    assert tablewright_faults is tablewright_server.engine.faults


def make_and_use_notes() -> list[str]:
    """Code of an application: it knows nothing of endpoints."""
    table = boto3.resource("dynamodb").create_table(**NOTES)
    table.wait_until_exists()
    for number in range(3):
        table.put_item(Item={"id": str(number), "size": Decimal("1.5"), "data": b"\x00\xff"})
    found = table.scan(FilterExpression=Attr("size").gt(1))["Items"]
    assert found[0]["data"].value == b"\x00\xff"
    return sorted(item["id"] for item in found)


class Note(Model):
    class Meta:
        table_name = "Notes"

    id = UnicodeAttribute(hash_key=True)


def test_boto3_code_runs_as_it_is(tablewright_aws: Server) -> None:
    assert make_and_use_notes() == ["0", "1", "2"]
    assert tablewright_aws.engine.execute("ListTables", {}) == {"TableNames": ["Notes"]}
    assert boto3.client("dynamodbstreams").list_streams()["Streams"] == []
    assert os.environ["AWS_ACCESS_KEY_ID"] == "testing"


def test_pynamodb_code_runs_as_it_is(tablewright_aws: Server) -> None:
    tablewright_aws.engine.execute("CreateTable", NOTES)
    Note("a").save()
    assert [note.id for note in Note.scan()] == ["a"]


def test_aiodynamo_finds_credentials_in_the_environment_and_is_given_the_url(tablewright_aws: Server) -> None:
    tablewright_aws.engine.execute("CreateTable", NOTES)

    async def work() -> None:
        async with httpx.AsyncClient() as http:
            client = Client(HTTPX(http), Credentials.auto(), "us-east-1", endpoint=URL(tablewright_aws.url))
            await client.put_item("Notes", {"id": "a"})
            assert await client.get_item("Notes", {"id": "a"}) == {"id": "a"}

    asyncio.run(work())


def test_the_sdk_retries_what_a_server_refuses(tablewright_aws: Server, tablewright_faults: Faults) -> None:
    tablewright_aws.engine.execute("CreateTable", NOTES)
    with (
        tablewright_faults.inject(ServerError(first=1)) as failing,
        tablewright_faults.inject(LostReply(nth=3)) as lost,
    ):
        client = boto3.client("dynamodb")
        client.put_item(TableName="Notes", Item={"id": {"S": "1"}})
        client.put_item(TableName="Notes", Item={"id": {"S": "2"}})
    assert (failing.fired, lost.fired) == (1, 1)
    assert tablewright_aws.engine.execute("Scan", {"TableName": "Notes"})["Count"] == 2


def test_nothing_real_is_left_in_the_environment(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.setenv("AWS_PROFILE", "production")
    monkeypatch.setenv("AWS_SESSION_TOKEN", "real")
    request.getfixturevalue("tablewright_aws")
    assert "AWS_PROFILE" not in os.environ
    assert "AWS_SESSION_TOKEN" not in os.environ
    assert boto3.client("dynamodb").meta.region_name == "us-east-1"


# --------------------------------------------------------------------------------------------------------- in process


def test_boto3_without_http(tablewright_boto3: Engine) -> None:
    assert make_and_use_notes() == ["0", "1", "2"]
    assert tablewright_boto3.execute("ListTables", {}) == {"TableNames": ["Notes"]}


def test_clients_that_are_there_already_ask_the_engine_too(tablewright_boto3: Engine) -> None:
    described = early.create_table(**NOTES)["TableDescription"]
    assert described["TableArn"].startswith("arn:aws:dynamodb:eu-west-1:")
    assert described["CreationDateTime"].year >= 2025
    early.put_item(TableName="Notes", Item={"id": {"S": "1"}, "b": {"B": b"\x01"}, "bs": {"BS": [b"\x02"]}})
    answer = early.get_item(TableName="Notes", Key={"id": {"S": "1"}}, ReturnConsumedCapacity="TOTAL")
    assert answer["Item"] == {"id": {"S": "1"}, "b": {"B": b"\x01"}, "bs": {"BS": [b"\x02"]}}
    assert answer["ConsumedCapacity"]["CapacityUnits"] == 0.5
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 200
    pages = early.get_paginator("scan").paginate(TableName="Notes", PaginationConfig={"PageSize": 1})
    assert [item["id"]["S"] for page in pages for item in page["Items"]] == ["1"]
    early.get_waiter("table_exists").wait(TableName="Notes")


def test_resources_in_process(tablewright_boto3: Engine) -> None:
    tablewright_boto3.execute("CreateTable", NOTES)
    table = boto3.resource("dynamodb").Table("Notes")
    with table.batch_writer() as batch:
        for number in range(30):
            batch.put_item(Item={"id": str(number), "n": number})
    assert table.query(KeyConditionExpression=Where("id").eq("7"))["Items"] == [{"id": "7", "n": Decimal(7)}]
    assert table.item_count == 30


def test_errors_in_process_are_the_sdks_own(tablewright_boto3: Engine) -> None:
    early.create_table(**NOTES)
    item = {"id": {"S": "1"}, "b": {"B": b"\x01"}}
    early.put_item(TableName="Notes", Item=item)
    with pytest.raises(early.exceptions.ConditionalCheckFailedException) as refused:
        early.put_item(
            TableName="Notes",
            Item=item,
            ConditionExpression="attribute_not_exists(id)",
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
    assert refused.value.response["Item"] == item
    assert refused.value.response["Error"]["Message"] == "The conditional request failed"
    put = {"Put": {"TableName": "Notes", "Item": item, "ConditionExpression": "attribute_not_exists(id)"}}
    with pytest.raises(early.exceptions.TransactionCanceledException) as cancelled:
        early.transact_write_items(TransactItems=[put])
    assert [reason["Code"] for reason in cancelled.value.response["CancellationReasons"]] == ["ConditionalCheckFailed"]
    with pytest.raises(botocore.exceptions.ParamValidationError, match="Missing required parameter"):
        early.get_item(TableName="Notes")
    with pytest.raises(early.exceptions.ResourceNotFoundException):
        early.describe_table(TableName="None")


def test_faults_in_process(tablewright_boto3: Engine, tablewright_faults: Faults) -> None:
    early.create_table(**NOTES)
    with (
        tablewright_faults.inject(LostReply()),
        pytest.raises(botocore.exceptions.ConnectionClosedError),
    ):
        early.put_item(TableName="Notes", Item={"id": {"S": "1"}})
    with tablewright_faults.inject(Throttle()), pytest.raises(early.exceptions.ThrottlingException) as throttled:
        early.put_item(TableName="Notes", Item={"id": {"S": "1"}})
    (reason,) = throttled.value.response["throttlingReasons"]
    assert reason["resource"].endswith(":table/Notes")


@pytest.mark.parametrize("billing", ["PAY_PER_REQUEST", "PROVISIONED"])
def test_what_was_too_much_is_told_over_http(
    tablewright_server: Server, tablewright_faults: Faults, billing: str
) -> None:
    more = (
        {} if billing != "PROVISIONED" else {"ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}
    )
    tablewright_server.engine.execute("CreateTable", {**NOTES, "BillingMode": billing, **more})
    with (
        accounts.open(tablewright_server.url, retry=RetryPolicy(max_retries=0)) as db,
        tablewright_faults.inject(Throttle()),
        pytest.raises(Throttled) as throttled,
    ):
        db.send("GetItem", {"TableName": "Notes", "Key": {"id": {"S": "1"}}})
    (reason,) = throttled.value.reasons
    assert reason.resource == "arn:aws:dynamodb:us-east-1:000000000000:table/Notes"


def test_pynamodb_in_process(tablewright_boto3: Engine) -> None:
    tablewright_boto3.execute("CreateTable", NOTES)
    Note("a").save()
    assert Note.get("a").id == "a"


def test_other_services_are_left_alone(tablewright_engine: Engine) -> None:
    sts = boto3.session.Session("testing", "testing", region_name="eu-west-1").client(
        "sts", endpoint_url="http://[::1]:9"
    )
    sts.meta.events.register("before-call.sts", lambda **_: (_Reply(), {"Account": "1"}))
    with boto3_in_process(tablewright_engine):
        assert sts.get_caller_identity() == {"Account": "1"}


class _Reply:
    status_code = 200
