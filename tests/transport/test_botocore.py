"""DynamoDB through botocore: what goes there and comes back, and what its errors become."""

from __future__ import annotations

import asyncio
import threading
from base64 import b64encode
from collections.abc import Iterator
from contextlib import closing
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
from tests.transport.http.rogue import Rogue, http, raw

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
        (sdk.ChecksumError(checksum_type="crc32", expected_checksum=1, actual_checksum=2), NetworkError, True),
        (sdk.IncompleteReadError(actual_bytes=1, expected_bytes=2), NetworkError, True),
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


# ------------------------------------------------------------------------------------------- others than DynamoDB


def real_client(url: str, mode: str = "standard") -> Any:
    """A client as applications make it, which does not retry."""
    config = Config(retries={"total_max_attempts": 1, "mode": mode})
    return get_session().create_client(
        "dynamodb",
        region_name="eu-west-1",
        endpoint_url=url,
        aws_access_key_id="x",
        aws_secret_access_key="x",
        config=config,
    )


FOREIGN = {
    "page": b"<html><body>Log in to use this network.</body></html>",
    "list": b"[]",
    "number": b"5",
    "null": b"null",
    "text": b'"x"',
    "cut": b'{"Item": {"PK"',
    "shape": b'{"Item": 5, "Attributes": 5}',
    "bytes": b"\xff\xfe",
    "nothing": b"",
}


@pytest.mark.parametrize("body", FOREIGN.values(), ids=list(FOREIGN))
@pytest.mark.parametrize("operation", ["GetItem", "PutItem"])
def test_a_reply_that_is_not_dynamodbs_is_no_empty_one(operation: str, body: bytes) -> None:
    """botocore takes some for empty ones, which say that there is no item or that it was written, and breaks on others."""
    more = {"Key": KEY} if operation == "GetItem" else {"Item": ITEM}
    with Rogue(raw(http(body))) as server, closing(real_client(server.url)) as client:
        with pytest.raises(NetworkError) as caught:
            BotocoreTransport(client).send(operation, {"TableName": "T", **more})
        assert caught.value.sent


@pytest.mark.parametrize("body", [b"{}", b"{ }\n"], ids=["usual", "spaced"])
def test_an_empty_reply_is_one(body: bytes) -> None:
    with Rogue(raw(http(body))) as server, closing(real_client(server.url)) as client:
        assert BotocoreTransport(client).send("GetItem", {"TableName": "T", "Key": KEY}) == {}


@pytest.mark.parametrize("mode", ["legacy", "standard"])
def test_a_damaged_reply_leaves_the_outcome_open(mode: str) -> None:
    """Only botocore's older way to retry looks at checksums."""
    with Rogue(raw(http(b"{}", x_amz_crc32="5"))) as server, closing(real_client(server.url, mode)) as client:
        transport = BotocoreTransport(client)
        if mode == "standard":
            assert transport.send("GetItem", {"TableName": "T", "Key": KEY}) == {}
        else:
            with pytest.raises(NetworkError, match="was damaged on its way"):
                transport.send("GetItem", {"TableName": "T", "Key": KEY})


@pytest.mark.parametrize("message", [["x"], None, 5, ""], ids=["list", "none", "number", "empty"])
def test_an_error_has_a_text_whatever_was_sent_as_one(message: Any) -> None:
    response = {"Error": {"Code": "Strange", "Message": message}, "ResponseMetadata": {"HTTPStatusCode": 404}}
    assert str(caught(sdk.ClientError(response, "PutItem"))) == "The service answered PutItem with status 404."


def test_what_a_handler_of_the_callers_raises_stays_what_it_is() -> None:
    def wrong(**_: Any) -> None:
        raise AttributeError("mine")

    with Rogue() as server, closing(real_client(server.url)) as client:
        client.meta.events.register("before-send.dynamodb", wrong)
        with pytest.raises(AttributeError, match="mine"):
            BotocoreTransport(client).send("GetItem", {"TableName": "T", "Key": KEY})
        assert server.requests == []


def test_the_client_of_a_resource_is_refused() -> None:
    """It turns values into Python's, and takes ours for maps."""
    import boto3

    resource: Any = boto3.resource(
        "dynamodb", region_name="eu-west-1", aws_access_key_id="x", aws_secret_access_key="x", endpoint_url="http://x"
    )
    with closing(resource.meta.client) as client, pytest.raises(ConfigError, match="boto3 resource"):
        BotocoreTransport(client)


def test_an_async_session_can_be_closed_while_a_request_is_under_way() -> None:
    """The event loop goes on meanwhile; what was not sent is not sent any more."""
    begun, go_on = threading.Event(), threading.Event()

    class Slow(Client):
        def _make_api_call(self, operation: str, request: Any) -> Any:
            begun.set()
            go_on.wait(5)
            return super()._make_api_call(operation, request)

    async def work() -> None:
        transport = AsyncBotocoreTransport(Slow(answer={}), threads=1)
        first = asyncio.create_task(transport.send("GetItem", {}))
        second = asyncio.create_task(transport.send("GetItem", {}))
        await asyncio.to_thread(begun.wait, 5)
        closing_it = asyncio.create_task(transport.close())
        await asyncio.sleep(0.01)
        assert not closing_it.done()
        go_on.set()
        await closing_it
        assert await first == {}
        with pytest.raises(ConfigError, match="closed"):
            await second
        with pytest.raises(ConfigError, match="closed"):
            await transport.send("GetItem", {})

    asyncio.run(work())
