"""Where calls are carried out: at once, or behind the event loop where they may have to wait for a disk."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

from tablewright.engine import Engine
from tablewright.server.calls import Call, outcome


class Execution(Protocol):
    """Carries out calls; each gets its reply sent."""

    def start(self, call: Call) -> None:
        """Carry out a call, now or later."""
        ...

    def close(self) -> None:
        """Wait for what is under way."""
        ...


class AtOnce:
    """For tables in memory: nothing waits, and a thread would only cost time."""

    __slots__ = ("_engine",)

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def start(self, call: Call) -> None:
        """Carry out a call now."""
        try:
            result: dict[str, Any] | BaseException = self._engine.execute(
                call.operation, call.request, region=call.region
            )
        except Exception as error:
            result = error
        call.connection.send(outcome(call, result), close=call.closes)

    def close(self) -> None:
        """Nothing is under way."""


class InThreads:
    """For tables in a file."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._threads = ThreadPoolExecutor(16, thread_name_prefix="tablewright")

    def start(self, call: Call) -> None:
        """Carry out a call in a thread."""
        loop = asyncio.get_running_loop()
        self._threads.submit(self._carry_out, call, loop)

    def _carry_out(self, call: Call, loop: asyncio.AbstractEventLoop) -> None:
        try:
            result: dict[str, Any] | BaseException = self._engine.execute(
                call.operation, call.request, region=call.region
            )
        except Exception as error:
            result = error
        loop.call_soon_threadsafe(self._finish, call, outcome(call, result))

    @staticmethod
    def _finish(call: Call, data: bytes) -> None:
        call.connection.send(data, close=call.closes)
        call.connection.resume()

    def close(self) -> None:
        """Wait for what is under way."""
        self._threads.shutdown(wait=True)
