"""PutResourcePolicy, GetResourcePolicy and DeleteResourcePolicy."""

import json
from typing import Any

import pytest

ARN = "arn:aws:dynamodb:local:000000000000:table/App"
POLICY = json.dumps({"Version": "2012-10-17", "Statement": [{"Effect": "Allow"}]})
OTHER = json.dumps({"Version": "2012-10-17", "Statement": [{"Effect": "Deny"}]})


def test_a_policy_is_kept_with_its_revision(table: Any, call: Any) -> None:
    assert call.refused("GetResourcePolicy", ResourceArn=ARN)[0] == "PolicyNotFoundException"
    first = call("PutResourcePolicy", ResourceArn=ARN, Policy=POLICY)["RevisionId"]
    assert call("GetResourcePolicy", ResourceArn=ARN) == {"Policy": POLICY, "RevisionId": first}
    assert call("PutResourcePolicy", ResourceArn=ARN, Policy=POLICY)["RevisionId"] == first
    second = call("PutResourcePolicy", ResourceArn=ARN, Policy=OTHER)["RevisionId"]
    assert int(second) > int(first)
    assert call("DeleteResourcePolicy", ResourceArn=ARN) == {"RevisionId": second}
    assert call("DeleteResourcePolicy", ResourceArn=ARN) == {}


def test_a_revision_can_be_expected(table: Any, call: Any) -> None:
    wrong = call.refused("PutResourcePolicy", ResourceArn=ARN, Policy=POLICY, ExpectedRevisionId="1")
    assert wrong[0] == "PolicyNotFoundException"
    none = {"ResourceArn": ARN, "Policy": POLICY, "ExpectedRevisionId": "NO_POLICY"}
    revision = call("PutResourcePolicy", **none)["RevisionId"]
    assert call.refused("PutResourcePolicy", **none)[0] == "PolicyNotFoundException"
    assert call.refused("DeleteResourcePolicy", ResourceArn=ARN, ExpectedRevisionId="1")[0] == "PolicyNotFoundException"
    assert call("DeleteResourcePolicy", ResourceArn=ARN, ExpectedRevisionId=revision)["RevisionId"] == revision


def test_a_table_can_be_born_with_a_policy(call: Any, table_definition: Any) -> None:
    call("CreateTable", **table_definition("App"), ResourcePolicy=POLICY)
    assert call("GetResourcePolicy", ResourceArn=ARN)["Policy"] == POLICY


def test_a_stream_has_a_policy_of_its_own(call: Any, table_definition: Any) -> None:
    stream = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
    made = call("CreateTable", **table_definition("App"), StreamSpecification=stream)["TableDescription"]
    call("PutResourcePolicy", ResourceArn=made["LatestStreamArn"], Policy=POLICY)
    assert call.refused("GetResourcePolicy", ResourceArn=ARN)[0] == "PolicyNotFoundException"
    assert call("GetResourcePolicy", ResourceArn=made["LatestStreamArn"])["Policy"] == POLICY


@pytest.mark.parametrize("wrong", ["", "{", "[]", "{}", json.dumps({"Statement": ["x" * 20_480]})])
def test_texts_that_are_no_policy(table: Any, call: Any, wrong: str) -> None:
    assert call.refused("PutResourcePolicy", ResourceArn=ARN, Policy=wrong)[0] == "ValidationException"


def test_a_policy_is_of_something(call: Any) -> None:
    assert call.refused("GetResourcePolicy", ResourceArn=ARN)[0] == "ResourceNotFoundException"
    assert call.refused("GetResourcePolicy", ResourceArn="App")[0] == "ValidationException"
