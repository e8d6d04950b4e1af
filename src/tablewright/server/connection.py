"""One connection: bytes in, whole requests on, replies out in the order of the requests, and no patience for slow ones."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Protocol, cast

from httptools import HttpParserError, HttpParserUpgrade, HttpRequestParser
from msgspec import Struct

from tablewright.server.connections import BUFFER_BYTES, Buffer, Connections
from tablewright.server.replies import error_body, reply
from tablewright.server.settings import Settings

_LINGER_SECONDS = 2.0
_TURN_BYTES = 256 * 1024
_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
TOO_MUCH = "There are too many large requests under way."
_MALFORMED = "This is not a well-formed HTTP request."
_FRAMING = (b"content-length", b"transfer-encoding")
# Any other operation is about one item, or tells little.
_OF_MANY_ITEMS = frozenset(
    {
        b"BatchExecuteStatement",
        b"BatchGetItem",
        b"ExecuteStatement",
        b"ExecuteTransaction",
        b"GetRecords",
        b"Query",
        b"Scan",
        b"TransactGetItems",
    }
)


class Request(Struct, eq=False):
    """A whole HTTP request. Header names are in lower case; repeated ones are joined by commas."""

    method: bytes
    url: bytes
    headers: dict[bytes, bytes]
    body: bytes
    closes: bool


class Service(Protocol):
    """Who answers requests: by calling `connection.send`, now or later, once for each."""

    def handle(self, request: Request, connection: Connection) -> None:
        """Answer one request."""
        ...


class Connection(asyncio.BufferedProtocol):
    """A client's connection. One request is being answered at a time; what follows it waits, at first here, then unread."""

    __slots__ = (
        "_begun", "_body", "_body_bytes", "_buffer", "_busy", "_connections", "_ended", "_fresh", "_head_bytes", "_headers", "_held",
        "_message", "_parser", "_paused", "_reading_paused", "_refusal", "_reserved", "_sent", "_service", "_settings", "_silent", "_transport", "_url", "_waiting",
        "deadline", "unsent",
    )  # fmt: skip

    def __init__(self, service: Service, settings: Settings, connections: Connections, buffer: Buffer) -> None:
        self._service = service
        self._settings = settings
        self._connections = connections
        self._buffer = buffer
        self._transport: asyncio.Transport | None = None
        self._parser = HttpRequestParser(self)
        self._waiting: deque[Request] = deque()
        self._headers: dict[bytes, bytes] = {}
        self._url = b""
        self._body: bytes | bytearray = b""
        self._body_bytes = 0
        self._head_bytes = 0
        self._begun = False  # a message began in what was read last
        self._sent = 0  # bytes of replies in this turn of the loop
        self._message = ""  # "" between messages, else "head" or "body"
        self._busy = False  # a request is being answered
        self._held = 0  # the size of its body
        self._paused = False  # the client does not read its replies
        self._reading_paused = False
        self._silent = False  # the client sends no more
        self._ended = False  # nothing that arrives is looked at any more
        self._refusal: bytes | None = None  # the last reply, to a request that cannot be read
        self._fresh = 0  # bytes of replies in this turn of the loop, where they are many
        self._reserved = 0  # the size that its reply is expected to have
        self.unsent = 0  # bytes of replies that the system may not have taken yet
        self.deadline = 0.0

    # ------------------------------------------------------------------------------------------ the event loop's side

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Start waiting for a request."""
        self._transport = cast("asyncio.Transport", transport)  # uvloop's have the methods, not the class
        connections = self._connections
        connections.open.add(self)
        self.deadline = connections.now + self._settings.head_seconds
        if len(connections.open) > self._settings.max_connections:
            self._ended = True
            body = error_body("ServiceUnavailable", "There are too many connections.")
            self._transport.write(reply(503, body, close=True))
            self._transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the client; what it asked for is still done."""
        connections = self._connections
        connections.forget(self)
        self._ended = True
        self._transport = None
        self._forget_waiting()
        self._drop_body()
        connections.unsent -= self.unsent + self._reserved
        self.unsent = self._reserved = 0
        connections.go_on()

    def get_buffer(self, sizehint: int) -> memoryview:
        """Where to read to."""
        return self._buffer.view

    def buffer_updated(self, nbytes: int) -> None:
        """Parse what was read, and answer what is whole."""
        if self._ended:
            return
        self._begun = False
        if self.unsent > BUFFER_BYTES:
            self.settle()
        try:
            self._parser.feed_data(self._buffer.view[:nbytes])
        except HttpParserUpgrade as offer:
            self._decline(self._buffer.view[offer.args[0] : nbytes])
        except HttpParserError:
            self._refuse(400, "SerializationException", _MALFORMED)
        if self._message == "head" and not self._begun:
            self._head_bytes += nbytes
            if self._head_bytes > self._settings.max_head:
                self._refuse(431, "SerializationException", "The headers of the request are too large.")
        self._proceed()

    def eof_received(self) -> bool:
        """The client sends no more: answer what it asked, then close."""
        self._ended = self._silent = True
        return self._busy or bool(self._waiting)

    def pause_writing(self) -> None:
        """The client reads too slowly: answer no more until it catches up, and not for ever."""
        self._paused = True
        self.settle()
        self.deadline = self._connections.now + self._settings.write_seconds

    def resume_writing(self) -> None:
        """The client caught up."""
        self._paused = False
        self.deadline = self._connections.now + self._settings.idle_seconds
        self.settle()
        self._proceed()
        self._connections.go_on()

    # ------------------------------------------------------------------------------------------------ the parser's side

    def on_message_begin(self) -> None:
        """A request line is coming."""
        self._begun = True
        self._message = "head"
        self._url = b""
        self._headers = {}
        self._head_bytes = 0
        self.deadline = self._connections.now + self._settings.head_seconds

    def on_url(self, url: bytes) -> None:
        """A part of the URL, or all of it."""
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        """One header. What comes behind a body is not looked at, and not without end."""
        if self._message == "body":
            self._head_bytes += len(name) + len(value)
            if self._head_bytes > self._settings.max_head:
                self._refuse(431, "SerializationException", "The trailers of the request are too large.")
            return
        name = name.lower()
        headers = self._headers
        headers[name] = headers[name] + b"," + value if name in headers else value

    def on_headers_complete(self) -> None:
        """Everything before the body is known."""
        self._message = "body"
        self._head_bytes = 0
        length = self._headers.get(b"content-length")
        if length is not None:
            if int(length) > self._settings.max_body:
                self._refuse_body()
                return
        elif self._headers.get(b"transfer-encoding", b"chunked").lower() != b"chunked":
            self._refuse(400, "SerializationException", "The only Transfer-Encoding that can be read is chunked.")
            return
        # Clients from before 1.1 would take the answer to an expectation for the reply.
        if b"expect" in self._headers and self._parser.get_http_version() != "1.0":
            if self._headers[b"expect"].lower() != b"100-continue":
                self._refuse(417, "SerializationException", "The only expectation that can be met is 100-continue.")
            elif not self._busy and not self._waiting and self._transport is not None:
                self._transport.write(_CONTINUE)
        self.deadline = self._connections.now + self._settings.body_seconds

    def on_body(self, part: bytes) -> None:
        """A part of the body."""
        if self._ended:
            return
        if not self._body:
            self._body = part  # nearly always all of it
        else:
            if isinstance(self._body, bytes):
                self._body = bytearray(self._body)
            self._body += part
        self._body_bytes += len(part)
        self._connections.body_bytes += len(part)
        if self._body_bytes > self._settings.max_body:
            self._refuse_body()
        elif self._connections.body_bytes > self._settings.max_bodies and self._body_bytes > BUFFER_BYTES:
            self._refuse(503, "ServiceUnavailable", TOO_MUCH)

    def on_message_complete(self) -> None:
        """The request is whole."""
        body = self._body
        if not self._ended:
            self._waiting.append(
                Request(
                    self._parser.get_method(),
                    self._url,
                    self._headers,
                    body if isinstance(body, bytes) else bytes(body),
                    not self._parser.should_keep_alive(),
                )
            )
            self._body = b""
            self._body_bytes = 0
        self._message = ""

    # ---------------------------------------------------------------------------------------------------- the work

    def _proceed(self) -> None:
        """Answer what can be answered; leave the rest unread while something is in the way."""
        waiting, connections = self._waiting, self._connections
        self._sent = 0
        while waiting and not self._busy and not self._paused:
            if connections.unsent > connections.max_unsent and self._must_wait(waiting[0]):
                connections.wait(self)
                break
            if self._sent > _TURN_BYTES:
                # The loop tells only later that the client reads too slowly, and others have their turn meanwhile.
                asyncio.get_running_loop().call_soon(self.resume)
                break
            self._busy = True
            request = waiting.popleft()
            self._held = len(request.body)
            self._service.handle(request, self)
        transport = self._transport
        if transport is None:
            return
        if self._ended:
            if not self._busy and not waiting:
                self._say_farewell(transport)
        elif bool(waiting) is not self._reading_paused:
            self._reading_paused = not self._reading_paused
            if self._reading_paused:
                transport.pause_reading()
            else:
                transport.resume_reading()

    def send(self, data: bytes | None, *, close: bool) -> None:
        """The reply to the request that is being answered; None breaks the connection instead.

        Whoever sends later than at once calls `resume` next.
        """
        connections = self._connections
        self._busy = False
        connections.body_bytes -= self._held
        if self._reserved:
            connections.unsent -= self._reserved
            self._reserved = 0
        transport = self._transport
        if transport is None:
            return
        if data is None:
            self._ended = True
            self._forget_waiting()
            transport.abort()
            return
        size = len(data)
        self._sent += size
        self.unsent += size
        connections.unsent += size
        transport.write(data)
        if size > BUFFER_BYTES and not self._paused:
            # The loop may hand it to the system at the end of this turn only.
            self._fresh = self.unsent
            asyncio.get_running_loop().call_soon(self._is_handed_on)
        if close or connections.draining:
            self._ended = True
            self._forget_waiting()
            self._refusal = None
            transport.close()
        elif not self._message:
            self.deadline = connections.now + self._settings.idle_seconds

    def expect(self, size: int) -> None:
        """The reply to the request that is being answered comes later, and may be as large as this."""
        self._reserved = size
        self._connections.unsent += size

    def settle(self) -> None:
        """See what the system has taken of the replies; of small ones, those of this turn of the loop do not show yet."""
        transport = self._transport
        if transport is not None:
            size = max(transport.get_write_buffer_size(), self._fresh)
            self._connections.unsent += size - self.unsent
            self.unsent = size

    def _is_handed_on(self) -> None:
        self._fresh = 0

    def _must_wait(self, request: Request) -> bool:
        """Where there is no room for replies: all but what is small, and asked by somebody who reads."""
        self.settle()
        return self.unsent > 0 or request.headers.get(b"x-amz-target", b"").rpartition(b".")[2] in _OF_MANY_ITEMS

    def unpacks_to(self, size: int) -> bool:
        """The body of the request that is being answered has this size now; False where that is more than all may hold."""
        connections = self._connections
        connections.body_bytes += size - self._held
        self._held = size
        return size <= BUFFER_BYTES or connections.body_bytes <= self._settings.max_bodies

    def resume(self) -> None:
        """Go on with the requests behind one that was answered later than at once."""
        if self._transport is not None:
            self._proceed()

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being answered, or on its way to be."""
        return not (self._busy or self._waiting)

    def expire(self) -> None:
        """Out of time: say so to a request that is half here, and close."""
        if self._transport is None:
            return
        if self._busy:
            self.deadline = self._connections.now + self._settings.idle_seconds
        elif self._ended or self._paused:
            self._transport.abort()
        elif self._connections.is_waiting(self):
            self.deadline = self._connections.now + self._settings.idle_seconds
        elif self._message:
            self._refuse(408, "RequestTimeout", "The request did not arrive in time.")
            self._proceed()
        else:
            self._ended = True
            self._transport.close()

    def abort(self) -> None:
        """Close now, whatever is under way."""
        if self._transport is not None:
            self._transport.abort()

    def end(self) -> None:
        """Close as soon as what is being answered has been."""
        if self._transport is not None and self.is_idle:
            self._ended = True
            self._transport.close()

    def _decline(self, rest: memoryview) -> None:
        """Read on behind the head of a request that offers to change to another protocol, as if it had not offered.

        The parser takes what follows for the other protocol. So it is told of a request with the same kind of body
        and nothing else, and that one then becomes what it was.
        """
        while self._waiting and not self._ended:
            request = self._waiting[-1]
            if request.method == b"CONNECT":
                request.closes = True  # what follows was meant for somebody else
                return
            try:
                self._read_again(request)
                self._parser.feed_data(rest)
            except HttpParserUpgrade as offer:
                rest = rest[offer.args[0] :]
            except HttpParserError:
                self._refuse(400, "SerializationException", _MALFORMED)
            else:
                return

    def _read_again(self, request: Request) -> None:
        framing = [(name, request.headers[name]) for name in _FRAMING if name in request.headers]
        if not framing:
            return
        self._waiting.pop()
        fields = b"".join(b"%b: %b\r\n" % field for field in framing)
        closing = b"Connection: close\r\n" if request.closes else b""
        self._parser.feed_data(b"%b / HTTP/1.1\r\n%b%b\r\n" % (request.method, fields, closing))
        if self._message:
            self._headers, self._url = request.headers, request.url
        else:
            self._waiting[-1] = request  # its body is empty

    def _refuse_body(self) -> None:
        limit = self._settings.max_body
        self._refuse(413, "RequestEntityTooLarge", f"The request is larger than {limit} bytes.")

    def _refuse(self, status: int, name: str, message: str) -> None:
        """Answer a request that cannot be read to its end, once those before it are answered, and read no more."""
        if not self._ended:
            self._ended = True
            self._drop_body()
            self._refusal = reply(status, error_body(name, message), close=True)

    def _say_farewell(self, transport: asyncio.Transport) -> None:
        """Send the refusal and close.

        The client may still be sending. A closed connection would make its system drop our reply, so what comes is
        thrown away for a little while.
        """
        if self._refusal is None:
            transport.close()
            return
        transport.write(self._refusal)
        self._refusal = None
        if self._silent:
            transport.close()
            return
        self.deadline = self._connections.now + _LINGER_SECONDS
        if self._reading_paused:
            self._reading_paused = False
            transport.resume_reading()
        transport.write_eof()

    def _forget_waiting(self) -> None:
        for request in self._waiting:
            self._connections.body_bytes -= len(request.body)
        self._waiting.clear()

    def _drop_body(self) -> None:
        self._connections.body_bytes -= self._body_bytes
        self._body = b""
        self._body_bytes = 0
