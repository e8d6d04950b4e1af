"""The fewest indexes for a whole design, and among those the cheapest keys.

Entities meet only where one request reads several of them. So the reads of several entities are placed first, each on the
table or on an index with a partition that all its parts share; what is left of each entity is then a search of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from tablewright.synth.entity_search import Demands, Effort, EntitySearch, Keyed
from tablewright.synth.facts import EntityFacts
from tablewright.synth.needs import Together, Wanted
from tablewright.synth.placing import Placed, places, shards_of
from tablewright.synth.refusals import Refusals
from tablewright.synth.shapes import NOTHING, Cost, Demand, plus
from tablewright.synth.unserved import refuse_never, refuse_together

MAX_INDEXES = 20
"""How many global indexes DynamoDB gives a table unless asked for more."""
STEPS = 400_000
"""How many placements are looked at for one number of indexes before the search settles for what it has."""


class Solution(Struct, frozen=True, eq=False):
    """Keys for every entity, and where reads of several are served."""

    indexes: int
    keyed: Mapping[str, Keyed]
    placed: tuple[Placed, ...]
    """In the order of the design's reads of several entities."""
    minimal: bool
    cost: Cost


class Component:
    """Entities that are read together, directly or by way of others, with all their reads."""

    def __init__(self, members: Sequence[EntityFacts], wanted: Wanted, steps: int) -> None:
        self.effort = Effort(steps)
        self._steps = steps
        names = {facts.name for facts in members}
        self.together = [g for g in wanted.together if g.parts[0].entity in names]
        self.entities: dict[str, EntitySearch] = {}
        self._part: dict[int, int] = {}
        for facts in members:
            parts = [part for g in self.together for part in g.parts if part.entity == facts.name]
            self._part |= {id(part): number for number, part in enumerate(parts)}
            singles = [need for need in wanted.singles if need.entity == facts.name]
            self.entities[facts.name] = EntitySearch(facts, singles, parts, self.effort)

    def fewest(self) -> tuple[int, bool] | None:
        """The smallest number of indexes that serves everything, and whether that is proved; None where no number does."""
        alone = []
        for search in self.entities.values():
            found = self._alone(search)
            if found is None:
                return None
            alone.append(found)
        least = max(count for count, _ in alone)
        proved = all(known for _, known in alone)
        for count in range(least, MAX_INDEXES + 1):
            solved, complete = self.solve(count, first=True)
            if solved is not None:
                return count, proved
            proved = proved and complete
        return None

    def _alone(self, search: EntitySearch) -> tuple[int, bool] | None:
        """The indexes that one entity needs for the reads that are its own, and whether that is proved."""
        proved = True
        for count in range(MAX_INDEXES + 1):
            self.effort.left, self.effort.exhausted = self._steps, False
            if search.best(((),) * (count + 1)) is not None:
                return count, proved
            proved = proved and not self.effort.exhausted
        return None

    def solve(self, count: int, *, first: bool = False) -> tuple[tuple[dict[str, Keyed], list[Placed]] | None, bool]:
        """The cheapest keys with this many indexes, or the first that were found; and whether all were looked at."""
        self.effort.left, self.effort.exhausted = self._steps, False
        best: tuple[dict[str, Keyed], list[Placed]] | None = None
        least: Cost | None = None
        demands: dict[str, Demands] = dict.fromkeys(self.entities, ((),) * (count + 1))
        placed: list[Placed] = []

        found: dict[str, Keyed] = {}
        choices = [self._choices(group, count) for group in self.together]

        def changed(names: Iterable[str]) -> bool:
            """Finds keys for entities of which more is asked now."""
            for name in names:
                keyed = self.entities[name].best(demands[name])
                if keyed is None:
                    return False
                found[name] = keyed
            return True

        def place(number: int) -> None:
            nonlocal best, least
            total = NOTHING
            for keyed in found.values():
                total = plus(total, keyed.cost)
            if (least is not None and total >= least) or (first and best is not None):
                return
            if number == len(self.together):
                best, least = (dict(found), list(placed)), total
                return
            used = max((p.slot for p in placed), default=0)
            for choice, asked in choices[number]:
                if choice.slot > used + 1:  # indexes that nothing was placed on are alike
                    continue
                if choice.turned and not any(demands[name][choice.slot] for name, _ in asked):
                    continue  # whose partition is the first may be in any order
                if not self.effort.step():
                    return
                before = {name: (demands[name], found[name]) for name, _ in asked}
                for name, demand in asked:
                    slots = list(demands[name])
                    slots[choice.slot] = tuple(sorted((*slots[choice.slot], demand)))
                    demands[name] = tuple(slots)
                placed.append(choice)
                if changed(before):
                    place(number + 1)
                placed.pop()
                for name, (known, keyed) in before.items():
                    demands[name], found[name] = known, keyed

        if changed(self.entities):
            place(0)
        return best, not self.effort.exhausted

    def _choices(self, group: Together, count: int) -> list[tuple[Placed, list[tuple[str, int]]]]:
        """Where a read of several entities could be served, with what each choice asks of whom."""
        facts = {name: search.facts for name, search in self.entities.items()}
        found = []
        for choice in places(group, count, facts):
            shards = shards_of(group, choice.partition, facts)
            if shards > 1 and (not group.merged or choice.slot == 0):
                continue  # collect() reads one partition, and the table's own key is not spread
            asked = []
            for part in group.parts:
                demand = Demand(
                    self._part[id(part)],
                    tuple(group.field(part, s) for s in choice.partition),
                    tuple(group.field(part, s) for s in choice.prefix),
                    group.ordered,
                    shards,
                )
                asked.append((part.entity, self.entities[part.entity].number(demand)))
            found.append((choice, asked))
        return found


def search(facts: Sequence[EntityFacts], wanted: Wanted, refusals: Refusals, *, steps: int = STEPS) -> Solution:
    """Keys with the fewest indexes for a whole design; raises PatternError for all reads that cannot be served at all."""
    components = [Component(members, wanted, steps) for members in _components(facts, wanted)]
    refuse_never(facts, wanted, refusals)
    refusals.raise_any()
    counts: list[tuple[int, bool]] = []
    for component in components:
        needed = component.fewest()
        if needed is None:
            refuse_together({n: e.facts for n, e in component.entities.items()}, component.together, refusals)
        else:
            counts.append(needed)
    refusals.raise_any()
    count = max((c for c, _ in counts), default=0)
    minimal = all(proved for c, proved in counts if c == count)
    keyed: dict[str, Keyed] = {}
    placed: dict[int, Placed] = {}
    total = NOTHING
    for component, (least, _) in zip(components, counts, strict=True):
        found, _ = component.solve(count)
        if found is None:  # the steps were used up before the first find
            found, _ = component.solve(least, first=True)
        assert found is not None
        keyed |= {n: _padded(k, count) for n, k in found[0].items()}
        placed |= {id(g): p for g, p in zip(component.together, found[1], strict=True)}
        for one in found[0].values():
            total = plus(total, one.cost)
    order = _order(facts, keyed, count)
    moved = {n: Keyed(tuple(k.shapes[slot] for slot in order), k.cost) for n, k in keyed.items()}
    places = [replace(placed[id(g)], slot=order.index(placed[id(g)].slot)) for g in wanted.together]
    return Solution(count, moved, tuple(places), minimal, total)


def _order(facts: Sequence[EntityFacts], keyed: Mapping[str, Keyed], count: int) -> list[int]:
    """The table, then indexes whose partitions spread the traffic, then the others: the compiler takes the first that
    serves a read."""

    def coarse(slot: int) -> bool:
        shapes = [(f, keyed[f.name].shapes[slot]) for f in facts]
        return any(shape is not None and not f.spread & set(shape.partition) for f, shape in shapes)

    return [0, *sorted(range(1, count + 1), key=coarse)]


def _padded(keyed: Keyed, count: int) -> Keyed:
    return Keyed(keyed.shapes + (None,) * (count + 1 - len(keyed.shapes)), keyed.cost)


def _components(facts: Sequence[EntityFacts], wanted: Wanted) -> Iterator[list[EntityFacts]]:
    left = list(facts)
    while left:
        names = {left[0].name}
        while True:
            more = {p.entity for g in wanted.together for p in g.parts if any(q.entity in names for q in g.parts)}
            if more <= names:
                break
            names |= more
        yield [f for f in left if f.name in names]
        left = [f for f in left if f.name not in names]
