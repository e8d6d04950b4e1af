"""The session for asyncio: the application's part of MovingSession, awaited. An operator uses the other one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, TypeVar, Unpack

from msgspec.structs import replace

from tablewright.client.drive import AsyncDriver
from tablewright.client.opening import async_transport_to
from tablewright.client.session import AsyncSession
from tablewright.client.settings import SessionOptions
from tablewright.errors import TablewrightError
from tablewright.evolve.moving import phases, settling
from tablewright.evolve.moving.mapping import Moving
from tablewright.evolve.moving.meanwhile import Meanwhile
from tablewright.evolve.moving.phases import Progress
from tablewright.evolve.moving.reading import E, Read, read_legacy
from tablewright.evolve.moving.session import AGAIN, MovingOptions, known_of, session_options, without_ours
from tablewright.evolve.moving.settling import Repaired
from tablewright.evolve.moving.shadowing import ShadowReport
from tablewright.evolve.moving.sides import Side, Walk, drive_async
from tablewright.evolve.moving.writing import Written
from tablewright.model.entity import Entity

T = TypeVar("T")


class AsyncMovingSession:
    """An application's way to both sides while its tables move, for asyncio."""

    def __init__(self, meanwhile: Meanwhile, db: AsyncSession, ways: dict[Side, AsyncDriver]) -> None:
        self._meanwhile = meanwhile
        self.db = db
        self._ways = ways

    async def _run(self, walk: Walk[T]) -> T:
        return await drive_async(walk, self._ways)

    async def create(self, table: str, item: Mapping[str, Any]) -> Written:
        """A new item of a legacy table, and what it becomes; raises where there is one."""
        return await self._run(self._meanwhile.create(table, item))

    async def put(self, table: str, item: Mapping[str, Any]) -> Written:
        """A whole item, over whatever was there."""
        return await self._run(self._meanwhile.put(table, item))

    async def update(
        self,
        table: str,
        key: Mapping[str, Any],
        *,
        set: Mapping[str, Any] | None = None,  # noqa: A002 - the caller's word
        remove: Iterable[str] = (),
    ) -> Written:
        """Changes of some attributes of an item that exists."""
        return await self._run(self._meanwhile.update(table, key, set, remove))

    async def revise(
        self, table: str, key: Mapping[str, Any], function: Callable[[dict[str, Any]], Mapping[str, Any]], /
    ) -> Written:
        """Changes an item by a function of it, which is called again when another writer was faster; it may raise."""
        return await self._run(self._meanwhile.revise(table, key, function))

    async def delete(self, table: str, key: Mapping[str, Any]) -> Written:
        """Deletes an item, and what it became."""
        return await self._run(self._meanwhile.delete(table, key))

    async def write(
        self,
        *,
        legacy: Callable[[AsyncMovingSession], Awaitable[T]],
        new: Callable[[AsyncSession], Awaitable[T]],
    ) -> T:
        """One of two ways to write, by the phase. What `legacy` has begun it may end, though the last phase begins meanwhile."""
        phase, _ = await self._run(self._meanwhile.know())
        if phase == "new":
            return await new(self.db)
        with self._meanwhile.chosen(phase):
            return await legacy(self)

    async def read(self, read: Read[E], *args: Any, subject: str, **kwargs: Any) -> list[E]:
        """What the side that the phase and the flag say answers. `subject` is the id of whoever asks."""
        side, both = await self._run(self._meanwhile.sides(subject))
        answer = await self._timed(side, read, args, kwargs)
        if both:
            await self._shadow(read, args, kwargs, answer)
        return answer

    async def read_one(self, read: Read[E], *args: Any, subject: str, **kwargs: Any) -> E | None:
        """The same for reads of one item."""
        return next(iter(await self.read(read, *args, subject=subject, **kwargs)), None)

    async def _timed(self, side: Side, read: Read[E], args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[E]:
        began, failed = self._meanwhile.timer(), True
        try:
            if side == "legacy":
                answer = await self._run(read_legacy(self._meanwhile.place, read, args, kwargs))
            else:
                found: Any = self.db.run(read.new, *args, **kwargs)
                if hasattr(found, "__aiter__"):
                    answer = [entity async for entity in found]
                else:
                    one: Entity | None = await found
                    answer = [one] if isinstance(one, read.entity) else []
            failed = False
            return answer
        finally:
            self._meanwhile.shadow.answered(side, self._meanwhile.timer() - began, failed=failed)

    async def _shadow(self, read: Read[E], args: tuple[Any, ...], kwargs: dict[str, Any], legacy: list[E]) -> None:
        kinds: list[str] = []
        for attempt in range(1 + AGAIN):
            try:
                new = await self._timed("new", read, args, kwargs)
                kinds = self._meanwhile.compare(read, legacy, new)
                if not kinds or attempt == AGAIN:
                    break
                legacy = await self._timed("legacy", read, args, kwargs)
            except TablewrightError:  # it is counted; the caller has an answer
                return
        self._meanwhile.shadow.compared(read.name, kinds)

    def shadow_report(self) -> ShadowReport:
        """What this session's reads found."""
        return self._meanwhile.shadow.report()

    async def tell(self) -> Progress:
        """Adds what this session compared to what the ledger knows."""
        return await self._run(self._meanwhile.tell())

    async def progress(self) -> Progress:
        """How far the moving is."""
        return await self._run(phases.read_progress(self._meanwhile.place))

    async def repair(self) -> Repaired:
        """Writes what the ledger says is still to be written."""
        await self._run(self._meanwhile.in_phase("A repair", "dual", "shadow", "switched", "new"))
        late = await self._run(self._meanwhile.late(None))
        return await self._run(settling.repair(self._meanwhile.place, late))


def open_moving_async(
    moving: Moving, target: Any = None, *, legacy: Any = None, **options: Unpack[MovingOptions]
) -> AbstractAsyncContextManager[AsyncMovingSession]:
    """The same as open_moving() for asyncio: `async with open_moving_async(...) as session`."""
    return _opened(moving, target, legacy, options)


@asynccontextmanager
async def _opened(
    moving: Moving, target: Any, legacy: Any, options: MovingOptions
) -> AsyncIterator[AsyncMovingSession]:
    checked = SessionOptions.of(without_ours(options))
    transport, ours = async_transport_to(target, checked)
    async with moving.table.open_async(transport, **session_options(options, ours=ours)) as db:
        meanwhile = known_of(moving, db.table_name, options, checked, legacy is None)
        driver = AsyncDriver(transport, checked.retry, timeout=checked.timeout)
        other = driver
        if legacy is not None:
            there = replace(checked, create=False)  # legacy tables are there, or they are nobody's to make
            other = AsyncDriver(async_transport_to(legacy, there)[0], checked.retry, timeout=checked.timeout)
        try:
            yield AsyncMovingSession(meanwhile, db, {"new": driver, "legacy": other})
        finally:
            if other is not driver:
                await other.transport.close()
