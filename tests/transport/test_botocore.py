"""DynamoDB through botocore: what goes there and comes back, and what its errors become."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import Iterator
from typing import Any

import botocore.exceptions as sdk
import pytest
from botocore.config import Config
from botocore.parsers import ResponseParserError
from botocore.session import get_session

from tablewright.errors import (
    AccessRefused,
    ConditionalCheckFailed,
    ConfigError,
    InternalError,
    NetworkError,
    RequestRefused,
    ResourceNotFound,
    ServiceError,
    TablewrightError,
    Throttled,
    TransactionCanceled,
)
from tablewright.transport.botocore import AsyncBotocoreTransport, BotocoreTransport

BYTES = b64encode(b"\x00\x01").decode()
ITEM = {
    "PK": {"S": "a"},
    "SK": {"S": "b"},
    "s": {"S": "text"},
    "n": {"N": "12.5"},
    "b": {"B": BYTES},
    "t": {"BOOL": True},
    "z": {"NULL": True},
    "l": {"L": [{"B": BYTES}, {"L": []}]},
    "m": {"M": {"B": {"S": "a map with a key called B"}, "BS": {"BS": [BYTES]}}},
    "ss": {"SS": ["a", "b"]},
    "ns": {"NS": ["1", "2"]},
    "bs": {"BS": [BYTES]},
}
KEY = {"PK": {"S": "a"}, "SK": {"S": "b"}}


@pytest.fixture
def table(dynamodb_local: Any, fresh_table_name: str) -> Iterator[str]:
    """An empty table of DynamoDB Local."""
    dynamodb_local.create_table(
        TableName=fresh_table_name,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": n, "AttributeType": "S"} for n in ("PK", "SK")],
        KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
    )
    yield fresh_table_name
    dynamodb_local.delete_table(TableName=fresh_table_name)


def normal(value: Any) -> Any:
    """Sets in one order."""
    if isinstance(value, dict):
        return {k: sorted(v) if k in ("SS", "NS", "BS") else normal(v) for k, v in value.items()}
    return [normal(v) for v in value] if isinstance(value, list) else value


def test_every_type_goes_there_and_comes_back(dynamodb_local: Any, table: str) -> None:
    transport = BotocoreTransport(dynamodb_local)
    transport.send("PutItem", {"TableName": table, "Item": ITEM})
    found = transport.send("GetItem", {"TableName": table, "Key": KEY})
    assert normal(found) == {"Item": normal(ITEM)}
    assert normal(transport.send("Scan", {"TableName": table})["Items"]) == [normal(ITEM)]


def test_errors_become_ours(dynamodb_local: Any, table: str) -> None:
    transport = BotocoreTransport(dynamodb_local)
    transport.send("PutItem", {"TableName": table, "Item": ITEM})

    def fails(operation: str, **request: Any) -> TablewrightError:
        with pytest.raises(TablewrightError) as caught:
            transport.send(operation, request)
        assert caught.value.operation == operation
        assert caught.value.__cause__ is not None
        return caught.value

    new = {"ConditionExpression": "attribute_not_exists(PK)", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
    failed = fails("PutItem", TableName=table, Item=ITEM, **new)
    assert isinstance(failed, ConditionalCheckFailed)
    assert normal(failed.item) == normal(ITEM)
    canceled = fails("TransactWriteItems", TransactItems=[{"Put": {"TableName": table, "Item": ITEM, **new}}])
    assert isinstance(canceled, TransactionCanceled)
    (reason,) = canceled.reasons
    assert (reason.code, normal(reason.item)) == ("ConditionalCheckFailed", normal(ITEM))
    assert isinstance(fails("GetItem", TableName="NoSuchTable", Key=KEY), ResourceNotFound)
    refused = fails("GetItem", TableName=table, Key={"PK": {"S": "a"}})
    assert isinstance(refused, RequestRefused)
    assert refused.wire_name == "ValidationException"


def test_the_async_transport_is_the_same_and_runs_requests_at_once(dynamodb_local: Any, table: str) -> None:
    async def work() -> list[Any]:
        transport = AsyncBotocoreTransport(dynamodb_local)
        try:
            items = [{**KEY, "SK": {"S": str(n)}} for n in range(20)]
            await asyncio.gather(*(transport.send("PutItem", {"TableName": table, "Item": i}) for i in items))
            with pytest.raises(ResourceNotFound):
                await transport.send("GetItem", {"TableName": "NoSuchTable", "Key": KEY})
            found: list[Any] = (await transport.send("Scan", {"TableName": table}))["Items"]
            return found
        finally:
            await transport.close()

    assert len(asyncio.run(work())) == 20


# ------------------------------------------------------------------------------------------- without any service


class Client:
    """A client that fails."""

    def __init__(self, error: Exception | None = None, answer: dict[str, Any] | None = None) -> None:
        self.error = error
        self.answer = answer or {}
        self.closed = False

    def _make_api_call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        if self.error is not None:
            raise self.error
        return dict(self.answer)

    def close(self) -> None:
        self.closed = True


@pytest.mark.parametrize(
    ("operation", "request_"), [("Query", {}), ("BatchGetItem", {}), ("UpdateItem", {"ReturnValues": "ALL_NEW"})]
)
def test_an_answer_without_what_was_asked_for_is_none(operation: str, request_: dict[str, Any]) -> None:
    with pytest.raises(NetworkError, match=f"The reply to {operation} is not one that DynamoDB gives"):
        BotocoreTransport(Client()).send(operation, request_)


def caught(error: Exception) -> TablewrightError:
    with pytest.raises(TablewrightError) as found:
        BotocoreTransport(Client(error)).send("PutItem", {})
    return found.value


def service(code: str, status: int = 400, **more: Any) -> Exception:
    response = {"Error": {"Code": code, "Message": "no"}, "ResponseMetadata": {"HTTPStatusCode": status}, **more}
    error: Exception = sdk.ClientError(response, "PutItem")
    return error


@pytest.mark.parametrize(
    ("error", "kind", "sent"),
    [
        (sdk.ConnectTimeoutError(endpoint_url="x"), NetworkError, False),
        (sdk.EndpointConnectionError(endpoint_url="x"), NetworkError, False),
        (sdk.ReadTimeoutError(endpoint_url="x"), NetworkError, True),
        (sdk.ConnectionClosedError(endpoint_url="x"), NetworkError, True),
        (ResponseParserError("x"), NetworkError, True),
        (sdk.NoCredentialsError(), ConfigError, None),
        (sdk.CredentialRetrievalError(provider="x", error_msg="y"), ConfigError, None),
        (sdk.ParamValidationError(report="the value s3cr3t is wrong"), RequestRefused, None),
        (service("ThrottlingException"), Throttled, None),
        (service("ProvisionedThroughputExceededException"), Throttled, None),
        (service("UnrecognizedClientException"), AccessRefused, None),
        (service("InternalServerError", 500), InternalError, None),
        (service("SomethingNew", 503), InternalError, None),
        (service("SomethingNew"), ServiceError, None),
        (service("TransactionCanceledException"), TransactionCanceled, None),
    ],
    ids=lambda value: getattr(value, "__name__", type(value).__name__),
)
def test_failures_are_sorted(error: Exception, kind: type[TablewrightError], sent: bool | None) -> None:
    found = caught(error)
    assert type(found) is kind
    assert found.__cause__ is error
    assert getattr(found, "sent", None) is sent
    assert "s3cr3t" not in str(found)


def test_a_client_of_the_callers_own_stays_open() -> None:
    own = Client()
    BotocoreTransport(own).close()

    async def work() -> None:
        await AsyncBotocoreTransport(own).close()

    asyncio.run(work())
    assert not own.closed


def test_nothing_of_the_sdk_is_in_a_response() -> None:
    answer = {"ResponseMetadata": {"RequestId": "x"}, "Item": {"b": {"B": b"\x00\x01"}}}
    assert BotocoreTransport(Client(answer=answer)).send("GetItem", {}) == {"Item": {"b": {"B": BYTES}}}


@pytest.mark.parametrize(
    ("retries", "warned"),
    [(None, True), ({"total_max_attempts": 1}, False), ({"max_attempts": 0}, False), ({"mode": "standard"}, True)],
    ids=["default", "off", "none", "standard"],
)
def test_a_client_that_retries_by_itself_is_warned_of(
    retries: dict[str, Any] | None, warned: bool, caplog: pytest.LogCaptureFixture
) -> None:
    client = get_session().create_client(
        "dynamodb",
        region_name="eu-west-1",
        aws_access_key_id="x",
        aws_secret_access_key="x",
        config=Config(retries=retries) if retries is not None else None,
    )
    BotocoreTransport(client)
    client.close()
    assert ("retries by itself" in caplog.text) is warned
