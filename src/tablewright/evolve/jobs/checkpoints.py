"""Where a job stands, kept so that a next run goes on there, and that no two runners do the same job at once."""

from __future__ import annotations

from typing import Any, Protocol

from msgspec import Struct

from tablewright.client.calls import Steps
from tablewright.errors import JobError
from tablewright.evolve.jobs.counting import Counts
from tablewright.values.types import Item
from tablewright.wording import counted

LEASE = 60.0
"""Seconds for which a runner holds a job without a sign of life."""


class Segment(Struct, frozen=True):
    """How far one segment of the table is: everything up to `start` is settled."""

    number: int
    start: Item | None = None
    done: bool = False
    counts: Counts = Counts()


class Asked(Struct, frozen=True):
    """The job that somebody wants to run."""

    name: str
    identity: str
    segments: int | None
    """As many as the run before had, or the usual number, where nobody says."""
    restart: bool
    """Forget how far it was."""
    take_over: bool = False
    """Take it from another runner, which is known to have ended."""


class Held(Struct, frozen=True):
    """A job that this runner holds."""

    name: str
    owner: str
    run: str
    """Made when the job began: whatever bears another one is left over from an earlier time."""
    segments: tuple[Segment, ...]
    """Those that this runner works on."""
    of: int
    """How many the table is divided into."""
    resumed: bool = False


class Checkpoints(Protocol):
    """A place for checkpoints. Its steps are requests to the table, if it needs any."""

    def take(self, asked: Asked, owner: str, now: float) -> Steps[Held]:
        """Holds the job; JobError where another runner does, or where what is there belongs to other work."""
        ...

    def load(self, held: Held, number: int) -> Steps[Segment]:
        """How far a segment is by now."""
        ...

    def renew(self, held: Held, now: float) -> Steps[None]:
        """A sign of life; JobError where another runner holds the job by now."""
        ...

    def save(self, held: Held, segment: Segment) -> Steps[None]:
        """How far a segment is."""
        ...

    def release(self, held: Held) -> Steps[None]:
        """Lets others go on."""
        ...

    def finish(self, held: Held) -> Steps[None]:
        """The job is done: nothing of it is kept."""
        ...


def check_same(asked: Asked, found: dict[str, Any]) -> None:
    """Refuses to go on where other work has stopped."""
    hint = "Finish it as it was begun, or begin anew with restart=True: what is done already is then only looked at."
    if found["identity"] != asked.identity:
        raise JobError(f"The checkpoint of {asked.name!r} belongs to other work than this.", hint=hint)
    if asked.segments is not None and found["segments"] != asked.segments:
        raise JobError(
            f"The checkpoint of {asked.name!r} has {counted(found['segments'], 'segment')}, not {asked.segments}.",
            hint=hint,
        )


def held_by_another(name: str, until: float, now: float) -> JobError:
    """The error where another runner is at it."""
    return JobError(
        f"Another runner is at {name!r}.",
        hint=f"Stop it first. If it died, the job is free in {counted(round(max(until - now, 0.0)), 'second')} at the latest, or give "
        "take_over=True.",
    )


def taken_over(name: str) -> JobError:
    """The error where this runner was too quiet for too long."""
    return JobError(
        f"Another runner has taken {name!r} over.", hint="Let that one go on: what was done here stays done."
    )
