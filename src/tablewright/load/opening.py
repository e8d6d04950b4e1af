"""How a load reaches its target, and whether it may write there."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from ipaddress import ip_address
from typing import Any, Literal
from urllib.parse import urlsplit

from msgspec import Struct

from tablewright.client.opening import transport_to
from tablewright.client.retry import RetryPolicy
from tablewright.client.session import Session
from tablewright.client.settings import OpenOptions, SessionOptions
from tablewright.engine import Engine, open_engine
from tablewright.engine.faults import PartitionLimits
from tablewright.errors import ArgumentError
from tablewright.load.report import Limits
from tablewright.load.watching import WatchedTransport
from tablewright.observe.collector import Collector
from tablewright.table import Table
from tablewright.testing.clock import ManualClock

Place = Literal["memory", "file", "loopback", "remote"]


def place_of(target: str) -> Place:
    """What kind of target it is."""
    if target == "memory:":
        return "memory"
    if target.startswith("aws:"):
        return "remote"
    if target.startswith(("http://", "https://")):
        host = urlsplit(target).hostname or ""
        try:
            return "loopback" if host == "localhost" or ip_address(host).is_loopback else "remote"
        except ValueError:  # a name, which may lead anywhere
            return "remote"
    return "file"


def may_write(target: str, agreed: str | None) -> bool:
    """Whether a load writes to a target: to what is on this machine; to anything else only where the same target was named
    once more."""
    if agreed is not None and agreed != target:
        raise ArgumentError(
            f"It was agreed to write to {agreed}, and the target is {target}.",
            hint=f"--yes-write-to {target}, if that is meant.",
        )
    return place_of(target) != "remote" or agreed is not None


class Opened(Struct, frozen=True, eq=False):
    """A target that is open."""

    db: Session
    """With as many attempts as usual, for what is written before and after."""
    loading: Session
    """With one attempt for each request: what is refused is counted, and not sent again."""
    watched: WatchedTransport
    collector: Collector | None
    """What observes the load, and nothing before and after it, where that is wanted."""
    clock: ManualClock | None
    """What moves time where it is simulated."""
    engine: Engine | None

    @contextmanager
    def limited(self, limits: Limits | None) -> Iterator[None]:
        """Partitions that bear no more than this."""
        with ExitStack() as stack:
            if limits is not None:
                assert self.engine is not None
                fault = PartitionLimits(read=limits.reads, write=limits.writes)
                stack.enter_context(self.engine.faults.inject(fault))
            yield


class _Passing:
    """Simulated time, and what this machine takes of its own since that was last moved: a request is timed by it."""

    def __init__(self, clock: ManualClock) -> None:
        self._clock = clock
        self._moved, self._since = clock.now(), time.perf_counter()

    def __call__(self) -> float:
        now, real = self._clock.now(), time.perf_counter()
        if now != self._moved:
            self._moved, self._since = now, real
        return now + real - self._since


@contextmanager
def opened(
    table: Table,
    target: str,
    *,
    simulated: bool,
    start: datetime,
    concurrency: int,
    observed: bool = False,
    options: OpenOptions,
) -> Iterator[Opened]:
    """Opens a target for a load. `options` are those of table.open()."""
    given = options.copy()
    clock = ManualClock(start) if simulated else None
    with ExitStack() as stack:
        memory = place_of(target) == "memory"
        if "{stage}" in table.name and "stage" not in given and memory:
            given["table_name"] = table.label
        if clock is not None:
            given["clock"] = clock.time
        given["max_connections"] = max(given.get("max_connections", 50), concurrency)
        place: Any = stack.enter_context(open_engine(target, clock=clock)) if memory else target
        inner, ours = transport_to(place, SessionOptions.of(given))
        engine: Engine | None = getattr(inner, "engine", None)  # of those that have one in this process
        watched = WatchedTransport(inner, table)
        stack.callback(watched.close)
        if ours:
            given.setdefault("create", True)
        once = RetryPolicy(max_retries=0, sleep=(lambda _: None) if simulated else None)
        db = stack.enter_context(table.open(watched, **given))
        given["create"], given["retry"] = False, once
        collector: Collector | None = None
        if observed:
            timer = None if clock is None else _Passing(clock)
            collector = Collector(recent=0) if timer is None else Collector(recent=0, clock=timer, timer=timer)
            given["observe"] = collector
        yield Opened(db, table.open(watched, **given), watched, collector, clock, engine)
