"""The two drivers: they send what an operation asks for, sync or async, and retry what may be retried."""

from __future__ import annotations

import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, TypeVar

from tablewright.client.calls import Call, Pause, Step, Steps
from tablewright.client.keeping import keep, keep_async
from tablewright.client.metering import Measuring, Meter, asking_for_capacity, asking_for_parts, count, count_failure
from tablewright.client.retry import Attempts, Deadline, RetryBudget, RetryPolicy
from tablewright.client.sealing import NO_SEALER
from tablewright.client.stumbling import STUMBLES, stumbled
from tablewright.client.watching import Watch, library_log
from tablewright.errors import ConditionalCheckFailed, NetworkError, TablewrightError
from tablewright.later import later
from tablewright.transport.base import AsyncJsonTransport, AsyncTransport, JsonTransport, TimedTransport, Transport

if TYPE_CHECKING:
    from logging import Logger

    from tablewright.client import versioning
    from tablewright.client.context import Context
    from tablewright.client.versioning import Versioner
    from tablewright.observe.watcher import Watcher

else:
    later(globals(), "tablewright.client", "versioning")

T = TypeVar("T")

_DEBUG = 10
"""logging.DEBUG, without loading it."""


def _met(error: TablewrightError) -> object:
    """The item on which a condition failed, where the answer told it."""
    return error.item if isinstance(error, ConditionalCheckFailed) else None


class _Driver:
    """What both drivers hold: the policy, the budget, and whoever is watching."""

    def __init__(self, policy: RetryPolicy, budget: RetryBudget | None, timeout: float | None) -> None:
        self.policy = policy
        self.budget = budget or RetryBudget(policy.budget)
        self.timeout = timeout
        self._measuring = Measuring()
        self._log: Logger | None = None
        self.sealer = NO_SEALER
        self.model: Context | None = None
        """What tells the schema versions of items, where there is a model."""
        self._versioner: Versioner | None = None
        self.watcher: Watcher | None = None
        """Who is told of every request."""

    def measure(self) -> AbstractContextManager[Meter]:
        """Counts requests meanwhile."""
        return self._measuring.begin()

    def _followed(self, steps: Steps[T]) -> Steps[T]:
        """The steps of an operation, with items of the model's schema version, and sealed values as they are."""
        if self.model is not None and self.model.plan.versioned:
            if self._versioner is None:
                self._versioner = versioning.Versioner(self.model)
            steps = self._versioner.follow(steps)
        return self.sealer.follow(steps) if self.sealer.seals else steps

    def _watch(self, call: Call) -> Watch | None:
        if self._log is None and "logging" in sys.modules:  # where it is not, nobody can have turned it on
            self._log = library_log()
        return Watch(call) if self._log is not None and self._log.isEnabledFor(_DEBUG) else None


class SyncDriver(_Driver):
    """Runs operations on a sync transport."""

    def __init__(
        self,
        transport: Transport,
        policy: RetryPolicy,
        sleep: Callable[[float], object] | None = None,
        budget: RetryBudget | None = None,
        timeout: float | None = None,
    ) -> None:
        super().__init__(policy, budget, timeout)
        self.transport = transport
        self.sleep = sleep or policy.sleep or time.sleep
        self._read = transport.read_json if isinstance(transport, JsonTransport) else None
        self._in_time = transport.read_in_time if isinstance(transport, TimedTransport) else None

    def run(self, steps: Steps[T]) -> T:
        """Drives an operation to its result."""
        return self.drive(self._followed(steps))

    def drive(self, steps: Steps[T]) -> T:
        """The same, with sealed values as they are stored."""
        deadline = None if self.timeout is None else Deadline(self.timeout)
        step: Step | None = None
        response: Any = None
        try:
            step = next(steps)
            while True:
                if isinstance(step, Call):
                    try:
                        response = self._send(step, deadline)
                    except TablewrightError as error:
                        response = error
                        step = steps.throw(error)
                    else:
                        step = steps.send(response)
                elif isinstance(step, Pause):
                    delay = self.policy.delay(step.attempt) * step.share
                    if deadline is not None and deadline.left <= delay:
                        step = steps.throw(deadline.passed(step.what, sent=False))
                        continue
                    self.sleep(delay)
                    step = steps.send({})
                else:
                    step = steps.send(keep(step))
        except StopIteration as stop:
            result: T = stop.value
            return result
        except STUMBLES as error:
            blamed = stumbled(step, response, error)
            if blamed is None:
                raise
            raise blamed from error

    def _send(self, call: Call, deadline: Deadline | None) -> dict[str, Any]:
        watch = self._watch(call)
        meters = self._measuring.meters() if self._measuring.blocks else ()
        watcher, retries, whole = self.watcher, 0, False
        if watcher is not None:
            request, began = watcher.asks(call), watcher.timer()
            if request is None:
                request, whole = asking_for_parts(call), True
        else:
            request, began = asking_for_capacity(call) if meters else call.request, 0.0
        attempts: Attempts | None = None
        while True:
            try:
                if deadline is not None and deadline.left <= 0:
                    raise deadline.passed(call.operation, sent=False)
                if deadline is not None and self._in_time is not None:
                    response = self._send_in_time(call, request, deadline)
                elif whole or call.form is None or self._read is None or self.sealer.seals:
                    response = self.transport.send(call.operation, request)
                else:
                    response = self._read(call.operation, request, call.form.reader(call.operation))
            except TablewrightError as error:
                if watch is not None:
                    watch.shown(error)
                if meters:
                    count_failure(meters, call, error)
                attempts = attempts or Attempts(call, self.policy, self.budget, deadline)
                try:
                    delay = attempts.delay_after(error)
                except TablewrightError as last:
                    if watcher is not None:
                        watcher.failed(call, last.code, began, retries, _met(last))
                    raise
                retries += 1
            else:
                if watch is not None:
                    watch.shown(None)
                if meters:
                    count(meters, call, response)
                if watcher is not None:
                    watcher.answered(call, response, began, retries, whole)
                self.budget.give_back()
                return response
            self.sleep(delay)
            if watch is not None:
                watch.start_again()

    def pass_on(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Sends a request of the caller's own as it is, once."""
        watcher = self.watcher
        if watcher is None:
            return self.transport.send(operation, request)
        call, began = Call(operation, request), watcher.timer()
        try:
            response = self.transport.send(operation, request)
        except TablewrightError as error:
            watcher.failed(call, error.code, began, 0, _met(error))
            raise
        watcher.answered(call, response, began, 0, False)
        return response

    def _send_in_time(self, call: Call, request: dict[str, Any], deadline: Deadline) -> dict[str, Any]:
        assert self._in_time is not None
        read = None if call.form is None or self.sealer.seals else call.form.reader(call.operation)
        try:
            return self._in_time(call.operation, request, read, deadline.at)
        except NetworkError as error:
            if deadline.left > 0:
                raise
            raise deadline.passed(call.operation, sent=error.sent) from error


async def _asyncio_sleep(seconds: float) -> None:
    # Here and not above: asyncio takes long to load, and a program that does not use it need not wait for it.
    import asyncio

    await asyncio.sleep(seconds)


async def _in_time(deadline: Deadline, call: Call, sending: Awaitable[dict[str, Any]]) -> dict[str, Any]:
    """The answer, unless the time is over before it comes; then the request may still be carried out."""
    import asyncio

    scope = asyncio.timeout(max(deadline.left, 0))
    try:
        async with scope:
            return await sending
    except TimeoutError:
        if not scope.expired():
            raise
        raise deadline.passed(call.operation, sent=True) from None


class AsyncDriver(_Driver):
    """Runs operations on an async transport."""

    def __init__(
        self,
        transport: AsyncTransport,
        policy: RetryPolicy,
        sleep: Callable[[float], Awaitable[None]] | None = None,
        budget: RetryBudget | None = None,
        timeout: float | None = None,
    ) -> None:
        super().__init__(policy, budget, timeout)
        self.transport = transport
        self.before_first: Callable[[], Awaitable[None]] | None = None
        """What there is to do before the first request."""
        self.sleep: Callable[[float], Any] = sleep or policy.sleep or _asyncio_sleep
        self._read = transport.read_json if isinstance(transport, AsyncJsonTransport) else None

    async def run(self, steps: Steps[T]) -> T:
        """Drives an operation to its result."""
        return await self.drive(self._followed(steps))

    async def drive(self, steps: Steps[T]) -> T:
        """The same, with sealed values as they are stored."""
        deadline = None if self.timeout is None else Deadline(self.timeout)
        step: Step | None = None
        response: Any = None
        try:
            step = next(steps)
            while True:
                if isinstance(step, Call):
                    try:
                        response = await self._send(step, deadline)
                    except TablewrightError as error:
                        response = error
                        step = steps.throw(error)
                    else:
                        step = steps.send(response)
                elif isinstance(step, Pause):
                    delay = self.policy.delay(step.attempt) * step.share
                    if deadline is not None and deadline.left <= delay:
                        step = steps.throw(deadline.passed(step.what, sent=False))
                        continue
                    await self.sleep(delay)
                    step = steps.send({})
                else:
                    step = steps.send(await keep_async(step))
        except StopIteration as stop:
            result: T = stop.value
            return result
        except STUMBLES as error:
            blamed = stumbled(step, response, error)
            if blamed is None:
                raise
            raise blamed from error

    async def _send(self, call: Call, deadline: Deadline | None) -> dict[str, Any]:
        if self.before_first is not None:
            await self.before_first()
        watch = self._watch(call)
        meters = self._measuring.meters() if self._measuring.blocks else ()
        watcher, retries, whole = self.watcher, 0, False
        if watcher is not None:
            request, began = watcher.asks(call), watcher.timer()
            if request is None:
                request, whole = asking_for_parts(call), True
        else:
            request, began = asking_for_capacity(call) if meters else call.request, 0.0
        attempts: Attempts | None = None
        while True:
            try:
                if deadline is not None and deadline.left <= 0:
                    raise deadline.passed(call.operation, sent=False)
                if whole or call.form is None or self._read is None or self.sealer.seals:
                    sending = self.transport.send(call.operation, request)
                else:
                    sending = self._read(call.operation, request, call.form.reader(call.operation))
                response = await (sending if deadline is None else _in_time(deadline, call, sending))
            except TablewrightError as error:
                if watch is not None:
                    watch.shown(error)
                if meters:
                    count_failure(meters, call, error)
                attempts = attempts or Attempts(call, self.policy, self.budget, deadline)
                try:
                    delay = attempts.delay_after(error)
                except TablewrightError as last:
                    if watcher is not None:
                        watcher.failed(call, last.code, began, retries, _met(last))
                    raise
                retries += 1
            except BaseException:
                if watcher is not None:
                    watcher.failed(call, "CANCELLED", began, retries)
                raise
            else:
                if watch is not None:
                    watch.shown(None)
                if meters:
                    count(meters, call, response)
                if watcher is not None:
                    watcher.answered(call, response, began, retries, whole)
                self.budget.give_back()
                return response
            try:
                await self.sleep(delay)
            except BaseException:
                if watcher is not None:
                    watcher.failed(call, "CANCELLED", began, retries)
                raise
            if watch is not None:
                watch.start_again()

    async def pass_on(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Sends a request of the caller's own as it is, once."""
        watcher = self.watcher
        if watcher is None:
            return await self.transport.send(operation, request)
        call, began = Call(operation, request), watcher.timer()
        try:
            response = await self.transport.send(operation, request)
        except TablewrightError as error:
            watcher.failed(call, error.code, began, 0, _met(error))
            raise
        watcher.answered(call, response, began, 0, False)
        return response
