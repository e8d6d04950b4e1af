"""Sends requests when they are due, whether or not those before them are answered: a slow target shows in the latencies.

Latency counts from when a request was due, not from when somebody had time to send it. In simulated time the schedule moves the
clock of an engine in memory instead of waiting for the machine's, one request after the other, the same each time.
"""

from __future__ import annotations

import random
import threading
import time
from bisect import bisect
from collections.abc import Callable, Iterator, Sequence
from contextvars import Context
from datetime import datetime, timedelta
from itertools import accumulate
from queue import Empty, SimpleQueue

from tablewright.client.session import Session
from tablewright.errors import TablewrightError
from tablewright.load.calls import Caller, Request
from tablewright.load.recording import Recorder
from tablewright.load.watching import WatchedTransport
from tablewright.testing.clock import ManualClock

_GRACE = 5.0
"""Seconds after the last request was due, in which what is still waiting may be sent."""
_TICK = 0.25
_LATE = 0.02
"""Seconds after which a request was made too late to say anything of its target."""
Tick = Callable[[float], None]
"""Somebody who wants to know how far it is, in seconds since the start."""


class Schedule:
    """Requests with the seconds after the start at which they are due: by chance, as callers come who know nothing of each
    other, and each line as often as the mix says."""

    def __init__(self, callers: Sequence[Caller], *, seconds: float, requests: int, seed: int, start: datetime) -> None:
        self._callers = callers
        self._weights = list(accumulate(caller.line.rate for caller in callers))
        self._seconds, self._requests, self._start = seconds, requests, start
        self.until = 0.0
        """How much of it was handed out, in seconds; all of them, once nothing more is due."""
        self._chance = random.Random(f"{seed}:schedule")  # noqa: S311 - alike each time

    def __iter__(self) -> Iterator[tuple[float, Request]]:
        at, rate, chance = 0.0, self._weights[-1], self._chance
        for _ in range(self._requests):
            at += chance.expovariate(rate)
            if at >= self._seconds:
                self.until = self._seconds
                return
            self.until = at
            caller = self._callers[min(bisect(self._weights, chance.random() * rate), len(self._callers) - 1)]
            yield at, caller.request(chance, self._start + timedelta(seconds=at))


def send(db: Session, watched: WatchedTransport, request: Request) -> tuple[int, Exception | None]:
    """One request: how many items came back, and what went wrong."""
    try:
        # Nobody sends two of them: what looks at the requests of one caller must not take them for one.
        return Context().run(request.run, db), None
    except TablewrightError as error:
        return 0, error
    finally:
        watched.end()


# --------------------------------------------------------------------------------------------------- simulated time


def drive_simulated(
    db: Session,
    watched: WatchedTransport,
    schedule: Schedule,
    recorder: Recorder,
    clock: ManualClock,
    tick: Tick | None = None,
) -> tuple[float, bool]:
    """Runs a schedule by moving the clock; returns how much of it was run, in its own seconds, and whether all. A latency is
    the time that this machine took."""
    reached, ticked, whole = 0.0, time.monotonic(), False
    try:
        for at, request in schedule:
            clock.move(at - reached)
            reached = at
            used = watched.begin(request.writes)
            began = time.perf_counter()
            returned, error = send(db, watched, request)
            seconds = time.perf_counter() - began
            recorder.note(request, used, at=at, seconds=seconds, returned=returned, error=error)
            if tick is not None and time.monotonic() - ticked >= _TICK:
                ticked = time.monotonic()
                tick(at)
        clock.move(schedule.until - reached)
        whole = True
    except KeyboardInterrupt:
        pass
    return schedule.until, whole


# -------------------------------------------------------------------------------------------------------- real time


def drive(
    db: Session,
    watched: WatchedTransport,
    schedule: Schedule,
    recorder: Recorder,
    *,
    concurrency: int,
    tick: Tick | None = None,
) -> tuple[float, bool]:
    """Runs a schedule by the machine's clock, with so many threads; returns for how long, and whether to its end."""
    crew = _Crew(db, watched, recorder, concurrency, tick)
    whole = True
    try:
        for at, request in schedule:
            crew.wait_until(at)
            recorder.late += crew.elapsed - at > _LATE
            crew.waiting.put((at, request))
        crew.finish(_GRACE)
    except KeyboardInterrupt:
        whole = False
    finally:
        crew.stop()
    return max(crew.elapsed, schedule.until), whole


class _Crew:
    """Threads that send what is due."""

    def __init__(
        self, db: Session, watched: WatchedTransport, recorder: Recorder, size: int, tick: Tick | None
    ) -> None:
        self.waiting: SimpleQueue[tuple[float, Request] | None] = SimpleQueue()
        self._db, self._watched, self._recorder, self._tick = db, watched, recorder, tick
        self._failed: list[BaseException] = []
        self._threads = [threading.Thread(target=self._work, name=f"load-{n}", daemon=True) for n in range(size)]
        self._start = self._ticked = time.perf_counter()
        for thread in self._threads:
            thread.start()

    @property
    def elapsed(self) -> float:
        return time.perf_counter() - self._start

    def wait_until(self, at: float) -> None:
        while (left := at - self.elapsed) > 0:
            if self._failed:
                raise self._failed[0]
            time.sleep(min(left, _TICK))
            self._tell()
        self._tell()

    def _tell(self) -> None:
        now = time.perf_counter()
        if self._tick is not None and now - self._ticked >= _TICK:
            self._ticked = now
            self._tick(self.elapsed)

    def finish(self, grace: float) -> None:
        """Lets the threads come to an end of what is waiting, for so long."""
        until = self.elapsed + grace
        while not self.waiting.empty() and self.elapsed < until:
            self.wait_until(min(self.elapsed + 0.02, until))

    def stop(self) -> None:
        """Ends the threads, each with the request that it is at. What nobody got to was due, and is counted as unsent."""
        try:
            while self.waiting.get_nowait() is not None:
                self._recorder.unsent += 1
        except Empty:
            pass
        for _ in self._threads:
            self.waiting.put(None)
        for thread in self._threads:
            thread.join()
        if self._failed:
            raise self._failed[0]

    def _work(self) -> None:
        try:
            while (due := self.waiting.get()) is not None:
                at, request = due
                used = self._watched.begin(request.writes)
                returned, error = send(self._db, self._watched, request)
                over = self.elapsed
                self._recorder.note(request, used, at=over, seconds=over - at, returned=returned, error=error)
        except BaseException as error:  # a thread has nobody to tell: whoever drives does
            self._failed.append(error)
