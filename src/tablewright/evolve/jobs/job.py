"""A job: work on every item of a table, run by hand or by a program, and told to pause, to go on or to stop."""

from __future__ import annotations

import asyncio
import math
import os
import secrets
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypedDict, Unpack

from tablewright.client.retry import RetryPolicy
from tablewright.errors import ArgumentError, JobError
from tablewright.evolve.jobs.checkpoints import LEASE, Checkpoints
from tablewright.evolve.jobs.counting import Progress, Report
from tablewright.evolve.jobs.leaving import Leave
from tablewright.evolve.jobs.running import Run, Settings
from tablewright.evolve.jobs.work import Work
from tablewright.model.table import TableModel

MAX_SEGMENTS = 1000


class JobOptions(TypedDict, total=False):
    """How a job is run; all of it optional.

    `write`: really write; without it nothing is written, and what would be is counted and priced. `segments`: parts of the table
    that are read side by side; 8, or as many as the run had that is gone on with. `in_flight`: writes that are under way at
    once; 64. `max_read_units`, `max_write_units`: capacity units a second that it may take. `checkpoints`: where is kept how
    far it is: the table itself by default, or InFile(path). `checkpoint_every`: seconds between two of them; 5. `restart`:
    forget how far an earlier run was. `sample`: in a dry run, how many pages of each segment to look at; the rest is
    projected. `model`: in a dry run, the table as it will be, where it gets indexes first. `progress`: a function that gets
    a Progress a few times a second. `left`: a file for the keys of items that are skipped and why, as JSON lines, or a function
    that gets some of them (Left) at a time; in a dry run also those that it would write for. `take_over`: go on at once where
    another runner was killed and still holds the job. `retry`: how long to wait after throttling.
    `patience`: seconds for which one request may fail again and again before the job gives up; 300. `lease`: seconds after
    which others may take a job over whose runner gives no sign of life; 60.
    `clock`, `timer`, `sleep`: where time comes from, for tests.
    """

    write: bool
    segments: int
    in_flight: int
    max_read_units: float
    max_write_units: float
    checkpoints: Checkpoints
    checkpoint_every: float
    restart: bool
    sample: int
    model: TableModel
    progress: Callable[[Progress], object]
    left: str | os.PathLike[str] | Leave
    take_over: bool
    retry: RetryPolicy
    patience: float
    lease: float
    clock: Callable[[], float]
    timer: Callable[[], float]
    sleep: Callable[[float], Awaitable[object]]


def run(work: Work, target: Any, **options: Unpack[JobOptions]) -> Report:
    """Runs work over every item of its table, and tells what came of it. A dry run, unless `write=True` is given.

    `target` is an open session, with a model or plain, a transport, or whatever `open()` takes."""
    return Job(work, target, **options).run()


class Job:
    """A job as an object, for whoever wants to pause it, or to stop it: `run()` in one thread, the rest from others."""

    def __init__(self, work: Work, target: Any, **options: Unpack[JobOptions]) -> None:
        self._run = Run(work, target, settings_of(options))
        self._state = threading.Lock()
        self._begun = False

    def run(self) -> Report:
        """Runs it to its end, or until it is stopped. Ctrl-C stops it at a checkpoint first, and the KeyboardInterrupt that is raised
        then says so; a second one does not wait."""
        with self._state:
            if self._begun:
                raise JobError("This job was run already.", hint="Make another Job: it goes on where this one stopped.")
            self._begun = True
        return run_aside(self._run)

    def pause(self) -> None:
        """Holds it: what is under way ends, nothing else begins."""
        self._run.paused = True

    def resume(self) -> None:
        """Lets it go on."""
        self._run.paused = False

    def stop(self) -> None:
        """Ends it at a checkpoint; a next run goes on there."""
        self._run.stop()


def run_aside(one: Run) -> Report:
    """A run on an event loop in a thread of its own, wherever the caller is: the caller may have a loop already."""
    came: list[Report] = []
    failed: list[BaseException] = []

    def work() -> None:
        try:
            came.append(asyncio.run(one.run()))
        except BaseException as error:
            failed.append(error)
        finally:
            over.set()

    # A join that Ctrl-C interrupts takes the thread for ended, so that a second one would not wait for the checkpoint.
    over = threading.Event()
    thread = threading.Thread(target=work, name="tablewright-job", daemon=True)
    thread.start()
    try:
        over.wait()
    except KeyboardInterrupt:
        one.stop()
        over.wait()
        # From what went wrong, if anything did; where the thread waited is of no interest.
        raise KeyboardInterrupt(_stopped(one, came)) from (failed[0] if failed else None)
    if failed:
        raise failed[0]
    return came[0]


def _stopped(one: Run, came: list[Report]) -> str:
    """What to know after Ctrl-C."""
    if not came:
        return f"{one.name} was stopped, and not all of how far it is could be kept: run it again, and some is looked at twice."
    if came[0].dry_run:
        return f"{one.name} was stopped. It was a dry run: nothing was written."
    if came[0].finished:
        return f"{one.name} had just come to its end."
    return f"{one.name} was stopped at a checkpoint: run it again, and it goes on there."


def settings_of(given: JobOptions) -> Settings:
    """The options, checked and with defaults."""
    known = JobOptions.__annotations__
    for name in given:
        if name not in known:
            raise ArgumentError(f"A job has no option {name!r}.", hint=f"Use one of {', '.join(sorted(known))}.")
    options: dict[str, Any] = dict(given)
    for name, least, most in (("segments", 1, MAX_SEGMENTS), ("in_flight", 1, 1000), ("sample", 1, math.inf)):
        number = options.get(name)
        if number is not None and (
            isinstance(number, bool) or not isinstance(number, int) or not least <= number <= most
        ):
            raise ArgumentError(f"{name}= of a job is a number from {least} on.", constraint=f"{least} to {most:g}")
    for name in ("max_read_units", "max_write_units", "patience", "lease"):
        number = options.get(name)
        if number is not None and not (_is_number(number) and number > 0):
            raise ArgumentError(f"{name}= of a job is a number above 0.", constraint="above 0")
    if not (_is_number(every := options.get("checkpoint_every", 5.0)) and every >= 0):
        raise ArgumentError("checkpoint_every= of a job is a number of seconds.", constraint="0 or more")
    for name in ("write", "restart", "take_over"):
        if not isinstance(options.get(name, False), bool):
            raise ArgumentError(f"{name}= of a job is True or False.", constraint="True or False")
    write = bool(options.get("write", False))
    if write and options.get("sample") is not None:
        raise ArgumentError("A sample is for a dry run.", hint="Leave sample= or write=True out.")
    return Settings(
        write=write,
        segments=options.get("segments"),
        in_flight=options.get("in_flight", 64),
        max_read_units=options.get("max_read_units"),
        max_write_units=options.get("max_write_units"),
        checkpoints=options.get("checkpoints"),
        checkpoint_every=options.get("checkpoint_every", 5.0),
        restart=options.get("restart", False),
        take_over=options.get("take_over", False),
        sample=options.get("sample"),
        model=options.get("model"),
        progress=options.get("progress"),
        left=options.get("left"),
        policy=options.get("retry") or RetryPolicy(),
        patience=options.get("patience", 300.0),
        lease=options.get("lease", LEASE),
        owner=secrets.token_hex(8),
        clock=options.get("clock", time.time),
        timer=options.get("timer", time.monotonic),
        sleep=options.get("sleep", asyncio.sleep),
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
