"""All phases, and how far a job is with each item."""

from __future__ import annotations

from msgspec import Struct

from tablewright.scaffold.job.delivery import DELIVERY
from tablewright.scaffold.job.design import DESIGN
from tablewright.scaffold.job.evidence import Evidence
from tablewright.scaffold.job.items import Checklist, Item, Phase
from tablewright.scaffold.job.requirements import REQUIREMENTS

PHASES = (REQUIREMENTS, DESIGN, DELIVERY)


class Judged(Struct, frozen=True):
    """An item and what is missing; None where it is done."""

    phase: str
    checklist: str
    text: str
    missing: str | None
    said_by: str = ""
    """Who said so, and when, where it is done and no program can know it."""

    @property
    def done(self) -> bool:
        """Whether nothing is missing."""
        return self.missing is None


def judge(evidence: Evidence) -> list[Judged]:
    """Every item of every checklist."""
    return [
        _judged(phase, checklist, item, evidence)
        for phase in PHASES
        for checklist in phase.checklists
        for item in checklist.items
    ]


def _judged(phase: Phase, checklist: Checklist, item: Item, evidence: Evidence) -> Judged:
    missing = item.missing(evidence)
    said_by = item.said_by(evidence) if missing is None and item.said_by is not None else ""
    return Judged(phase.name, checklist.name, item.text, missing, said_by)
