"""The cheapest keys of one entity: every read is given to the table's key or to one of a number of indexes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from msgspec import Struct

from tablewright.synth.facts import EntityFacts
from tablewright.synth.needs import Need
from tablewright.synth.shapes import Cost, Demand, Shape, cost_of, fit

Demands: TypeAlias = tuple[tuple[int, ...], ...]
"""By slot (the table first, then the indexes), what reads of several entities ask of the entity's key there, by number."""


class Effort(Struct):
    """How much the search may still look at. A number of steps, not a time, so that every run ends alike."""

    left: int
    exhausted: bool = False

    def step(self) -> bool:
        """Whether there is one step more."""
        self.left -= 1
        if self.left < 0:
            self.exhausted = True
        return not self.exhausted


class Keyed(Struct, frozen=True, eq=False):
    """One entity with a key for the table and, where it is in them, for each index."""

    shapes: tuple[Shape | None, ...]
    cost: Cost


class EntitySearch:
    """Finds keys for one entity; what was found once is remembered."""

    def __init__(self, facts: EntityFacts, singles: Sequence[Need], parts: Sequence[Need], effort: Effort) -> None:
        self.facts = facts
        # Those that know most leave the fewest choices.
        self.singles = sorted(singles, key=lambda need: (not need.strong, -len(need.known), repr(need.asks)))
        self.parts = tuple(parts)
        self._effort = effort
        self._found: dict[Demands, Keyed | None] = {}
        self._fits: dict[tuple[bool, tuple[int, ...], tuple[int, ...]], Shape | None] = {}
        self._demands: list[Demand] = []
        self._numbers: dict[Demand, int] = {}

    def number(self, demand: Demand) -> int:
        """The number by which a demand is known: the search compares them all the time."""
        if demand not in self._numbers:
            self._numbers[demand] = len(self._demands)
            self._demands.append(demand)
        return self._numbers[demand]

    def fits(self, slot: int, chosen: tuple[int, ...], demands: tuple[int, ...]) -> Shape | None:
        """The key on a slot that serves the reads of these numbers."""
        key = (slot == 0, chosen, demands)
        if key not in self._fits:
            needs = [self.singles[n] for n in chosen]
            asked = [(d, self.parts[d.part]) for d in (self._demands[n] for n in demands)]
            self._fits[key] = fit(self.facts, needs, asked, base=slot == 0)
        return self._fits[key]

    def best(self, demands: Demands) -> Keyed | None:
        """The cheapest keys for this many slots, or None where there are none."""
        if demands not in self._found:
            self._found[demands] = self._search(demands)
        return self._found[demands]

    def _search(self, demands: Demands) -> Keyed | None:
        best: Keyed | None = None
        chosen: list[tuple[int, ...]] = [() for _ in demands]
        shapes: list[Shape | None] = [
            self.fits(slot, (), asked) if asked or slot == 0 else None for slot, asked in enumerate(demands)
        ]
        if any(shape is None for shape, asked in zip(shapes, demands, strict=True) if asked):
            return None

        def place(number: int) -> None:
            nonlocal best
            if best is not None and shapes[0] is not None and cost_of(self.facts, shapes) >= best.cost:
                return
            if number == len(self.singles):
                if shapes[0] is not None:
                    best = Keyed(tuple(shapes), cost_of(self.facts, shapes))
                return
            tried_new = False
            for slot, asked in enumerate(demands):
                fresh = slot > 0 and not asked and not chosen[slot]
                if fresh and tried_new:
                    continue  # empty indexes are alike
                tried_new = tried_new or fresh
                grown = (*chosen[slot], number)
                shape = self.fits(slot, grown, asked)
                if shape is None or not self._effort.step():
                    continue
                before = chosen[slot], shapes[slot]
                chosen[slot], shapes[slot] = grown, shape
                place(number + 1)
                chosen[slot], shapes[slot] = before

        place(0)
        return None if best is None else self._arranged(best, demands)

    def _arranged(self, keyed: Keyed, demands: Demands) -> Keyed:
        """Indexes that are the entity's own choice in order: the compiler takes the first that serves a read, and one that
        spreads the traffic should come before one that does not."""
        own = [slot for slot, asked in enumerate(demands) if slot > 0 and not asked]
        spread = self.facts.spread

        def rank(slot: int) -> tuple[bool, bool, int]:
            shape = keyed.shapes[slot]
            return shape is None, shape is not None and not spread & set(shape.partition), slot

        shapes = list(keyed.shapes)
        for slot, chosen in zip(own, sorted(own, key=rank), strict=True):
            shapes[slot] = keyed.shapes[chosen]
        return Keyed(tuple(shapes), keyed.cost)
