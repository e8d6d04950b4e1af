"""What the engine's tests share: engines in memory and in a file, a table with every kind of index, short calls."""

from __future__ import annotations

import http.client
import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tablewright.engine import Engine, open_engine
from tablewright.errors import ServiceError
from tests.engine.timed_lab import Lab, MovingClock

ALL = {"ProjectionType": "ALL"}
OF_STREAMS = ("DescribeStream", "GetRecords", "GetShardIterator", "ListStreams")


def definition(name: str) -> dict[str, Any]:
    """A table with a number as sort key, two global indexes (one with four key attributes) and two local ones."""

    def keys(**roles: str) -> list[dict[str, str]]:
        return [{"AttributeName": attribute, "KeyType": role} for attribute, role in roles.items()]

    types = {"pk": "S", "sk": "N", "g": "S", "r": "S", "h": "N", "l": "S"}
    return {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": n, "AttributeType": t} for n, t in types.items()],
        "KeySchema": keys(pk="HASH", sk="RANGE"),
        "GlobalSecondaryIndexes": [
            {
                "IndexName": "ByGroup",
                "KeySchema": keys(g="HASH", r="RANGE"),
                "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["inc"]},
            },
            {
                "IndexName": "ByFour",
                "KeySchema": keys(g="HASH", h="HASH", r="RANGE", sk="RANGE"),
                "Projection": {"ProjectionType": "KEYS_ONLY"},
            },
        ],
        "LocalSecondaryIndexes": [
            {"IndexName": "ByLocal", "KeySchema": keys(pk="HASH", l="RANGE"), "Projection": ALL},
            {
                "IndexName": "ByLocalKeys",
                "KeySchema": keys(pk="HASH", r="RANGE"),
                "Projection": {"ProjectionType": "KEYS_ONLY"},
            },
        ],
    }


class Caller:
    """Calls an engine: `call("GetItem", TableName=…)` for the response, `call.refused(…)` for name and message."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def __call__(self, operation: str, **request: Any) -> dict[str, Any]:
        return self.engine.execute(operation, request)

    def error(self, operation: str, **request: Any) -> ServiceError:
        with pytest.raises(ServiceError) as caught:
            self.engine.execute(operation, request)
        return caught.value

    def refused(self, operation: str, **request: Any) -> tuple[str, str]:
        error = self.error(operation, **request)
        return error.wire_name, error.message


class Table(Caller):
    """A Caller that fills in the table's name."""

    def __init__(self, engine: Engine, name: str) -> None:
        super().__init__(engine)
        self.name = name

    def __call__(self, operation: str, **request: Any) -> dict[str, Any]:
        return super().__call__(operation, TableName=self.name, **request)

    def error(self, operation: str, **request: Any) -> ServiceError:
        return super().error(operation, TableName=self.name, **request)

    def put(self, **attributes: Any) -> None:
        self("PutItem", Item=attributes)

    def get(self, pk: str, sk: int) -> dict[str, Any] | None:
        item: dict[str, Any] | None = self("GetItem", Key={"pk": {"S": pk}, "sk": {"N": str(sk)}}).get("Item")
        return item


@pytest.fixture(params=["memory", "file"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    """An engine in memory, then one in a file."""
    target = "memory:" if request.param == "memory" else str(tmp_path / "tables.db")
    with open_engine(target, synchronous="NORMAL") as opened:
        yield opened
        assert opened.verify() == []


@pytest.fixture
def call(engine: Engine) -> Caller:
    """Calls the engine."""
    return Caller(engine)


@pytest.fixture
def table(engine: Engine) -> Table:
    """A table with every kind of index."""
    engine.execute("CreateTable", definition("App"))
    return Table(engine, "App")


@pytest.fixture
def table_definition() -> Callable[[str], dict[str, Any]]:
    """Makes CreateTable requests for a table with every kind of index."""
    return definition


@pytest.fixture
def reference(dynamodb_local_url: str) -> Iterator[Callable[[str, dict[str, Any]], tuple[str, dict[str, Any]]]]:
    """Sends a request to DynamoDB Local as JSON; gives the error's name ("" for success) and the body.

    The tables are the process's own: tests that run at the same time may drop and make tables of one name.
    """
    address = urlsplit(dynamodb_local_url)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=60)
    key = f"reference{os.getpid()}"
    credential = f"Credential={key}/20250101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0"

    def send(operation: str, request: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        name, body = send_once(operation, request)
        # Where others make and drop tables at the same time Local may break in the middle; then it is asked again.
        for _ in range(10 if operation in ("CreateTable", "DeleteTable", "UpdateTable") else 0):
            if name != "InternalFailure":
                break
            time.sleep(0.1)
            if operation == "CreateTable":
                send_once("DeleteTable", {"TableName": request.get("TableName")})
            name, body = send_once(operation, request)
        return name, body

    def send_once(operation: str, request: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        headers = {
            "X-Amz-Target": f"{'DynamoDBStreams' if operation in OF_STREAMS else 'DynamoDB'}_20120810.{operation}",
            "Content-Type": "application/x-amz-json-1.0",
            "Authorization": f"AWS4-HMAC-SHA256 {credential}",
        }
        connection.request("POST", "/", json.dumps(request), headers)
        body = json.loads(connection.getresponse().read())
        return body.get("__type", "").partition("#")[2], body

    yield send
    connection.close()


@pytest.fixture(params=["memory", "file"])
def lab(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Lab]:
    """An engine in memory, then one in a file, with a clock to move."""
    target = "memory:" if request.param == "memory" else str(tmp_path / "tables.db")
    clock = MovingClock()
    with open_engine(target, synchronous="NORMAL", clock=clock, sweep_every=None) as engine:
        yield Lab(engine, clock)
        assert engine.verify() == []


@pytest.fixture(scope="module")
def make_lab() -> Iterator[Callable[[], Lab]]:
    """Makes labs in memory, one at a time, for tests that need many."""
    opened: list[Engine] = []

    def make() -> Lab:
        for engine in opened:
            engine.close()
        clock = MovingClock()
        engine = open_engine("memory:", clock=clock, sweep_every=None)
        opened[:] = [engine]
        return Lab(engine, clock)

    yield make
    for engine in opened:
        engine.close()
