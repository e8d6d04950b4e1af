"""The shape of one key: which fields choose the partition, and how the rest is ordered. Here it is decided whether one key
can serve several reads.

With an order-preserving key codec keys can be reasoned about as tuples. A key serves a read that knows the fields K and
wants the order O when its partition is within K, the partition and the first fields of the sort key together are K, and O
follows at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from tablewright.cost.copies import copy_cost
from tablewright.synth.facts import EntityFacts
from tablewright.synth.heat import Sharing, spread_over
from tablewright.synth.needs import Need

Blocks: TypeAlias = tuple[frozenset[str], ...]
"""An order of fields that is known as far as it matters: within a block any order will do."""


class Demand(Struct, frozen=True):
    """What a read of several entities asks of the key of one of them: they agree on partition and first sort fields."""

    part: int
    """Which read of the entity it is."""
    partition: tuple[str, ...]
    prefix: tuple[str, ...]
    ordered: int = 0
    """How many fields behind the prefix sort it together with the others."""
    shards: int = 1
    """Over how many partitions what all of them write and read together must be spread."""


class Shape(Struct, frozen=True, eq=False):
    """One entity's key, but for its words."""

    partition: tuple[str, ...]
    sort: tuple[str, ...]
    literal: int
    """How many sort fields stand before the word that names the entity."""
    labelled: int
    """How many of those have a word of their own before them; the others sort."""
    when: tuple[tuple[str, Any], ...]
    """Constants that items must have to be in the index."""
    needs: tuple[Need, ...]
    shards: int
    """Over how many partitions each is spread; 1 where that is not needed."""
    month: float
    """What copies in an index cost in a month, by the prices that `tablewright cost` goes by; nothing for the table."""

    @property
    def fields(self) -> frozenset[str]:
        """Every field in the key."""
        return frozenset((*self.partition, *self.sort))


def cut(blocks: Blocks, first: frozenset[str], *, closed: bool, passed: frozenset[str] = frozenset()) -> Blocks | None:
    """The order in which these fields come first, in any order; None where that contradicts it. Fields that are `passed` over
    may stand among them."""
    found: list[frozenset[str]] = []
    left = first
    for position, block in enumerate(blocks):
        if not left:
            return (*found, *blocks[position:])
        if block - passed <= left:
            found.append(block)
            left -= block
        elif left < block:
            return (*found, left, block - left, *blocks[position + 1 :])
        else:
            return None
    if left and closed:
        return None
    return (*found, left) if left else tuple(found)


def refine(
    blocks: Blocks,
    first: frozenset[str],
    order: Sequence[str],
    *,
    closed: bool = False,
    passed: frozenset[str] = frozenset(),
) -> Blocks | None:
    """The order in which these fields come first and then those, one by one. `closed` says that no field may be added."""
    for count in range(len(order) + 1):
        known = cut(blocks, first | frozenset(order[:count]), closed=closed, passed=passed)
        if known is None:
            return None
        blocks = known
    return blocks


def fit(
    facts: EntityFacts, needs: Sequence[Need], demands: Sequence[tuple[Demand, Need]], *, base: bool
) -> Shape | None:
    """The key of one entity that serves all these reads, alone and with others; None where there is none."""
    everyone = [*needs, *(part for _, part in demands)]
    common = _common(everyone)
    if common and not base:
        sparse = _fit(facts, needs, demands, common, base=base)
        if sparse is not None:
            return sparse
    found = _fit(facts, needs, demands, (), base=base)
    return _fit_single(facts, needs, demands) if found is None and base else found


def _fit_single(facts: EntityFacts, needs: Sequence[Need], demands: Sequence[tuple[Demand, Need]]) -> Shape | None:
    """The table's key where the order of some reads does not matter, because its whole key is fixed: one item at most."""
    everyone = [*needs, *(part for _, part in demands)]
    one = [
        need
        for need in everyone
        if need.order and not need.ranged and not need.listed and need.known.issuperset(facts.identity)
    ]
    if not one:
        return None

    def unsorted(need: Need) -> Need:
        return replace(need, order=()) if need in one else need

    asked = [(demand, unsorted(part)) for demand, part in demands]
    found = _fit(facts, [unsorted(need) for need in needs], asked, (), base=True)
    if found is None or any(need.known != found.fields for need in one):
        return None
    return replace(found, needs=tuple(everyone))


def _common(needs: Iterable[Need]) -> tuple[tuple[str, Any], ...]:
    """The constants that all of them ask for."""
    each = [need.constants for need in needs]
    return tuple(c for c in each[0] if all(c in others for others in each[1:])) if each else ()


def _fit(
    facts: EntityFacts,
    needs: Sequence[Need],
    demands: Sequence[tuple[Demand, Need]],
    when: tuple[tuple[str, Any], ...],
    *,
    base: bool,
) -> Shape | None:
    everyone = [*needs, *(part for _, part in demands)]
    implied = frozenset(name for name, _ in when)
    partition = _partition(facts, needs, demands, implied, base=base)
    if partition is None:
        return None
    held = frozenset(partition)
    # What is_in() gives several values chooses partitions, and sorts what they hold together only if it is repeated there.
    repeated = frozenset(name for need in everyone for name in need.order if name in held & need.listed)
    once = held - repeated

    def asked(blocks: Blocks, need: Need, *, closed: bool) -> Blocks | None:
        """The order that serves a read too. What is repeated stands anywhere, unless the read sorts several values of it;
        by what it sorts first may then stand among what is fixed."""
        passed = repeated - need.listed if need.order else repeated
        order = [n for n in need.order if n not in once]
        among = [n for n in order[:1] if n in repeated]
        first = (need.known - implied - held).union(among)
        return refine(blocks, first, order[len(among) :], closed=closed, passed=passed)

    blocks: Blocks | None = ()
    for demand, _ in demands:
        blocks = refine(blocks, frozenset(), demand.prefix) if blocks is not None else None
    for need in everyone:
        if not repeated.isdisjoint(need.order):  # what is repeated has its place before others pass it over
            blocks = asked(blocks, need, closed=False) if blocks is not None else None
    exact = next((need for need in needs if need.whole), None)
    if exact is not None and blocks is not None:
        blocks = cut(blocks, exact.known - implied - held, closed=False, passed=repeated)
        if blocks is None or frozenset().union(*blocks) - repeated != exact.known - implied - held:
            return None
    for need in everyone:
        if blocks is None:
            return None
        blocks = asked(blocks, need, closed=exact is not None)
        if any(n in once for n in need.order):
            return None
        if need.whole and blocks and frozenset().union(*blocks) - repeated != need.known - implied - held:
            return None
    if blocks is None:
        return None
    fields = held.union(*blocks)
    missing = [n for n in facts.identity if n not in fields and n not in implied]
    if exact is None:
        blocks = (*blocks, *(frozenset((n,)) for n in missing))
        fields |= frozenset(missing)
    elif base and missing:
        return None
    if base and not fields <= facts.settled:
        return None
    if any(not need.given(n) for n in fields & facts.optional for need in everyone):
        return None
    literal = max((len(demand.prefix) + demand.ordered for demand, _ in demands), default=0)
    if any(len(need.known - implied - held) < literal for need in needs):
        return None
    labelled = max((len(demand.prefix) for demand, _ in demands), default=0)
    declared = list(facts.fields)
    sort = tuple(n for block in blocks for n in sorted(block, key=declared.index))
    shards = demands[0][0].shards if demands else 1
    if any(demand.shards != shards for demand, _ in demands):
        return None
    if not demands and not held.issuperset(
        facts.identity
    ):  # where each is a partition of its own, shards would be the same
        readings = tuple(reading for need in needs for reading in need.readings)
        strong = any(need.strong for need in needs)  # which the table serves, whose own key is not spread
        sharing = Sharing(facts, held, sort[0] if sort else None, bool(fields - facts.fixed), readings)
        shards = spread_over([sharing], for_reads=not (base and strong))
    if shards > 1 and (base or any((need.known - implied - held) & facts.spread for need in needs)):
        return None
    month = 0.0 if base else _copy(facts, fields, when)
    return Shape(partition, sort, literal, labelled, when, tuple(everyone), shards, month)


def _partition(
    facts: EntityFacts,
    needs: Sequence[Need],
    demands: Sequence[tuple[Demand, Need]],
    implied: frozenset[str],
    *,
    base: bool,
) -> tuple[str, ...] | None:
    """What chooses the partition: as much as all reads know, or what they agreed on."""
    everyone = [*needs, *(part for _, part in demands)]
    if not everyone:
        return facts.identity
    if not base and any(need.strong for need in everyone):
        return None
    known = [need.known - implied for need in everyone]
    partition: tuple[str, ...]
    if demands:
        partition = demands[0][0].partition
        if any(demand.partition != partition for demand, _ in demands):
            return None
    else:
        smallest = min(known, key=len)
        first = next(need for need, fields in zip(needs, known, strict=True) if fields == smallest)
        partition = tuple(n for n in first.sources if n in smallest)
    held = frozenset(partition)
    if any(not held <= fields or not need.listed <= held for need, fields in zip(everyone, known, strict=True)):
        return None
    # Where a consistent read of everything forces the table's key, it serves the rest as well.
    forced = base and facts.forced
    if forced or held & facts.spread:
        return partition
    if base and facts.spread.intersection(facts.identity):
        return None
    # Where several entities are read together, their partition was chosen for all of them.
    variable = [need.known - implied - {name for name, _ in need.constants} for need in needs]
    return None if any(fields & facts.spread for fields in variable) else partition


Cost: TypeAlias = tuple[float, int, int, int, int]
"""What index copies cost in a month, how many copies, fields beside the identity in the primary key, whether its partition
is another one than the identity begins with, fields in all keys."""
NOTHING: Cost = (0.0, 0, 0, 0, 0)


def cost_of(facts: EntityFacts, shapes: Sequence[Shape | None]) -> Cost:
    """What one entity's keys cost; the first is the table's."""
    base, *indexes = shapes
    assert base is not None
    copies = [shape for shape in indexes if shape is not None]
    month = sum(shape.month for shape in copies)
    fields = sum(len(shape.fields) for shape in (base, *copies))
    beside = facts.identity[0] not in base.partition
    return round(month, 6), len(copies), len(base.fields - set(facts.identity)), int(beside), fields


def _copy(facts: EntityFacts, fields: frozenset[str], when: tuple[tuple[str, Any], ...]) -> float:
    share = min((facts.shares[name] or 0.5 for name, _ in when), default=1.0)
    return copy_cost(facts.expected, facts.size, facts.prices, moves=bool(fields - facts.fixed), share=share)


def plus(one: Cost, other: Cost) -> Cost:
    """Both."""
    month = round(one[0] + other[0], 6)
    return month, one[1] + other[1], one[2] + other[2], one[3] + other[3], one[4] + other[4]
