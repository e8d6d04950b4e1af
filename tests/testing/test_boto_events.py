"""Handlers of the SDK's events: in process they are called as they are over HTTP, with the same things in hand."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import boto3
import pytest
from botocore.awsrequest import AWSResponse
from botocore.config import Config
from botocore.exceptions import ClientError, ConnectionClosedError
from botocore.stub import Stubber

from tablewright.engine import Engine, open_engine
from tablewright.server import serve_in_thread
from tablewright.testing import LostReply, Throttle, boto3_in_process
from tests.testing.accounts import NOTES

EVENTS = (
    "provide-client-params",
    "before-parameter-build",
    "before-endpoint-resolution",
    "before-call",
    "request-created",
    "choose-signer",
    "before-sign",
    "before-send",
    "before-parse",
    "response-received",
    "needs-retry",
    "after-call",
    "after-call-error",
)
ITEM = {"id": {"S": "1"}, "data": {"B": b"\x00\xff"}}
PUT = {"TableName": "Notes", "Item": ITEM}

Connect = Callable[..., Any]


def client_at(url: str | None, **config: Any) -> Any:
    session = boto3.session.Session("testing", "testing", region_name="eu-west-1")
    return session.client("dynamodb", endpoint_url=url, config=Config(**config))


@pytest.fixture(params=["over HTTP", "in process"])
def way(request: pytest.FixtureRequest) -> Iterator[tuple[Engine, Connect]]:
    """An engine with a table, and what makes a client that reaches it."""
    with open_engine("memory:") as engine:
        engine.execute("CreateTable", NOTES)
        clients: list[Any] = []

        def connect(**config: Any) -> Any:
            clients.append(client_at(url, **config))
            return clients[-1]

        if request.param == "in process":
            url = None
            with boto3_in_process(engine):
                yield engine, connect
        else:
            with serve_in_thread(engine) as server:
                url = server.url
                yield engine, connect
        for client in clients:
            client.close()


def record(client: Any, *events: str) -> list[tuple[str, ...]]:
    """A list that grows with every event, its name and what came with it."""
    heard: list[tuple[str, ...]] = []

    def hear(event_name: str, **given: Any) -> None:
        heard.append((event_name, *sorted(given), *sorted(given.get("context", ()))))

    for event in events:
        client.meta.events.register(f"{event}.dynamodb", hear)
    return heard


@pytest.mark.parametrize("deepest", ["before-parameter-build", "before-call", "before-send", "needs-retry"])
@pytest.mark.parametrize("outcome", ["answer", "refusal", "loss"])
def test_the_same_events_in_the_same_order(deepest: str, outcome: str) -> None:
    listened = (*EVENTS[: EVENTS.index(deepest) + 1], "after-call", "after-call-error")
    heard: list[list[tuple[str, ...]]] = []
    with open_engine("memory:") as engine, serve_in_thread(engine) as server:
        engine.execute("CreateTable", NOTES)
        if outcome == "loss":
            engine.faults.inject(LostReply())
        for url in (server.url, None):
            client = client_at(url, retries={"total_max_attempts": 1})
            heard.append(record(client, *listened))
            if url is None:
                with boto3_in_process(engine):
                    ask(client, outcome)
            else:
                ask(client, outcome)
            client.close()
    over_http, in_process = heard
    assert [names[0] for names in in_process] == [names[0] for names in over_http]
    for mine, theirs in zip(in_process, over_http, strict=True):
        # What signing and sending leave in the context, unless they are watched.
        more = {"retries", "timestamp"} if deepest in ("before-parameter-build", "before-call") else set[str]()
        assert set(theirs) - more == set(mine)


def ask(client: Any, outcome: str) -> None:
    if outcome == "answer":
        client.put_item(**PUT)
        return
    with pytest.raises((ClientError, ConnectionClosedError)):
        client.put_item(**PUT, ConditionExpression="attribute_exists(nothing)")


@pytest.mark.parametrize("event", ["provide-client-params", "before-parameter-build"])
def test_parameters_can_be_changed(way: tuple[Engine, Connect], event: str) -> None:
    engine, connect = way
    client = connect()

    def add(params: dict[str, Any], **_: Any) -> None:
        params["Item"]["added"] = {"S": event}

    client.meta.events.register(f"{event}.dynamodb.PutItem", add)
    client.put_item(TableName="Notes", Item={"id": {"S": "1"}})
    (stored,) = engine.execute("Scan", {"TableName": "Notes"})["Items"]
    assert stored == {"id": {"S": "1"}, "added": {"S": event}}


def test_the_request_can_be_seen_and_changed_before_the_call(way: tuple[Engine, Connect]) -> None:
    engine, connect = way
    client = connect()
    seen: list[dict[str, Any]] = []

    def change(params: dict[str, Any], model: Any, context: dict[str, Any], request_signer: Any, **_: Any) -> None:
        seen.append(params)
        body = json.loads(params["body"])
        assert (model.name, context["client_region"]) == ("PutItem", "eu-west-1")
        assert request_signer.region_name == "eu-west-1"
        assert body["Item"]["data"] == {"B": "AP8="}
        body["Item"]["added"] = {"S": "on the way"}
        params["body"] = json.dumps(body).encode()

    client.meta.events.register("before-call.dynamodb.PutItem", change)
    assert client.put_item(**PUT)["ResponseMetadata"]["HTTPStatusCode"] == 200
    assert seen[0]["headers"]["X-Amz-Target"] == "DynamoDB_20120810.PutItem"
    assert seen[0]["method"] == "POST"
    (stored,) = engine.execute("Scan", {"TableName": "Notes"})["Items"]
    assert stored["added"] == {"S": "on the way"}
    assert client.get_item(TableName="Notes", Key={"id": {"S": "1"}})["Item"]["data"] == {"B": b"\x00\xff"}
    assert len(seen) == 1


@pytest.mark.parametrize("status", [200, 400])
def test_a_handler_can_answer_before_the_call(way: tuple[Engine, Connect], status: int) -> None:
    engine, connect = way
    client = connect()
    told = {"Error": {"Code": "ConditionalCheckFailedException", "Message": "Not today"}, "Mine": True}
    http = AWSResponse("http://nowhere", status, {}, None)
    client.meta.events.register("before-call.dynamodb.PutItem", lambda **_: (http, told))
    heard: list[Any] = []
    client.meta.events.register("after-call.dynamodb.PutItem", lambda parsed, **_: heard.append(parsed))
    if status == 200:
        assert client.put_item(**PUT)["Mine"]
    else:
        with pytest.raises(client.exceptions.ConditionalCheckFailedException, match="Not today"):
            client.put_item(**PUT)
    assert heard == [told]
    assert engine.execute("Scan", {"TableName": "Notes"})["Count"] == 0


def test_a_handler_that_goes_away_is_not_asked_again(way: tuple[Engine, Connect]) -> None:
    engine, connect = way
    client = connect()

    def answer(**_: Any) -> Any:
        return AWSResponse("http://nowhere", 200, {}, None), {"Mine": True}

    client.put_item(**PUT)
    client.meta.events.register("before-call.*.PutItem", answer)
    assert client.put_item(**PUT) == {"Mine": True}
    client.meta.events.unregister("before-call.*.PutItem", answer)
    assert "Mine" not in client.put_item(**PUT)
    assert engine.execute("Scan", {"TableName": "Notes"})["Count"] == 1


def test_what_is_sent_can_be_seen_and_changed(way: tuple[Engine, Connect]) -> None:
    _, connect = way
    client = connect()
    sent: list[Any] = []

    def see(request: Any, **_: Any) -> None:
        request.headers["X-Mine"] = b"1"
        sent.append(request)

    client.meta.events.register("before-send.dynamodb.PutItem", see)
    client.put_item(**PUT)
    assert b"AWS4-HMAC-SHA256" in sent[0].headers["Authorization"]
    assert json.loads(sent[0].body)["Item"]["id"] == {"S": "1"}
    with pytest.raises(client.exceptions.ConditionalCheckFailedException) as refused:
        client.put_item(
            **PUT,
            ConditionExpression="attribute_not_exists(id)",
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
    assert refused.value.response["Item"] == ITEM
    assert refused.value.response["Error"]["Message"] == "The conditional request failed"
    assert client.describe_table(TableName="Notes")["Table"]["CreationDateTime"].year >= 2025
    assert len(sent) == 2


def test_a_handler_can_answer_in_the_place_of_the_network(way: tuple[Engine, Connect]) -> None:
    _, connect = way
    client = connect()

    class Body:
        def stream(self) -> Iterator[bytes]:
            yield b'{"Item": {"id": {"S": "mine"}}}'

    client.meta.events.register(
        "before-send.dynamodb.GetItem", lambda request, **_: AWSResponse(request.url, 200, {}, Body())
    )
    assert client.get_item(TableName="Nowhere", Key={"id": {"S": "1"}})["Item"] == {"id": {"S": "mine"}}


def test_retries_are_seen_by_who_watches_the_network(way: tuple[Engine, Connect]) -> None:
    engine, connect = way
    client = connect(retries={"mode": "standard", "total_max_attempts": 3})
    attempts: list[int] = []
    client.meta.events.register("needs-retry.dynamodb.PutItem", lambda attempts_=attempts, **_: attempts_.append(1))
    with engine.faults.inject(Throttle(first=1)) as fault, engine.faults.inject(LostReply(nth=2)):
        answer = client.put_item(**PUT)
    assert fault.seen == len(attempts) == 3
    assert answer["ResponseMetadata"]["RetryAttempts"] == 2


def test_the_sdks_own_stubs_answer(way: tuple[Engine, Connect]) -> None:
    _, connect = way
    client = connect()
    with Stubber(client) as stubber:
        stubber.add_response(
            "get_item", {"Item": {"id": {"S": "stub"}}}, {"TableName": "Notes", "Key": {"id": {"S": "1"}}}
        )
        stubber.add_client_error("put_item", "ProvisionedThroughputExceededException")
        assert client.get_item(TableName="Notes", Key={"id": {"S": "1"}})["Item"] == {"id": {"S": "stub"}}
        with pytest.raises(client.exceptions.ProvisionedThroughputExceededException):
            client.put_item(**PUT)
    assert "Item" not in client.get_item(TableName="Notes", Key={"id": {"S": "1"}})


def test_resources_work_with_handlers_too(way: tuple[Engine, Connect]) -> None:
    _, connect = way
    url = connect().meta.endpoint_url
    session = boto3.session.Session("testing", "testing", region_name="eu-west-1")
    resource = session.resource("dynamodb", endpoint_url=url)
    heard = record(resource.meta.client, "before-call", "before-send")
    table = resource.Table("Notes")
    table.put_item(Item={"id": "1", "data": b"\x01", "n": 7})
    assert table.get_item(Key={"id": "1"})["Item"]["data"].value == b"\x01"
    assert [one[0].partition(".")[0] for one in heard] == ["before-call", "before-send"] * 2
    resource.meta.client.close()
