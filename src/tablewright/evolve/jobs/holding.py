"""The lease of a run: renewed now and then, and before a write where it may have run out meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from tablewright.evolve.jobs.checkpoints import Checkpoints, Held
from tablewright.evolve.jobs.sending import Sender

_SHARE = 3
"""A lease is renewed after this part of it."""


class Hold:
    """What a run holds, from the moment on that it took it.

    A machine may be away for longer than a lease, in the middle of a page: then another run may have taken over, and have come to
    its end. So whoever was away asks before the next write, by either clock, since one of them stands still while a machine sleeps.
    """

    def __init__(
        self,
        kept: Checkpoints,
        held: Held,
        sender: Sender,
        lease: float,
        clock: Callable[[], float],
        timer: Callable[[], float],
    ) -> None:
        self._kept = kept
        self._held = held
        self._sender = sender
        self._lease = lease
        self._clock = clock
        self._timer = timer
        self._renewing = asyncio.Lock()
        self._since = clock(), timer()

    def _passed(self) -> float:
        return max(self._clock() - self._since[0], self._timer() - self._since[1])

    @property
    def is_due(self) -> bool:
        """Whether it is time for a sign of life."""
        return self._passed() > self._lease / _SHARE

    @property
    def is_in_doubt(self) -> bool:
        """Whether it was not renewed for so long that another may have it soon."""
        return self._passed() > 2 * self._lease / _SHARE

    async def assure(self) -> None:
        """Renews it if it is in doubt; raises what tells that another has it."""
        async with self._renewing:  # others wait for the answer too, before they write
            if self.is_in_doubt:
                await self.renew()

    async def renew(self) -> None:
        """A sign of life; raises what tells that another has it."""
        since = self._clock(), self._timer()
        await self._sender.follow(self._kept.renew(self._held, since[0]))
        self._since = since
