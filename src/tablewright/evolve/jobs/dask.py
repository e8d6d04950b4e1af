"""A job on a Dask cluster: the same segments as tasks, each of which goes on where a lost worker stopped. Needs the extra `dask`."""

from __future__ import annotations

import asyncio
import importlib
import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, TypedDict, Unpack

import msgspec
from msgspec import Struct, field

from tablewright.errors import ArgumentError, TablewrightError, not_installed
from tablewright.evolve.jobs.checkpoints import LEASE, Asked, Checkpoints, Held, Segment
from tablewright.evolve.jobs.counting import Counts, Report, Spent, total
from tablewright.evolve.jobs.job import run, run_aside, settings_of
from tablewright.evolve.jobs.leaving import Leave, Left, closed, opened
from tablewright.evolve.jobs.running import Run, checkpoints_of, describe, later_of
from tablewright.evolve.jobs.sending import Sender
from tablewright.evolve.jobs.ways import way_to
from tablewright.evolve.jobs.work import Work
from tablewright.infer.sample import layout_of

_LOOK_EVERY = 0.2
_WAITING = 64
"""Pages of items that were left which may wait for this process."""


class DaskOptions(TypedDict, total=False):
    """Those options of a job that can be sent to workers; JobOptions says what they mean. Limits are for the whole cluster."""

    write: bool
    segments: int
    in_flight: int
    max_read_units: float
    max_write_units: float
    checkpoint_every: float
    restart: bool
    take_over: bool
    patience: float
    lease: float


class Recipe(Struct, frozen=True):
    """How a worker makes the work: a function that it can import, as "package.module:function", and arguments for it."""

    function: str
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def work(self) -> Work:
        """The work."""
        module, _, name = self.function.partition(":")
        try:
            made: Work = getattr(importlib.import_module(module), name)(**self.arguments)
        except (ImportError, AttributeError, ValueError) as error:
            raise ArgumentError(
                f"The work {self.function!r} cannot be imported: {error}",
                hint='Name it as "package.module:function"; every worker must have it.',
            ) from error
        return made


def run_on_dask(
    recipe: Recipe,
    target: str,
    address: str,
    *,
    left: str | os.PathLike[str] | Leave | None = None,
    **options: Unpack[DaskOptions],
) -> Report:
    """Runs work over every item of its table on the cluster at `address`. A dry run, unless `write=True`, stays in this process.

    `target` is an address that every worker can open: a URL, or "aws:REGION". Checkpoints stand in the table. `left`, as in JobOptions, is
    here: workers send what they leave to this process."""
    check_target(target)
    settings = settings_of(options)  # type: ignore[arg-type]
    if not settings.write:
        return (
            run(recipe.work(), target, **options) if left is None else run(recipe.work(), target, left=left, **options)
        )
    try:
        from distributed import Client
    except ImportError:
        raise not_installed("A job on a Dask cluster needs distributed.", "dask") from None
    with Client(address) as client:
        return asyncio.run(_Spread(recipe, target, client, dict(options), left).run())


def check_target(target: object) -> None:
    """Refuses what only this process can open."""
    if not isinstance(target, str) or not target.startswith(("http://", "https://", "aws:")):
        raise ArgumentError("Workers cannot open this target.", hint='Give a URL, or "aws:REGION".')


class _Spread:
    """One job, held here and spread over workers."""

    def __init__(
        self,
        recipe: Recipe,
        target: str,
        client: Any,
        options: dict[str, Any],
        left: str | os.PathLike[str] | Leave | None,
    ) -> None:
        self._left = left
        self._recipe = recipe
        self._work = recipe.work()
        self._target = target
        self._client = client
        self._options = options
        self._settings = settings_of(options)  # type: ignore[arg-type]

    async def run(self) -> Report:
        """Takes the job, hands its segments out, and finishes it."""
        settings = self._settings
        began = settings.timer()
        sender = Sender(
            way_to(self._target, 1),
            max_read_units=None,
            max_write_units=None,
            policy=settings.policy,
            patience=settings.patience,
            timer=settings.timer,
            sleep=settings.sleep,
        )
        try:
            layout = layout_of(await sender.follow(describe(self._work.table)))
            kept = checkpoints_of(self._work, layout, settings.lease)
            asked = Asked(self._work.name, self._work.identity, settings.segments, settings.restart, settings.take_over)
            held = await sender.follow(kept.take(asked, settings.owner, settings.clock()))
            try:
                gathered = Gathered(self._client, held.owner, opened(self._left, resumed=held.resumed))
                try:
                    reports = await self._gather(sender, kept, held, gathered)
                finally:
                    gathered.close()
            except BaseException:
                with suppress(TablewrightError):
                    await sender.follow(kept.release(held))
                raise
            await sender.follow(kept.finish(held))
        finally:
            await sender.close()
        counts = total([*(one.counts for one in held.segments if one.done), *(one.counts for one in reports)])
        return self._report(held, counts, [sender.spent, *(one.spent for one in reports)], settings.timer() - began)

    async def _gather(self, sender: Sender, kept: Checkpoints, held: Held, gathered: Gathered) -> list[Report]:
        settings = self._settings
        waiting = [one for one in held.segments if not one.done]
        if not waiting:
            return []
        threads = sum(self._client.nthreads().values()) or 1
        options = shared(self._options, min(len(waiting), threads))
        futures = [
            self._client.submit(
                work_on, self._recipe, self._target, part_of(held, one), options, gathered.name, pure=False
            )
            for one in waiting
        ]
        renewed = settings.timer()
        try:
            while not all(future.done() for future in futures):
                gathered.take()
                if any(future.status == "error" for future in futures):
                    break
                if settings.timer() - renewed > settings.lease / 3:
                    renewed = settings.timer()
                    await sender.follow(kept.renew(held, settings.clock()))
                await asyncio.sleep(_LOOK_EVERY)
            failed = [future for future in futures if future.status == "error"]
            return [future.result() for future in [*failed, *futures]]
        except BaseException:
            self._client.cancel(futures)
            raise

    def _report(self, held: Held, counts: Counts, spent: list[Spent], seconds: float) -> Report:
        return Report(
            self._work.name,
            self._work.table,
            dry_run=False,
            finished=True,
            resumed=held.resumed,
            counts=counts,
            spent=Spent(
                sum(one.read_units for one in spent),
                sum(one.write_units for one in spent),
                sum(one.requests for one in spent),
                sum(one.retries for one in spent),
                sum(one.overtaken for one in spent),
            ),
            seconds=seconds,
            segments=held.of,
            later=later_of(self._work),
        )


def shared(options: Mapping[str, Any], workers: int) -> dict[str, Any]:
    """What one of several workers may take of what all may take together."""
    own = {name: value for name, value in options.items() if name not in ("segments", "restart", "take_over")}
    for name in ("max_read_units", "max_write_units"):
        if own.get(name) is not None:
            own[name] = own[name] / workers
    if "in_flight" in own:
        own["in_flight"] = max(1, own["in_flight"] // workers)
    return own


def part_of(held: Held, segment: Segment) -> Held:
    """One segment of a job, for a worker."""
    return Held(held.name, held.owner, held.run, (segment,), held.of, held.resumed)


def work_on(recipe: Recipe, target: str, held: Held, options: dict[str, Any], queue: str | None = None) -> Report:
    """What a worker does: one segment, from its last checkpoint on. What it leaves goes into a queue."""
    if queue is not None:
        options = {**options, "left": _sending(queue)}
    return run_aside(Run(recipe.work(), target, settings_of(options), held))  # type: ignore[arg-type]


class Gathered:
    """What workers left, on its way here through a queue of the scheduler. A worker that is faster than this process waits."""

    def __init__(self, client: Any, owner: str, leave: Leave | None) -> None:
        self._leave = leave
        self.name = None if leave is None else f"tablewright-left-{owner}"
        self._queue = None if leave is None else _queue(str(self.name), client)

    def take(self) -> None:
        """Hands on what has come."""
        if self._queue is not None and self._leave is not None:
            for batch in self._queue.get(batch=True):
                self._leave(msgspec.json.decode(batch, type=list[Left]))

    def close(self) -> None:
        """Takes what is there, and ends the queue."""
        try:
            self.take()
        finally:
            if self._queue is not None:
                self._queue.close()
            closed(self._leave)


def _sending(queue: str) -> Leave:
    from distributed import get_client

    to = _queue(queue, get_client())
    return lambda left: to.put(msgspec.json.encode(left), timeout=LEASE)


def _queue(name: str, client: Any) -> Any:
    from distributed import Queue

    return Queue(name, client=client, maxsize=_WAITING)
