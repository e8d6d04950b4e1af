"""A raw keep-alive client: ready-made requests on several connections, as fast as the server answers."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

_LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE).search
_HEAD = (
    "POST / HTTP/1.1\r\nHost: {host}\r\nX-Amz-Target: DynamoDB_20120810.{operation}\r\n"
    "Content-Type: application/x-amz-json-1.0\r\nAccept-Encoding: identity\r\nUser-Agent: raw\r\n"
    "X-Amz-Date: 20260101T000000Z\r\nAuthorization: AWS4-HMAC-SHA256 "
    "Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=content-type;host;x-amz-date;x-amz-target, "
    "Signature=0000000000000000000000000000000000000000000000000000000000000000\r\nContent-Length: {length}\r\n\r\n"
)


def message(url: str, operation: str, request: Mapping[str, Any]) -> bytes:
    """The bytes of one request."""
    body = json.dumps(request, separators=(",", ":")).encode()
    return _HEAD.format(host=urlsplit(url).netloc, operation=operation, length=len(body)).encode() + body


class _Caller(asyncio.Protocol):
    """Sends the next message when the reply to the last one is whole; does as little else as it can."""

    def __init__(self, messages: Iterator[bytes]) -> None:
        self._messages = messages
        self._received = b""
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: asyncio.Transport = transport  # type: ignore[assignment]

    def data_received(self, data: bytes) -> None:
        if self._received:
            data = self._received + data
        end = data.find(b"\r\n\r\n") + 4
        if end < 4 or len(data) < end + int(_LENGTH(data)[1]):  # type: ignore[index]
            self._received = data
            return
        assert data.startswith(b"HTTP/1.1 200"), data
        self._received = b""
        self.next()

    def connection_lost(self, error: Exception | None) -> None:
        if not self.done.done():
            self.done.set_exception(error or ConnectionError("The server closed the connection."))

    def next(self) -> None:
        """Sends the next message, if there is one."""
        one = next(self._messages, None)
        if one is not None:
            self._transport.write(one)
        elif not self.done.done():
            self.done.set_result(None)


def send_all(url: str, messages: list[bytes], connections: int) -> float:
    """Sends every message, each on the next connection that is free; the seconds that it took."""
    import uvloop

    async def run() -> float:
        address = urlsplit(url)
        assert address.hostname is not None
        assert address.port is not None
        shared = iter(messages)
        loop = asyncio.get_running_loop()
        host, port = address.hostname, address.port
        callers = [(await loop.create_connection(lambda: _Caller(shared), host, port))[1] for _ in range(connections)]
        began = time.perf_counter()
        for caller in callers:
            caller.next()
        await asyncio.gather(*(caller.done for caller in callers))
        return time.perf_counter() - began

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(run())
