"""When a failed request is sent again, and after how long. The only place that retries."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from tablewright.errors import ConfigError, NetworkError, ServiceError, TablewrightError, TransactionCanceled


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """`max_retries` after the first attempt; delays are random up to base x 2^attempt, capped (full jitter).

    Throttling, internal errors and lost connections are retried; validation and conditions never. `also` names further
    service exceptions to retry. Clock and randomness are given, so that tests need not wait.
    """

    max_retries: int = 3
    base_delay: float = 0.1
    max_delay: float = 5.0
    also: frozenset[str] = frozenset()
    random: Callable[[], float] = random.random

    def __post_init__(self) -> None:
        if self.max_retries < 0 or self.base_delay < 0 or self.max_delay < self.base_delay:
            raise ConfigError("A retry policy needs max_retries >= 0 and 0 <= base_delay <= max_delay.")

    def delay(self, attempt: int) -> float:
        """Seconds to wait before retry number `attempt`, counted from 0."""
        return self.random() * min(self.max_delay, self.base_delay * 2.0 ** min(attempt, 60))

    def retryable(self, error: TablewrightError) -> bool:
        """Whether a later attempt may succeed."""
        if isinstance(error, TransactionCanceled):
            return error.transient
        if isinstance(error, ServiceError) and error.wire_name in self.also:
            return True
        return error.retryable

    def ambiguous(self, error: TablewrightError) -> bool:
        """Whether the request may have been carried out although no good reply came."""
        if isinstance(error, NetworkError):
            return error.sent
        return isinstance(error, ServiceError) and error.category == "network"


@dataclass(slots=True)
class RetryBudget:
    """Keeps retries from becoming the load: each costs 1, each success gives back a tenth; none left, no retry."""

    capacity: float = 100.0
    refund: float = 0.1
    _left: float = field(init=False, default=0.0)
    _lock: threading.Lock = field(init=False, default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._left = self.capacity

    def take(self) -> bool:
        """Whether one more retry is allowed; counts it."""
        with self._lock:
            if self._left < 1.0:
                return False
            self._left -= 1.0
            return True

    def give_back(self) -> None:
        """A request succeeded."""
        if self._left < self.capacity:
            with self._lock:
                self._left = min(self.capacity, self._left + self.refund)
