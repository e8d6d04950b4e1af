"""Requests and replies over real sockets, with a server that does what servers should not."""

from __future__ import annotations

import gzip
import json
import logging
import socket
import time
from zlib import crc32

import pytest

from tablewright.errors import (
    AccessRefused,
    ArgumentError,
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
from tablewright.transport.http import sockets
from tablewright.transport.http.credentials import Credentials, Fixed
from tests.transport.http.rogue import QUICK, Caller, Rogue, Turn, answer, drop, http, raw, reset

ITEM = {"PK": {"S": "ä"}, "n": {"N": "12.50"}, "b": {"B": "AAE="}}
FOUND = {"Item": ITEM}
BODY = json.dumps(FOUND).encode()


def failure(caller: Caller, operation: str = "GetItem") -> TablewrightError:
    with pytest.raises(TablewrightError) as caught:
        caller.send(operation)
    assert caught.value.operation == operation
    return caught.value


# ------------------------------------------------------------------------------------------------- what is sent


def test_a_request_is_one_message_and_connections_are_kept(kind: str) -> None:
    with Rogue(answer(FOUND), answer({"Count": 1})) as server, Caller(kind, server.url) as caller:
        assert caller.send("GetItem", {"TableName": "Täble"}) == FOUND
        assert caller.send("Query", {"Select": "COUNT"}) == {"Count": 1}
        first, second = server.requests
        head, _, body = first.partition(b"\r\n\r\n")
        lines = head.decode().split("\r\n")
        assert lines[0] == "POST / HTTP/1.1"
        headers = dict(line.split(": ", 1) for line in lines[1:])
        assert headers["host"] == f"127.0.0.1:{server.port}"
        assert headers["x-amz-target"] == "DynamoDB_20120810.GetItem"
        assert headers["content-type"] == "application/x-amz-json-1.0"
        assert headers["accept-encoding"] == "identity"
        assert headers["Content-Length"] == str(len(body))
        assert json.loads(body) == {"TableName": "Täble"}
        assert b"DynamoDB_20120810.Query" in second
        assert server.connections == 1


def test_streams_have_a_target_of_their_own(kind: str) -> None:
    with Rogue() as server, Caller(kind, server.url) as caller:
        caller.send("GetRecords")
        assert b"x-amz-target: DynamoDBStreams_20120810.GetRecords\r\n" in server.requests[0]


@pytest.mark.parametrize("operation", ["", "Get Item", "GetItem\r\nX: y", "Gét", "x" * 65])
def test_an_operation_is_a_name(kind: str, operation: str) -> None:
    with Rogue() as server, Caller(kind, server.url) as caller:
        with pytest.raises(ArgumentError):
            caller.send(operation)
        assert server.requests == []


@pytest.mark.parametrize("value", [object(), "\ud800", {"a": {1, object()}}], ids=["object", "surrogate", "set"])
def test_what_is_no_json_is_refused_without_showing_it(kind: str, value: object) -> None:
    with Rogue() as server, Caller(kind, server.url) as caller:
        with pytest.raises(RequestRefused) as caught:
            caller.send("PutItem", {"Item": value, "secret": "s3cr3t"})
        assert "s3cr3t" not in str(caught.value)
        assert caught.value.__cause__ is None
        assert server.requests == []


def test_secrets_are_in_no_log_and_no_text(kind: str, caplog: pytest.LogCaptureFixture) -> None:
    keys = Fixed(Credentials("AKIDEXAMPLE", "the-s3cr3t", "the-t0ken"))
    with caplog.at_level(logging.DEBUG), Rogue(drop) as server, Caller(kind, server.url, credentials=keys) as caller:
        error = failure(caller)
        shown = f"{error!r} {error} {keys.known!r} {keys.known} {caller.transport!r} {caplog.text}"
        assert "s3cr3t" not in shown
        assert "t0ken" not in shown
        assert b"x-amz-security-token: the-t0ken\r\n" in server.requests[0]
        assert b"s3cr3t" not in server.requests[0]


# ------------------------------------------------------------------------------------------------ good replies


@pytest.mark.parametrize(
    "parts",
    [
        (http(BODY),),
        tuple(http(BODY)[i : i + 1] for i in range(len(http(BODY)))),
        (b"HTTP/1.1 100 Continue\r\n\r\n", http(BODY)),
        (b"HTTP/1.1 100 Continue\r\nX: y\r\n\r\nHTTP/1.1 103 Early\r\n\r\n" + http(BODY),),
        (http(BODY, x_amz_crc32=""),),
        (http(BODY, x_amz_crc32="", Content_Length="").replace(b"\r\n\r\n", b"\r\ntransfer-encoding: Chunked\r\n\r\n", 1)[: -len(BODY)],
         b"5;name=value\r\n" + BODY[:5] + b"\r\n", b"%X\r\n" % len(BODY[5:]), BODY[5:], b"\r\n0\r\nTrailer: x\r\n\r\n"),
        (http(gzip.compress(BODY), Content_Encoding="gzip"),),
        (http(BODY, Server="a  b", Connection="keep-alive"),),
    ],
    ids=["whole", "bytes", "continue", "early", "no crc", "chunked", "gzip", "headers"],
)  # fmt: skip
def test_every_form_of_a_good_reply_is_read(kind: str, parts: tuple[bytes, ...]) -> None:
    with Rogue(raw(*parts), answer()) as server, Caller(kind, server.url) as caller:
        assert caller.send() == FOUND
        assert caller.send() == {}
        assert server.connections == 1


def test_a_reply_that_ends_with_its_connection(kind: str) -> None:
    with Rogue(raw(http(BODY, Content_Length=""), keep=False)) as server, Caller(kind, server.url) as caller:
        assert caller.send() == FOUND
        assert caller.send() == {}
        assert server.connections == 2


def test_a_huge_reply(kind: str) -> None:
    items = {"Items": [{"PK": {"S": str(n)}, "text": {"S": "x" * 100_000}} for n in range(160)]}
    with Rogue(answer(items)) as server, Caller(kind, server.url) as caller:
        assert caller.send() == items


def test_a_huge_request(kind: str) -> None:
    request = {"text": "x" * 15_000_000}
    with Rogue(answer(FOUND)) as server, Caller(kind, server.url) as caller:
        assert caller.send("BatchWriteItem", request) == FOUND
        assert json.loads(server.requests[0].partition(b"\r\n\r\n")[2]) == request


# ---------------------------------------------------------------------------------- connections that are closed


def test_a_connection_that_the_server_closes_is_not_used_again(kind: str) -> None:
    turns = (answer(FOUND, Connection="close"), raw(http(BODY), keep=False), answer(FOUND))
    with Rogue(*turns) as server, Caller(kind, server.url) as caller:
        assert caller.send() == FOUND
        assert caller.send() == FOUND
        _wait_for_the_end()
        assert caller.send() == FOUND
        assert server.connections == 3


def _wait_for_the_end() -> None:
    """The other thread closes its socket right after its reply; nothing tells when."""
    time.sleep(0.05)


def test_a_connection_that_was_not_used_for_long_is_not_trusted(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with Rogue() as server, Caller(kind, server.url) as caller:
        caller.send()
        caller.send()
        assert server.connections == 1
        monkeypatch.setattr(sockets, "IDLE_SECONDS", -60.0)
        caller.send()
        assert server.connections == 2


def test_more_than_was_asked_for_is_not_taken_for_the_next_reply(kind: str) -> None:
    other = http(json.dumps({"Item": {"PK": {"S": "somebody else's"}}}).encode())
    with Rogue(raw(http(BODY) + other), raw(http(BODY), other)) as server, Caller(kind, server.url) as caller:
        assert caller.send() == FOUND
        assert caller.send() == FOUND
        _wait_for_the_end()
        assert caller.send() == {}
        assert server.connections == 3


# -------------------------------------------------------------------------------------------------- lost replies


def test_nobody_listens(kind: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with Caller(kind, f"http://127.0.0.1:{port}") as caller:
        error = failure(caller)
        assert isinstance(error, NetworkError)
        assert error.sent is False
        assert error.retryable
        assert f"http://127.0.0.1:{port}" in error.message


def test_a_name_that_nobody_has(kind: str) -> None:
    with Caller(kind, "http://nobody.invalid:1") as caller:
        error = failure(caller)
        assert isinstance(error, NetworkError)
        assert error.sent is False


@pytest.mark.parametrize(
    "turn",
    [
        drop,
        reset,
        raw(http(BODY)[:30], keep=False),
        raw(http(BODY)[:-1], keep=False),
        raw(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nabcde\r\n", keep=False),
        raw(b"SSH-2.0-OpenSSH_9.6\r\n"),
        raw(b"HTTP/1.1 200 OK\r\nno header\r\n\r\n"),
        raw(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{} "),
        raw(b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"),
        raw(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n"),
        raw(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0x5\r\nabcde\r\n0\r\n\r\n"),
        raw(b"HTTP/1.1 200 OK\r\ntransfer-encoding: br\r\n\r\n{}"),
        raw(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n"),
        raw(b"HTTP/1.1 200 OK\r\nX: " + b"y" * 70_000),
        raw(http(BODY, x_amz_crc32=str(crc32(BODY) ^ 1))),
        raw(http(BODY[:-1])),
        raw(http(b"[]")),
        raw(http(b"not packed", Content_Encoding="gzip")),
        raw(http(gzip.compress(BODY)[:-9], Content_Encoding="gzip")),
        raw(http(BODY, Content_Encoding="br")),
    ],
    ids=["closed", "reset", "half a head", "half a body", "half a chunk", "no http", "no header", "two lengths",
         "negative", "too long", "odd chunk", "odd encoding", "another protocol", "endless head", "wrong crc",
         "no json", "no object", "no gzip", "half a gzip", "brotli"],
)  # fmt: skip
def test_a_reply_that_is_lost_may_have_been_a_good_one(kind: str, turn: Turn) -> None:
    with Rogue(turn) as server, Caller(kind, server.url) as caller:
        error = failure(caller, "PutItem")
        assert type(error) is NetworkError
        assert error.sent is True
        assert error.retryable
        assert caller.send() == {}, "the next request has a connection of its own, or a good one"


def test_a_reply_that_does_not_come_in_time(kind: str) -> None:
    with Rogue() as server, Caller(kind, server.url, timeouts=QUICK) as caller:
        half = raw(http(BODY)[:-3])
        server.turns = [server.silence, lambda sock: half(sock) and server.silence(sock)]
        for _ in range(2):
            error = failure(caller)
            assert isinstance(error, NetworkError)
            assert error.sent is True
            assert "in time" in error.message
        assert caller.send() == {}


def test_a_slow_reply_is_waited_for_as_long_as_something_comes(kind: str) -> None:
    whole = http(BODY)

    def slowly(sock: socket.socket) -> bool:
        for start in range(0, len(whole), len(whole) // 4):
            sock.sendall(whole[start : start + len(whole) // 4])
            time.sleep(0.06)
        return True

    with Rogue(slowly) as server, Caller(kind, server.url, timeouts=QUICK) as caller:
        assert caller.send() == FOUND


def test_a_request_that_did_not_leave_was_not_carried_out() -> None:
    """Sockets tell how far they came; asyncio does not, so that only the sync transport can know."""

    with (
        socket.create_server(("127.0.0.1", 0)) as deaf,
        Caller("sync", f"http://127.0.0.1:{deaf.getsockname()[1]}", timeouts=QUICK) as caller,
    ):
        with pytest.raises(NetworkError) as caught:
            caller.send("PutItem", {"text": "x" * 50_000_000})
        assert caught.value.sent is False


def test_a_closed_transport_refuses(kind: str) -> None:
    with Rogue() as server, Caller(kind, server.url) as caller:
        caller.send()
        caller._wait(caller.transport.close())
        with pytest.raises(ConfigError, match="closed"):
            caller.send()


# ------------------------------------------------------------------------------------------------ error replies


def refusal(name: str, status: str = "400 Bad Request", **members: object) -> Turn:
    return answer({"__type": f"com.amazonaws.dynamodb.v20120810#{name}", "message": "no", **members}, status=status)


@pytest.mark.parametrize(
    ("turn", "kind_of_error", "wire_name"),
    [
        (refusal("ResourceNotFoundException"), ResourceNotFound, "ResourceNotFoundException"),
        (refusal("ValidationException"), RequestRefused, "ValidationException"),
        (refusal("ThrottlingException"), Throttled, "ThrottlingException"),
        (refusal("UnrecognizedClientException"), AccessRefused, "UnrecognizedClientException"),
        (refusal("InternalServerError", "500 Internal"), InternalError, "InternalServerError"),
        (refusal("SomethingNew", "503 Later"), InternalError, "SomethingNew"),
        (refusal("SomethingNew"), ServiceError, "SomethingNew"),
        (answer({"__type": "ValidationException", "Message": "no"}, status="400 No"), RequestRefused, "ValidationException"),
        (raw(http(b"{}", status="400 No", x_amzn_ErrorType="ThrottlingException:http://x#y")), Throttled, "ThrottlingException"),
        (raw(http(b"<html>", status="502 Bad Gateway")), InternalError, "UnknownError"),
        (raw(http(b"", status="301 Moved", Location="http://elsewhere/")), ServiceError, "UnknownError"),
        (raw(http(b"<html>", status="404 Not Found")), ServiceError, "UnknownError"),
        (raw(http(b"[1]", status="400 No")), ServiceError, "UnknownError"),
        (raw(b"HTTP/1.1 204 No Content\r\n\r\n"), ServiceError, "UnknownError"),
    ],
    ids=["not found", "refused", "throttled", "access", "internal", "new 503", "new 400", "plain name", "header",
         "gateway", "redirect", "not here", "no object", "no content"],
)  # fmt: skip
def test_errors_become_ours(kind: str, turn: Turn, kind_of_error: type[ServiceError], wire_name: str) -> None:
    with Rogue(turn) as server, Caller(kind, server.url) as caller:
        error = failure(caller)
        assert type(error) is kind_of_error
        assert error.wire_name == wire_name
        assert caller.send() == {}
        assert (len(server.requests), server.connections) == (2, 1), "nothing is followed or repeated"


def test_errors_bring_items_and_reasons(kind: str) -> None:
    reasons = [{"Code": "None"}, {"Code": "ConditionalCheckFailed", "Message": "no", "Item": ITEM}]
    throttling = [{"reason": "TableWriteKeyRangeThroughputExceeded", "resource": "arn"}]
    turns = (
        refusal("ConditionalCheckFailedException", Item=ITEM),
        refusal("TransactionCanceledException", CancellationReasons=reasons),
        refusal("ThrottlingException", ThrottlingReasons=throttling),
    )
    with Rogue(*turns) as server, Caller(kind, server.url) as caller:
        failed, canceled, throttled = (failure(caller) for _ in range(3))
        assert isinstance(failed, ConditionalCheckFailed)
        assert failed.item == ITEM
        assert isinstance(canceled, TransactionCanceled)
        assert [(r.code, r.item) for r in canceled.reasons] == [("None", None), ("ConditionalCheckFailed", ITEM)]
        assert isinstance(throttled, Throttled)
        assert [(r.reason, r.resource) for r in throttled.reasons] == [("TableWriteKeyRangeThroughputExceeded", "arn")]


def test_a_damaged_error_reply_is_no_error_reply(kind: str) -> None:
    damaged = raw(http(b'{"__type":"ValidationException"}', status="400 No", x_amz_crc32="1"))
    with Rogue(damaged) as server, Caller(kind, server.url) as caller:
        assert isinstance(failure(caller), NetworkError)


# ------------------------------------------------------------------------------------------------- wrong clocks


def test_a_wrong_clock_is_corrected_by_the_service(kind: str) -> None:
    body = b'{"__type":"x#InvalidSignatureException","message":"Signature expired"}'
    expired = raw(http(body, status="400 Bad Request", Date="Mon, 02 Mar 2026 12:00:00 GMT"))

    def an_hour_behind() -> float:
        return 1_772_452_800.0 - 3600

    with (
        Rogue(expired, answer(FOUND), answer(FOUND)) as server,
        Caller(kind, server.url, now=an_hour_behind) as caller,
    ):
        assert caller.send() == FOUND
        assert caller.send() == FOUND
        stamps = [r.partition(b"x-amz-date: ")[2][:16] for r in server.requests]
        assert stamps == [b"20260302T110000Z", b"20260302T120000Z", b"20260302T120000Z"]


@pytest.mark.parametrize("date", ["Mon, 02 Mar 2026 12:00:30 GMT", "whenever", ""])
def test_a_refused_signature_with_a_right_clock_is_an_error(kind: str, date: str) -> None:
    body = b'{"__type":"x#InvalidSignatureException","message":"does not match"}'
    refused = raw(http(body, status="400 Bad Request", Date=date))
    with Rogue(refused) as server, Caller(kind, server.url, now=lambda: 1_772_452_800.0) as caller:
        assert isinstance(failure(caller), AccessRefused)
        assert len(server.requests) == 1
