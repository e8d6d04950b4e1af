"""DynamoDB over HTTP for sync sessions: a pool of connections on plain sockets. Safe to share between threads."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from tablewright.errors import AccessRefused, ConfigError, NetworkError
from tablewright.transport.base import Read, Request, Response
from tablewright.transport.http import sockets
from tablewright.transport.http.credentials import Source
from tablewright.transport.http.exchange import (
    encode_request,
    lost,
    not_sent,
    read_refusal,
    read_response,
)
from tablewright.transport.http.replies import MAX_HEAD, Malformed, Reply, ReplyReader
from tablewright.transport.http.route import Route, Timeouts
from tablewright.transport.http.signing import Signer
from tablewright.transport.http.sockets import limit_waiting, set_options, time_left, watcher
from tablewright.transport.refusals import session_closed

if TYPE_CHECKING:
    from tablewright.transport.http.aio import AsyncHttpTransport

_BUFFER = 64 * 1024


class HttpTransport:
    """Sends signed requests. At most `max_connections` are kept open between requests; threads may use more at once."""

    def __init__(
        self,
        route: Route,
        region: str,
        credentials: Source,
        timeouts: Timeouts = Timeouts(),  # noqa: B008 - it cannot be changed
        max_connections: int = 50,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._route = route
        self._region = region
        self._source = credentials
        self._timeouts = timeouts
        self._max_connections = max_connections
        self._now = now
        self._signer = Signer(route, region, credentials.fetch, now)
        self._idle: list[Connection] = []
        self._process = os.getpid()
        self._closed = False

    def send(self, operation: str, request: Request) -> Response:
        """One request."""
        return self.read_in_time(operation, request, None, None)

    def read_json(self, operation: str, request: Request, read: Read | None) -> Response:
        """As `send`, with the response as `read` makes it."""
        return self.read_in_time(operation, request, read, None)

    def read_in_time(self, operation: str, request: Request, read: Read | None, until: float | None) -> Response:
        """The same, over when time.monotonic() reaches `until`, however slowly bytes come."""
        body = encode_request(operation, request)
        reply = self._exchange(operation, body, until)
        if reply.status != 200:
            error = read_refusal(operation, reply)
            # Our clock may be wrong: then the request was not even looked at, and is signed once more.
            if not isinstance(error, AccessRefused) or not self._signer.corrected_by(reply.headers):
                raise error
            reply = self._exchange(operation, body, until)
            if reply.status != 200:
                raise read_refusal(operation, reply)
        return read_response(operation, request, reply, read)

    def for_asyncio(self, max_connections: int) -> AsyncHttpTransport:
        """Another transport to the same place, for whoever has many requests under way at once."""
        from tablewright.transport.http.aio import AsyncHttpTransport

        return AsyncHttpTransport(self._route, self._region, self._source, self._timeouts, max_connections, self._now)

    def close(self) -> None:
        """Closes the connections; those in use are closed when their reply has come."""
        self._closed = True
        while self._idle:
            self._idle.pop().close()

    def _exchange(self, operation: str, body: bytes, until: float | None) -> Reply:
        message = self._signer.message(operation, body)
        connection = self._take() or Connection(self._route, self._timeouts, operation, until)
        try:
            if until is None:
                reply = connection.exchange(operation, message)
            else:
                reply = connection.exchange_in_time(operation, message, until)
        except BaseException:
            connection.close()  # a reply may still come, and it would be taken for that of the next request
            raise
        if reply.keep and not self._closed and len(self._idle) < self._max_connections:
            self._idle.append(connection)
            if self._closed:  # meanwhile, by another thread
                self.close()
        else:
            connection.close()
        return reply

    def _take(self) -> Connection | None:
        """A connection that is open still; the one used last, so that those not needed age."""
        if self._closed:
            raise session_closed()
        if self._process != os.getpid():  # after a fork: these connections belong to the parent
            self._idle, self._process = [], os.getpid()
        while True:
            try:
                connection = self._idle.pop()
            except IndexError:
                return None
            if connection.fresh():
                return connection
            connection.close()


class Connection:
    """One connection, which carries one request at a time."""

    __slots__ = ("_buffer", "_has_news", "_limit", "_patience", "_reader", "_socket", "_tls", "_used")

    def __init__(self, route: Route, timeouts: Timeouts, operation: str, until: float | None = None) -> None:
        try:
            self._socket = _connect(route, timeouts.connect, until)
        except (OSError, Malformed, NetworkError, ConfigError) as error:
            raise route.no_connection(error, operation) from error
        self._tls = route.tls is not None
        self._patience = timeouts.read
        self._limit = 0.0
        self._wait_at_most(timeouts.read)
        self._reader = ReplyReader()
        self._buffer = memoryview(bytearray(_BUFFER))
        self._has_news = watcher(self._socket.fileno())
        self._used = 0.0

    def fresh(self) -> bool:
        """Whether it is open still, as far as can be known."""
        return time.monotonic() - self._used < sockets.IDLE_SECONDS and not self._has_news()

    def exchange(self, operation: str, message: bytes) -> Reply:
        """Sends a message and waits for the reply to it."""
        self._used = time.monotonic()
        if self._limit != self._patience:
            self._wait_at_most(self._patience)
        sock, buffer, feed = self._socket, self._buffer, self._reader.feed
        try:
            sock.sendall(message)
        except OSError as error:
            raise not_sent(operation) from error
        try:
            while True:
                count = sock.recv_into(buffer)
                if not count:
                    return self._reader.end()
                reply = feed(buffer[:count])
                if reply is not None:
                    return reply
        except (OSError, Malformed) as error:
            raise lost(operation, error) from error

    def exchange_in_time(self, operation: str, message: bytes, until: float) -> Reply:
        """The same, with each wait as long as there is time left in all."""
        self._used = time.monotonic()
        sock, buffer, rest = self._socket, self._buffer, memoryview(message)
        try:
            while rest:
                self._wait_at_most(time_left(self._patience, until))
                rest = rest[sock.send(rest) :]
        except OSError as error:
            raise not_sent(operation) from error
        try:
            while True:
                self._wait_at_most(time_left(self._patience, until))
                count = sock.recv_into(buffer)
                if not count:
                    return self._reader.end()
                reply = self._reader.feed(buffer[:count])
                if reply is not None:
                    return reply
        except (OSError, Malformed) as error:
            raise lost(operation, error) from error

    def close(self) -> None:
        """Closes it."""
        self._socket.close()

    def _wait_at_most(self, seconds: float) -> None:
        if seconds == self._limit:
            return
        self._limit = seconds
        if self._tls:
            self._socket.settimeout(seconds)
        else:
            limit_waiting(self._socket, seconds)


def _connect(route: Route, patience: float, until: float | None) -> socket.socket:
    sock = _dial(route.peer, patience, until)
    try:
        set_options(sock)
        ask = route.tunnel_request
        if ask is not None:
            sock.sendall(ask)
            route.check_tunnel(_tunnel_head(sock, patience, until))
        if route.tls is not None:
            sock.settimeout(time_left(patience, until))
            sock = route.tls.wrap_socket(sock, server_hostname=route.address.host)
    except BaseException:
        sock.close()
        raise
    return sock


def _dial(peer: tuple[str, int], patience: float, until: float | None) -> socket.socket:
    failure: OSError = OSError("no address")
    for family, kind, protocol, _, address in socket.getaddrinfo(*peer, type=socket.SOCK_STREAM):
        sock = socket.socket(family, kind, protocol)
        try:
            sock.settimeout(time_left(patience, until))
            sock.connect(address)
        except OSError as error:
            sock.close()
            failure = error
        except BaseException:
            sock.close()
            raise
        else:
            return sock
    raise failure


def _tunnel_head(sock: socket.socket, patience: float, until: float | None) -> bytes:
    """The proxy's answer, read byte by byte: what follows it belongs to the tunnel."""
    head = bytearray()
    while not head.endswith(b"\r\n\r\n"):
        sock.settimeout(time_left(patience, until))
        byte = sock.recv(1)
        if not byte or len(head) > MAX_HEAD:
            raise Malformed("no answer from the proxy")
        head += byte
    return bytes(head)
