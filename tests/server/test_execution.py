"""What may take long runs aside: whoever asks for little is answered meanwhile, and each connection in its order."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tablewright.engine import Engine, open_engine
from tablewright.server import Server, serve_in_thread
from tests.engine.waiting import eventually
from tests.server.wire import TABLE, Wire, key, message

NAME = TABLE["TableName"]
KEYED = {
    "TableName": NAME,
    "KeyConditionExpression": "pk = :p",
    "ExpressionAttributeValues": {":p": {"S": "a"}},
}
OLD_KEYED = {
    "TableName": NAME,
    "KeyConditions": {"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}},
}
NULL = {"n": {"ComparisonOperator": "NULL"}}
HEAVY: dict[str, tuple[str, dict[str, Any]]] = {
    "scan": ("Scan", {"TableName": NAME}),
    "filtered query": ("Query", {**KEYED, "FilterExpression": "attribute_not_exists(n)"}),
    "query with an old filter": ("Query", {**OLD_KEYED, "QueryFilter": NULL}),
    "select": ("ExecuteStatement", {"Statement": f' select * FROM "{NAME}"'}),
    "many keys": ("BatchGetItem", {"RequestItems": {NAME: {"Keys": [key("a", n) for n in range(60)]}}}),
    "description": ("DescribeTable", {"TableName": NAME}),
}
LIGHT: dict[str, tuple[str, dict[str, Any]]] = {
    "get": ("GetItem", {"TableName": NAME, "Key": key("a")}),
    "query": ("Query", KEYED),
    "few keys": ("BatchGetItem", {"RequestItems": {NAME: {"Keys": [key("a", n) for n in range(10)]}}}),
}


class Door:
    """Requests are carried out by the engine itself once the door is open; it notes by which threads."""

    def __init__(self) -> None:
        self.reached, self.open = threading.Event(), threading.Event()
        self.operations: frozenset[str] = frozenset()
        self.threads: list[str] = []

    def close(self, operation: str) -> None:
        self.reached.clear()
        self.open.clear()
        self.operations = frozenset({operation})


@pytest.fixture
def door(server: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[Door]:
    """A door before every engine."""
    door = Door()
    answer = Engine.answer

    def guarded(self: Engine, operation: str, request: Mapping[str, Any], *, region: str = "local") -> bytes:
        door.threads.append(threading.current_thread().name)
        if operation in door.operations:
            door.reached.set()
            assert door.open.wait(5)
        return answer(self, operation, request, region=region)

    monkeypatch.setattr(Engine, "answer", guarded)
    server.engine.execute("PutItem", {"TableName": NAME, "Item": key("a")})
    yield door
    door.open.set()


@pytest.mark.parametrize("kind", HEAVY)
def test_a_heavy_read_holds_up_nobody_else(server: Server, door: Door, kind: str) -> None:
    operation, request = HEAVY[kind]
    door.close(operation)
    with Wire(server.url) as slow, Wire(server.url, timeout=3) as quick:
        slow.send(message(operation, request) + message("ListTables"))
        assert door.reached.wait(5)
        assert quick.call("GetItem", {"TableName": NAME, "Key": key("a")}).json == {"Item": key("a")}
        assert quick.call("PutItem", {"TableName": NAME, "Item": key("b")}).status == 200
        if operation != "Query":
            assert quick.call("Query", KEYED).json["Count"] == 1
        door.open.set()
        first = slow.receive()
        assert first.status == 200
        assert "TableNames" not in first.json
        assert slow.receive().json["TableNames"] == [NAME]


@pytest.mark.parametrize("kind", LIGHT)
def test_a_light_read_needs_no_other_thread(server: Server, door: Door, wire: Wire, kind: str) -> None:
    assert wire.call(*LIGHT[kind]).status == 200
    assert door.threads == ["tablewright-server"]


@pytest.mark.parametrize(
    ("operation", "request_"),
    [
        ("BatchGetItem", {"RequestItems": [1]}),
        ("BatchGetItem", {"RequestItems": {"Things": 1}}),
        ("ExecuteStatement", {"Statement": 1}),
        ("Scan", {"TableName": 1}),
        ("DescribeTable", {"TableName": []}),
        ("Query", {"TableName": NAME, "FilterExpression": 1}),
    ],
    ids=["list", "no part", "no text", "no name", "a list", "no filter"],
)
def test_a_malformed_read_is_refused_as_any(wire: Wire, operation: str, request_: dict[str, Any]) -> None:
    reply = wire.call(operation, request_)
    assert (reply.status, reply.error) == (400, "SerializationException")


def test_a_client_that_leaves_during_a_heavy_read_takes_nothing_along(server: Server, door: Door) -> None:
    before = server._connections.unsent
    door.close("Scan")
    with Wire(server.url) as gone:
        gone.send(message("Scan", {"TableName": NAME}))
        assert door.reached.wait(5)
    door.open.set()
    with Wire(server.url) as wire:
        assert wire.call("Scan", {"TableName": NAME}).status == 200
    # The read of the one who left may take longer than the next one.
    assert eventually(lambda: server._connections.unsent <= max(before, 64 * 1024))


@pytest.mark.parametrize("errand", ["reset", "sweep"])
def test_an_errand_that_waits_for_a_locked_file_holds_up_nobody(tmp_path: Path, errand: str) -> None:
    file = tmp_path / "tables.db"
    with open_engine(file) as engine:
        engine.execute("CreateTable", TABLE)
        ttl = {"TableName": NAME, "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "until"}}
        engine.execute("UpdateTimeToLive", ttl)
        engine.execute("PutItem", {"TableName": NAME, "Item": key("old") | {"until": {"N": "1700000000"}}})
    with (
        serve_in_thread(file, allow_reset=True) as server,
        Wire(server.url, timeout=20) as slow,
        Wire(server.url, timeout=2) as quick,
    ):
        with closing(sqlite3.connect(file, isolation_level=None)) as foreign:
            foreign.execute("BEGIN IMMEDIATE")
            slow.send(f"POST /_tablewright/{errand} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n".encode())
            for _ in range(5):
                assert quick.call("ListTables").status == 200
            foreign.execute("ROLLBACK")
        expected = {"reset": {"TableNames": [NAME]}, "sweep": {"Deleted": 1}}
        assert json.loads(slow.receive().body) == expected[errand]
