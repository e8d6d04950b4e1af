"""Requests that two readers could understand differently, and clients of other ages: one answer each, and nothing slips in."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest

from tablewright.engine import open_engine
from tablewright.engine.faults import Fault
from tablewright.server import Server, serve_in_thread
from tests.server.wire import TABLE, Wire, exchange, key, message

HEAD = "Host: localhost\r\nX-Amz-Target: DynamoDB_20120810.ListTables\r\nContent-Type: application/x-amz-json-1.0\r\n"
HIDDEN = message("PutItem", {"TableName": "Things", "Item": key("hidden")})


def request(*fields: str, start: str = "POST / HTTP/1.1", body: bytes = b"{}", line: bytes = b"\r\n") -> bytes:
    """A request with these fields besides the usual ones."""
    text = f"{start}\r\n{HEAD}" + "".join(f"{field}\r\n" for field in fields) + "\r\n"
    return text.encode("latin-1").replace(b"\r\n", line) + body


CHUNKS = b"2\r\n{}\r\n0\r\n\r\n"
ODD = {
    "length and chunks": request("Content-Length: 2", "Transfer-Encoding: chunked", body=CHUNKS),
    "chunks and length": request("Transfer-Encoding: chunked", "Content-Length: 2", body=CHUNKS),
    "length twice": request("Content-Length: 2", "Content-Length: 2"),
    "two lengths": request("Content-Length: 2", "Content-Length: 3"),
    "list of lengths": request("Content-Length: 2, 2"),
    "sign": request("Content-Length: +2"),
    "negative": request("Content-Length: -2"),
    "hexadecimal": request("Content-Length: 0x2"),
    "underscore": request("Content-Length: 1_0"),
    "empty length": request("Content-Length:"),
    "long length": request("Content-Length: 99999999999999999999999999"),
    "space before colon": request("Content-Length : 2"),
    "no chunks": request("Transfer-Encoding: xchunked", body=CHUNKS),
    "packed chunks": request("Transfer-Encoding: gzip, chunked", body=CHUNKS),
    "chunks not last": request("Transfer-Encoding: chunked, identity", body=CHUNKS),
    "chunks twice": request("Transfer-Encoding: chunked", "Transfer-Encoding: chunked", body=CHUNKS),
    "vertical tab": request("Transfer-Encoding: \x0bchunked", body=CHUNKS),
    "negative chunk": request("Transfer-Encoding: chunked", body=b"-2\r\n{}\r\n0\r\n\r\n"),
    "endless chunk": request("Transfer-Encoding: chunked", body=b"F" * 20 + b"\r\n{}\r\n0\r\n\r\n"),
    "chunks in lines": request("Transfer-Encoding: chunked", body=b"2\n{}\n0\n\n"),
    "chunk without end": request("Transfer-Encoding: chunked", body=b"2\r\n{}0\r\n\r\n"),
    "folded": request("X-Folded: a", " b", "Content-Length: 2"),
    "line feeds": request("Content-Length: 2", line=b"\n"),
    "carriage returns": request("Content-Length: 2", line=b"\r"),
    "no colon": request("Colonless", "Content-Length: 2"),
    "no name": request(": x", "Content-Length: 2"),
    "nul": request("X-Odd: a\0b", "Content-Length: 2"),
    "space in the URL": request("Content-Length: 2", start="POST /a b HTTP/1.1"),
    "unknown version": request("Content-Length: 2", start="POST / HTTP/1.2"),
    "small method": request("Content-Length: 2", start="post / HTTP/1.1"),
}


@pytest.mark.parametrize("name", ODD)
def test_what_could_be_read_in_two_ways_is_not_read(wire: Wire, name: str) -> None:
    wire.send(message("ListTables") + ODD[name] + HIDDEN)
    assert wire.receive().status == 200
    reply = wire.receive()
    assert (reply.status, reply.error, reply.headers["connection"]) == (400, "SerializationException", "close")
    assert wire.is_closed()


def test_nothing_was_slipped_in(server: Server) -> None:
    get = {"TableName": "Things", "Key": key("hidden"), "ConsistentRead": True}
    assert exchange(server.url, message("GetItem", get)).json == {}


@pytest.mark.parametrize(
    ("url", "host", "status"),
    [
        ("http://localhost/", "localhost", 200),
        ("http://localhost:8000", "localhost", 200),
        ("HTTP://127.0.0.1?x=y", "evil.example", 200),
        ("http://evil.example/", "localhost", 403),
        ("http://localhost@evil.example/", "localhost", 403),
        ("http://localhost/elsewhere", "localhost", 404),
    ],
)
def test_a_url_that_names_its_host(wire: Wire, url: str, host: str, status: int) -> None:
    wire.send(f"GET {url} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    assert wire.receive().status == status
    if status != 404:
        wire.send(message("ListTables", host=host).replace(b"POST / ", f"POST {url} ".encode()))
        assert wire.receive().status == status


def test_clients_from_before_1_1(server: Server) -> None:
    old = message("ListTables", Connection="keep-alive", Expect="100-continue").replace(b"HTTP/1.1", b"HTTP/1.0")
    with Wire(server.url) as wire:
        wire.send(old + old)
        assert [wire.receive().status for _ in range(2)] == [200, 200]
        assert wire.call("ListTables").status == 200


def test_errors_in_the_middle_of_a_pipeline_stop_nothing(wire: Wire) -> None:
    wire.send(
        message("ListTables")
        + message("Nothing")
        + message("PutItem", body=b"{")
        + message("ListTables", Content_Type="text/plain")
        + b"TRACE / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nGET "
        + message("ListTables", host="evil.example")
        + message("ListTables")
    )
    assert [wire.receive().status for _ in range(7)] == [200, 400, 400, 404, 404, 403, 200]


@pytest.mark.parametrize("turn", range(5))
@pytest.mark.parametrize("rest", [b"", HIDDEN[:-1], b"NO HTTP\r\n\r\n"], ids=["nothing", "half", "wrong"])
def test_a_half_closed_connection(server: Server, rest: bytes, turn: int) -> None:
    with Wire(server.url) as wire:
        wire.send(message("PutItem", {"TableName": "Things", "Item": key("whole", turn)}) + rest)
        wire.socket.shutdown(socket.SHUT_WR)
        assert wire.receive().status == 200
        if rest.startswith(b"NO"):
            assert wire.receive().status == 400
        assert wire.is_closed()


class Spoiled(Fault):
    """An answer that cannot be written."""

    name = "spoiled"

    def on_reply(self, call: Any, response: dict[str, Any] | None, due: Any) -> None:
        if response is not None:
            response["Spoiled"] = object()


@pytest.mark.parametrize("tables", ["memory", "file"])
def test_whatever_goes_wrong_inside_there_is_a_reply(
    tmp_path: Path, tables: str, capsys: pytest.CaptureFixture[str]
) -> None:
    target = "memory:" if tables == "memory" else tmp_path / "tables.db"
    with open_engine(target) as engine:
        engine.execute("CreateTable", TABLE)
        with serve_in_thread(engine, allow_reset=True) as server, Wire(server.url) as wire:
            with engine.faults.inject(Spoiled()):
                reply = wire.call("PutItem", {"TableName": "Things", "Item": key("a")})
            assert (reply.status, reply.error) == (500, "InternalServerError")
            assert "PutItem failed in a way that it should not" in capsys.readouterr().err
            assert wire.call("PutItem", {"TableName": "Things", "Item": key("a")}).status == 200
            engine.close()
            wire.send(b"POST /_tablewright/reset HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
            assert wire.receive().error == "InternalServerError"
            reply = wire.call("PutItem", {"TableName": "Things", "Item": key("a")})
            assert (reply.status, reply.error) == (500, "InternalServerError")
            assert capsys.readouterr().err == ""
