"""From an HTTP request to an operation and back: DynamoDB's JSON protocol, its checks in the service's own order."""

from __future__ import annotations

import re
import zlib
from urllib.parse import unquote_to_bytes

from tablewright.engine import OPERATIONS, Engine
from tablewright.errors import RequestRefused, ServiceError
from tablewright.server.access import Gate
from tablewright.server.calls import Call, failure, read_body
from tablewright.server.connection import TOO_MUCH, Connection, Request
from tablewright.server.errands import ERRANDS, NO_SUCH_PATH, OWN, refuse_body, refuse_unasked
from tablewright.server.execution import Execution
from tablewright.server.replies import JSON, PLAIN, PLAIN_JSON, UNKNOWN, error_body, reply, service_error_body
from tablewright.server.settings import Settings

DEFAULT_REGION = "us-east-1"
HEALTHY = b"healthy: dynamodb.us-east-1.amazonaws.com "

_STREAMS = frozenset({"DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"})
_TARGETS = {f"DynamoDB_20120810.{name}".encode(): name for name in OPERATIONS} | {
    f"DynamoDBStreams_20120810.{name}".encode(): name for name in OPERATIONS if name in _STREAMS
}
_HEALTH = (b"/", b"/ping")
_ABSOLUTE = re.compile(rb"https?://([^/?#]*)", re.IGNORECASE)
_SCOPE = re.compile(rb"[^/]*/[^/]*/([a-z0-9-]{1,40})/")
_REGIONS: dict[bytes, str] = {}
"""The regions of credentials that were seen: who calls, calls again."""
_MANY_REGIONS = 256
_PIECE = 64 * 1024
# A body of gzip may have several members; each costs time, however little is in it.
_MEMBERS = 4096
_QUERY_CREDENTIAL = re.compile(rb"[?&]X-Amz-Credential=([^&]*)")


class DynamoService:
    """Answers the requests of all connections with one engine."""

    __slots__ = ("_engine", "_execution", "_gate", "_settings")

    def __init__(self, engine: Engine, settings: Settings, execution: Execution) -> None:
        self._engine = engine
        self._settings = settings
        self._gate = Gate(settings)
        self._execution = execution

    def serve(self, engine: Engine, execution: Execution) -> None:
        """Answer with another engine from now on."""
        self._engine = engine
        self._execution = execution

    def handle(self, request: Request, connection: Connection) -> None:
        """Answer one request, at once or when it has been carried out."""
        headers = request.headers
        kind = JSON
        try:
            if not request.url.startswith(b"/"):
                _take_host_from_url(request)
            self._gate.check_host(headers)
            if request.method != b"POST":
                self._answer_other(request, connection)
                return
            if request.url.startswith(OWN):
                self._run_errand(request, connection)
                return
            body = request.body
            kind = headers.get(b"content-type", b"")
            if kind != JSON:
                kind = kind.partition(b";")[0].strip().lower()
                if body and kind not in (JSON, PLAIN_JSON):
                    connection.send(reply(404, UNKNOWN, close=request.closes), close=request.closes)
                    return
                kind = JSON if kind == JSON else PLAIN_JSON
            if self._gate.is_guarded:
                self._gate.check_caller(request)  # before anything is unpacked for somebody who may not ask
            encoding = headers.get(b"content-encoding")
            plain = body if encoding is None else self._unpacked(body, encoding, connection)
            operation = _TARGETS.get(headers.get(b"x-amz-target", b""))
            if operation is None:
                if plain:
                    read_body(plain)  # what cannot be read is told first
                raise RequestRefused("", wire_name="UnknownOperationException")
            if not plain:
                raise RequestRefused("", wire_name="SerializationException")
            region = _region(request)
        except ServiceError as error:
            answer = reply(error.status, service_error_body(error), kind, close=request.closes)
            connection.send(answer, close=request.closes)
            return
        except Exception as error:
            connection.send(reply(500, failure("A request", error), close=request.closes), close=request.closes)
            return
        packed = b"accept-encoding" in headers and _takes_gzip(headers[b"accept-encoding"])
        self._execution.start(Call(operation, plain, region, connection, kind, packed, request.closes))

    def _unpacked(self, body: bytes, encoding: bytes, connection: Connection) -> bytes:
        plain = unpack(body, encoding, self._settings.max_body)
        if not connection.unpacks_to(len(plain)):
            raise TooMuchUnderWay(TOO_MUCH, wire_name="ServiceUnavailable")
        return plain

    def _run_errand(self, request: Request, connection: Connection) -> None:
        """Do what a test suite asks for."""
        path = _path(request)
        if path not in ERRANDS:
            unknown = error_body("UnknownOperationException", NO_SUCH_PATH)
            connection.send(reply(404, unknown, close=request.closes), close=request.closes)
            return
        if not self._settings.allow_reset:
            raise refuse_unasked(path.decode())
        if b"origin" in request.headers:
            raise RequestRefused(f"Web pages may not use {path.decode()}.", wire_name="AccessDeniedException")
        self._gate.check_caller(request)
        try:
            asked = read_body(request.body) if request.body else {}
        except RequestRefused:
            raise refuse_body(path) from None
        call = Call(path.decode(), request.body, DEFAULT_REGION, connection, JSON, packed=False, closes=request.closes)
        engine = self._engine
        self._execution.start_aside(call, lambda: ERRANDS[path](engine, asked))

    def _answer_other(self, request: Request, connection: Connection) -> None:
        """What is not a call: health checks, and what the service does not know."""
        path = _path(request)
        reading = request.method in (b"GET", b"HEAD")
        status, body, kind = (200, HEALTHY, PLAIN) if reading and path in _HEALTH else (404, UNKNOWN, PLAIN)
        if path in ERRANDS:
            says = f"{path.decode()} wants the method POST."
            if not self._settings.allow_reset:
                says = refuse_unasked(path.decode()).message
            body, kind = error_body("UnknownOperationException", says), JSON
        head_only = request.method == b"HEAD"
        answer = reply(status, body, kind, close=request.closes, head_only=head_only)
        connection.send(answer, close=request.closes)


def _path(request: Request) -> bytes:
    return request.url.partition(b"?")[0]


def _take_host_from_url(request: Request) -> None:
    """A URL as proxies are sent them names the host, and what the header says of it does not count."""
    found = _ABSOLUTE.match(request.url)
    if found is not None:
        request.headers[b"host"] = found[1]
        path = request.url[found.end() :]
        request.url = path if path.startswith(b"/") else b"/" + path


def unpack(body: bytes, encoding: bytes, limit: int) -> bytes:
    """A compressed body as it was; one that would grow beyond the limit is given up in time."""
    match encoding.strip().lower():
        case b"gzip" | b"x-gzip":
            window, most = 31, _MEMBERS
        case b"deflate":
            window, most = 15, 1
        case b"identity" | b"":
            return body
        case _:
            raise RequestRefused("The request's Content-Encoding is not known.", wire_name="SerializationException")
    view, position = memoryview(body), 0
    parts: list[bytes] = []
    size, members = 0, 1
    try:
        unpacker = zlib.decompressobj(wbits=window)
        while position < len(view):
            if unpacker.eof:
                members += 1
                if members > most:
                    break
                unpacker = zlib.decompressobj(wbits=window)
            # What stands behind a member is copied for it, so it is shown little at a time.
            piece = view[position : position + _PIECE]
            parts.append(unpacker.decompress(piece, limit + 1 - size))
            size += len(parts[-1])
            if size > limit:
                raise RequestTooLarge(f"The request is larger than {limit} bytes.", wire_name="RequestEntityTooLarge")
            position += len(piece) - len(unpacker.unused_data)
    except zlib.error:
        raise RequestRefused("", wire_name="SerializationException") from None
    if not unpacker.eof or position < len(view):
        raise RequestRefused("", wire_name="SerializationException")
    return parts[0] if len(parts) == 1 else b"".join(parts)


class RequestTooLarge(RequestRefused):
    """A request beyond the limit of the protocol."""

    code = "REQUEST_TOO_LARGE"
    status = 413


class TooMuchUnderWay(RequestRefused):
    """A request that would make what waits to be answered too large."""

    code = "TOO_MUCH_UNDER_WAY"
    status = 503


def _region(request: Request) -> str:
    """The region that the caller signed for, whether or not anybody verifies it."""
    authorization = request.headers.get(b"authorization")
    if authorization is not None:
        credential = authorization[: authorization.find(b",")]
        known = _REGIONS.get(credential)
        if known is not None:
            return known
        found = _SCOPE.match(authorization, authorization.find(b"Credential=") + 11)
        if found is not None and b"Credential=" in credential and len(_REGIONS) < _MANY_REGIONS:
            _REGIONS[credential] = found[1].decode()
    else:
        asked = _QUERY_CREDENTIAL.search(request.url)
        found = _SCOPE.match(unquote_to_bytes(asked[1])) if asked is not None else None
    return found[1].decode() if found is not None else DEFAULT_REGION


def _takes_gzip(accepted: bytes) -> bool:
    if b"gzip" not in accepted:
        return False
    for choice in accepted.lower().split(b","):
        name, _, quality = choice.partition(b";")
        if name.strip() == b"gzip":
            return quality.replace(b" ", b"") not in (b"q=0", b"q=0.0", b"q=0.00", b"q=0.000")
    return False
