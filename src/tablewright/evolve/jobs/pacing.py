"""How fast a job may go: limits in capacity units a second, by what the answers tell, and waiting where the table throttles.

It knows no requests, and does not wait itself: it says how long to.
"""

from __future__ import annotations

from collections.abc import Callable

from tablewright.client.retry import RetryPolicy
from tablewright.wording import quantity

_BURST = 0.1
"""Seconds whose units may be spent at once after a slow moment."""
_SHORTEST = 1e-6
"""Seconds that nobody waits for; so little may be lost in rounding that it never passes."""


class Pace:
    """The pace of one kind of requests, reads or writes.

    Units are a balance that grows by the limit every second. A request may go while it is not in debt; it is charged what such
    requests cost so far, and when its answer tells the truth, the difference. So the sum stays within the limit, however many
    are under way.
    """

    def __init__(self, unit: str, limit: float | None, policy: RetryPolicy, timer: Callable[[], float]) -> None:
        self._unit = unit
        self.limit = limit
        self._policy = policy
        self._timer = timer
        self._balance = 0.0
        self._at = timer()
        self._typical = 1.0
        self._hold_from = self._hold_until = float("-inf")
        self._troubles = 0
        self._trouble = ""
        self.units = 0.0
        """All that was consumed."""

    def wait(self) -> float:
        """Seconds until the next request may go; 0 for now."""
        now = self._timer()
        seconds = self._hold_until - now
        if self.limit is not None:
            self._balance = min(self._balance + (now - self._at) * self.limit, self.limit * _BURST)
            self._at = now
            seconds = max(seconds, -self._balance / self.limit)
        return seconds if seconds > _SHORTEST else 0.0

    def reason(self) -> str | None:
        """Why the next request has to wait, if it has to."""
        if self._hold_until > self._timer():
            return self._trouble
        if self.limit is not None and self.wait() > 0:
            return f"throttled by the limit of {quantity(self.limit)} {self._unit}/s"
        return None

    def send(self) -> tuple[float, float]:
        """A request goes now; what it is charged, and when it went, are for `answered` or `failed`."""
        self._balance -= self._typical
        return self._typical, self._timer()

    def answered(self, sent: tuple[float, float], units: float) -> None:
        """Its answer tells what it consumed."""
        self.units += units
        self._balance += sent[0] - units
        self._typical += (units - self._typical) / 8
        if sent[1] >= self._hold_until:
            self._troubles = 0

    def failed(self, sent: tuple[float, float], trouble: str | None) -> None:
        """It consumed nothing. After trouble nobody sends for a while, the longer the more often in a row; requests that went
        before the last such pause began say nothing new."""
        self._balance += sent[0]
        if trouble is None or sent[1] <= self._hold_from:
            return
        now = self._timer()
        self._trouble = trouble
        self._hold_from, self._hold_until = now, now + self._policy.delay(self._troubles)
        self._troubles += 1
