"""The collector: takes a row of every request, adds rows up in batches, and tells what they come to."""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import AbstractContextManager
from secrets import token_hex
from typing import TYPE_CHECKING
from weakref import WeakSet

import msgspec

from tablewright.errors import BY_WIRE_NAME, ArgumentError, ConfigError, TablewrightError
from tablewright.observe.events import Event, Listener
from tablewright.observe.fielduse import FieldWatch
from tablewright.observe.outlet import Outlet, flush_all
from tablewright.observe.rows import LONG, WROTE, Reader, Row
from tablewright.observe.saving import Saver
from tablewright.observe.snapshot import BillingMode, Snapshot, Thresholds
from tablewright.observe.tally import Tally
from tablewright.observe.tracking import Track, Tracked
from tablewright.observe.watcher import Watcher, another_caller
from tablewright.values.operations import WRITES

if TYPE_CHECKING:
    from types import TracebackType

    from tablewright.compiler.plan import TablePlan
    from tablewright.observe.recommendation import Recommendation
    from tablewright.observe.statistics import Statistics

_log = logging.getLogger(__name__)
BATCH = 512
"""Rows that are added up at once."""
KEYS = 2_048
"""Keys of batches and transactions that wait to be added up: a row of these holds up to a hundred."""
_BEHIND = 16
"""How many times as many rows may wait while somebody is adding up, before others wait for them."""
CACHED = 60.0
"""Seconds for which advice is good."""
_MEASURED = 256
"""The items of one request in so many are measured, and of more at the beginning."""

_living: WeakSet[Collector] = WeakSet()


class Collector:
    """Counts what sessions ask of one table, in bounded memory: give it to `table.open(..., observe=collector)`.

    Threads, tasks and sessions may share one. `sample` is the share of requests whose items are measured, beside some of the first
    of each kind; everything else is counted of all requests, so that rules about numbers hold however small it is. `recent` is how
    many of the latest requests `recent_events()` tells of. `fields=True` also watches which fields of fetched entities the program reads; that is
    for tests and trials, since each look is counted. `listeners` are told of every request, each in a thread of its own. `save_to` is a
    folder where the snapshot is kept, saved once a minute and at the end, for `merged()` and `tablewright advise`.
    """

    def __init__(
        self,
        *,
        sample: float = 1 / _MEASURED,
        recent: int = 100,
        fields: bool = False,
        thresholds: Thresholds | None = None,
        listeners: Iterable[Listener] = (),
        save_to: str | os.PathLike[str] | None = None,
        clock: Callable[[], float] = time.time,
        timer: Callable[[], float] = time.perf_counter,
    ) -> None:
        if isinstance(sample, bool) or not isinstance(sample, int | float) or not 0 <= sample <= 1:
            raise ArgumentError("sample is a share from 0 to 1.", field="sample")
        if isinstance(recent, bool) or not isinstance(recent, int) or recent < 0:
            raise ArgumentError("recent is a number of requests.", field="recent")
        self.sample = float(sample)
        self.thresholds = thresholds or Thresholds()
        self.clock = clock
        self.timer = timer
        self.table: str | None = None
        self._lock = threading.RLock()  # a handler of a signal may ask, or send requests, while rows are added up
        self._adding = False
        self._keys = 0
        self._rows: deque[Row] = deque()
        self._recent: deque[Row] = deque(maxlen=recent)
        self.fields = FieldWatch() if fields else None
        self._unhandled: dict[str, int] = {}
        self.lost = 0
        """Requests that could not be counted; there should be none."""
        self._billing = BillingMode()
        self._billed: float | None = None
        self._advice: tuple[float, TablePlan | None, list[Recommendation]] | None = None
        self._tally = Tally(self.clock(), self.thresholds)
        self._telling = _Telling(clock, timer)
        self._saver = None if save_to is None else Saver(save_to, self.snapshot)
        self.outlets = tuple(Outlet(listener, read=self._telling) for listener in listeners)
        """What is between requests and listeners, in their order: each tells what was seen, failed and dropped."""
        self._run = token_hex(8)
        self._snapshots = 0
        _living.add(self)

    # --------------------------------------------------------------------------------------------- what it is told

    def watch(
        self,
        table: str,
        pk: str,
        sk: str | None,
        hashes: Mapping[str, tuple[str, ...]],
        own: Collection[str] = (),
    ) -> Watcher:
        """Watches requests to a table with these key attributes; `hashes` are the partition keys of its indexes, `own` the
        attributes that describe items instead of belonging to them. A collector is for one table."""
        if self.table not in (None, table):
            raise ConfigError(
                f"This collector observes {self.table}; {table} needs one of its own.",
                hint="Make a Collector() for each table.",
            )
        self.table = self._telling.table = table
        patience = 0 if self.outlets else BATCH
        if self._saver is not None:
            self._saver.begin()
        return Watcher(self._rows, patience, self._came, Reader(pk, sk, hashes, own), self.sample, self.timer)

    def _came(self, row: Row) -> None:
        """There are many rows, or one of many keys, or somebody listens to each."""
        if row[7].__class__ is list:
            self._keys += len(row[7])  # some may be missed where threads add at once, which is no matter
            row = _light(row)
        rows, keys = len(self._rows), self._keys
        if rows >= BATCH or keys >= KEYS:
            self._add_up(wait=rows >= _BEHIND * BATCH or keys >= 2 * KEYS)
        for outlet in self.outlets:
            outlet.put(row)

    def _add_up(self, *, wait: bool) -> None:
        """Adds up what has come. Whoever finds somebody else at it leaves it to them, unless they fall behind."""
        if not self._lock.acquire(blocking=wait):
            return
        try:
            self._take(BATCH if self._keys < KEYS else 1)
        finally:
            self._lock.release()

    def _take(self, least: int) -> None:
        if self._adding:  # below this very call: those rows are in no figure yet
            return
        self._adding = True
        try:
            self._take_all(least)
        finally:
            self._adding = False

    def _take_all(self, least: int) -> None:
        rows, self._keys, recent = self._rows, 0, self._recent.maxlen
        left = max(len(rows), _BEHIND * BATCH)  # others go on meanwhile, and it need not go on for ever
        while len(rows) >= least and left > 0:
            # Others only append, so that what was counted is there.
            batch = [rows.popleft() for _ in range(min(len(rows), 2 * BATCH))]
            left -= len(batch)
            try:
                self._tally.add(batch, self.clock() - self.timer())
            except Exception as error:  # whatever a request held, it is in nobody's way
                if not self.lost:
                    _log.warning("Requests could not be counted: %s.", type(error).__name__)
                self.lost += len(batch)
            latest = batch[-recent:] if recent else ()
            self._recent.extend(
                [row if row[7].__class__ is str and len(row[7]) <= LONG else _light(row) for row in latest]
            )

    def caller(self) -> AbstractContextManager[None]:
        """What is sent within the block is sent by somebody else than what is sent around it: for servers that serve one request
        after another in the same thread, so that independent ones are not taken for a row of one."""
        return another_caller()

    # --------------------------------------------------------------------------------------------- who listens

    def track(self, name: str) -> Track:
        """Times an operation of the application, of one request or many, and tells listeners whether it succeeded: in a `with` or
        an `async with`, or at every call of a function that it decorates."""
        return Track(self, name)

    def tell(self, tracked: Tracked) -> None:
        """Tells listeners of an operation of the application."""
        for outlet in self.outlets:
            outlet.tell(tracked)

    def flush(self, timeout: float = 1.0) -> bool:
        """Waits until listeners have taken and passed on all that there is, and saves it where that is wanted; False if one was not done
        within so many seconds, or if it could not be saved."""
        saved = self._saver is None or self._saver.save()
        return flush_all(self.outlets, timeout) and saved

    def close(self, timeout: float = 1.0) -> bool:
        """Flushes, and ends the listeners and their threads. Counting goes on."""
        if self._saver is not None:
            self._saver.end()
        done = self.flush(timeout)
        ended = [outlet.close(timeout if done else 0.0) for outlet in self.outlets]
        return done and all(ended)

    # --------------------------------------------------------------------------------------------- what it tells

    def snapshot(self) -> Snapshot:
        """All figures until now; they are the caller's own."""
        with self._lock:
            self._take(1)
            tally = self._tally
            now = self.clock()
            self._snapshots += 1
            whole = Snapshot(
                table=self.table or "",
                runs=[self._run],
                number=self._snapshots,
                spans=[(tally.since, max(now, tally.since))],
                sample=self.sample,
                thresholds=self.thresholds,
                traffic=tally.settled(),
                places=tally.places,
                minutes=tally.minutes,
                billing=self._billing,
                fields=self.fields.uses if self.fields is not None else {},
                key_forms=tally.key_forms,
                unhandled=dict(self._unhandled),
            )
            tally.note_peaks()
            return msgspec.msgpack.decode(msgspec.msgpack.encode(whole), type=Snapshot)

    def reset(self) -> None:
        """Forgets everything, and begins anew."""
        with self._lock:
            self._rows.clear()
            self._recent.clear()
            self._unhandled.clear()
            if self.fields is not None:
                self.fields = FieldWatch()
            self._tally = Tally(self.clock(), self.thresholds)
            self._run = token_hex(8)
            self._advice = None

    def recent_events(self) -> list[Event]:
        """The latest requests, the oldest first."""
        with self._lock:
            self._take(1)
            shift = self.clock() - self.timer()
            return [_event(row, self.table or "", shift) for row in self._recent]

    def recommendations(self, plan: TablePlan | None = None) -> list[Recommendation]:
        """What should be changed, the most important first. It is worked out when it is asked for, and good for a minute."""
        from tablewright.observe.advising import advise
        from tablewright.observe.recommendation import Observed

        now, kept = self.clock(), self._advice
        if kept is None or kept[1] is not plan or not 0 <= now - kept[0] < CACHED:
            self._advice = kept = now, plan, advise(Observed(self.snapshot(), plan))
        return list(kept[2])

    def statistics(self) -> Statistics:
        """The figures for people: by operation, by pattern and by index."""
        from tablewright.observe.statistics import statistics

        return statistics(self.snapshot())

    def unhandled(self, error: BaseException) -> None:
        """Notes an error that nobody caught; for the last handler of a framework. Others than those of this library, and those of DynamoDB
        that boto3 raises, are not counted."""
        code = _code_of(error)
        if code is not None:
            with self._lock:  # threads may end at the same time
                self._unhandled[code] = self._unhandled.get(code, 0) + 1

    def watch_unhandled(self) -> None:
        """Notes errors that end the program or one of its threads, before they are shown as usual."""
        show, show_thread = sys.excepthook, threading.excepthook

        def program(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
            self.unhandled(error)
            show(kind, error, trace)

        def thread(arguments: threading.ExceptHookArgs) -> None:
            if arguments.exc_value is not None:
                self.unhandled(arguments.exc_value)
            show_thread(arguments)

        sys.excepthook, threading.excepthook = program, thread

    @property
    def knows_billing(self) -> bool:
        """Whether it was told lately how the table is paid for."""
        return self._billed is not None and 0 <= self.clock() - self._billed < CACHED

    def billed(self, mode: BillingMode) -> None:
        """Notes how the table is paid for."""
        self._billed = self.clock()
        if (mode.mode, mode.ready) != (self._billing.mode, self._billing.ready):
            self._advice = None
        self._billing = msgspec.structs.replace(mode, at=self._billed)

    def _after_fork(self) -> None:
        """What the parent counted is the parent's to tell."""
        self._lock = threading.RLock()
        self._adding = False
        self.reset()
        if self._saver is not None:
            self._saver.begin_again()


def _light(row: Row) -> Row:
    """A row to be kept as one of the latest: of many keys only their number is told, and long ones are not held for it."""
    return (*row[:7], [""] * len(row[7]) if row[7].__class__ is list else "", "", *row[9:])


def _code_of(error: BaseException) -> str | None:
    """The code of an error of this library, or of one that boto3 made of DynamoDB's answer."""
    if isinstance(error, TablewrightError):
        return error.code
    answer = getattr(error, "response", None)
    told = answer.get("Error") if isinstance(answer, dict) else None
    kind = BY_WIRE_NAME.get(told.get("Code", "")) if isinstance(told, dict) else None
    return None if kind is None else kind.code


class _Telling:
    """Makes events of rows, in the threads that tell of them. It does not hold the collector, whose end is then theirs too."""

    __slots__ = ("_clock", "_timer", "table")

    def __init__(self, clock: Callable[[], float], timer: Callable[[], float]) -> None:
        self._clock = clock
        self._timer = timer
        self.table = ""

    def __call__(self, row: Row) -> Event:
        return _event(row, self.table, self._clock() - self._timer())


def _event(row: Row, table: str, shift: float) -> Event:
    (
        (operation, index, pattern, entity, write),
        began,
        seconds,
        told,
        returned,
        scanned,
        flags,
        pk,
        *_,
        retries,
        error,
        beside,
    ) = row
    writes, units = operation in WRITES or flags & WROTE, told or 0.0
    sizes = beside.sizes if beside is not None else ()
    return Event(
        operation=operation,
        table=table,
        index=index,
        pattern=pattern,
        entity=entity,
        write=write,
        at=began + shift,
        seconds=seconds,
        read_units=0.0 if writes else units,
        write_units=units if writes else 0.0,
        returned=int(returned),
        scanned=int(scanned),
        retries=retries,
        error=error,
        batched=len(pk) if pk.__class__ is list else 0,
        measured=len(sizes),
        size=sum(sizes),
    )


def _forget() -> None:
    for collector in list(_living):
        collector._after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
