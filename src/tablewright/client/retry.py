"""When a failed request is sent again, and after how long. The only place that retries."""

from __future__ import annotations

import math
import random
import threading
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from msgspec import Struct, field

from tablewright.client.calls import OPERATIONS, Call
from tablewright.errors import (
    ConditionalCheckFailed,
    ConfigError,
    DeadlineError,
    IdempotentParameterMismatch,
    NetworkError,
    OutcomeUnknownError,
    RequestRefused,
    ResourceNotFound,
    ServiceError,
    TablewrightError,
    TransactionCanceled,
)
from tablewright.values.operations import WRITES

_TELLING = (ConditionalCheckFailed, TransactionCanceled, RequestRefused, IdempotentParameterMismatch)
"""Answers that the same request would not have got had it been carried out before. Others, such as expired credentials, were
given without a look at the table."""


class RetryPolicy(Struct, frozen=True):
    """`max_retries` after the first attempt; delays are random up to base x 2^attempt, capped (full jitter).

    Throttling, internal errors and lost connections are retried; validation and conditions never. `also` names further
    service exceptions to retry. `operations` holds other policies for single operations, such as "Query". `budget` is
    how many retries a session has in hand: each costs one, each success gives back a tenth, so that retries never
    become the load. `random` and `sleep` are for tests, which need not wait; for an async session `sleep` gives
    something to await.
    """

    max_retries: int = 3
    base_delay: float = 0.1
    max_delay: float = 5.0
    also: frozenset[str] = frozenset()
    operations: Mapping[str, RetryPolicy] = field(default_factory=dict)
    budget: float = 100.0
    random: Callable[[], float] = random.random
    sleep: Callable[[float], object] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.max_retries, int) or not all(
            isinstance(n, int | float) and not isinstance(n, bool) and math.isfinite(n)
            for n in (self.max_retries, self.base_delay, self.max_delay, self.budget)
        ):
            raise ConfigError("max_retries, base_delay, max_delay and budget of a retry policy are numbers.")
        if self.max_retries < 0 or self.base_delay < 0 or self.max_delay < self.base_delay or self.budget < 0:
            raise ConfigError("A retry policy needs max_retries, budget >= 0 and 0 <= base_delay <= max_delay.")
        if isinstance(self.also, str) or not all(isinstance(name, str) for name in self.also):
            raise ConfigError("also= of a retry policy names exceptions.", hint='also=frozenset({"LimitExceeded..."})')
        for name, policy in self.operations.items():
            if name not in OPERATIONS:
                raise ConfigError(f"A retry policy has no operation {name!r}.", hint='Use "Query", "PutItem" or so.')
            if not isinstance(policy, RetryPolicy) or policy.operations:
                raise ConfigError(f"The policy for {name} is no plain RetryPolicy.")
        if not callable(self.random) or not (self.sleep is None or callable(self.sleep)):
            raise ConfigError("random= and sleep= of a retry policy are functions.")

    def of(self, operation: str) -> RetryPolicy:
        """The policy for one operation."""
        return self.operations.get(operation, self)

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


class RetryBudget:
    """Keeps retries from becoming the load: each costs 1, each success gives back a tenth; none left, no retry."""

    __slots__ = ("_left", "_lock", "capacity", "refund")

    def __init__(self, capacity: float = 100.0, refund: float = 0.1) -> None:
        self.capacity = capacity
        self.refund = refund
        self._left = capacity
        self._lock = threading.Lock()

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


class Deadline:
    """When a call must be over, by a clock that only moves on."""

    __slots__ = ("_seconds", "at")

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.at = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds until then."""
        return self.at - time.monotonic()

    def passed(self, operation: str, *, sent: bool) -> DeadlineError:
        """The error when it is over; `sent` tells whether a request is still under way."""
        return DeadlineError(
            f"{operation} was given up: the call may take {self._seconds:g} seconds in all.",
            sent=sent,
            operation=operation,
            hint="Try again later, or allow more time: open(..., timeout=...).",
            context={"timeout": self._seconds},
        )


class Attempts:
    """The failed attempts at one call: decides whether there is another one, or what to tell the caller."""

    __slots__ = ("_budget", "_call", "_deadline", "_lost", "_policy", "retries")

    def __init__(self, call: Call, policy: RetryPolicy, budget: RetryBudget, deadline: Deadline | None = None) -> None:
        self._deadline = deadline
        self._call = call
        self._policy = policy.of(call.operation)
        self._budget = budget
        self._lost: TablewrightError | None = None
        self.retries = 0

    def delay_after(self, error: TablewrightError) -> float:
        """Seconds to wait before the next attempt; raises when there is none."""
        policy, call = self._policy, self._call
        ambiguous = policy.ambiguous(error)
        self._lost = error if ambiguous else self._lost
        again = policy.retryable(error) and (call.repeatable or not ambiguous) and not isinstance(error, DeadlineError)
        if again and self.retries < policy.max_retries:
            delay = policy.delay(self.retries)
            if self._deadline is not None and self._deadline.left <= delay:
                over = self._deadline.passed(call.operation, sent=False)
                over.__cause__ = error
                raise self._final(over, definite=False)
            if self._budget.take():
                self.retries += 1
                return delay
        raise self._final(error, definite=isinstance(error, _TELLING) and not policy.retryable(error))

    def _final(self, error: TablewrightError, *, definite: bool) -> TablewrightError:
        where = {
            "table": self._call.table,
            "index": self._call.index,
            "pattern": self._call.pattern,
            "retries": self.retries,
            "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
        }
        error.operation = error.operation or self._call.operation
        error.context = {**{k: v for k, v in where.items() if v is not None}, **error.context}
        if isinstance(error, ResourceNotFound) and error.hint is None:
            error.hint = (
                f"It was asked of the table {self._call.table!r}; open(..., create=True) makes it where it is missing."
            )
        if self._lost is None or definite or (self._call.operation not in WRITES and self._call.repeatable):
            return error
        reply = f"The reply to {self._call.operation}"
        # A reply that came, and was no good, says so itself.
        reason = self._lost.message.rstrip(".") if self._lost.message.startswith(reply) else f"{reply} was lost"
        if isinstance(self._lost, ServiceError):
            reason = f"{self._call.operation} was answered with {self._lost.wire_name}, which leaves its outcome open"
        unknown = OutcomeUnknownError(
            f"{reason}; the write may or may not have happened.",
            hint="Read the item before trying again.",
            operation=self._call.operation,
            context=error.context,
        )
        unknown.__cause__ = error
        return unknown
