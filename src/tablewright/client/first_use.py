"""What an async session does before its first request: the table is made then, since nothing could be awaited when it was
opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.client import tables
from tablewright.client.calls import Steps
from tablewright.client.context import Context
from tablewright.client.drive import AsyncDriver

if TYPE_CHECKING:
    import asyncio


class FirstUse:
    """Makes the table once, however many tasks come first. If it fails, whoever comes next tries again."""

    def __init__(self, context: Context, driver: AsyncDriver) -> None:
        self._context = context
        self._driver = driver
        self._lock: tuple[asyncio.AbstractEventLoop, asyncio.Lock] | None = None
        driver.before_first = self.ensure

    async def ensure(self) -> None:
        """Makes the table if it is missing, or waits for the task that does."""
        await self._once(tables.ensure(self._context))

    async def create(self) -> None:
        """Makes the table, which the caller knows to be missing."""
        await self._once(tables.create(self._context))

    async def _once(self, steps: Steps[None]) -> None:
        # Not above: asyncio takes long to load.
        import asyncio

        loop = asyncio.get_running_loop()
        # A lock that tasks have waited for belongs to their event loop.
        if self._lock is None or self._lock[0] is not loop:
            self._lock = loop, asyncio.Lock()
        async with self._lock[1]:
            if self._driver.before_first is not None:
                driver = self._driver
                # A driver of its own: its requests must not wait for themselves, and are no part of a call that is measured.
                apart = AsyncDriver(driver.transport, driver.policy, driver.sleep, driver.budget, driver.timeout)
                await apart.run(steps)
                driver.before_first = None
