"""Sweeps: the whole table in segments that are read at once, for maintenance; they can stop anywhere and go on later."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable
from typing import Any

from msgspec import Struct

from tablewright.client.calls import Call, Steps, check_function
from tablewright.client.context import Context
from tablewright.client.cursors import begins
from tablewright.client.drive import AsyncDriver, SyncDriver
from tablewright.client.kinds import Kinds
from tablewright.client.watching import library_log
from tablewright.errors import ArgumentError
from tablewright.transport.answers import next_start
from tablewright.values.types import Item

MAX_SEGMENTS = 64
_DONE = "done"
_WORK = "Pass a function that takes a list of entities."


class Swept(Struct, frozen=True):
    """How far a sweep is: the items that were worked on since it began or went on, and the pages read.

    `cursor` is where to go on; None when everything was worked on."""

    items: int
    """Items that were worked on."""
    pages: int
    """Pages that were read."""
    segments_done: int
    """Segments that are finished."""
    segments: int
    """Segments in all."""
    cursor: str | None
    """Where to go on."""


class Sweep:
    """One sweep under way. Its segments share it; whatever they tell it, they tell one after another."""

    def __init__(
        self,
        context: Context,
        kinds: Kinds,
        segments: int,
        since: str | None,
        progress: Callable[[Swept], object] | None,
    ) -> None:
        if not isinstance(segments, int) or isinstance(segments, bool) or not 1 <= segments <= MAX_SEGMENTS:
            raise ArgumentError(f"A sweep has 1 to {MAX_SEGMENTS} segments.", constraint=f"1 to {MAX_SEGMENTS}")
        if progress is not None:
            check_function("sweep_for_maintenance(progress=...)", progress, "Pass a function that takes a Swept.")
        self.context = context
        self.kinds = kinds
        self.segments = segments
        self._progress = progress
        self._binding = f"sweep/{context.table}/{context.options.tenant or ''}/{kinds.name}/{segments}"
        self._starts: list[Any] = [None] * segments if begins(since) else context.seal.open(self._binding, since)
        self._items = self._pages = 0
        self._lock = threading.Lock()
        self.stopped = False
        _warn(context)

    def read(self, segment: int) -> Steps[tuple[list[Any], Item | None] | None]:
        """The next entities of a segment, and where it goes on; None when it is done or the sweep was stopped."""
        start = self._starts[segment]
        if self.stopped or start == _DONE:
            return None
        request: dict[str, Any] = {"TableName": self.context.table, **self.kinds.request}
        if self.segments > 1:
            request |= {"Segment": segment, "TotalSegments": self.segments}
        if start is not None:
            request["ExclusiveStartKey"] = start
        response = yield Call("Scan", request, repeatable=True)
        return self.kinds.among(response["Items"]), next_start(response)

    def worked(self, segment: int, count: int, following: Item | None) -> None:
        """A page was worked on."""
        with self._lock:
            self._starts[segment] = _DONE if following is None else following
            self._items += count
            self._pages += 1
            if self._progress is not None and self._progress(self.so_far()) is False:
                self.stopped = True

    def so_far(self) -> Swept:
        """How far it is."""
        done = self._starts.count(_DONE)
        cursor = None if done == self.segments else self.context.seal.seal(self._binding, self._starts)
        return Swept(self._items, self._pages, done, self.segments, cursor)


class Scan:
    """The same in one thread: entities, page by page."""

    def __init__(self, context: Context, kinds: Kinds, *, segment: int, segments: int) -> None:
        whole = all(isinstance(n, int) and not isinstance(n, bool) for n in (segment, segments))
        if not whole or not 0 <= segment < segments <= 1_000_000:
            raise ArgumentError("scan() takes a segment from 0 to segments - 1.", constraint="0 <= segment < segments")
        _warn(context)
        self._kinds = kinds
        self._request: dict[str, Any] = {"TableName": context.table, **kinds.request}
        if segments > 1:
            self._request |= {"Segment": segment, "TotalSegments": segments}
        self.done = False

    def more(self) -> Steps[list[Any]]:
        """The next entities, perhaps none although more will follow."""
        response = yield Call("Scan", self._request, repeatable=True)
        following = next_start(response)
        self._request = {**self._request, "ExclusiveStartKey": following}
        self.done = following is None
        return self._kinds.among(response["Items"])


def _warn(context: Context) -> None:
    library_log().warning(
        "%s is read from end to end: for maintenance only. An application's reads should be a query on an index.",
        context.table,
    )


def sweep(driver: SyncDriver, state: Sweep, work: Callable[[list[Any]], object]) -> Swept:
    """Every segment in a thread of its own."""
    from concurrent.futures import ThreadPoolExecutor
    from contextvars import copy_context

    check_function("sweep_for_maintenance()", work, _WORK)

    def segment(number: int) -> None:
        try:
            while (page := driver.run(state.read(number))) is not None:
                entities, following = page
                if entities:
                    work(entities)
                state.worked(number, len(entities), following)
        except BaseException:
            state.stopped = True
            raise

    with ThreadPoolExecutor(state.segments, thread_name_prefix="tablewright-sweep") as threads:
        running = [threads.submit(copy_context().run, segment, number) for number in range(state.segments)]
    for future in running:
        future.result()
    return state.so_far()


async def sweep_async(driver: AsyncDriver, state: Sweep, work: Callable[[list[Any]], Awaitable[object]]) -> Swept:
    """Every segment in a task of its own. A plain function does as work too: then nothing else goes on meanwhile."""
    import asyncio  # not above: a program without it need not wait for it to load
    from inspect import isawaitable

    check_function("sweep_for_maintenance()", work, _WORK)

    async def segment(number: int) -> None:
        try:
            while (page := await driver.run(state.read(number))) is not None:
                entities, following = page
                if entities and isawaitable(done := work(entities)):
                    await done
                state.worked(number, len(entities), following)
        except BaseException:
            state.stopped = True
            raise

    ended = await asyncio.gather(*(segment(n) for n in range(state.segments)), return_exceptions=True)
    for outcome in ended:
        if isinstance(outcome, BaseException):
            raise outcome
    return state.so_far()
