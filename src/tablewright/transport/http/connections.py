"""Connections of asyncio: one that carries a request at a time, and a pool of them that queues what is too much."""

from __future__ import annotations

import asyncio
import socket
from collections import deque
from collections.abc import Callable
from typing import Any, cast

from tablewright.errors import ConfigError, NetworkError
from tablewright.transport.http import sockets
from tablewright.transport.http.exchange import lost
from tablewright.transport.http.replies import MAX_HEAD, Malformed, Reply, ReplyReader
from tablewright.transport.http.route import Route, Timeouts
from tablewright.transport.http.sockets import set_options, watcher
from tablewright.transport.refusals import session_closed

_BUFFER = 256 * 1024
_TICK = 0.5
_ADDRESSES_SECONDS = 1.0

Peer = tuple[int, Any]


class Connection(asyncio.BufferedProtocol):
    """One connection. What arrives is read into a buffer that all connections of a pool share."""

    __slots__ = ("_buffer", "_has_news", "_operation", "_pool", "_reader", "_transport", "alive", "deadline", "waiter")

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._buffer = pool.buffer
        self._reader = ReplyReader()
        self._transport: asyncio.Transport | None = None
        self._has_news: Callable[[], object] = bool
        self._operation = ""
        self.alive = True
        self.waiter: asyncio.Future[Reply] | None = None
        self.deadline = 0.0

    def exchange(self, operation: str, message: bytes) -> asyncio.Future[Reply]:
        """Sends a message; the reply comes through what is returned."""
        assert self._transport is not None
        pool = self._pool
        self._operation = operation
        self.waiter = waiter = pool.loop.create_future()
        self.deadline = pool.expect_reply()
        self._transport.write(message)
        return waiter

    def fresh(self) -> bool:
        """Whether it is open still, as far as can be known. asyncio may not have got round to telling."""
        used_until = self._pool.loop.time() - sockets.IDLE_SECONDS
        return self.alive and used_until < self.deadline and not self._has_news()

    def abort(self) -> None:
        """Closes it at once. A reply that is still to come is nobody's."""
        self.alive = False
        self.waiter = None
        if self._transport is not None:
            self._transport.abort()

    def fail(self, error: BaseException | None) -> None:
        """The reply that is waited for will not come."""
        waiter, self.waiter = self.waiter, None
        if waiter is not None and not waiter.done():
            failure = lost(self._operation, error)
            failure.__cause__ = error
            waiter.set_exception(failure)

    # ------------------------------------------------------------------------------------------ called by asyncio

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The connection is open."""
        self._transport = cast(asyncio.Transport, transport)
        self._has_news = watcher(transport.get_extra_info("socket").fileno())
        self._pool.opened.add(self)

    def get_buffer(self, sizehint: int) -> memoryview:
        """Where to put what arrives; it is used up before anything else runs."""
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Something arrived."""
        if self.waiter is None:  # nobody asked
            self.abort()
            return
        try:
            reply = self._reader.feed(self._buffer[:nbytes])
        except Malformed as error:
            self._break_off(error)
            return
        if reply is None:
            self.deadline = self._pool.expect_reply()
        else:
            self._answer(reply)

    def eof_received(self) -> None:
        """The other side will send no more."""
        if self.waiter is not None:
            try:
                self._answer(self._reader.end())
            except Malformed as error:
                self.fail(error)
        self.alive = False

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is gone."""
        self.alive = False
        self.fail(exc)
        self._pool.forget(self)

    def _answer(self, reply: Reply) -> None:
        waiter, self.waiter = self.waiter, None
        if waiter is not None and not waiter.done():
            waiter.set_result(reply)

    def _break_off(self, error: Exception) -> None:
        self.fail(error)
        self.abort()


class Pool:
    """The connections of one event loop: at most `limit` at once; whoever needs one more waits in line."""

    def __init__(self, loop: asyncio.AbstractEventLoop, route: Route, timeouts: Timeouts, limit: int) -> None:
        self.loop = loop
        self.buffer = memoryview(bytearray(_BUFFER))
        self.opened: set[Connection] = set()
        self._route = route
        self._timeouts = timeouts
        self._limit = limit
        self._idle: list[Connection] = []
        self._slots = 0  # taken by connections, and by those that are being made
        self._line: deque[asyncio.Future[Connection | None]] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False
        self._addresses: tuple[float, asyncio.Task[list[Peer]]] | None = None

    async def take(self, operation: str) -> Connection:
        """A connection, for the caller alone until it is given back or thrown away."""
        if self._closed:
            raise session_closed()
        while self._idle:
            connection = self._idle.pop()
            if connection.fresh():
                return connection
            connection.abort()
            self._slots -= 1
        if self._slots < self._limit:
            self._slots += 1
            return await self._connect(operation)
        turn: asyncio.Future[Connection | None] = self.loop.create_future()
        self._line.append(turn)
        try:
            given = await turn
        except asyncio.CancelledError:
            # Cancelled when it was our turn already: the next one's, then.
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self._hand_on(turn.result())
            raise
        if given is not None and given.alive:
            return given
        return await self._connect(operation)

    def give_back(self, connection: Connection) -> None:
        """The reply was whole; the connection can be used again."""
        self._hand_on(connection if connection.alive else None)

    def throw_away(self, connection: Connection) -> None:
        """Something else happened; what the connection brings next is not to be trusted."""
        connection.abort()
        self._hand_on(None)

    def forget(self, connection: Connection) -> None:
        """A connection is gone."""
        self.opened.discard(connection)
        if connection in self._idle:
            self._idle.remove(connection)
            self._slots -= 1

    async def close(self) -> None:
        """Closes all connections, and waits until they are. Whoever waits in line for one gets none."""
        self._closed = True
        while self._line:
            turn = self._line.popleft()
            if not turn.done():
                turn.set_exception(session_closed())
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        for connection in list(self.opened):
            connection.fail(None)
            connection.abort()
        while self.opened:
            await asyncio.sleep(0)

    def _hand_on(self, connection: Connection | None) -> None:
        """To the next in line, or else back to the rest; None stands for the right to make a new one."""
        while self._line:
            turn = self._line.popleft()
            if not turn.done():
                turn.set_result(connection)
                return
        if connection is not None and not self._closed:
            self._idle.append(connection)
            return
        self._slots -= 1
        if connection is not None:
            connection.abort()

    # ----------------------------------------------------------------------------------------------- time limits

    def expect_reply(self) -> float:
        """The time until which something must arrive; one timer looks after all connections."""
        if self._timer is None:
            self._timer = self.loop.call_later(min(_TICK, self._timeouts.read / 4), self._look_for_late_ones)
        return self.loop.time() + self._timeouts.read

    def _look_for_late_ones(self) -> None:
        self._timer = None
        now, waiting = self.loop.time(), False
        for connection in list(self.opened):
            if connection.waiter is not None:
                if connection.deadline < now:
                    connection.fail(TimeoutError())
                else:
                    waiting = True
        if waiting:
            self.expect_reply()

    # ------------------------------------------------------------------------------------------------ connecting

    async def _connect(self, operation: str) -> Connection:
        try:
            async with asyncio.timeout(self._timeouts.connect):
                connection = await self._reach()
                if self._closed:
                    connection.abort()
                    raise session_closed()
                return connection
        except (OSError, Malformed, NetworkError, ConfigError) as error:
            self._hand_on(None)
            raise self._route.no_connection(error, operation) from error
        except BaseException:
            self._hand_on(None)
            raise

    async def _reach(self) -> Connection:
        sock = await self._dial()
        route = self._route
        try:
            set_options(sock)
            ask = route.tunnel_request
            if ask is not None:
                await self.loop.sock_sendall(sock, ask)
                route.check_tunnel(await self._tunnel_head(sock))
            name = route.address.host if route.tls is not None else None
            _, connection = await self.loop.create_connection(
                lambda: Connection(self), sock=sock, ssl=route.tls, server_hostname=name
            )
        except BaseException:
            sock.close()
            raise
        return connection

    async def _dial(self) -> socket.socket:
        failure: OSError = OSError("no address")
        for family, address in await self._find_addresses():
            sock = socket.socket(family, socket.SOCK_STREAM)
            sock.setblocking(False)
            try:
                await self.loop.sock_connect(sock, address)
            except OSError as error:
                sock.close()
                failure = error
            except BaseException:
                sock.close()
                raise
            else:
                return sock
        raise failure

    async def _tunnel_head(self, sock: socket.socket) -> bytes:
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            more = await self.loop.sock_recv(sock, 1)
            if not more or len(head) > MAX_HEAD:
                raise Malformed("no answer from the proxy")
            head += more
        return head

    async def _find_addresses(self) -> list[Peer]:
        """Looked up by a thread of the event loop where a name has to be; by one, for all who ask at the same time."""
        host, port = self._route.peer
        if host == "localhost":
            return [(socket.AF_INET, ("127.0.0.1", port)), (socket.AF_INET6, ("::1", port, 0, 0))]
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
        except socket.gaierror:
            pass
        else:
            return [(family, address) for family, _, _, _, address in found]
        now = self.loop.time()
        if self._addresses is None or self._addresses[0] < now:
            task = self.loop.create_task(self._look_up(host, port))
            task.add_done_callback(lambda done: done.cancelled() or done.exception())  # perhaps nobody waits any more
            self._addresses = now + _ADDRESSES_SECONDS, task
        return await asyncio.shield(self._addresses[1])

    async def _look_up(self, host: str, port: int) -> list[Peer]:
        found = await self.loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        return [(family, address) for family, _, _, _, address in found]
