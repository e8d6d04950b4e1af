"""Crews: the same work by threads on one session or by asyncio tasks on another, all starting at once.

A worker is a generator that yields what to do with the session; it gets the result back, or the library's error.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from tablewright import AsyncSession, RetryPolicy, Session
from tablewright.engine import Engine
from tablewright.errors import TablewrightError
from tablewright.transport.embedded import AsyncEmbeddedTransport, EmbeddedTransport
from tests.concurrency.arcade import arcade

IN_A_HURRY = RetryPolicy(base_delay=0.002, max_delay=0.02)


@dataclass(frozen=True)
class Edit:
    """Read, change and write an entity."""

    target: Any
    change: Callable[[Any], None]


@dataclass(frozen=True)
class Together:
    """A transaction."""

    fill: Callable[[Any], None]


Deed: TypeAlias = Callable[[Any], Any] | Edit | Together
Worker: TypeAlias = Generator[Deed, Any, None]


class Crew(Protocol):
    """Many who do the same."""

    size: int

    def race(self, work: Callable[[int], Worker]) -> None:
        """Everybody starts work(number); what a worker does not catch is raised here."""
        ...


class Threads:
    """Threads that share one session."""

    def __init__(self, engine: Engine, in_memory: bool, size: int = 8) -> None:
        self.size = size
        self._engine = engine

    def race(self, work: Callable[[int], Worker]) -> None:
        errors: list[BaseException] = []
        start = threading.Barrier(self.size)

        def run(db: Session, worker: Worker) -> None:
            try:
                start.wait()
                answer: Any = None
                go: Callable[[Any], Deed] = worker.send
                while True:
                    deed = go(answer)
                    try:
                        answer, go = _do(db, deed), worker.send
                    except TablewrightError as error:
                        answer, go = error, worker.throw
            except StopIteration:
                pass
            except BaseException as error:
                errors.append(error)

        with arcade.open(EmbeddedTransport(self._engine, owned=False), retry=IN_A_HURRY) as db:
            threads = [threading.Thread(target=run, args=(db, work(n))) for n in range(self.size)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        if errors:
            raise errors[0]


class Tasks:
    """Tasks that share one async session."""

    def __init__(self, engine: Engine, in_memory: bool, size: int = 50) -> None:
        self.size = size
        self._engine = engine
        self._in_memory = in_memory

    def race(self, work: Callable[[int], Worker]) -> None:
        async def run(db: AsyncSession, worker: Worker) -> None:
            answer: Any = None
            go: Callable[[Any], Deed] = worker.send
            while True:
                try:
                    deed = go(answer)
                except StopIteration:
                    return
                try:
                    answer, go = await _await(db, deed), worker.send
                except TablewrightError as error:
                    answer, go = error, worker.throw

        async def everybody() -> None:
            transport = _TakingTurns(self._engine, self._in_memory)
            async with arcade.open_async(transport, retry=IN_A_HURRY) as db:
                await asyncio.gather(*(run(db, work(n)) for n in range(self.size)))

        asyncio.run(everybody())


class _TakingTurns:
    """In memory a request is answered without waiting; here others get their turn before it, as on a network."""

    def __init__(self, engine: Engine, in_memory: bool) -> None:
        self._inner = AsyncEmbeddedTransport(engine, in_memory=in_memory, owned=False)

    async def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        await asyncio.sleep(0)
        return await self._inner.send(operation, request)

    async def close(self) -> None:
        await self._inner.close()


def _do(db: Session, deed: Deed) -> Any:
    match deed:
        case Edit(target, change):
            with db.edit(target) as entity:
                change(entity)
        case Together(fill):
            with db.transaction() as unit:
                fill(unit)
        case call:
            return call(db)
    return None


async def _await(db: AsyncSession, deed: Deed) -> Any:
    match deed:
        case Edit(target, change):
            async with db.edit(target) as entity:
                change(entity)
        case Together(fill):
            async with db.transaction() as unit:
                fill(unit)
        case call:
            return await call(db)
    return None
