"""What a situation is: traffic of a kind of which it is known whether a rule should speak up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from bench.advice_models import shop
from bench.advice_world import World
from tablewright import Table
from tablewright.observe.snapshot import Thresholds

Play = Callable[[World], None]
NEVER = 1e9
"""A threshold that nothing is beyond, where it is not what is judged."""


@dataclass(frozen=True)
class Situation:
    """Traffic for one rule."""

    rule: str
    ill: bool
    """Whether the rule should speak up."""
    play: Play
    table: Table
    fields: bool
    thresholds: Thresholds
    beside: frozenset[str]
    """Rules that may speak up as well; all others must be silent."""

    @property
    def name(self) -> str:
        """How people call it."""
        return self.play.__name__.replace("_", " ")

    def said(self, seed: object) -> set[str]:
        """The rules that speak up in one run."""
        random = Random(f"{self.rule} {self.play.__name__} {seed}")
        with World(random, self.table, fields=self.fields, thresholds=self.thresholds) as world:
            self.play(world)
            return world.advice()


SITUATIONS: dict[str, list[Situation]] = {}
"""By rule."""


def _added(rule: str, ill: bool, table: Table, fields: bool, units: float, beside: str) -> Callable[[Play], Play]:
    def add(play: Play) -> Play:
        thresholds = Thresholds(read_units=units, write_units=units)
        situation = Situation(rule, ill, play, table, fields, thresholds, frozenset(beside.split()))
        SITUATIONS.setdefault(rule, []).append(situation)
        return play

    return add


def ill(
    rule: str, *, table: Table = shop, fields: bool = False, units: float = NEVER, beside: str = ""
) -> Callable[[Play], Play]:
    """A situation that the rule should speak up in."""
    return _added(rule, True, table, fields, units, beside)


def well(
    rule: str, *, table: Table = shop, fields: bool = False, units: float = NEVER, beside: str = ""
) -> Callable[[Play], Play]:
    """A situation in which the rule should be silent."""
    return _added(rule, False, table, fields, units, beside)


def of_seed(rule: str, seed: int) -> Situation:
    """The situation of a run: ill and well ones take turns, and so do those of each kind."""
    some = [one for one in SITUATIONS[rule] if one.ill == (seed % 2 == 0)]
    return some[seed // 2 % len(some)]
