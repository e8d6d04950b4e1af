"""Amazon Resource Names in answers and requests."""

from typing import Any

import pytest

from tablewright.engine import Engine
from tablewright.engine.arns import index_arn, stream_arn, table_arn

ARN = "arn:aws:dynamodb:eu-west-1:000000000000:table/App"
KEY = {"pk": {"S": "a"}, "sk": {"N": "1"}}


@pytest.mark.parametrize(
    ("region", "partition"),
    [("eu-west-1", "aws"), ("cn-north-1", "aws-cn"), ("us-gov-west-1", "aws-us-gov"), ("local", "aws")],
)
def test_an_arn_names_partition_region_and_account(region: str, partition: str) -> None:
    assert table_arn(region, "App") == f"arn:{partition}:dynamodb:{region}:000000000000:table/App"
    assert index_arn(region, "App", "One") == table_arn(region, "App") + "/index/One"
    assert stream_arn(region, "App", "2026") == table_arn(region, "App") + "/stream/2026"


def test_answers_name_the_region_of_the_request(table: Any, engine: Engine) -> None:
    for region in ("eu-west-1", "us-east-1", "local"):
        described = engine.execute("DescribeTable", {"TableName": "App"}, region=region)["Table"]
        assert described["TableArn"] == table_arn(region, "App")
        assert described["GlobalSecondaryIndexes"][0]["IndexArn"] == index_arn(region, "App", "ByGroup")


def test_regions_share_their_tables(table: Any, engine: Engine) -> None:
    engine.execute("PutItem", {"TableName": "App", "Item": KEY}, region="eu-west-1")
    assert engine.execute("GetItem", {"TableName": "App", "Key": KEY}, region="us-east-1") == {"Item": KEY}


def test_a_table_goes_by_its_arn_in_every_operation(table: Any, call: Any) -> None:
    call("PutItem", TableName=ARN, Item=KEY)
    assert call("GetItem", TableName=ARN, Key=KEY) == {"Item": KEY}
    assert call("Scan", TableName=ARN)["Count"] == 1
    assert call("BatchGetItem", RequestItems={ARN: {"Keys": [KEY]}})["Responses"] == {ARN: [KEY]}
    got = call("TransactGetItems", TransactItems=[{"Get": {"TableName": ARN, "Key": KEY}}])
    assert got == {"Responses": [{"Item": KEY}]}
    assert call("DescribeTable", TableName=ARN)["Table"]["TableName"] == "App"
    assert call("DeleteTable", TableName=ARN)["TableDescription"]["TableName"] == "App"


@pytest.mark.parametrize(
    "given",
    [
        "arn:",
        "arn:aws:s3:::App",
        "arn:aws:dynamodb:eu-west-1:000000000000:table",
        "arn:aws:dynamodb:eu-west-1:000000000000:stream/App",
    ],
)
def test_an_arn_of_something_else_is_refused(call: Any, given: str) -> None:
    name, message = call.refused("GetItem", TableName=given, Key=KEY)
    assert name == "ValidationException"
    assert message.startswith("Valid ARN format is 'arn:<awsPartition>:<vendor>:<region>:<subscriber>")


def test_the_name_in_an_arn_has_the_rules_of_names(call: Any) -> None:
    assert "greater than or equal to 3" in call.refused("GetItem", TableName=ARN[:-1], Key=KEY)[1]
    assert "regular expression pattern" in call.refused("GetItem", TableName=f"{ARN}/index/One", Key=KEY)[1]
