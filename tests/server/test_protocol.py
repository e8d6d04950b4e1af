"""DynamoDB's JSON protocol over HTTP: what is answered, in which words, and in which order."""

from __future__ import annotations

import gzip
import json
import random
import re
import zlib
from itertools import pairwise

import pytest

from tablewright.server import Server, serve_in_thread
from tests.server.wire import JSON, TABLE, Wire, exchange, key, message


def test_an_answer(wire: Wire) -> None:
    assert wire.call("PutItem", {"TableName": "Things", "Item": key("a") | {"n": {"N": "1"}}}).json == {}
    reply = wire.call("GetItem", {"TableName": "Things", "Key": key("a")})
    assert (reply.status, reply.json) == (200, {"Item": key("a") | {"n": {"N": "1"}}})
    assert reply.headers["content-type"] == JSON
    assert re.fullmatch(r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT", reply.headers["date"])


def test_tagging_is_answered_without_a_body(wire: Wire) -> None:
    arn = "arn:aws:dynamodb:us-east-1:000000000000:table/Things"
    tagged = wire.call("TagResource", {"ResourceArn": arn, "Tags": [{"Key": "team", "Value": "a"}]})
    assert (tagged.status, tagged.raw, tagged.headers["content-length"]) == (200, b"", "0")
    assert wire.call("ListTagsOfResource", {"ResourceArn": arn}).json["Tags"] == [{"Key": "team", "Value": "a"}]
    assert wire.call("UntagResource", {"ResourceArn": arn, "TagKeys": ["team"]}).raw == b""
    refused = wire.call("UntagResource", {"ResourceArn": arn, "TagKeys": []})
    assert (refused.status, refused.json["message"]) == (400, "Atleast one Tag Key needs to be provided as Input.")


def test_request_ids_differ(wire: Wire) -> None:
    assert len({wire.call("ListTables").headers["x-amzn-requestid"] for _ in range(5)}) == 5


def test_an_error(wire: Wire) -> None:
    reply = wire.call("GetItem", {"TableName": "Nowhere", "Key": key("a")})
    assert (reply.status, reply.json) == (
        400,
        {
            "__type": "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException",
            "message": "Requested resource not found",
        },
    )


def test_the_names_of_errors_have_their_name_spaces(wire: Wire) -> None:
    invalid = wire.call("GetItem", {"TableName": "Things", "Key": {"pk": {"S": "a"}}})
    assert invalid.json["__type"] == "com.amazon.coral.validate#ValidationException"
    wrong = wire.call("GetItem", {"TableName": 5, "Key": {}})
    assert wrong.json["__type"] == "com.amazon.coral.service#SerializationException"
    assert "Message" in wrong.json


def test_a_failed_condition_brings_the_item_along(wire: Wire) -> None:
    item = key("condition") | {"n": {"N": "7"}}
    wire.call("PutItem", {"TableName": "Things", "Item": item})
    request = {
        "TableName": "Things",
        "Item": item,
        "ConditionExpression": "attribute_not_exists(pk)",
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }
    reply = wire.call("PutItem", request)
    assert (reply.status, reply.error, reply.json["Item"]) == (400, "ConditionalCheckFailedException", item)
    del request["ReturnValuesOnConditionCheckFailure"]
    assert "Item" not in wire.call("PutItem", request).json


def test_a_cancelled_transaction_says_why(wire: Wire) -> None:
    put = {"TableName": "Things", "Item": key("cancelled")}
    check = {"TableName": "Things", "Key": key("missing"), "ConditionExpression": "attribute_exists(pk)"}
    reply = wire.call("TransactWriteItems", {"TransactItems": [{"Put": put}, {"ConditionCheck": check}]})
    assert (reply.status, reply.error) == (400, "TransactionCanceledException")
    assert reply.json["CancellationReasons"] == [
        {"Code": "None"},
        {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"},
    ]
    assert reply.json["Message"].endswith("[None, ConditionalCheckFailed]")


@pytest.mark.parametrize(
    ("region", "authorization", "path"),
    [
        ("eu-west-1", "AWS4-HMAC-SHA256 Credential=me/20260101/eu-west-1/dynamodb/aws4_request, Signature=0", "/"),
        ("ap-south-1", "", "/?X-Amz-Algorithm=x&X-Amz-Credential=me%2F20260101%2Fap-south-1%2Fdynamodb%2Faws4_request"),
        ("us-east-1", "", "/"),
        ("us-east-1", "Bearer something", "/"),
        ("us-east-1", "AWS4-HMAC-SHA256 Credential=me/20260101/NO%20REGION/dynamodb/aws4_request", "/"),
    ],
    ids=["header", "query", "none", "other", "odd"],
)
def test_the_region_is_the_one_signed_for(wire: Wire, region: str, authorization: str, path: str) -> None:
    data = message("DescribeTable", {"TableName": "Things"}, Authorization=authorization)
    wire.send(data.replace(b"POST / ", f"POST {path} ".encode()))
    assert wire.receive().json["Table"]["TableArn"] == f"arn:aws:dynamodb:{region}:000000000000:table/Things"


@pytest.mark.parametrize("path", ["/", "/ping", "/?x=y"])
def test_the_health_check(wire: Wire, path: str) -> None:
    wire.send(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    reply = wire.receive()
    assert (reply.status, reply.body) == (200, b"healthy: dynamodb.us-east-1.amazonaws.com ")
    wire.send(f"HEAD {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    assert wire.receive(head_only=True).headers["content-length"] == str(len(reply.body))


@pytest.mark.parametrize(
    "start", ["GET /nothing", "OPTIONS /", "PUT /", "DELETE /", "PATCH /", "GET /_tablewright/nothing"]
)
def test_what_is_no_call_is_not_found(wire: Wire, start: str) -> None:
    wire.send(f"{start} HTTP/1.1\r\nHost: localhost\r\nOrigin: http://a.example\r\n\r\n".encode())
    reply = wire.receive()
    assert (reply.status, reply.body) == (404, b"<UnknownOperationException/>\n")


def test_other_kinds_of_content_are_not_found(wire: Wire) -> None:
    reply = wire.call("ListTables", Content_Type="text/plain")
    assert (reply.status, reply.body) == (404, b"<UnknownOperationException/>\n")
    plain = wire.call("ListTables", Content_Type="application/json; charset=utf-8")
    assert (plain.status, plain.headers["content-type"]) == (200, "application/json")


@pytest.mark.parametrize(
    "target",
    ["", "ListTables", "DynamoDB_20120810.", "DynamoDB_20120810.Nothing", "DynamoDB_20111205.ListTables", ".", "é",
     "DynamoDBStreams_20120810.PutItem", "DynamoDB_20120810.ListTables.More"],
)  # fmt: skip
def test_an_unknown_operation(wire: Wire, target: str) -> None:
    reply = wire.call("", X_Amz_Target=target)
    assert (reply.status, reply.json) == (400, {"__type": "com.amazon.coral.service#UnknownOperationException"})


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b'"text"', b"null", b"5", b'{"TableName": "Things"', b"\xff\xfe{}", b'{"a": NaN}', b"{} {}",
     b"[" * 100_000, b'{"a":' * 50_000, b'{"TableName": "\xed\xa0\x80"}', b'{"a": "\\ud800"}'],
    ids=["empty", "open", "list", "text", "null", "number", "short", "bytes", "nan", "two", "lists", "maps", "surrogate",
         "lone"],
)  # fmt: skip
def test_malformed_json_is_a_refusal(wire: Wire, body: bytes) -> None:
    reply = wire.call("DescribeTable", body=body)
    assert (reply.status, reply.error) == (400, "SerializationException")


def test_malformed_json_is_noticed_before_the_target(wire: Wire) -> None:
    assert wire.call("Nothing", body=b"{").error == "SerializationException"
    assert wire.call("Nothing", body=b"").error == "UnknownOperationException"


@pytest.mark.parametrize("size", [10, 300_000], ids=["small", "large"])
def test_packed_bodies_may_have_several_members(wire: Wire, size: int) -> None:
    text = random.Random(size).randbytes(size // 2).hex()
    plain = json.dumps({"TableName": "Things", "Item": key("members") | {"text": {"S": text}}}).encode()
    cuts = (0, 3, 40, 40, len(plain))
    packed = b"".join(gzip.compress(plain[start:end]) for start, end in pairwise(cuts))
    assert wire.call("PutItem", body=packed, Content_Encoding="gzip").status == 200
    stored = wire.call("GetItem", {"TableName": "Things", "Key": key("members")}).json["Item"]
    assert stored["text"]["S"] == text


def test_members_of_a_packed_body_are_bounded_together(wire: Wire) -> None:
    part = gzip.compress(b" " * (6 * 1024 * 1024))
    assert wire.call("ListTables", body=part * 3, Content_Encoding="gzip").status == 413
    empty = gzip.compress(b"")
    assert wire.call("ListTables", body=gzip.compress(b"{}") + empty * 1000, Content_Encoding="gzip").status == 200
    assert wire.call("ListTables", body=gzip.compress(b"{}") + empty * 50_000, Content_Encoding="gzip").status == 400


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "identity", "GZIP"])
def test_compressed_requests(wire: Wire, encoding: str) -> None:
    plain = json.dumps({"TableName": "Things", "Item": key(encoding) | {"text": {"S": "x" * 50_000}}}).encode()
    pack = {"gzip": gzip.compress, "deflate": zlib.compress}.get(encoding.lower(), bytes)
    assert wire.call("PutItem", body=pack(plain), Content_Encoding=encoding).status == 200
    stored = wire.call("GetItem", {"TableName": "Things", "Key": key(encoding)}).json["Item"]
    assert stored["text"]["S"] == "x" * 50_000


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("gzip", b"{}"),
        ("gzip", gzip.compress(b"{}")[:-3]),
        ("gzip", gzip.compress(b"{}") + b"more"),
        ("deflate", b"\x00\x01"),
        ("br", b"{}"),
    ],
    ids=["plain", "short", "long", "deflate", "unknown"],
)
def test_a_wrongly_compressed_request_is_refused(wire: Wire, encoding: str, body: bytes) -> None:
    reply = wire.call("ListTables", body=body, Content_Encoding=encoding)
    assert (reply.status, reply.error) == (400, "SerializationException")


def test_a_request_that_unpacks_to_too_much_is_refused(wire: Wire) -> None:
    bomb = gzip.compress(b" " * (17 * 1024 * 1024))
    assert len(bomb) < 20_000
    reply = wire.call("ListTables", body=bomb, Content_Encoding="gzip")
    assert (reply.status, reply.error) == (413, "RequestEntityTooLarge")


def test_large_answers_are_compressed_for_who_asks(wire: Wire) -> None:
    wire.call("PutItem", {"TableName": "Things", "Item": key("large") | {"text": {"S": "abc" * 5000}}})
    get = {"TableName": "Things", "Key": key("large")}
    plain = wire.call("GetItem", get)
    packed = wire.call("GetItem", get, Accept_Encoding="deflate, gzip;q=0.5")
    assert packed.headers["content-encoding"] == "gzip"
    assert len(packed.raw) < len(plain.raw) / 10
    assert packed.json == plain.json
    for refusing in ("identity", "gzip;q=0", "deflate"):
        assert "content-encoding" not in wire.call("GetItem", get, Accept_Encoding=refusing).headers
    assert "content-encoding" not in wire.call("ListTables", Accept_Encoding="gzip").headers


def test_chunked_requests(wire: Wire) -> None:
    head = message("ListTables", Content_Length="", Transfer_Encoding="chunked", body=b"")
    wire.send(head + b"1\r\n{\r\n")
    wire.send(b"1;ext=1\r\n}\r\n0\r\nTrailer: x\r\n\r\n")
    assert wire.receive().json["TableNames"] == ["Things"]
    assert wire.call("ListTables").status == 200


def test_what_follows_a_body_is_no_header(wire: Wire) -> None:
    head = message("ListTables", Content_Length="", Transfer_Encoding="chunked", body=b"")
    wire.send(head + b"2\r\n{}\r\n0\r\nX-Amz-Target: DynamoDB_20120810.DescribeLimits\r\n\r\n")
    assert wire.receive().json["TableNames"] == ["Things"]


def test_a_body_of_very_many_chunks(wire: Wire) -> None:
    head = message("ListTables", Content_Length="", Transfer_Encoding="chunked", body=b"")
    wire.send(head + b"1\r\n{\r\n" + b"1\r\n \r\n" * 20_000 + b"1\r\n}\r\n0\r\n\r\n")
    assert wire.receive().json["TableNames"] == ["Things"]


def test_expecting_to_be_told_to_continue(wire: Wire) -> None:
    head, _, body = message("ListTables", Expect="100-continue").partition(b"\r\n\r\n")
    wire.send(head + b"\r\n\r\n")
    assert wire.receive().status == 100
    wire.send(body)
    assert wire.receive().json["TableNames"] == ["Things"]


def test_other_expectations_are_refused(wire: Wire) -> None:
    assert wire.call("ListTables", Expect="a miracle").status == 417
    assert wire.is_closed()


def test_pipelined_requests_are_answered_in_order(wire: Wire) -> None:
    calls = []
    for number in range(40):
        put = {"TableName": "Things", "Item": key("pipe") | {"n": {"N": str(number)}}, "ReturnValues": "ALL_OLD"}
        calls += [message("PutItem", put), message("GetItem", {"TableName": "Things", "Key": key("pipe")})]
    wire.send(b"".join(calls))
    for number in range(40):
        old = wire.receive().json.get("Attributes", {"n": {"N": "-1"}})
        assert (old["n"]["N"], wire.receive().json["Item"]["n"]["N"]) == (str(number - 1), str(number))


def test_pipelined_requests_before_a_broken_one_are_answered(wire: Wire) -> None:
    put = message("PutItem", {"TableName": "Things", "Item": key("before")})
    wire.send(put * 3 + b"NO HTTP\r\n\r\n")
    assert [wire.receive().status for _ in range(4)] == [200, 200, 200, 400]
    assert wire.is_closed()


def test_a_request_in_single_bytes(wire: Wire) -> None:
    for byte in message("ListTables"):
        wire.send(bytes((byte,)))
    assert wire.receive().status == 200


def test_connections_stay_open_or_close_as_the_client_asks(server: Server) -> None:
    with Wire(server.url) as wire:
        assert "connection" not in wire.call("ListTables").headers
        assert wire.call("ListTables", Connection="close").headers["connection"] == "close"
        assert wire.is_closed()
    with Wire(server.url) as wire:
        wire.send(message("ListTables").replace(b"HTTP/1.1", b"HTTP/1.0"))
        assert wire.receive().headers["connection"] == "close"
        assert wire.is_closed()


def test_a_client_that_stops_sending_is_still_answered(server: Server) -> None:
    with Wire(server.url) as wire:
        wire.send(message("PutItem", {"TableName": "Things", "Item": key("half")}))
        wire.socket.shutdown(1)
        assert wire.receive().status == 200
        assert wire.is_closed()


def test_streams_have_a_target_of_their_own(wire: Wire) -> None:
    assert wire.call("", X_Amz_Target="DynamoDBStreams_20120810.ListStreams").json["Streams"] == []


def test_reset_drops_every_table() -> None:
    reset = b"POST /_tablewright/reset HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n"
    with serve_in_thread("memory:", allow_reset=True) as server, Wire(server.url) as wire:
        for number in range(3):
            protected = {"DeletionProtectionEnabled": number == 1}
            assert wire.call("CreateTable", TABLE | protected | {"TableName": f"Table{number}"}).status == 200
        page = exchange(server.url, reset + b"Origin: http://a.example\r\n\r\n")
        assert (page.status, page.error) == (400, "AccessDeniedException")
        assert len(wire.call("ListTables").json["TableNames"]) == 3
        assert exchange(server.url, reset + b"\r\n").json == {"TableNames": ["Table0", "Table1", "Table2"]}
        assert wire.call("ListTables").json["TableNames"] == []
        assert exchange(server.url, reset + b"\r\n").json == {"TableNames": []}
