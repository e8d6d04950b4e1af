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
    "select behind a comment": ("ExecuteStatement", {"Statement": f'-- all of it\nSELECT * FROM "{NAME}"'}),
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


def test_a_batch_is_as_heavy_however_it_is_written(server: Server, door: Door) -> None:
    operation, request = HEAVY["many keys"]
    door.close(operation)
    with Wire(server.url) as slow, Wire(server.url, timeout=3) as quick:
        slow.send(message(operation, body=json.dumps(request, indent=2).encode()))
        assert door.reached.wait(5)
        assert quick.call("GetItem", {"TableName": NAME, "Key": key("a")}).json == {"Item": key("a")}
        door.open.set()
        assert slow.receive().status == 200


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


def put(name: str) -> tuple[str, dict[str, Any]]:
    return "PutItem", {"TableName": NAME, "Item": key(name)}


@pytest.fixture
def written_by(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The threads that carry out writes."""
    threads: list[str] = []
    for name in ("execute_together", "execute_at_once"):
        carried_out = getattr(Engine, name)

        def noted(self: Engine, calls: Any, carried_out: Any = carried_out) -> Any:
            done = carried_out(self, calls)
            if done is not None:
                threads.append(threading.current_thread().name)
            return done

        monkeypatch.setattr(Engine, name, noted)
    return threads


@pytest.mark.parametrize(("seconds", "aside"), [(0.0, False), (0.1, True)])
def test_writes_to_a_slow_disk_have_a_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written_by: list[str], seconds: float, aside: bool
) -> None:
    monkeypatch.setattr(Engine, "commit_seconds", property(lambda _: seconds))
    with open_engine(tmp_path / "tables.db") as engine, serve_in_thread(engine) as server, Wire(server.url) as wire:
        engine.execute("CreateTable", TABLE)
        for name in "abc":
            assert wire.call(*put(name)).status == 200
        assert [thread == "tablewright-writer" for thread in written_by] == [aside] * 3


def test_writes_that_wait_for_a_locked_file_hold_up_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written_by: list[str]
) -> None:
    monkeypatch.setattr(Engine, "commit_seconds", property(lambda _: 0.0))
    file = tmp_path / "tables.db"
    with (
        open_engine(file) as engine,
        serve_in_thread(engine) as server,
        Wire(server.url, timeout=20) as slow,
        Wire(server.url, timeout=20) as other,
        Wire(server.url, timeout=2) as quick,
    ):
        engine.execute("CreateTable", TABLE)
        assert slow.call(*put("before")).status == 200
        with closing(sqlite3.connect(file, isolation_level=None)) as foreign:
            foreign.execute("BEGIN IMMEDIATE")
            slow.send(message(*put("a")))
            other.send(message(*put("b")))
            for _ in range(5):
                found = quick.call("GetItem", {"TableName": NAME, "Key": key("before")}).json
                assert found == {"Item": key("before")}
            foreign.execute("ROLLBACK")
        assert slow.receive().status == other.receive().status == 200
        assert set(written_by[1:]) == {"tablewright-writer"}
        assert quick.call(*put("after")).status == 200
        assert written_by[-1] != "tablewright-writer"
        scanned = quick.call("Scan", {"TableName": NAME, "Select": "COUNT"}).json
        assert scanned["Count"] == 4


def test_many_writers_share_commits_and_lose_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # By turns as a quick disk and as a slow one, so that writes move between the loop and the thread.
    turns = iter(range(10**9))
    monkeypatch.setattr(Engine, "commit_seconds", property(lambda _: 0.0 if next(turns) // 3 % 2 else 1.0))
    with open_engine(tmp_path / "tables.db") as engine, serve_in_thread(engine, max_group=5) as server:
        engine.execute("CreateTable", TABLE)
        counter = key("counter")
        add = {
            "TableName": NAME,
            "Key": counter,
            "UpdateExpression": "ADD n :one",
            "ExpressionAttributeValues": {":one": {"N": "1"}},
            "ReturnValues": "UPDATED_NEW",
        }
        seen: list[int] = []

        def count() -> None:
            with Wire(server.url) as wire:
                for _ in range(25):
                    seen.append(int(wire.call("UpdateItem", add).json["Attributes"]["n"]["N"]))

        threads = [threading.Thread(target=count) for _ in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(seen) == list(range(1, 301))
        assert engine.verify() == []
