"""What stands between a request and somebody who listens: a bounded queue and a thread, so that no listener can slow a request
down, or fail it."""

from __future__ import annotations

import atexit
import logging
import os
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from contextvars import Context, copy_context
from queue import Empty, SimpleQueue
from threading import Event as Signal
from threading import RLock, Thread
from typing import Any, Final
from weakref import WeakSet

from tablewright.observe.events import Event, Listener
from tablewright.observe.tracking import Tracked

FAREWELL: Final = 1.0
"""Seconds that all outlets together may take at the end of the process to hand on what is left."""

NAP: Final = 0.01
"""As long as events come, the thread looks for them after such a pause rather than being woken by each, which would take the
caller several microseconds. After a second without any it sleeps until the next."""
NAPS: Final = 100
SLICE: Final = 0.0002
"""Seconds for which a listener may keep Python's lock before others get their turn."""

_log = logging.getLogger(__name__)


class Outlet:
    """Hands events on to one listener, in a thread of its own that begins with the first of them.

    What comes while `size` of them wait is dropped and counted; nobody ever waits for room. The listener is called in the context
    of whoever sent the request, so that it finds what belongs to it, such as the span that it is part of. What it raises is
    counted and goes no further. A forked process begins with an empty queue and a thread of its own.

    Those who have no events at hand but could make some put what they have, and say by `read` how an event is made of it: the
    thread does that, not the request.
    """

    __slots__ = (
        "__weakref__",
        "_closed",
        "_counts",
        "_done",
        "_listener",
        "_lock",
        "_queue",
        "_seen",
        "_size",
        "_thread",
        "_wake",
    )

    def __init__(self, listener: Listener, size: int = 10_000, *, read: Callable[[Any], Event] | None = None) -> None:
        self._begin()
        self._closed = False
        self._size = size
        self._listener = listener
        self._seen: Callable[[Any], None] = listener.seen if read is None else _reading(listener.seen, read)
        self._done: Callable[[Tracked], None] | None = getattr(listener, "done", None)
        _outlets.add(self)

    def __repr__(self) -> str:
        return (
            f"<outlet to {type(self._listener).__name__}: {self.seen:,} told, {self.failures:,} failed, {self.dropped:,} dropped"
            f"{', closed' if self._closed else ''}>"
        )

    def _begin(self) -> None:
        self._lock = RLock()  # a handler of a signal may send requests too
        self._queue: SimpleQueue[_Told | _Mark | None] = SimpleQueue()
        self._wake = Signal()
        self._counts = _Counts()
        self._thread: Thread | None = None

    # -------------------------------------------------------------------------------------------------- putting

    def put(self, event: Any) -> None:
        """Tells of a request: an event, or what one is made of. It never waits, whatever the listener does."""
        queue = self._queue
        if queue.qsize() >= self._size or (self._thread is None and not self._start()):
            self._drop()
        else:
            queue.put((copy_context(), self._seen, event))

    def tell(self, tracked: Tracked) -> None:
        """Tells of an operation of the application, if the listener has a method `done` for them. It never waits either."""
        if self._done is None:
            return
        if self._queue.qsize() >= self._size or (self._thread is None and not self._start()):
            self._drop()
        else:
            self._queue.put((copy_context(), self._done, tracked))

    def _drop(self) -> None:
        with self._lock:
            self._counts.dropped += 1

    def _start(self) -> bool:
        with self._lock:
            if self._thread is None and not self._closed:
                thread = Thread(
                    # It knows the queue and the listener but not the outlet, whose end is then its end too.
                    target=_hand_on,
                    args=(self._queue, self._wake, self._counts, self._listener),
                    name=f"tablewright tells {type(self._listener).__name__}",
                    daemon=True,
                )
                with suppress(RuntimeError):  # no more threads can be had, or the interpreter is at its end
                    thread.start()
                    self._thread = thread
                # What is registered last ends first: before the providers and clients that listeners were made with.
                atexit.unregister(_farewell)
                atexit.register(_farewell)
            return self._thread is not None

    # ----------------------------------------------------------------------------------------- what became of it

    @property
    def seen(self) -> int:
        """Events that the listener took."""
        return self._counts.seen

    @property
    def failures(self) -> int:
        """Events at which it raised."""
        return self._counts.failures

    @property
    def dropped(self) -> int:
        """Events for which there was no room, or that came after the end."""
        return self._counts.dropped

    # --------------------------------------------------------------------------------------------------- ending

    def flush(self, timeout: float = 1.0) -> bool:
        """Waits until the listener has taken all that was put before, and has passed on what it holds itself, if it has a method
        `flush` for that. False if it was not done within so many seconds."""
        return flush_all([self], timeout)

    def close(self, timeout: float = 1.0) -> bool:
        """Flushes, and ends the thread and the listener; what is put from now on is dropped. False if it was not done in time,
        and then the listener ends when it can."""
        with self._lock:
            mark = self._mark(time.monotonic() + timeout, last=True)
            thread, self._thread, self._closed = self._thread, None, True
        _outlets.discard(self)
        if mark is None or thread is None:
            return True
        if not mark.reached.wait(timeout):
            return False
        thread.join(timeout)
        return mark.passed_on

    def _mark(self, until: float, *, last: bool = False) -> _Mark | None:
        if self._thread is None:
            return None
        mark = _Mark(until, last=last)
        self._queue.put(mark)
        self._wake.set()
        return mark

    def __del__(self) -> None:
        self._queue.put(None)


def _reading(seen: Callable[[Event], None], read: Callable[[Any], Event]) -> Callable[[Any], None]:
    return lambda had: seen(read(had))


class _Counts:
    """What became of what was put into an outlet."""

    __slots__ = ("dropped", "failures", "seen")

    def __init__(self) -> None:
        self.seen = self.failures = self.dropped = 0


class _Mark:
    """A place in the queue that somebody waits for."""

    __slots__ = ("last", "passed_on", "reached", "until")

    def __init__(self, until: float, *, last: bool) -> None:
        self.reached = Signal()
        self.until = until
        self.last = last
        self.passed_on = True


_Told = tuple[Context, Callable[[Any], None], Any]


def _hand_on(queue: SimpleQueue[_Told | _Mark | None], wake: Signal, counts: _Counts, listener: Listener) -> None:
    naps, since = 0, time.perf_counter()
    while True:
        try:
            work = queue.get(block=naps == NAPS)
        except Empty:
            wake.wait(NAP)
            wake.clear()
            naps, since = naps + 1, time.perf_counter()
            continue
        naps = 0
        if work is None or _deal_with(work, counts, listener):
            return
        del work  # while it waits for the next, nothing of the last request is held
        if time.perf_counter() - since > SLICE:
            time.sleep(SLICE)
            since = time.perf_counter()


def _deal_with(work: _Told | _Mark, counts: _Counts, listener: Listener) -> bool:
    """True if nothing may follow."""
    try:
        if isinstance(work, _Mark):
            _pass_on(listener, work)
        else:
            context, method, told = work
            context.run(method, told)
            counts.seen += 1
    except BaseException as error:  # whatever it is, the next event may find the listener well again
        counts.failures += 1
        if counts.failures == 1:
            _warn(listener, error)
    return isinstance(work, _Mark) and work.last


def _warn(listener: Listener, error: BaseException) -> None:
    with suppress(Exception):  # a handler of logging may be broken as well
        _log.warning(
            "%s raised %s when it was told of a request; this and what follows is counted and changes nothing else.",
            type(listener).__name__,
            type(error).__name__,  # its text may hold anything
        )


def _pass_on(listener: Listener, mark: _Mark) -> None:
    flush, close = getattr(listener, "flush", None), getattr(listener, "close", None)
    try:
        left = mark.until - time.monotonic()
        if flush is not None:
            mark.passed_on = False
            mark.passed_on = left > 0 and flush(left) is not False
    finally:
        if close is not None and mark.last:
            close()
        mark.reached.set()


def flush_all(outlets: Iterable[Outlet], timeout: float) -> bool:
    """Flushes them side by side, all within so many seconds."""
    until = time.monotonic() + timeout
    marks = [mark for outlet in outlets if (mark := outlet._mark(until)) is not None]
    reached = [mark.reached.wait(max(0.0, until - time.monotonic())) and mark.passed_on for mark in marks]
    return all(reached)


# ------------------------------------------------------------------------------------------------- all of a process

_outlets: WeakSet[Outlet] = WeakSet()


def _after_fork() -> None:
    for outlet in list(_outlets):
        outlet._begin()


def _farewell() -> None:
    flush_all(list(_outlets), FAREWELL)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
