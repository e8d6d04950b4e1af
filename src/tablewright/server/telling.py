"""A line for every request, for those who watch a server work: what was asked of which table, and how it ended. Never values."""

from __future__ import annotations

import re
import sys
import time
import zlib
from contextlib import suppress
from typing import Any, cast

from tablewright.engine.faults import tables_named
from tablewright.errors import ServiceError, ValidationError
from tablewright.server.connection import Connection, Request, Service
from tablewright.server.service import unpack
from tablewright.server.settings import Settings
from tablewright.values import loads

_PLAIN = re.compile(r"[\w.-]{1,255}", re.ASCII)
_PATH = re.compile(rb"/[\w./-]{0,80}")
_ERROR = re.compile(rb'"__type":"(?:[^"#]*#)?(?P<name>\w+)"|<(?P<tag>\w+)/>')


class Telling:
    """Stands before a service and tells of each request once it is answered."""

    __slots__ = ("_max_body", "_service")

    def __init__(self, service: Service, settings: Settings) -> None:
        self._service = service
        self._max_body = settings.max_body

    def handle(self, request: Request, connection: Connection) -> None:
        """Have one request answered, and watch the reply go out."""
        witness = _Witness(request, connection, self._max_body)
        self._service.handle(request, cast("Connection", witness))


class _Witness:
    """In the place of a connection, as far as services use one."""

    __slots__ = ("_began", "_connection", "_max_body", "_request", "expect", "resume", "unpacks_to")

    def __init__(self, request: Request, connection: Connection, max_body: int) -> None:
        self._began = time.perf_counter()
        self._request = request
        self._connection = connection
        self._max_body = max_body
        self.expect = connection.expect
        self.resume = connection.resume
        self.unpacks_to = connection.unpacks_to

    def send(self, data: bytes | None, *, close: bool) -> None:
        """Tell of the reply, and pass it on."""
        took = (time.perf_counter() - self._began) * 1000
        how = "no reply" if data is None else data[9:12].decode()
        error = "" if data is None or data[9:10] == b"2" else f" {_error_in(data)}"
        what = _described(self._request, self._max_body)
        print(f"{time.strftime('%H:%M:%S')} {what} {how} {took:.1f} ms{error}".rstrip(), file=sys.stderr, flush=True)
        self._connection.send(data, close=close)


def _described(request: Request, max_body: int) -> str:
    target = request.headers.get(b"x-amz-target", b"").decode("latin-1").rpartition(".")[2]
    path = _PATH.match(request.url)
    if request.method != b"POST" or not _PLAIN.fullmatch(target):
        return f"{request.method.decode('latin-1')} {path[0].decode() if path is not None else '/'}"
    tables = [name if _PLAIN.fullmatch(name) else "?" for name in _tables(target, request, max_body)]
    return f"{target} {','.join(tables)}".rstrip()


def _tables(operation: str, request: Request, max_body: int) -> list[str]:
    with suppress(ServiceError, ValidationError, RecursionError):
        encoding = request.headers.get(b"content-encoding")
        body = request.body if encoding is None else unpack(request.body, encoding, max_body)
        parameters: Any = loads(body) if body else None
        if isinstance(parameters, dict):
            return tables_named(operation, parameters)
    return []


def _error_in(data: bytes) -> str:
    head, _, body = data.partition(b"\r\n\r\n")
    if b"\r\nContent-Encoding: gzip\r\n" in head:
        body = zlib.decompress(body, wbits=31)
    found = _ERROR.search(body)
    return (found["name"] or found["tag"]).decode() if found is not None else ""
