"""aioboto3 in process: its clients and resources ask the engine of the test, as boto3's do."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from typing import Any

import pytest
from botocore.config import Config
from botocore.exceptions import ConnectionClosedError, EndpointConnectionError

from tablewright.engine import Engine
from tablewright.server import Server
from tablewright.testing import Faults, LostReply, Throttle, boto3_in_process
from tests.testing.accounts import NOTES

aioboto3: Any = pytest.importorskip("aioboto3", reason="aioboto3 is not available")
KEYS = {"aws_access_key_id": "testing", "aws_secret_access_key": "testing", "region_name": "eu-west-1"}


def test_clients_and_resources(tablewright_boto3: Engine) -> None:
    async def work() -> None:
        session = aioboto3.Session()
        async with session.client("dynamodb") as client, session.resource("dynamodb") as resource:
            made = (await client.create_table(**NOTES))["TableDescription"]
            assert made["CreationDateTime"].year >= 2025
            table = await resource.Table("Notes")
            async with table.batch_writer() as batch:
                for number in range(30):
                    await batch.put_item(Item={"id": str(number), "n": Decimal(number), "b": b"\x00"})
            pages = [page async for page in client.get_paginator("scan").paginate(TableName="Notes", Limit=10)]
            assert sum(page["Count"] for page in pages) == 30
            found = (await client.get_item(TableName="Notes", Key={"id": {"S": "7"}}))["Item"]
            assert found == {"id": {"S": "7"}, "n": {"N": "7"}, "b": {"B": b"\x00"}}
            with pytest.raises(client.exceptions.ResourceNotFoundException):
                await client.describe_table(TableName="None")

    asyncio.run(work())
    assert tablewright_boto3.execute("Scan", {"TableName": "Notes", "Select": "COUNT"})["Count"] == 30


def test_over_the_network(tablewright_aws: Server) -> None:
    async def work() -> None:
        async with aioboto3.Session().client("dynamodb") as client:
            await client.create_table(**NOTES)
            await client.put_item(TableName="Notes", Item={"id": {"S": "1"}})

    asyncio.run(work())
    assert tablewright_aws.engine.execute("Scan", {"TableName": "Notes"})["Count"] == 1


def test_faults(tablewright_boto3: Engine, tablewright_faults: Faults) -> None:
    tablewright_boto3.execute("CreateTable", NOTES)

    async def work() -> None:
        async with aioboto3.Session().client("dynamodb") as client:
            with tablewright_faults.inject(LostReply()), pytest.raises(ConnectionClosedError):
                await client.put_item(TableName="Notes", Item={"id": {"S": "1"}})
            with tablewright_faults.inject(Throttle()), pytest.raises(client.exceptions.ThrottlingException):
                await client.put_item(TableName="Notes", Item={"id": {"S": "1"}})

    asyncio.run(work())


def test_other_services_and_later_calls_are_left_alone(tablewright_engine: Engine) -> None:
    async def work() -> None:
        session = aioboto3.Session(**KEYS)
        once = Config(retries={"total_max_attempts": 1})
        nowhere = {"endpoint_url": "http://127.0.0.1:9", "config": once}
        async with session.client("sts", **nowhere) as sts, session.client("dynamodb", **nowhere) as early:
            with boto3_in_process(tablewright_engine):
                assert (await early.list_tables())["TableNames"] == []
                with pytest.raises(EndpointConnectionError):
                    await sts.get_caller_identity()
            with pytest.raises(EndpointConnectionError):
                await early.list_tables()

    asyncio.run(work())
