"""Phases as the commands take them, and the time until a change of phase holds everywhere."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tablewright.errors import ArgumentError
from tablewright.evolve.moving.phases import DOES, ORDER
from tablewright.wording import counted

if TYPE_CHECKING:
    from tablewright.evolve.moving.phases import Phase, Progress


def known_phase(text: str) -> Phase:
    """A phase by its name."""
    for phase in ORDER:
        if phase == text:
            return phase
    raise ArgumentError(f"There is no phase {text!r}.", hint=f"Phases are: {', '.join(ORDER)}.")


def phase_before(progress: Progress) -> Phase:
    """The phase that came before this one."""
    here = ORDER.index(progress.phase)
    if not here:
        raise ArgumentError("There is no phase before 'legacy'.", hint="Nothing has begun yet.")
    return ORDER[here - 1]


def wait_for(progress: Progress, *, wait: bool) -> None:
    """Tells of a change of phase, and waits until it holds."""
    seconds = max(progress.since - time.time(), 0.0)
    if wait:
        time.sleep(seconds)
        print(f"{progress.phase}: {DOES[progress.phase]}.")
    else:
        print(f"{progress.phase} in {counted(round(seconds), 'second')}: {DOES[progress.phase]}.")
