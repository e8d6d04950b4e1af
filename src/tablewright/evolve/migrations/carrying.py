"""Carries out the parts of steps: items by a job, indexes one at a time. The one place that knows how."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, TypeVar

from msgspec.structs import replace

from tablewright.client.calls import Pause, Steps
from tablewright.client.session import Session
from tablewright.errors import TablewrightError
from tablewright.evolve.jobs.counting import Progress
from tablewright.evolve.jobs.job import JobOptions, run
from tablewright.evolve.jobs.work import Work
from tablewright.evolve.migrations.colliding import colliding
from tablewright.evolve.migrations.foreseeing import Foresight
from tablewright.evolve.migrations.history import LEASE
from tablewright.evolve.migrations.indexes import DropOne, MakeOne, settled
from tablewright.evolve.migrations.keeping import InHistory
from tablewright.evolve.migrations.outcome import Outcome, Told, outcome_of
from tablewright.evolve.migrations.step import Part, Step
from tablewright.evolve.migrations.works.recasting import Recast

T = TypeVar("T")
Tell: TypeAlias = Callable[[str, Progress | None], object]
"""Gets the name of a part, and how far it is, where it is work on items."""


def count_out(
    part: Part, session: Session, options: JobOptions, tell: Tell, foresight: Foresight, *, looking: bool = False
) -> Outcome:
    """Counts what a part would write, when those that were counted before it are carried out. `looking`: at what lies where items
    should go, too."""
    if isinstance(part, MakeOne | DropOne):
        tell(part.name, None)
        return Outcome(written=int(part.todo(stored(session, settled(part.table)))))
    counting: JobOptions = {**options, "write": False, "model": session._context.plan.table}
    seen = foresight.of(part)
    moving = colliding(part, seen, looking=looking)
    outcome = _items(moving or seen, session, counting, tell)
    provisional = foresight.provisional(part)
    if outcome.written:
        foresight.add(part)
    return replace(
        outcome,
        provisional=provisional,
        moves=moving is not None and not looking,
        compared=moving is None or not moving.full,
    )


def carry_out(part: Part, session: Session, options: JobOptions, tell: Tell, kept: InHistory, *, anew: bool) -> Outcome:
    """Carries out a part: from where it was left, or `anew`."""
    if isinstance(part, MakeOne | DropOne):
        # Filling an index may take hours: whoever holds the lock meanwhile has to say so.
        tell(part.name, None)
        return Outcome(written=int(stored(session, _telling(part.steps(), lambda: tell(part.name, None)))))
    clock = session._context.options.clock
    writing: JobOptions = {
        "clock": lambda: clock().timestamp(),
        **options,
        "write": True,
        "checkpoints": kept,
        "restart": anew,
    }
    writing["lease"] = LEASE
    return _items(part, session, writing, tell)


def told_of(migration: str, step: Step, part: Part, outcome: Outcome) -> Told:
    """What came of a part."""
    also = f"remove {', '.join(part.sources)}" if isinstance(part, Recast) and part.removes else ""
    return Told(migration, step.code(), part.name, outcome, also)


def _items(part: Work, session: Session, options: JobOptions, tell: Tell) -> Outcome:
    # The transport, and not the session: sealed values and older schema versions are seen as they are stored.
    driver = session._driver
    options = {"retry": driver.policy, **options, "progress": lambda progress: tell(part.name, progress)}
    return outcome_of(run(part, driver.transport, **options))


def stored(session: Session, steps: Steps[T]) -> T:
    """Requests with items as they are stored, sealed values and older schema versions included: what a session's own reads show
    is what they become."""
    return session._driver.drive(steps)


def _telling(steps: Steps[T], tell: Callable[[], object]) -> Steps[T]:
    """The same steps, with a word at each pause."""
    try:
        step = next(steps)
        while True:
            if isinstance(step, Pause):
                tell()
            try:
                answer = yield step
            except TablewrightError as error:
                step = steps.throw(error)
            else:
                step = steps.send(answer)
    except StopIteration as stop:
        result: T = stop.value
        return result
