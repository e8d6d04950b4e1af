"""Ways to send many requests at once, made of what somebody opened: on one event loop where that can be, else by threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

from tablewright.client.opening import transport_to
from tablewright.client.settings import SessionOptions
from tablewright.transport.base import Request, Response, Transport
from tablewright.transport.embedded import EmbeddedTransport
from tablewright.transport.http.sync import HttpTransport


class Way(Protocol):
    """A way to a table for asyncio."""

    async def send(self, operation: str, request: Request) -> Response:
        """One request."""
        ...

    async def close(self) -> None:
        """Gives up what the way itself has opened; what it was made of stays open."""
        ...


def way_to(target: Any, at_once: int) -> Way:
    """A way to a target: an open session, with a model or plain, a transport, or whatever `open()` takes."""
    driver = getattr(target, "_driver", None)
    if driver is not None and driver.watcher is None:
        return _way(driver.transport, at_once)
    if hasattr(target, "send") and hasattr(target, "close"):
        return _way(target, at_once)
    transport, _ = transport_to(target, SessionOptions(create=False))
    return Owned(transport, _way(transport, at_once))


def _way(transport: Transport, at_once: int) -> Way:
    if isinstance(transport, HttpTransport):
        return transport.for_asyncio(at_once)
    if isinstance(transport, EmbeddedTransport) and transport.engine.in_memory:
        return Straight(transport)
    return Threads(transport, at_once)


class Straight:
    """Answered at once, as an engine in memory does: threads would only wait for each other."""

    def __init__(self, transport: Transport) -> None:
        self._send = transport.send

    async def send(self, operation: str, request: Request) -> Response:
        """One request."""
        return self._send(operation, request)

    async def close(self) -> None:
        """Nothing is open."""


class Threads:
    """Each request in a thread: an engine with a file commits those together that wait together."""

    def __init__(self, transport: Transport, at_once: int) -> None:
        import asyncio  # not above: a program without it need not wait for it to load

        self._transport = transport
        self._pool = ThreadPoolExecutor(at_once, thread_name_prefix="tablewright-job")
        self._running_loop = asyncio.get_running_loop

    async def send(self, operation: str, request: Request) -> Response:
        """One request."""
        return await self._running_loop().run_in_executor(self._pool, self._transport.send, operation, request)

    async def close(self) -> None:
        """Ends the threads."""
        self._pool.shutdown(wait=True)


class Owned:
    """A way over a transport that was opened for it, and is closed with it."""

    def __init__(self, transport: Transport, way: Way) -> None:
        self._transport = transport
        self._way = way
        self.send = way.send

    async def close(self) -> None:
        """Closes both."""
        await self._way.close()
        self._transport.close()
