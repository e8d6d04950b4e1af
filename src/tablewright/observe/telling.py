"""How rules tell figures, and find what these are about in a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.observe.snapshot import TABLE, Snapshot, Traffic
from tablewright.wording import counted, quantity

if TYPE_CHECKING:
    from tablewright.compiler.entity_plan import EntityPlan
    from tablewright.compiler.plan import TablePlan
    from tablewright.compiler.reads import ReadPlan

_LENGTHS = (("day", 86_400), ("hour", 3600), ("minute", 60))


def percent(share: float) -> str:
    """45%, and 0.4% where it is little."""
    hundredths = 100 * share
    return f"{quantity(round(hundredths, 0 if hundredths >= 10 else 1 if hundredths >= 1 else 2))}%"


def size(number: float) -> str:
    """340 bytes, 4.2 KB and 1 MB."""
    if number < 1024:
        return f"{quantity(round(number))} bytes"
    unit, name = (1024, "KB") if number < 2**20 else (2**20, "MB") if number < 2**30 else (2**30, "GB")
    return f"{quantity(round(number / unit, 1))} {name}"


def milliseconds(seconds: float) -> str:
    """12 ms, and 0.8 ms."""
    thousandths = seconds * 1000
    return f"{quantity(round(thousandths, 0 if thousandths >= 10 else 1))} ms"


def lasted(seconds: float) -> str:
    """7 days, 2.5 hours, 10 minutes, 30 seconds."""
    name, length = next(((n, s) for n, s in _LENGTHS if seconds >= s), ("second", 1))
    return counted(round(seconds / length, 1), name)


def place(name: str) -> str:
    """What a place is called in a sentence."""
    return "the table" if name == TABLE else name


def a_second(snapshot: Snapshot, number: float) -> float:
    """So many in all that time are so many in a second; 0 where no time is known."""
    return number / snapshot.seconds if snapshot.seconds > 0 else 0.0


def share_of(part: float, whole: float) -> float:
    """A part of a whole, from 0 to 1; 0 of nothing."""
    return min(1.0, max(0.0, part / whole)) if whole > 0 else 0.0


def entity_of(plan: TablePlan | None, traffic: Traffic) -> EntityPlan | None:
    """The entity of the model that a kind of traffic reads or writes."""
    if plan is None or traffic.entity is None:
        return None
    named = (entity for entity in plan.entities.values() if entity.name == traffic.entity)
    return next(named, plan.by_type.get(traffic.entity))


def reads_of(plan: TablePlan | None, pattern: str | None) -> list[ReadPlan]:
    """The variants of a pattern of the model."""
    return [] if plan is None or pattern is None else list(plan.patterns.get(pattern, {}).values())
