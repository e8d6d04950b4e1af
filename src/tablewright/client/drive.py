"""The two drivers: they send what an operation asks for, sync or async, and retry what may be retried."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from tablewright.client.calls import Call, Pause, Steps
from tablewright.client.metering import Meter
from tablewright.client.retry import RetryBudget, RetryPolicy
from tablewright.errors import OutcomeUnknownError, TablewrightError
from tablewright.transport.base import AsyncTransport, Transport

T = TypeVar("T")


class _Attempts:
    """Decides, for one call, whether a failure is final; shared by both drivers."""

    __slots__ = ("budget", "call", "number", "policy")

    def __init__(self, call: Call, policy: RetryPolicy, budget: RetryBudget) -> None:
        self.call = call
        self.policy = policy
        self.budget = budget
        self.number = 0

    def delay_after(self, error: TablewrightError) -> float:
        """Seconds to wait before the next attempt; raises when there is none."""
        ambiguous = self.policy.ambiguous(error)
        if ambiguous and not self.call.repeatable:
            raise OutcomeUnknownError(
                f"The reply to {self.call.operation} was lost; the write may or may not have happened.",
                hint="Read the item before trying again.",
                operation=self.call.operation,
            ) from error
        if not self.policy.retryable(error) or self.number >= self.policy.max_retries or not self.budget.take():
            raise error
        delay = self.policy.delay(self.number)
        self.number += 1
        return delay


class SyncDriver:
    """Runs operations on a sync transport."""

    def __init__(
        self,
        transport: Transport,
        policy: RetryPolicy,
        sleep: Callable[[float], None] = time.sleep,
        budget: RetryBudget | None = None,
    ) -> None:
        self.transport = transport
        self.policy = policy
        self.sleep = sleep
        self.budget = budget or RetryBudget()
        self.meter: Meter | None = None

    def run(self, steps: Steps[T]) -> T:
        """Drives an operation to its result."""
        send = self.transport.send
        try:
            step = next(steps)
            while True:
                if type(step) is Call:
                    request = step.request
                    if self.meter is not None:
                        request = self.meter.prepared(step.operation, request)
                    try:
                        response = send(step.operation, request)
                    except TablewrightError as error:
                        try:
                            response = self._retry(step, error)
                        except TablewrightError as final:
                            step = steps.throw(final)
                            continue
                    self.budget.give_back()
                    if self.meter is not None:
                        self.meter.note(step.operation, request, response)
                    step = steps.send(response)
                else:
                    assert isinstance(step, Pause)
                    self.sleep(self.policy.delay(step.attempt))
                    step = steps.send({})
        except StopIteration as stop:
            result: T = stop.value
            return result

    def _retry(self, call: Call, error: TablewrightError) -> dict[str, Any]:
        attempts = _Attempts(call, self.policy, self.budget)
        while True:
            self.sleep(attempts.delay_after(error))
            try:
                return self.transport.send(call.operation, call.request)
            except TablewrightError as next_error:
                error = next_error


class AsyncDriver:
    """Runs operations on an async transport."""

    def __init__(
        self,
        transport: AsyncTransport,
        policy: RetryPolicy,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        budget: RetryBudget | None = None,
    ) -> None:
        self.transport = transport
        self.policy = policy
        self.sleep = sleep
        self.budget = budget or RetryBudget()
        self.meter: Meter | None = None

    async def run(self, steps: Steps[T]) -> T:
        """Drives an operation to its result."""
        send = self.transport.send
        try:
            step = next(steps)
            while True:
                if type(step) is Call:
                    request = step.request
                    if self.meter is not None:
                        request = self.meter.prepared(step.operation, request)
                    try:
                        response = await send(step.operation, request)
                    except TablewrightError as error:
                        try:
                            response = await self._retry(step, error)
                        except TablewrightError as final:
                            step = steps.throw(final)
                            continue
                    self.budget.give_back()
                    if self.meter is not None:
                        self.meter.note(step.operation, request, response)
                    step = steps.send(response)
                else:
                    assert isinstance(step, Pause)
                    await self.sleep(self.policy.delay(step.attempt))
                    step = steps.send({})
        except StopIteration as stop:
            result: T = stop.value
            return result

    async def _retry(self, call: Call, error: TablewrightError) -> dict[str, Any]:
        attempts = _Attempts(call, self.policy, self.budget)
        while True:
            await self.sleep(attempts.delay_after(error))
            try:
                return await self.transport.send(call.operation, call.request)
            except TablewrightError as next_error:
                error = next_error
