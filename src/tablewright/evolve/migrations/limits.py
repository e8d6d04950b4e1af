"""How fast migrations go: capacity units a second, for reads and for writes, by what the table says that they took."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from tablewright.client.retry import RetryPolicy
from tablewright.errors import ArgumentError
from tablewright.evolve.jobs.pacing import Pace
from tablewright.evolve.migrations.outcome import Outcome

_FIRST_PAGE = 100
"""Items of the first page where reads are limited; then it is known what they cost."""
_PAGE_SECONDS = 0.5
"""How much of the limit one page may take, so that the table is not read in bursts."""


class Limits:
    """Both limits of one process. Without any, nobody waits."""

    def __init__(
        self,
        max_read_units: float | None = None,
        max_write_units: float | None = None,
        *,
        timer: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        for name, limit in (("max_read_units", max_read_units), ("max_write_units", max_write_units)):
            if limit is not None and not (math.isfinite(limit) and limit > 0):
                raise ArgumentError(f"{name}= of a migration is a number above 0.", constraint="above 0")
        self._reads = Pace("RCU", max_read_units, RetryPolicy(), timer)
        self._writes = Pace("WCU", max_write_units, RetryPolicy(), timer)
        self._sleep = sleep
        self._page = _FIRST_PAGE

    @property
    def slows_writes(self) -> bool:
        """Whether writes have a limit, so that each waits for its turn."""
        return self._writes.limit is not None

    def page(self) -> dict[str, int]:
        """The members of a Scan that keep a page small enough."""
        return {} if self._reads.limit is None else {"Limit": self._page}

    def read(self, outcome: Outcome, send: Callable[[], Any]) -> Any:
        """Sends a read when it may go."""
        sent, before, looked = self._go(self._reads), outcome.read_units, outcome.evaluated
        found = send()
        units = outcome.read_units - before
        self._reads.answered(sent, units)
        if self._reads.limit is not None and outcome.evaluated > looked:
            fitting = (outcome.evaluated - looked) / max(units, 0.5) * self._reads.limit * _PAGE_SECONDS
            self._page = max(1, min(2 * self._page, int(fitting)))
        return found

    def write(self, outcome: Outcome, send: Callable[[], object]) -> None:
        """Sends what one item needs when it may go."""
        if not self.slows_writes:
            send()
            return
        sent, before = self._go(self._writes), outcome.consumed
        send()
        self._writes.answered(sent, outcome.consumed - before)

    def _go(self, pace: Pace) -> tuple[float, float]:
        while (seconds := pace.wait()) > 0:
            self._sleep(seconds)
        return pace.send()
