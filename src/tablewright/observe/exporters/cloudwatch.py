"""Metrics of CloudWatch, summed up in memory and published once a minute in a thread of their own."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from math import ceil, log
from threading import Event as Signal
from threading import Lock, Thread
from typing import Any, Final, Protocol

from msgspec import Struct

from tablewright.errors import ArgumentError
from tablewright.observe.events import Event
from tablewright.observe.exporters.measures import NAMESPACE, Axis, Dimensions, checked_namespace, measures
from tablewright.observe.tracking import Tracked

MOST_VALUES: Final = 150
"""Different values that CloudWatch takes at once of one metric."""
MOST_METRICS: Final = 1000
MOST_BYTES: Final = 900_000
"""CloudWatch takes 1 MB in one call; what is sent is estimated, from above."""
TRIES: Final = 3
MINUTE: Final = 60


class Client(Protocol):
    """A client of CloudWatch, such as boto3's."""

    def put_metric_data(self, **named: Any) -> Any:
        """Sends metrics."""


class _Call(Struct, eq=False):
    data: list[dict[str, Any]]
    tries: int = 0

    @property
    def values(self) -> int:
        return sum(int(sum(datum["Counts"])) for datum in self.data)


_Series = tuple[str, str, tuple[tuple[str, str], ...], int]
"""Name, unit, dimensions, minute."""
_Values = dict[int, tuple[int, float]]
"""By magnitude: how many values there were, and their sum."""


class CloudWatch:
    """Publishes how long requests and operations took, whether they succeeded and what they consumed. No keys and no values.

    Values within two percent of each other are published as their mean: percentiles are right within one percent, sums and
    counts are exact. What could not be sent is tried again twice, a period later each. At most `most` metrics of a minute are held;
    what goes beyond is dropped and counted, as is what could not be sent at all.

    `client` is a client of CloudWatch, or a function that makes one; processes that fork need the function, since connections
    cannot be shared. A client that hangs keeps nobody waiting but the thread that publishes.
    """

    def __init__(
        self,
        client: Client | Callable[[], Client],
        *,
        namespace: str = NAMESPACE,
        by: Sequence[Axis] = ("Table",),
        dimensions: Mapping[str, str] | None = None,
        period: float = 60.0,
        most: int = 10_000,
    ) -> None:
        if not period > 0:
            raise ArgumentError("The period is the time between two calls of CloudWatch, in seconds above 0.")
        self._client = client
        self._namespace = checked_namespace(namespace)
        self._dimensions = Dimensions(by, dimensions or {})
        self._period = period
        self._most = most
        self._begin()

    def _begin(self) -> None:
        self._process = os.getpid()
        self._lock = Lock()
        self._series: dict[_Series, _Values] = {}
        self._unsent: deque[_Call] = deque()
        self._wake = Signal()
        self._waiting: list[Signal] = []
        self._thread: Thread | None = None
        self._closed = False
        self._made: Client | None = None
        self.published = 0
        """Values that CloudWatch took."""
        self.dropped = 0
        """Values for which there was no room, or that CloudWatch did not take."""
        self.failures = 0
        """Calls that failed."""

    # --------------------------------------------------------------------------------------------- what is told

    def seen(self, event: Event) -> None:
        """Sums up a request."""
        self._note(event)

    def done(self, tracked: Tracked) -> None:
        """Sums up an operation of the application."""
        self._note(tracked)

    def _note(self, told: Event | Tracked) -> None:
        if os.getpid() != self._process:
            self._begin()
        dimensions = tuple(self._dimensions.of(told).items())
        minute = int(told.at // MINUTE) * MINUTE
        with self._lock:
            for name, unit, value in measures(told):
                series = (name, unit, dimensions, minute)
                values = self._series.get(series)
                if values is None:
                    if len(self._series) >= self._most:
                        self.dropped += 1
                        continue
                    values = self._series[series] = {}
                magnitude = ceil(log(value) * 50) if value > 0 else _NOTHING
                count, total = values.get(magnitude, (0, 0.0))
                values[magnitude] = count + 1, total + value
            if self._thread is None and not self._closed:
                thread = Thread(target=self._work, name="tablewright publishes to CloudWatch", daemon=True)
                thread.start()
                self._thread = thread

    # ------------------------------------------------------------------------------------------------- publishing

    def flush(self, timeout: float = 1.0) -> bool:
        """Publishes what is there, now. False if that was not done, and well, within so many seconds."""
        if os.getpid() != self._process:
            self._begin()
        done = Signal()
        with self._lock:
            if self._thread is None:
                return not self._unsent
            self._waiting.append(done)
            failures = self.failures
        self._wake.set()
        return done.wait(timeout) and failures == self.failures

    def close(self) -> None:
        """Ends the thread, after it has published what is there. It waits for nothing."""
        self._closed = True
        self._wake.set()

    def _work(self) -> None:
        while True:
            self._wake.wait(self._period)
            self._wake.clear()
            with self._lock:
                waiting, self._waiting = self._waiting, []
                series, self._series = self._series, {}
            self._unsent.extend(calls(data(series)))
            self._publish()
            with self._lock:
                # A thread that has nothing to do ends; the next event begins another one.
                ended = self._closed or not (self._series or self._unsent or self._waiting)
                if ended:
                    self._thread = None
                    waiting += self._waiting
            for signal in waiting:
                signal.set()
            if ended:
                return

    def _publish(self) -> None:
        while self._unsent:
            call = self._unsent[0]
            try:
                self._cloudwatch().put_metric_data(Namespace=self._namespace, MetricData=call.data)
            except BaseException:  # whatever it is, it is tried again later, after those that were not tried yet
                self.failures += 1
                call.tries += 1
                self._unsent.rotate(-1)
                if call.tries == TRIES:
                    self._give_up(call)
                break
            self._unsent.popleft()
            self.published += call.values
        while sum(len(call.data) for call in self._unsent) > (0 if self._closed else self._most):
            self._give_up(self._unsent[0])

    def _give_up(self, call: _Call) -> None:
        self._unsent.remove(call)
        with self._lock:
            self.dropped += call.values

    def _cloudwatch(self) -> Client:
        if self._made is None:
            self._made = self._client() if callable(self._client) else self._client
        return self._made


_NOTHING: Final = -(10**9)


def data(series: Mapping[_Series, _Values]) -> Iterator[dict[str, Any]]:
    """What CloudWatch is sent of these sums: at most 150 values of a metric in each."""
    for (name, unit, dimensions, minute), values in series.items():
        found = [(total / count, count) for _, (count, total) in sorted(values.items())]
        for start in range(0, len(found), MOST_VALUES):
            part = found[start : start + MOST_VALUES]
            yield {
                "MetricName": name,
                "Dimensions": [{"Name": at, "Value": value} for at, value in dimensions],
                "Timestamp": datetime.fromtimestamp(minute, UTC),
                "Values": [value for value, _ in part],
                "Counts": [float(count) for _, count in part],
                "Unit": unit,
            }


def calls(data: Iterable[dict[str, Any]]) -> Iterator[_Call]:
    """The same in calls of no more than CloudWatch takes in one."""
    found: list[dict[str, Any]] = []
    size = 0
    for datum in data:
        more = _size(datum)
        if found and (len(found) == MOST_METRICS or size + more > MOST_BYTES):
            yield _Call(found)
            found, size = [], 0
        found.append(datum)
        size += more
    if found:
        yield _Call(found)


def _size(datum: Mapping[str, Any]) -> int:
    # In the longest of the three forms in which clients write it, with every character of a text escaped.
    dimensions = sum(120 + 3 * (len(d["Name"]) + len(d["Value"])) for d in datum["Dimensions"])
    return 400 + 3 * len(datum["MetricName"]) + dimensions + 130 * len(datum["Values"])
