"""A load from its beginning to its report: what is driven, on which data, against which target."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Unpack

from msgspec import Struct

from tablewright.client.settings import OpenOptions
from tablewright.errors import ArgumentError
from tablewright.lint.design import Design
from tablewright.lint.keyfacts import fields
from tablewright.load.calls import Caller, NotCalled, caller
from tablewright.load.data import World, clean, write_all
from tablewright.load.driving import Schedule, drive, drive_simulated
from tablewright.load.keys import ZIPF
from tablewright.load.making import PREFIX
from tablewright.load.opening import Opened, may_write, opened, place_of
from tablewright.load.recording import Recorder
from tablewright.load.report import Limits, LoadReport, make_report
from tablewright.load.watching import Partition
from tablewright.load.workload import Mix, Shares, workload
from tablewright.observe.judging import owners
from tablewright.table import Table
from tablewright.values.sizes import write_units
from tablewright.wording import counted

_START = datetime(2025, 1, 1, 12, tzinfo=UTC)
"""When simulated time begins, so that a load is the same each time."""

Watch = Callable[[Recorder, float], None]
"""Somebody who looks on: at what was recorded, so many seconds after the start."""


class LoadSettings(Struct, frozen=True, kw_only=True):
    """What a load is like, and where it ends."""

    seconds: float = 10.0
    requests: int = 100_000
    """So many at most, however many seconds are left."""
    scale: float = 1.0
    """What declared rates are multiplied with."""
    concurrency: int = 16
    """Requests that are under way at once."""
    seed: int = 0
    zipf: float = ZIPF
    """The exponent by which keys are wanted, of which the model says nothing."""
    items: int = 300
    """Entities of each kind that are there at the start: made up, or looked at where only reads are sent."""
    only: tuple[str, ...] = ()
    """Patterns and entities; all, if none is named."""
    reads_only: bool = False
    limits: Limits | None = None
    """What a partition bears; everything, if it is not said."""
    simulated: bool | None = None
    """Whether the schedule moves time, in memory only; if not said, it does where limits are simulated in memory."""
    shares: Shares = Shares()
    yes_write_to: str | None = None
    """A target that is not on this machine, named once more where it may be written to."""

    def __post_init__(self) -> None:
        if min(self.seconds, self.requests, self.scale, self.concurrency, self.items) <= 0 or self.zipf < 0:
            raise ArgumentError("Seconds, requests, scale, concurrency and items are above 0, and zipf is from 0 on.")


def run_load(
    table: Table,
    target: str = "memory:",
    settings: LoadSettings | None = None,
    *,
    watch: Watch | None = None,
    save: str | os.PathLike[str] | None = None,
    **options: Unpack[OpenOptions],
) -> LoadReport:
    """Drives the patterns and writes of a model with the rates that it expects, and reports how that went.

    `target` is "memory:", a file, "http://…" or "aws:REGION". What is not on this machine is only read, unless
    `settings.yes_write_to` names it once more. `save` is a file for what was observed, which `tablewright advise` reads.
    `options` are those of table.open().
    """
    settings = settings or LoadSettings()
    memory = place_of(target) == "memory"
    simulated = settings.simulated if settings.simulated is not None else memory and settings.limits is not None
    _refuse(target, settings, simulated=simulated, save=save)
    writes = may_write(target, settings.yes_write_to) and not settings.reads_only
    mix = workload(table, only=settings.only, scale=settings.scale, writes=writes, shares=settings.shares)
    start = _START if simulated else datetime.now(UTC)
    tag = "0" if memory else f"{int(start.timestamp()):x}"
    world = World(table, seed=settings.seed, zipf=settings.zipf, tag=tag, start=start)
    with opened(
        table,
        target,
        simulated=simulated,
        start=start,
        concurrency=settings.concurrency,
        observed=save is not None,
        options=options,
    ) as place:
        notes = _prepare(place, world, settings, writes=writes, memory=memory)
        callers, more = _callers(world, mix)
        recorder = Recorder(Mix(tuple(one.line for one in callers)))
        schedule = Schedule(
            callers, seconds=settings.seconds, requests=settings.requests, seed=settings.seed, start=start
        )
        tick = None if watch is None else (lambda seconds: watch(recorder, seconds))
        with place.limited(settings.limits):
            if place.clock is not None:
                seconds, whole = drive_simulated(place.loading, place.watched, schedule, recorder, place.clock, tick)
            else:
                seconds, whole = drive(
                    place.loading, place.watched, schedule, recorder, concurrency=settings.concurrency, tick=tick
                )
        if save is not None and place.collector is not None:
            place.collector.snapshot().save(save)
    return make_report(
        recorder,
        table=table.label,
        target=target,
        simulated=simulated,
        seed=settings.seed,
        zipf=settings.zipf,
        scale=settings.scale,
        seconds=seconds,
        limits=settings.limits,
        fields=partial(_made_of, Design(table.plan)),
        notes=[
            *([] if whole else ["It was stopped before its end."]),
            *notes,
            *more,
            *_silent(mix, target, writes, settings),
        ],
    )


def _made_of(design: Design, partition: Partition) -> tuple[str, ...]:
    """The fields that the key of a partition is made of."""
    place, key = partition
    paths = owners(design, place or None, key)
    return tuple(dict.fromkeys(f"{path.plan.name}.{name}" for path in paths for name in fields(path.pk)))


def _refuse(target: str, settings: LoadSettings, *, simulated: bool, save: str | os.PathLike[str] | None) -> None:
    """Refuses what cannot be done, before anything is."""
    place = place_of(target)
    if simulated and place != "memory":
        raise ArgumentError("Time can be simulated in memory only.", hint='Use the target "memory:".')
    if settings.limits is not None and place not in ("memory", "file"):
        raise ArgumentError(
            "Limits of partitions can be simulated in memory and in files only.",
            hint="For a server of its own: tablewright serve --fault partition-limits.",
        )
    if save is not None and not Path(save).absolute().parent.is_dir():
        raise ArgumentError(f"There is no folder for {os.fspath(save)}.", hint="Make it first.")


def clean_up(table: Table, target: str, *, yes_write_to: str | None = None, **options: Unpack[OpenOptions]) -> int:
    """Deletes what loads have written to a target; returns how many entities that were."""
    if not may_write(target, yes_write_to):
        raise ArgumentError(f"{target} is not on this machine.", hint=f"Add --yes-write-to {target}.")
    options.setdefault("create", False)
    with opened(table, target, simulated=False, start=datetime.now(UTC), concurrency=1, options=options) as place:
        return clean(place.db, table)


def _prepare(place: Opened, world: World, settings: LoadSettings, *, writes: bool, memory: bool) -> list[str]:
    """Puts in place what requests will be about."""
    if not writes and not memory:
        world.look(place.db, settings.items * len(world.table.entities))
        found = sum(map(len, world.there.values()))
        return [f"Nothing was written; reads are about {counted(found, 'stored item')}."]
    world.fill(settings.items)
    for entity in [] if memory else [one for one in world.there if world.unmarked(one)]:
        world.withhold(entity, "nothing in its key could tell what is written from what others have stored")
    count = write_all(place.db, world)
    told = [f"{counted(count, 'item')} were there at the start, made up for it.", *_smaller(world)]
    if not memory:
        told.append(f"What was written has ids that begin with {PREFIX!r}: --clean removes it.")
    return told


def _smaller(world: World) -> Iterator[str]:
    """Kinds whose items cost less than the model expects, because they are smaller."""
    for entity, made in world.there.items():
        size = world.table.expectations.of(entity).size
        if made and size is not None and (short := world.maker(entity).short):
            expected, real = write_units(size), write_units(size - short)
            if real < expected:
                name = entity.__name__
                yield f"A write of {name} takes {counted(real, 'unit')}, not {expected:g}: no text in it can be filled up."


def _callers(world: World, mix: Mix) -> tuple[Sequence[Caller], list[str]]:
    made: list[Caller] = []
    left: dict[str, list[str]] = {}
    for line in mix.lines:
        try:
            made.append(caller(world, line))
        except NotCalled as why:
            left.setdefault(str(why), []).append(line.name)
    notes = [f"Left out: {', '.join(names)}; {why}." for why, names in left.items()]
    if not made:
        raise ArgumentError(f"There is nothing to drive. {' '.join(notes)}")
    return made, notes


def _silent(mix: Mix, target: str, writes: bool, settings: LoadSettings) -> list[str]:
    told = []
    if mix.silent:
        told.append(f"Left out, because the model says no rate: {', '.join(mix.silent)}.")
    if not writes and not settings.reads_only:
        told.append(f"Only reads were sent; --yes-write-to {target} adds the writes.")
    return told
