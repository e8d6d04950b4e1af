"""A server that costs the client nothing: it keeps what is put during the preparation, and then answers from ready bytes.

`python -m bench.canned CORE` prints its port. Every table has the items that were put into it, at most a hundred. After a
request for Bench.Freeze, GetItem answers with the first of them, Query with 25, BatchGetItem with all; writes answer as
if they were done.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import Any
from zlib import crc32

_items: dict[str, list[Any]] = {}
_ready: dict[tuple[str, str, bool], bytes] = {}


def _reply(answer: Any) -> bytes:
    body = json.dumps(answer, separators=(",", ":")).encode()
    return (
        b"HTTP/1.1 200 OK\r\nServer: Server\r\nDate: Mon, 02 Mar 2026 12:00:00 GMT\r\n"
        b"Content-Type: application/x-amz-json-1.0\r\nContent-Length: %d\r\nConnection: keep-alive\r\n"
        b"x-amzn-RequestId: 0123456789ABCDEFGHIJKLMNOPQRSTUV0123456789ABCDEFGHIJ\r\nx-amz-crc32: %d\r\n\r\n%b"
    ) % (len(body), crc32(body), body)


_KEYS = [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}]


def _freeze() -> None:
    for table, items in _items.items():
        some = items[:25]
        _prepare("GetItem", table, {"Item": items[0]}, 0.5)
        _prepare("Query", table, {"Items": some, "Count": len(some), "ScannedCount": len(some)}, 2.0)
        _prepare("BatchGetItem", table, {"Responses": {table: items}, "UnprocessedKeys": {}}, 50.0)
        _prepare("UpdateItem", table, {"Attributes": items[0]}, 1.0)
        _prepare("PutItem", table, {}, 2.0)


def _prepare(operation: str, table: str, answer: dict[str, Any], units: float) -> None:
    consumed: Any = {"TableName": table, "CapacityUnits": units}
    consumed = [consumed] if operation == "BatchGetItem" else consumed
    _ready[operation, table, False] = _reply(answer)
    _ready[operation, table, True] = _reply({**answer, "ConsumedCapacity": consumed})


def _answer(operation: str, body: bytes) -> bytes:
    if operation == "Freeze":
        _freeze()
        return _reply({})
    request = json.loads(body)
    table = request.get("TableName") or next(iter(request["RequestItems"]))
    if operation == "PutItem" and not _ready:
        _items.setdefault(table, [])
        if len(_items[table]) < 100:
            _items[table].append(request["Item"])
    if operation == "UpdateItem" and request.get("ReturnValues", "NONE") == "NONE":
        operation = "PutItem"  # which is answered as shortly
    if operation == "DescribeTable":
        definitions = [{"AttributeName": name, "AttributeType": "S"} for name in ("PK", "SK")]
        shape = {"TableName": table, "TableStatus": "ACTIVE", "KeySchema": _KEYS, "AttributeDefinitions": definitions}
        return _reply({"Table": shape})
    asked = request.get("ReturnConsumedCapacity", "NONE") != "NONE"
    return _ready.get((operation, table, asked)) or _reply({})


class _Connection(asyncio.Protocol):
    def __init__(self) -> None:
        self._data = b""
        self._transport: asyncio.Transport

    def connection_made(self, transport: Any) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._data += data
        while True:
            head, end, rest = self._data.partition(b"\r\n\r\n")
            if not end:
                return
            headers = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:] if b": " in line)
            length = int(headers[b"content-length"])
            if len(rest) < length:
                return
            target = next(line for line in head.split(b"\r\n") if line.lower().startswith(b"x-amz-target:"))
            self._data = rest[length:]
            self._transport.write(_answer(target.rpartition(b".")[2].decode(), rest[:length]))


async def _serve() -> None:
    server = await asyncio.get_running_loop().create_server(_Connection, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {int(sys.argv[1])})
    asyncio.run(_serve())
