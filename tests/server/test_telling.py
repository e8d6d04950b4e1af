"""What a verbose server writes: a line a request, with operation, table, status and error, and nothing of any value."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator

import pytest

from tablewright.engine.faults import LostReply
from tablewright.server import Server, serve_in_thread
from tests.server.wire import TABLE, Wire, key, message

LINE = re.compile(r"\d\d:\d\d:\d\d (.+) (\d{3}|no reply) \d+\.\d ms ?(\w*)")
NAME = TABLE["TableName"]


@pytest.fixture
def loud() -> Iterator[Server]:
    """A verbose server with one table."""
    with serve_in_thread("memory:", verbose=True, allow_reset=True) as server:
        server.engine.execute("CreateTable", TABLE)
        yield server


def told(capfd: pytest.CaptureFixture[str]) -> list[tuple[str, str, str]]:
    lines = capfd.readouterr().err.splitlines()
    assert "secret" not in "".join(lines)
    found = [LINE.fullmatch(line) for line in lines]
    assert None not in found, lines
    return [(one[1], one[2], one[3]) for one in found if one is not None]


def test_a_line_for_every_request(loud: Server, capfd: pytest.CaptureFixture[str]) -> None:
    item = key("secret") | {"more": {"S": "secret" * 1000}}
    with Wire(loud.url) as wire:
        wire.call("PutItem", {"TableName": NAME, "Item": item})
        wire.call("GetItem", {"TableName": NAME, "Key": key("secret")})
        wire.call("PutItem", {"TableName": NAME, "Item": item, "ConditionExpression": "attribute_not_exists(pk)"})
        batch = {"RequestItems": {NAME: [{"PutRequest": {"Item": item}}], "Other": [{"DeleteRequest": {"Key": item}}]}}
        wire.call("BatchWriteItem", batch)
        wire.call("ExecuteStatement", {"Statement": f"SELECT * FROM {NAME} WHERE pk = 'secret'"})
        wire.call("ListTables")
        wire.call("PaintTable", {"TableName": NAME})
        wire.call("GetItem", {"TableName": "a secret\nline", "Key": {}})
        wire.call("ListTables", Content_Type="text/plain")
        wire.send(b"GET /ping?secret=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        wire.receive()
        wire.send(b"POST /_tablewright/sweep HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
        wire.receive()
    assert told(capfd) == [
        (f"PutItem {NAME}", "200", ""),
        (f"GetItem {NAME}", "200", ""),
        (f"PutItem {NAME}", "400", "ConditionalCheckFailedException"),
        (f"BatchWriteItem {NAME},Other", "400", "ResourceNotFoundException"),
        (f"ExecuteStatement {NAME}", "200", ""),
        ("ListTables", "200", ""),
        (f"PaintTable {NAME}", "400", "UnknownOperationException"),
        ("GetItem ?", "400", "ValidationException"),
        ("ListTables", "404", "UnknownOperationException"),
        ("GET /ping", "200", ""),
        ("POST /_tablewright/sweep", "200", ""),
    ]


def test_packed_requests_and_replies_are_read_too(loud: Server, capfd: pytest.CaptureFixture[str]) -> None:
    packed = gzip.compress(json.dumps({"TableName": NAME, "Key": key("a")}).encode())
    actions = [
        {"ConditionCheck": {"TableName": NAME, "Key": key(f"secret{n}"), "ConditionExpression": "attribute_exists(pk)"}}
        for n in range(60)
    ]
    with Wire(loud.url) as wire:
        assert wire.call("GetItem", body=packed, Content_Encoding="gzip").status == 200
        refused = wire.call("TransactWriteItems", {"TransactItems": actions}, Accept_Encoding="gzip")
        assert refused.headers["content-encoding"] == "gzip"
    assert told(capfd) == [
        (f"GetItem {NAME}", "200", ""),
        (f"TransactWriteItems {NAME}", "400", "TransactionCanceledException"),
    ]


def test_a_reply_that_is_lost_is_told(loud: Server, capfd: pytest.CaptureFixture[str]) -> None:
    with loud.engine.faults.inject(LostReply()), Wire(loud.url) as wire:
        wire.send(message("GetItem", {"TableName": NAME, "Key": key("a")}))
        assert wire.is_closed()
    assert told(capfd) == [(f"GetItem {NAME}", "no reply", "")]


def test_without_it_nothing_is_written(capfd: pytest.CaptureFixture[str]) -> None:
    with serve_in_thread("memory:") as server, Wire(server.url) as wire:
        wire.call("ListTables")
    assert capfd.readouterr().err == ""
