"""A client as simple as can be: bytes out, replies in. What it sends may be as wrong as a test wants."""

from __future__ import annotations

import gzip
import json
import socket
from dataclasses import dataclass
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit
from zlib import crc32

JSON = "application/x-amz-json-1.0"


@dataclass(frozen=True)
class Reply:
    """One HTTP reply; names of headers are in lower case."""

    status: int
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> bytes:
        return gzip.decompress(self.raw) if self.headers.get("content-encoding") == "gzip" else self.raw

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> str:
        """The name of the error, without its name space."""
        return str(self.json["__type"]).rpartition("#")[2]


def message(
    operation: str, parameters: Any = None, *, host: str = "localhost", body: bytes | None = None, **headers: str
) -> bytes:
    """A request in the protocol. Underscores in names of headers stand for dashes; an empty header is left out."""
    content = json.dumps(parameters if parameters is not None else {}).encode() if body is None else body
    given = {
        "Host": host,
        "X-Amz-Target": f"DynamoDB_20120810.{operation}",
        "Content-Type": JSON,
        "Content-Length": str(len(content)),
    } | {name.replace("_", "-"): value for name, value in headers.items()}
    lines = "".join(f"{name}: {value}\r\n" for name, value in given.items() if value)
    return f"POST / HTTP/1.1\r\n{lines}\r\n".encode() + content


class Wire:
    """A connection to a server."""

    def __init__(self, url: str, timeout: float = 10.0) -> None:
        address = urlsplit(url)
        self.socket = socket.create_connection((address.hostname, address.port), timeout=timeout)
        self._received = b""

    def __enter__(self) -> Wire:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.socket.close()

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def call(self, operation: str, parameters: Any = None, **more: Any) -> Reply:
        """Send a request in the protocol and wait for its reply."""
        self.send(message(operation, parameters, **more))
        return self.receive()

    def receive(self, *, head_only: bool = False) -> Reply:
        """The next reply, with its checksum verified."""
        head = self._until(b"\r\n\r\n").decode("ascii")
        status, *lines = head.split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines if line)}
        code = int(status.split()[1])
        if code == 100:
            return Reply(code, headers, b"")
        raw = b"" if head_only else self._exactly(int(headers["content-length"]))
        if not head_only:
            assert int(headers["x-amz-crc32"]) == crc32(raw)
        assert len(headers["x-amzn-requestid"]) == 52
        assert not any(name.startswith("access-control") for name in headers)
        return Reply(code, headers, raw)

    def is_closed(self) -> bool:
        """Wait for the server to close the connection; anything else that it sends is a mistake."""
        assert self._received == b""
        try:
            return self.socket.recv(1) == b""
        except ConnectionResetError:
            return True

    def _until(self, mark: bytes) -> bytes:
        while mark not in self._received:
            self._more()
        found, _, self._received = self._received.partition(mark)
        return found

    def _exactly(self, count: int) -> bytes:
        while len(self._received) < count:
            self._more()
        found, self._received = self._received[:count], self._received[count:]
        return found

    def _more(self) -> None:
        data = self.socket.recv(65536)
        if not data:
            raise EOFError(f"The server closed the connection after {self._received!r}.")
        self._received += data


def exchange(url: str, data: bytes) -> Reply:
    """One request on a connection of its own."""
    with Wire(url) as wire:
        wire.send(data)
        return wire.receive()


TABLE: dict[str, Any] = {
    "TableName": "Things",
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [
        {"AttributeName": "pk", "AttributeType": "S"},
        {"AttributeName": "sk", "AttributeType": "N"},
    ],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
}


def key(pk: str, sk: int = 0) -> dict[str, Any]:
    """A key of the table."""
    return {"pk": {"S": pk}, "sk": {"N": str(sk)}}
