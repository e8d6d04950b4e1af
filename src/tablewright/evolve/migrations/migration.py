"""One migration: its steps, as a file gives them."""

from __future__ import annotations

from collections.abc import Sequence

from tablewright.errors import ArgumentError
from tablewright.evolve.migrations.ground import Ground
from tablewright.evolve.migrations.step import Part, Question, Step


class Migration:
    """The steps from one model to the next, in their order.

    `migration = Migration([AddIndex("GSI2", ...), FillKeys("Order", "GSI2")])`
    """

    def __init__(self, steps: Sequence[Step]) -> None:
        if isinstance(steps, Step) or not all(isinstance(step, Step) for step in steps):
            raise ArgumentError("A migration is a list of steps.", hint='Write Migration([FillKeys("Order", "GSI2")]).')
        self.steps = tuple(steps)

    @property
    def questions(self) -> tuple[Question, ...]:
        """What is still to be decided."""
        return tuple(step for step in self.steps if isinstance(step, Question))

    def stage(self, what: str, ground: Ground) -> list[tuple[Step, tuple[Part, ...]]]:
        """The parts of each step for `run`, `retire` or `undo`, in the order in which they are carried out."""
        steps = self.steps if what == "run" else sorted(self.steps[:: -1 if what == "undo" else 1], key=_late)
        return [(step, getattr(step, what)(ground)) for step in steps]


def _late(step: Step) -> bool:
    return not step.pairs
