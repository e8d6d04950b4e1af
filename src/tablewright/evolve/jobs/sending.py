"""Sends the requests of a job: within the limits, again where that may help, and counted."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, TypeVar

from tablewright.client.calls import Call, Steps
from tablewright.client.retry import RetryPolicy
from tablewright.errors import ConditionalCheckFailed, TablewrightError, Throttled, TransactionCanceled
from tablewright.evolve.jobs.counting import Spent
from tablewright.evolve.jobs.pacing import Pace
from tablewright.evolve.jobs.ways import Way
from tablewright.transport.base import Request, Response

T = TypeVar("T")

_SHARE_OF_WAIT = 0.25
"""Seconds after which somebody who waits looks up whether the job was stopped."""
_GLANCE = 0.02
"""Seconds after which who waits for a limit looks again: answers that came meanwhile may have taken less than was charged."""
THROTTLES = "the table throttles"
NO_ANSWER = "the table does not answer"
_THROTTLED = {"ThrottlingError", "ProvisionedThroughputExceeded"}


class StoppedError(Exception):
    """The job was stopped while a request waited for its turn; it was not sent."""


class Doubt:
    """Whether a reply to writes for an item was lost, so that they may have been carried out."""

    lost = False


class Sender:
    """Everything that a run sends goes through it.

    All writes of a job have conditions that fail once they are done, so that any of them may be sent again when its answer is
    lost. `patience` is how long one request may fail in a row before the job gives up.
    """

    def __init__(
        self,
        way: Way,
        *,
        max_read_units: float | None,
        max_write_units: float | None,
        policy: RetryPolicy,
        patience: float,
        timer: Callable[[], float],
        sleep: Callable[[float], Awaitable[object]],
    ) -> None:
        self._way = way
        self._patience = patience
        self._timer = timer
        self._sleep = sleep
        self.reads = Pace("RCU", max_read_units, policy, timer)
        self.writes = Pace("WCU", max_write_units, policy, timer)
        self._turns = {id(self.reads): asyncio.Lock(), id(self.writes): asyncio.Lock()}
        self.stopping = False
        self._requests = self._retries = 0
        self.overtaken = 0

    @property
    def spent(self) -> Spent:
        """What was taken of the table so far."""
        return Spent(self.reads.units, self.writes.units, self._requests, self._retries, self.overtaken)

    def waits_for(self) -> str | None:
        """Why requests wait, if they do."""
        return self.writes.reason() or self.reads.reason()

    async def read(self, operation: str, request: Request) -> Response:
        """A read, within its limit."""
        return await self._send(operation, {**request, "ReturnConsumedCapacity": "TOTAL"}, self.reads)

    async def write(self, operation: str, request: Request, doubt: Doubt | None = None) -> Response:
        """A write, within its limit; `doubt` is told of a reply that did not come."""
        return await self._send(operation, request, self.writes, doubt=doubt)

    async def follow(self, steps: Steps[T]) -> T:
        """The few requests that keep a job going: they wait for no limit, but count."""
        response: Any = None
        try:
            step = next(steps)
            while True:
                assert isinstance(step, Call)
                try:
                    response = await self._aside(step)
                except TablewrightError as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(response)
        except StopIteration as stop:
            result: T = stop.value
            return result

    async def _aside(self, call: Call) -> Response:
        pace = self.reads if call.operation in ("GetItem", "DescribeTable") else self.writes
        request = call.request
        if call.operation != "DescribeTable":
            request = {**request, "ReturnConsumedCapacity": "TOTAL"}
        return await self._send(call.operation, request, pace, waits=False)

    async def _send(
        self, operation: str, request: Request, pace: Pace, *, waits: bool = True, doubt: Doubt | None = None
    ) -> Response:
        failing_since: float | None = None
        while True:
            if not waits:
                while failing_since is not None and (seconds := pace.wait()) > 0 and pace.reason() in _TROUBLES:
                    await self._sleep(min(seconds, _SHARE_OF_WAIT))
            elif pace.limit is not None or pace.wait() > 0:
                await self._turn(pace)
            sent = pace.send()
            self._requests += 1
            try:
                response = await self._way.send(operation, request)
            except TablewrightError as error:
                trouble = _trouble(error)
                if trouble is None:
                    # A condition that fails costs what the write would have; how much, the answer does not tell.
                    pace.answered(sent, sent[0]) if _conditional(error) else pace.failed(sent, None)
                    raise
                if doubt is not None and trouble == NO_ANSWER:
                    doubt.lost = True
                pace.failed(sent, trouble)
                now = self._timer()
                failing_since = now if failing_since is None else failing_since
                if now - failing_since > self._patience:
                    raise
                self._retries += 1
            except BaseException:
                pace.failed(sent, None)
                raise
            else:
                pace.answered(sent, _consumed(response))
                return response

    async def _turn(self, pace: Pace) -> None:
        """Waits until the pace allows one more; whoever came first goes first."""
        async with self._turns[id(pace)]:
            while (seconds := pace.wait()) > 0:
                if self.stopping:
                    raise StoppedError
                await self._sleep(min(seconds, _GLANCE))
            if self.stopping:
                raise StoppedError

    async def close(self) -> None:
        """Closes the way."""
        with suppress(TablewrightError):
            await self._way.close()


_TROUBLES = (THROTTLES, NO_ANSWER)


def _trouble(error: TablewrightError) -> str | None:
    """What is wrong where a later attempt may succeed; None where it is no use, or where the item has to be looked at anew."""
    if isinstance(error, Throttled):
        return THROTTLES
    if isinstance(error, TransactionCanceled):
        codes = {reason.code for reason in error.reasons} - {"None"}
        return THROTTLES if codes and codes <= _THROTTLED else None
    return NO_ANSWER if error.retryable and error.category != "conflict" else None


def _conditional(error: TablewrightError) -> bool:
    return isinstance(error, ConditionalCheckFailed | TransactionCanceled)


def _consumed(response: Response) -> float:
    told = response.get("ConsumedCapacity")
    if not told:
        return 0.0
    if told.__class__ is dict:
        return float(told.get("CapacityUnits", 0.0))
    return float(sum(part.get("CapacityUnits", 0.0) for part in told))
