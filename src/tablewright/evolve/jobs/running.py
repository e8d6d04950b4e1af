"""One run of a job on an event loop: its segments side by side, with checkpoints, signs of life, pauses and a clean stop."""

from __future__ import annotations

import asyncio
import math
import os
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from itertools import count
from typing import Any

from msgspec import Struct, structs

from tablewright.client.calls import Call, Steps
from tablewright.client.retry import RetryPolicy
from tablewright.errors import JobError, TablewrightError
from tablewright.evolve.jobs.checkpoints import Asked, Checkpoints, Held, Segment
from tablewright.evolve.jobs.counting import Progress, Report, total
from tablewright.evolve.jobs.estimating import Costing
from tablewright.evolve.jobs.holding import Hold
from tablewright.evolve.jobs.in_table import USUAL_SEGMENTS, InTable
from tablewright.evolve.jobs.leaving import Leave, closed, opened
from tablewright.evolve.jobs.scanning import SKIPPED_ONLY, TO_WRITE_TOO, Scanning, check_reads, page_units
from tablewright.evolve.jobs.sending import Sender, StoppedError
from tablewright.evolve.jobs.settling import Found, Settler
from tablewright.evolve.jobs.ways import way_to
from tablewright.evolve.jobs.work import Work, WorkBeside, WorkForLater
from tablewright.infer.sample import Layout, layout_of
from tablewright.model.table import TableModel
from tablewright.values.types import Item

_TOLD_EVERY = 0.25
"""Seconds between two words on the progress."""
_BREATH = 256
"""Items without anything to write after which others get a turn."""


class Settings(Struct, frozen=True):
    """How a job is run."""

    write: bool
    segments: int | None
    in_flight: int
    max_read_units: float | None
    max_write_units: float | None
    checkpoints: Checkpoints | None
    checkpoint_every: float
    restart: bool
    take_over: bool
    sample: int | None
    model: TableModel | None
    progress: Callable[[Progress], object] | None
    left: str | os.PathLike[str] | Leave | None
    policy: RetryPolicy
    patience: float
    lease: float
    owner: str
    clock: Callable[[], float]
    timer: Callable[[], float]
    sleep: Callable[[float], Awaitable[object]]


class Run:
    """One run. `paused` and `stopping` may be set from any thread.

    Somebody else may hold the job, and hand out some of its segments as `held`: then that one also finishes it."""

    def __init__(self, work: Work, target: Any, settings: Settings, held: Held | None = None) -> None:
        self._work = work
        self._target = target
        self._settings = settings
        self._given = held
        self.paused = self.stopping = False
        self._failure: BaseException | None = None
        self._segments: list[Scanning] = []
        self._leave: Leave | None = None
        self._hold: Hold | None = None

    @property
    def name(self) -> str:
        """What is done."""
        return self._work.name

    async def run(self) -> Report:
        """The whole run; what went wrong is raised after all that can be kept was kept."""
        settings = self._settings
        check_reads(self._work)
        self._sender = Sender(
            way_to(self._target, settings.in_flight),
            max_read_units=settings.max_read_units,
            max_write_units=settings.max_write_units,
            policy=settings.policy,
            patience=settings.patience,
            timer=settings.timer,
            sleep=settings.sleep,
        )
        try:
            return await self._run()
        finally:
            closed(self._leave)
            await self._sender.close()

    async def _run(self) -> Report:
        settings, work, sender = self._settings, self._work, self._sender
        self._began = settings.timer()
        described = await sender.follow(describe(work.table))
        layout = layout_of(described)
        self._expected = int(described.get("ItemCount") or 0)
        names = tuple(key.name for key in layout.keys)
        costing = None
        if not settings.write:
            models = {} if settings.model is None else {work.table: settings.model}
            costing = Costing({work.table: described, **await self._written_to()}, models)
        kept = self._kept = self._checkpoints(layout)
        held = self._held = await self._take()
        if kept is not None and held is not None:
            self._hold = Hold(kept, held, sender, settings.lease, settings.clock, settings.timer)
        self._settler = Settler(work, sender, names, costing, settings.policy, settings.sleep, self._hold)
        states = held.segments if held is not None else _fresh(settings.segments)
        try:
            self._leave = opened(settings.left, resumed=held is not None and held.resumed)
        except TablewrightError:
            if self._kept is not None and held is not None:
                await sender.follow(self._kept.release(held))
            raise
        paged = page_units(settings.max_read_units, len(states))
        number = len(states) if held is None else held.of
        self._segments = [Scanning(work, state, number, names, paged) for state in states]
        for segment in self._segments:
            segment.due = self._began + settings.checkpoint_every if self._kept is not None else math.inf
            if self._leave is not None:
                segment.untold = SKIPPED_ONLY if settings.write else TO_WRITE_TOO
        self._resumed_at = sum(segment.looked for segment in self._segments)
        tending = asyncio.create_task(self._tend())
        try:
            await asyncio.gather(*(self._follow(segment) for segment in self._segments))
        finally:
            tending.cancel()
            with suppress(asyncio.CancelledError):
                await tending
        return await self._end(costing)

    async def _written_to(self) -> dict[str, dict[str, Any]]:
        """The other tables that are written to: what their indexes take is part of the cost."""
        work = self._work
        tables = {*work.writes_to} - {work.table} if isinstance(work, WorkBeside) else ()
        return {table: await self._sender.follow(describe(table)) for table in tables}

    def _checkpoints(self, layout: Layout) -> Checkpoints | None:
        if not self._settings.write:
            return None
        return self._settings.checkpoints or checkpoints_of(self._work, layout, self._settings.lease)

    async def _take(self) -> Held | None:
        if self._kept is None:
            return None
        settings, given = self._settings, self._given
        if given is not None:
            # Whoever worked on it before may have come further than was known when it was handed out.
            loaded = [await self._sender.follow(self._kept.load(given, one.number)) for one in given.segments]
            return structs.replace(given, segments=tuple(loaded))
        asked = Asked(self._work.name, self._work.identity, settings.segments, settings.restart, settings.take_over)
        return await self._sender.follow(self._kept.take(asked, settings.owner, settings.clock()))

    # ------------------------------------------------------------------------------------------------- a segment

    async def _follow(self, segment: Scanning) -> None:
        try:
            while not (segment.done or self.stopping or self._sampled(segment)):
                await self._gate()
                items = segment.page(await self._sender.read("Scan", segment.request()))
                queue = zip(count(), items, await self._settler.neighbours(items), strict=False)
                at_once = min(len(items), self._share())
                if at_once:
                    await asyncio.gather(*(self._settle(segment, queue) for _ in range(at_once)))
                if self.stopping:
                    return
                segment.turn()
                self._hand_on(segment)
                await self._save(segment, at_once=segment.done)
        except StoppedError:
            pass
        except BaseException as error:
            self._fail(error)

    async def _settle(self, segment: Scanning, queue: Iterator[tuple[int, Item, Found]]) -> None:
        """Settles items of a page as long as there are some that nobody has taken."""
        settled, settle, timer = 0, self._settler.settle, self._settings.timer
        try:
            for index, item, found in queue:
                if self.paused:
                    await self._gate()
                if self.stopping:
                    return
                segment.settle(index, await settle(item, found))
                settled += 1
                if settled % _BREATH == 0:
                    await asyncio.sleep(0)
                if timer() >= segment.due:
                    await self._save(segment)
        except StoppedError:
            pass
        except BaseException as error:
            self._fail(error)

    def _share(self) -> int:
        """How many writes one of the segments that are still at work may have under way."""
        return max(1, self._settings.in_flight // sum(not segment.done for segment in self._segments))

    def _sampled(self, segment: Scanning) -> bool:
        sample = self._settings.sample
        return sample is not None and segment.pages >= sample

    async def _gate(self) -> None:
        while self.paused and not self.stopping:
            await self._settings.sleep(_TOLD_EVERY)

    # ------------------------------------------------------------------------------------------------- keeping

    async def _save(self, segment: Scanning, *, at_once: bool = False) -> None:
        """Keeps how far a segment is, if it is time to."""
        now = self._settings.timer()
        if self._kept is None or self._held is None or not (at_once or now >= segment.due):
            return
        segment.due = now + self._settings.checkpoint_every
        self._hand_on(segment)
        state = segment.state()
        if state != segment.kept:
            segment.kept = state
            if self._hold is not None and self._hold.is_in_doubt:
                await self._hold.assure()
            await self._sender.follow(self._kept.save(self._held, state))

    def _hand_on(self, segment: Scanning) -> None:
        """Tells of the items that were left, before the checkpoint is kept that passes them."""
        if self._leave is not None and segment.left:
            self._leave(tuple(segment.left))
            segment.left.clear()

    async def _tend(self) -> None:
        """Tells the progress and gives signs of life, until the run is over."""
        settings = self._settings
        while True:
            await asyncio.sleep(_TOLD_EVERY)
            try:
                if settings.progress is not None:
                    settings.progress(self.progress())
                if self._hold is not None and self._given is None and self._hold.is_due:
                    await self._hold.renew()
            except Exception as error:
                self._fail(error)
                return

    def _fail(self, error: BaseException) -> None:
        """Something went wrong: what is under way is still waited for."""
        self._failure = self._failure or error
        self.stop()

    def stop(self) -> None:
        """Ends the run as soon as what is under way is answered."""
        self.stopping = True
        sender = getattr(self, "_sender", None)
        if sender is not None:
            sender.stopping = True

    async def _end(self, costing: Costing | None) -> Report:
        settings = self._settings
        finished = all(segment.done for segment in self._segments)
        if self._kept is not None and self._held is not None:
            kept, held = self._kept, self._held
            lost = isinstance(self._failure, JobError)
            try:
                if self._failure is None and finished and self._given is None:
                    await self._sender.follow(kept.finish(held))
                elif not lost:
                    await self._let_go(kept, held)
            except TablewrightError as error:
                self._failure = self._failure or error
        elif self._failure is None:
            for segment in self._segments:
                self._hand_on(segment)
        if settings.progress is not None and self._failure is None:
            settings.progress(self.progress())
        report = self.report(finished=finished, estimate=costing)
        if self._failure is not None:
            raise self._failure
        return report

    async def _let_go(self, kept: Checkpoints, held: Held) -> None:
        """Keeps how far each segment is, and lets others go on. Who cannot be told what was left is told of it by a next run."""
        for segment in self._segments:
            try:
                await self._save(segment, at_once=True)
            except Exception as error:
                self._failure = self._failure or error
        if self._given is None:
            await self._sender.follow(kept.release(held))

    # ------------------------------------------------------------------------------------------------- telling

    def progress(self) -> Progress:
        """How far it is."""
        counts = total(segment.counts for segment in self._segments)
        seconds = max(self._settings.timer() - self._began, 1e-9)
        rate = (counts.looked - self._resumed_at) / seconds
        done = sum(segment.done for segment in self._segments)
        share: float | None = None
        if self._segments:
            share = done / len(self._segments)
            if self._expected and done < len(self._segments):
                passed = self._resumed_at + sum(segment.passed for segment in self._segments)
                share = max(share, min(passed / self._expected, 0.99))
        left = None
        if share and rate:
            left = (1 - share) / share * counts.looked / rate
        waits_for = "paused" if self.paused else self._sender.waits_for()
        return Progress(counts, rate, share, left, waits_for, done, len(self._segments))

    def report(self, *, finished: bool, estimate: Costing | None) -> Report:
        """What came of it so far."""
        counts = total(segment.counts for segment in self._segments)
        spent = self._sender.spent
        evaluated = sum(segment.evaluated for segment in self._segments)
        share = 1.0 if finished or not self._expected else min(1.0, max(evaluated, 1) / self._expected)
        return Report(
            self._work.name,
            self._work.table,
            not self._settings.write,
            finished,
            self._held is not None and self._held.resumed,
            counts,
            spent,
            self._settings.timer() - self._began,
            len(self._segments),
            None if estimate is None else estimate.estimate(spent.read_units, share),
            later_of(self._work),
        )


def describe(table: str) -> Steps[dict[str, Any]]:
    """What the table says of itself."""
    response = yield Call("DescribeTable", {"TableName": table}, repeatable=True)
    described: dict[str, Any] = response["Table"]
    return described


def later_of(work: Work) -> str | None:
    """Who writes what the work only notes."""
    return work.later if isinstance(work, WorkForLater) else None


def checkpoints_of(work: Work, layout: Layout, lease: float) -> Checkpoints:
    """Where checkpoints are kept unless somebody says: where the work wants them, or in the table."""
    if isinstance(work, WorkBeside):
        return work.checkpoints(lease)
    return InTable(layout.name, layout.keys, lease=lease)


def _fresh(segments: int | None) -> Sequence[Segment]:
    return [Segment(number) for number in range(segments or USUAL_SEGMENTS)]
