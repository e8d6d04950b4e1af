"""A server's life: it listens, answers until it is told to stop, and stops without losing what it acknowledged."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from tablewright.engine import Engine, OffsetClock, open_engine
from tablewright.errors import ConfigError
from tablewright.server.connection import Connection, Service
from tablewright.server.connections import Buffer, Connections
from tablewright.server.execution import Execution, make_execution
from tablewright.server.replies import stamp
from tablewright.server.service import DynamoService
from tablewright.server.settings import Settings

_BACKLOG = 1024


class Server:
    """Serves an engine, or the tables in a file or in memory ("memory:"), over HTTP.

    Settings are those of `Settings`. `run` serves until a signal; `serve_in_thread` is for tests. An engine that was
    given stays open; one that the server opened, or had opened by a function, is closed with it. Nothing is opened
    before the port is the server's. `engine` is what it serves.
    """

    def __init__(self, tables: Engine | Callable[[], Engine] | str | os.PathLike[str], **settings: Any) -> None:
        self.settings = Settings(**settings)
        self._connections = Connections(self.settings)
        self._stop: asyncio.Event | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._service: DynamoService | None = None
        self._execution: Execution | None = None
        self._sockets = _listen(self.settings)
        self.port: int = self._sockets[0].getsockname()[1]
        self._owned = not isinstance(tables, Engine)
        try:
            self.engine = _engine_of(tables, self.settings)
        except BaseException:
            self._close_sockets()
            raise

    @property
    def url(self) -> str:
        """Where clients reach it."""
        host = "127.0.0.1" if self.settings.host == "localhost" else self.settings.host
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"

    def run(self, ready: Callable[[], None] | None = None, *, signals: bool = True) -> None:
        """Serve until SIGTERM, SIGINT or `stop`."""
        with asyncio.Runner(loop_factory=new_event_loop) as runner:
            runner.run(self._serve(ready, signals))

    def stop(self) -> None:
        """Ask it to stop, from any thread."""
        if self._loop is not None and self._stop is not None:
            with suppress(RuntimeError):  # the loop has ended by itself
                self._loop.call_soon_threadsafe(self._stop.set)

    def switch(self, engine: Engine) -> None:
        """Serve another engine from now on, from any thread but the server's own; what is under way is finished first.

        The engine before it, which must not be the server's own, stays open.
        """
        if self._owned or self._loop is None:
            raise ConfigError(
                "This server cannot serve another engine.",
                hint="Give it an engine when it is made, which then is yours to close, and let it run.",
            )
        done = asyncio.run_coroutine_threadsafe(self._switch(engine), self._loop)
        done.result()

    async def _switch(self, engine: Engine) -> None:
        assert self._service is not None
        assert self._execution is not None
        with self.engine.faults.in_haste():
            self._execution.close(give_up=False)
        self.engine = engine
        self._execution = make_execution(engine, asyncio.get_running_loop(), self.settings.max_group)
        self._service.serve(engine, self._execution)

    def close(self) -> None:
        """Let go of the sockets, and of the engine if it is the server's own."""
        self._close_sockets()
        if self._owned:
            self.engine.close()

    def _close_sockets(self) -> None:
        for one in self._sockets:
            one.close()

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def _serve(self, ready: Callable[[], None] | None, signals: bool) -> None:
        loop = self._loop = asyncio.get_running_loop()
        stop = self._stop = asyncio.Event()
        if signals and sys.platform != "win32":
            for number in (signal.SIGTERM, signal.SIGINT):
                loop.add_signal_handler(number, stop.set)
        execution = self._execution = make_execution(self.engine, loop, self.settings.max_group)
        self._service = DynamoService(self.engine, self.settings, execution)
        service: Service = self._service
        if self.settings.verbose:
            from tablewright.server.telling import Telling

            service = Telling(service, self.settings)
        connections, buffer = self._connections, Buffer()
        connections.now = loop.time()

        def connect() -> Connection:
            return Connection(service, self.settings, connections, buffer)

        servers = [await loop.create_server(connect, sock=one, backlog=_BACKLOG) for one in self._sockets]
        ticker = asyncio.create_task(self._tick())
        try:
            if ready is not None:
                ready()
            await stop.wait()
        finally:
            for server in servers:
                server.close()
            with self.engine.faults.in_haste():
                self._execution.hurry()
                in_time = await self._drain()
                ticker.cancel()
                self._execution.close(give_up=not in_time)

    async def _tick(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            stamp.renew()
            self._connections.sweep(loop.time(), self.settings.tick_seconds)
            await asyncio.sleep(self.settings.tick_seconds)

    async def _drain(self) -> bool:
        """Let requests under way be answered, for a while; then close what is left, and return False."""
        connections = self._connections
        connections.draining = True
        deadline = asyncio.get_running_loop().time() + self.settings.stop_seconds
        for connection in list(connections.open):
            connection.end()
        while connections.open and asyncio.get_running_loop().time() < deadline:
            await asyncio.sleep(0.01)
        late = list(connections.open)
        for connection in late:
            connection.abort()
        await asyncio.sleep(0.01)  # so that they are closed before the loop waits for what is under way
        return not late


@contextmanager
def serve_in_thread(tables: Engine | str | os.PathLike[str] = "memory:", **settings: Any) -> Iterator[Server]:
    """A server in a thread of its own, on a free port unless one is given; it stops with the block."""
    server = Server(tables, **({"port": 0} | settings))
    ready = threading.Event()
    thread = threading.Thread(
        target=server.run, args=(ready.set,), kwargs={"signals": False}, name="tablewright-server", daemon=True
    )
    thread.start()
    try:
        while not ready.wait(0.1):
            if not thread.is_alive():
                raise RuntimeError("The server's thread ended before it was ready; its output says why.")
        yield server
    finally:
        server.stop()
        thread.join()
        server.close()


def announce(url: str, what: str, ready_file: Path | None) -> None:
    """Say that requests are answered: on standard output, and in a file that appears whole or not at all."""
    print(f"Serving {what} on {url}", flush=True)
    if ready_file is not None:
        draft = ready_file.with_name(f"{ready_file.name}.{os.getpid()}")
        draft.write_text(url + "\n", encoding="utf-8")
        draft.replace(ready_file)


def new_event_loop() -> asyncio.AbstractEventLoop:
    """uvloop's where there is one: everywhere but on Windows."""
    if sys.platform == "win32":
        return asyncio.new_event_loop()
    import uvloop

    return uvloop.new_event_loop()


def _engine_of(tables: Engine | Callable[[], Engine] | str | os.PathLike[str], settings: Settings) -> Engine:
    if isinstance(tables, Engine):
        return tables
    if isinstance(tables, (str, os.PathLike)):
        return open_engine(tables, clock=OffsetClock() if settings.allow_reset else None)
    return tables()


def _listen(settings: Settings) -> list[socket.socket]:
    """Listening sockets. Where IPv4's loopback is asked for IPv6's is offered too: "localhost" may mean either."""
    host = "127.0.0.1" if settings.host == "localhost" else settings.host
    first = _bind(host, settings.port)
    if host != "127.0.0.1":
        return [first]
    try:
        return [first, _bind("::1", first.getsockname()[1])]
    except ConfigError:
        return [first]


def _bind(host: str, port: int) -> socket.socket:
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        bound = socket.socket(family, socket.SOCK_STREAM)
    except OSError as error:
        raise ConfigError(f"{host} is no address of this machine: {error}.") from error
    try:
        if sys.platform != "win32":
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            bound.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        bound.bind(address)
    except OSError as error:
        bound.close()
        raise ConfigError(
            f"Port {port} on {host} cannot be had: {error.strerror}.", hint="Another program may use it; try --port 0."
        ) from error
    return bound
