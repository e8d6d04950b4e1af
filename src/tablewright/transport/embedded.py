"""The engine in this process, as a transport. The only place beside testing and cli that knows the engine."""

from __future__ import annotations

from tablewright.engine import Engine, open_engine
from tablewright.transport.base import Request, Response


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
        return cls(open_engine(target))

    def close(self) -> None:
        """Closes the engine, if it is this transport's own."""
        if self._owned:
            self.engine.close()


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
        return cls(open_engine(target), in_memory=target == "memory:")

    async def send(self, operation: str, request: Request) -> Response:
        """One request."""
        import asyncio  # not above: a program without it need not wait for it to load

        if self._threads is None:
            if self.engine.is_at_fault:
                # A slow reply must not hold up the event loop.
                return await asyncio.to_thread(self.engine.execute, operation, request)
            return self.engine.execute(operation, request)
        return await asyncio.get_running_loop().run_in_executor(self._threads, self.engine.execute, operation, request)

    async def close(self) -> None:
        """Closes the engine, if it is this transport's own."""
        if self._threads is not None:
            self._threads.shutdown(wait=True)
        if self._owned:
            self.engine.close()
