"""DynamoDB over HTTP for async sessions: everything happens on the event loop, but for refreshing credentials."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from tablewright.errors import AccessRefused
from tablewright.transport.base import Read, Request, Response
from tablewright.transport.http.connections import Pool
from tablewright.transport.http.credentials import Credentials, Source
from tablewright.transport.http.exchange import encode_request, read_refusal, read_response
from tablewright.transport.http.replies import Reply
from tablewright.transport.http.route import Route, Timeouts
from tablewright.transport.http.signing import Signer
from tablewright.transport.refusals import session_closed


class AsyncHttpTransport:
    """Sends signed requests over at most `max_connections`; what is more waits its turn."""

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
        self._timeouts = timeouts
        self._max_connections = max_connections
        self._source = credentials
        self._signer = Signer(route, region, self._credentials, now)
        self._pool: Pool | None = None
        self._fetching: asyncio.Task[Credentials] | None = None
        self._next_look = 0.0
        self._closed = False

    async def send(self, operation: str, request: Request) -> Response:
        """One request."""
        return await self.read_json(operation, request, None)

    async def read_json(self, operation: str, request: Request, read: Read | None) -> Response:
        """As `send`, with the response as `read` makes it."""
        body = encode_request(operation, request)
        reply = await self._exchange(operation, body)
        if reply.status != 200:
            error = read_refusal(operation, reply)
            # Our clock may be wrong: then the request was not even looked at, and is signed once more.
            if not isinstance(error, AccessRefused) or not self._signer.corrected_by(reply.headers):
                raise error
            reply = await self._exchange(operation, body)
            if reply.status != 200:
                raise read_refusal(operation, reply)
        return read_response(operation, request, reply, read)

    async def close(self) -> None:
        """Closes the connections. Requests under way fail."""
        self._closed = True
        if self._pool is not None and self._pool.loop is asyncio.get_running_loop():
            await self._pool.close()

    async def _exchange(self, operation: str, body: bytes) -> Reply:
        pool = self._pool
        if pool is None or pool.loop is not asyncio.get_running_loop() or self._closed:
            pool = self._open_pool()
        now = pool.loop.time()
        if now >= self._next_look:
            await self._look_after_credentials(now)
        connection = await pool.take(operation)
        try:
            reply = await connection.exchange(operation, self._signer.message(operation, body))
        except BaseException:
            pool.throw_away(connection)
            raise
        if reply.keep:
            pool.give_back(connection)
        else:
            pool.throw_away(connection)
        return reply

    def _open_pool(self) -> Pool:
        """Connections belong to an event loop; where another one runs than before, it starts without any."""
        if self._closed:
            raise session_closed()
        self._pool = Pool(asyncio.get_running_loop(), self._route, self._timeouts, self._max_connections)
        self._fetching, self._next_look = None, 0.0
        return self._pool

    # ----------------------------------------------------------------------------------------------- credentials

    def _credentials(self) -> Credentials:
        known = self._source.known
        assert known is not None, "no request is signed before they were looked after"
        return known

    async def _look_after_credentials(self, now: float) -> None:
        """Once a second. New ones are fetched in a thread; requests wait for it only if the old ones are over."""
        source = self._source
        if source.due:
            if self._fetching is None or self._fetching.done():
                self._fetching = asyncio.create_task(asyncio.to_thread(source.fetch))
                self._fetching.add_done_callback(lambda done: done.cancelled() or done.exception())
            if source.ended:
                await asyncio.shield(self._fetching)
        self._next_look = now + 1.0
