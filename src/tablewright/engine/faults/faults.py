"""The faults of one engine: they are injected here, asked about every request, and taken back."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from types import TracebackType
from typing import Any, Generic, TypeVar

from tablewright.engine.clock import Clock
from tablewright.engine.faults.calls import ITEM_OPERATIONS, Call, Watched, consumed
from tablewright.engine.faults.fault import Fault
from tablewright.engine.faults.lag import IndexLag
from tablewright.engine.faults.waiting import Delay, Patience
from tablewright.engine.index import IndexSchema
from tablewright.engine.operations import LOADED, OPERATIONS
from tablewright.engine.storage import Change, Database, TableStore, Unseen
from tablewright.errors import ConfigError, ServiceError, TablewrightError

F = TypeVar("F", bound=Fault)

Answer = Callable[[str, Mapping[str, Any], str], dict[str, Any]]


class Injected(Generic[F]):
    """A fault at work: `with engine.faults.inject(fault) as fault`. Without `with` it works until it is removed."""

    __slots__ = ("_faults", "fault")

    def __init__(self, faults: Faults, fault: F) -> None:
        self._faults = faults
        self.fault = fault

    def remove(self) -> None:
        """Take the fault back."""
        self._faults.remove(self.fault)

    def __enter__(self) -> F:
        return self.fault

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.remove()


class Faults:
    """Off while there are none, and nobody watches; the engine then tests one attribute a request."""

    def __init__(self, database: Database, clock: Clock, switch: Callable[[Faults | None], None]) -> None:
        self._database = database
        self._clock = clock
        self._switch = switch
        self._lock = threading.Lock()
        self._active: tuple[Fault, ...] = ()
        self._watchers: tuple[Callable[[Watched], None], ...] = ()
        self._patience = Patience(threading.Event())

    @property
    def active(self) -> tuple[Fault, ...]:
        """The faults at work, oldest first."""
        return self._active

    def inject(self, fault: F) -> Injected[F]:
        """Put a fault to work. Its counts and its schedule go on where they were if it worked before."""
        if not isinstance(fault, Fault):
            raise ConfigError(f"{fault!r} is no fault.", hint="Give one such as Throttle(every=3).")
        with self._lock:
            if fault in self._active:
                raise ConfigError(f"The fault {fault.name} is at work already.", hint="Make another one like it.")
            fault.start(self._clock, self._patience)
            self._set((*self._active, fault))
        return Injected(self, fault)

    def remove(self, fault: Fault) -> None:
        """Take a fault back; nothing happens if it is not at work."""
        with self._lock:
            self._set(tuple(one for one in self._active if one is not fault))

    def clear(self) -> None:
        """Take all faults back."""
        with self._lock:
            self._set(())

    @contextmanager
    def watch(self, watcher: Callable[[Watched], None]) -> Iterator[None]:
        """Meanwhile every request is told to `watcher` once it is answered or refused, with what it consumed."""
        with self._lock:
            self._watchers = (*self._watchers, watcher)
            self._set(self._active)
        try:
            yield
        finally:
            with self._lock:
                self._watchers = tuple(one for one in self._watchers if one is not watcher)
                self._set(self._active)

    def in_haste(self) -> AbstractContextManager[None]:
        """Meanwhile no reply is slow: whoever waits to send one goes on at once, as a server that stops must."""
        return self._patience.in_haste()

    def deferring(self) -> AbstractContextManager[Delay]:
        """Meanwhile no reply is slow in this thread: how long it should have taken is told, and left to the caller."""
        return self._patience.deferring()

    def _set(self, active: tuple[Fault, ...]) -> None:
        self._active = active
        self._switch(self if active or self._watchers else None)
        self._database.catalogue.onlooker = self if active else None

    # ------------------------------------------------------------------------------------------- the engine's side

    def around(self, answer: Answer, operation: str, request: Mapping[str, Any], region: str) -> dict[str, Any]:
        """Answer a request the way the faults have it, and tell those who watch."""
        watchers = self._watchers
        if not watchers:
            return self._disturbed(answer, operation, request, region, None)
        watched = Watched(operation, request)
        try:
            return self._disturbed(answer, operation, request, region, watched)
        except TablewrightError as error:
            watched.error = error
            raise
        finally:
            for watcher in watchers:
                watcher(watched)

    def _disturbed(
        self, answer: Answer, operation: str, request: Mapping[str, Any], region: str, watched: Watched | None
    ) -> dict[str, Any]:
        shape = LOADED[operation][1] if operation in OPERATIONS else None
        if shape is None or not shape.fits(request):
            return answer(operation, request, region)
        call = Call(operation, request, region, self._database)
        if watched is not None:
            call.measures = operation in ITEM_OPERATIONS
            watched.is_write = call.is_write
        at_work = [(fault, fault.notice(call)) for fault in self._active if fault.concerns(call)]
        for fault, due in at_work:
            fault.on_request(call, due)
        try:
            response = {"Responses": []} if call.is_refused else answer(operation, call.narrowed(), region)
        except ServiceError:
            for fault, due in at_work:
                fault.on_reply(call, None, due)
            raise
        if watched is not None:
            watched.consumed = consumed(response)
        for fault, due in at_work:
            fault.on_reply(call, response, due)
        return call.finish(response)

    def changing(self, change: Change) -> None:
        """An item is about to change."""
        for fault in self._active:
            fault.changing(change)

    def unseen(self, table: TableStore, index: IndexSchema) -> Unseen:
        """What an index must still show; of two faults that have it lag, the older one decides."""
        shown: dict[tuple[bytes, bytes], Any] = {}
        for fault in self._active:
            if isinstance(fault, IndexLag):
                shown = {**fault.unseen(table, index), **shown}
        return shown
