"""Whatever bytes arrive: never an internal error, never a hung server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.engine import OPERATIONS
from tablewright.server import Server, serve_in_thread
from tests.server.wire import TABLE, Wire, key, message

VALID = message("PutItem", {"TableName": "Things", "Item": key("a")})
OFFERING = VALID.replace(b"Host:", b"Connection: Upgrade\r\nUpgrade: h2c\r\nHost:", 1)
CHUNKED = message("ListTables", body=b"2\r\n{}\r\n0\r\n\r\n", Content_Length="", Transfer_Encoding="chunked")
HURRIED: dict[str, Any] = {"head_seconds": 0.05, "body_seconds": 0.05, "idle_seconds": 0.05}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A server that soon gives up waiting for the rest."""
    with serve_in_thread("memory:", **HURRIED) as running:
        running.engine.execute("CreateTable", TABLE)
        yield running


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A valid request with a few bytes changed, lost or added."""
    data = bytearray(draw(st.sampled_from([VALID, OFFERING, CHUNKED, OFFERING + CHUNKED])))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(data)))
        kind = draw(st.sampled_from(["change", "cut", "insert", "end"]))
        if kind == "change":
            data[at : at + 1] = draw(st.binary(min_size=1, max_size=1))
        elif kind == "cut":
            del data[at : at + draw(st.integers(1, 20))]
        elif kind == "insert":
            data[at:at] = draw(st.binary(min_size=1, max_size=20))
        else:
            del data[at:]
    return bytes(data)


def statuses(server: Server, data: bytes) -> list[int]:
    """The statuses of everything that is answered before the connection ends."""
    found: list[int] = []
    with Wire(server.url) as wire:
        try:
            wire.send(data)
            wire.socket.shutdown(1)
            while True:
                found.append(wire.receive().status)
        except (EOFError, OSError):
            return found


@given(damaged())
def test_damaged_requests(server: Server, data: bytes) -> None:
    assert set(statuses(server, data)) <= {100, 200, 400, 403, 404, 408, 413, 417, 431}
    with Wire(server.url) as wire:
        assert wire.call("ListTables").status == 200


@given(st.binary(max_size=300))
def test_arbitrary_bytes(server: Server, data: bytes) -> None:
    assert set(statuses(server, data)) <= {200, 400, 403, 404, 408, 413, 431}


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
PARAMETERS = ["TableName", "Key", "Item", "Limit", "RequestItems", "TransactItems", "Statement", "ResourceArn", "StreamArn",
              "ShardIterator", "ExpressionAttributeValues", "KeyConditionExpression", "ReturnValues", "Expected"]  # fmt: skip


@given(
    st.sampled_from(sorted(OPERATIONS - {"ImportTable", "ExportTableToPointInTime"})),
    st.dictionaries(st.sampled_from(PARAMETERS), JSON_VALUES | st.just("Things"), max_size=4),
)
def test_arbitrary_parameters(server: Server, operation: str, parameters: dict[str, Any]) -> None:
    with Wire(server.url) as wire:
        reply = wire.call(operation, body=json.dumps(parameters).encode("utf-8", "surrogatepass"))
        assert reply.status in (200, 400), (operation, parameters, reply.body)
