"""Offers to change the protocol, as some clients make with every request: they are not taken up, and nothing is lost."""

from __future__ import annotations

import json

import pytest

from tablewright.server import Server
from tests.server.wire import Wire, key, message

H2C = {"Connection": "Upgrade, HTTP2-Settings", "Upgrade": "h2c", "HTTP2-Settings": "AAEAAEAAAAIAAAABAAMAAABkAAQBAAAA"}
WEBSOCKET = {"Connection": "keep-alive, Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
OFFERS = pytest.mark.parametrize("offer", [H2C, WEBSOCKET], ids=["h2c", "websocket"])
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"


def put(name: str, offer: dict[str, str], *, chunked: bool = False, **headers: str) -> bytes:
    """A write that comes with an offer."""
    body = json.dumps({"TableName": "Things", "Item": key(name)}).encode()
    if chunked:
        body = b"%x\r\n%b\r\n%x;last=1\r\n%b\r\n0\r\nTrailer: x\r\n\r\n" % (9, body[:9], len(body) - 9, body[9:])
        headers |= {"Content-Length": "", "Transfer-Encoding": "chunked"}
    return message("PutItem", body=body, **offer, **headers)


def stored(wire: Wire, *names: str) -> list[bool]:
    return [
        "Item" in wire.call("GetItem", {"TableName": "Things", "Key": key(name), "ConsistentRead": True}).json
        for name in names
    ]


@OFFERS
@pytest.mark.parametrize("chunked", [False, True], ids=["length", "chunked"])
@pytest.mark.parametrize("step", [None, 50, 1], ids=["whole", "parts", "bytes"])
def test_an_offer_is_ignored(wire: Wire, offer: dict[str, str], chunked: bool, step: int | None) -> None:
    name = f"offer {offer['Upgrade']} {chunked} {step}"
    data = put(name, offer, chunked=chunked)
    for at in range(0, len(data), step or len(data)):
        wire.send(data[at : at + (step or len(data))])
    reply = wire.receive()
    assert (reply.status, reply.json) == (200, {})
    assert "upgrade" not in reply.headers
    assert "connection" not in reply.headers
    assert stored(wire, name) == [True]


def test_many_offers_in_one_go(wire: Wire) -> None:
    """More than Python would bear if each were read inside the one before."""
    empty = b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"
    zero = empty.replace(b"\r\n\r\n", b"\r\nContent-Length: 0\r\n\r\n")
    wire.send(put("one", H2C) + put("two", WEBSOCKET, chunked=True) + message("ListTables") + put("three", {}))
    assert [wire.receive().json for _ in range(4)] == [{}, {}, {"TableNames": ["Things"]}, {}]
    wire.send((empty + zero) * 1000 + put("four", H2C))
    assert [wire.receive().status for _ in range(2001)] == [200] * 2001
    assert stored(wire, "one", "two", "three", "four") == [True] * 4


def test_the_offer_is_still_there_to_be_verified(wire: Wire) -> None:
    """Signatures may cover any header, and regions stand in one."""
    scope = "AWS4-HMAC-SHA256 Credential=me/20260101/eu-west-3/dynamodb/aws4_request, Signature=0"
    reply = wire.call("DescribeTable", {"TableName": "Things"}, Authorization=scope, **H2C)
    assert reply.json["Table"]["TableArn"].startswith("arn:aws:dynamodb:eu-west-3:")


def test_an_offer_that_waits_to_continue(wire: Wire) -> None:
    head, _, body = put("continued", H2C, Expect="100-continue").partition(b"\r\n\r\n")
    wire.send(head + b"\r\n\r\n")
    assert wire.receive().status == 100
    wire.send(body)
    assert wire.receive().json == {}
    assert stored(wire, "continued") == [True]


def test_an_offer_on_a_connection_that_is_to_close(wire: Wire) -> None:
    wire.send(put("closing", H2C | {"Connection": "Upgrade, close"}))
    assert wire.receive().headers["connection"] == "close"
    assert wire.is_closed()


def test_an_offer_of_too_much_is_refused(wire: Wire) -> None:
    wire.send(message("PutItem", body=b"", Content_Length=str(17 * 1024 * 1024), **H2C))
    assert wire.receive().status == 413


@pytest.mark.parametrize(
    "framing",
    [
        b"Content-Length: 2\r\nTransfer-Encoding: chunked",
        b"Content-Length: 2\r\nContent-Length: 2",
        b"Transfer-Encoding: gzip",
        b"Transfer-Encoding: chunked, identity",
    ],
    ids=["both", "twice", "not chunked", "not chunked last"],
)
def test_an_offer_whose_end_cannot_be_known_is_refused(wire: Wire, framing: bytes) -> None:
    offer = b"Connection: Upgrade\r\nUpgrade: h2c\r\n" + framing
    wire.send(b"POST / HTTP/1.1\r\nHost: localhost\r\n" + offer + b"\r\n\r\n{}" + message("ListTables"))
    assert wire.receive().status == 400
    assert wire.is_closed()


def test_a_tunnel_is_not_built(wire: Wire) -> None:
    wire.send(b"CONNECT elsewhere:443 HTTP/1.1\r\nHost: localhost\r\n\r\n" + message("ListTables"))
    reply = wire.receive()
    assert (reply.status, reply.headers["connection"]) == (404, "close")
    assert wire.is_closed()


def test_a_client_that_knows_only_http_2_is_told_so(server: Server) -> None:
    with Wire(server.url) as wire:
        wire.send(PREFACE)
        reply = wire.receive()
        assert (reply.status, reply.headers["connection"]) == (400, "close")
        assert wire.is_closed()
