"""The engine in this process, as a transport. The only place beside testing and cli that knows the engine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from tablewright.engine import Engine, open_engine
from tablewright.transport.base import Read, Request, Response
from tablewright.values import loads

T = TypeVar("T")


class EmbeddedTransport:
    """Requests go straight to an engine; `owned` engines are closed with the transport."""

    def __init__(self, engine: Engine, *, owned: bool = True) -> None:
        self.engine = engine
        self._owned = owned
        self.send = engine.execute  # no frame in between: this is the hot path

    @staticmethod
    def is_engine(target: object) -> bool:
        """Whether this is an engine that is open already."""
        return isinstance(target, Engine)

    @classmethod
    def open(cls, target: str) -> EmbeddedTransport:
        """A transport on "memory:" or a file."""
        return cls(_opened(target))

    def read_json(self, operation: str, request: Request, read: Read) -> Response:
        """As `send`, with the response as `read` makes it."""
        return _read(self.engine.answer(operation, request), read)

    def close(self) -> None:
        """Closes the engine, if it is this transport's own."""
        if self._owned:
            self.engine.close()


def _opened(target: str) -> Engine:
    # Whoever asks for a transport has told files from other places already, and a Path may have any name.
    return open_engine(target if target == "memory:" else Path(target))


def _read(answer: bytes, read: Read) -> Response:
    try:
        return read(answer)
    except ValueError:  # it does not fit what the caller expects
        response: Response = loads(answer)
        return response


class AsyncEmbeddedTransport:
    """The same for asyncio: in memory a request is answered at once; a file's requests wait in threads of their own."""

    def __init__(self, engine: Engine, *, in_memory: bool = False, owned: bool = True) -> None:
        from concurrent.futures import ThreadPoolExecutor

        self.engine = engine
        self._owned = owned
        # Several threads, so that writes that wait for the disk can share one commit.
        self._threads = None if in_memory else ThreadPoolExecutor(16, thread_name_prefix="tablewright")

    @classmethod
    def open(cls, target: str) -> AsyncEmbeddedTransport:
        """A transport on "memory:" or a file."""
        return cls(_opened(target), in_memory=target == "memory:")

    async def send(self, operation: str, request: Request) -> Response:
        """One request."""
        if self._threads is None and not self.engine.is_at_fault:
            return self.engine.execute(operation, request)
        return await self._aside(self.engine.execute, operation, request)

    async def read_json(self, operation: str, request: Request, read: Read) -> Response:
        """As `send`, with the response as `read` makes it."""
        if self._threads is None and not self.engine.is_at_fault:
            return _read(self.engine.answer(operation, request), read)
        return _read(await self._aside(self.engine.answer, operation, request), read)

    async def _aside(self, execute: Callable[[str, Request], T], operation: str, request: Request) -> T:
        import asyncio  # not above: a program without it need not wait for it to load

        # In memory only a slow reply on purpose gets here, which must not hold up the event loop.
        return await asyncio.get_running_loop().run_in_executor(self._threads, execute, operation, request)

    async def close(self) -> None:
        """Closes the engine, if it is this transport's own."""
        if self._threads is not None:
            self._threads.shutdown(wait=True)
        if self._owned:
            self.engine.close()
