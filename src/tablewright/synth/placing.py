"""Where reads of several entities could be served: the table or an index, and a partition that all their parts share."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from tablewright.synth.facts import EntityFacts
from tablewright.synth.heat import Sharing, spread_over, taken
from tablewright.synth.needs import Together


class Placed(Struct, frozen=True):
    """Where a read of several entities is served: on a slot, with a partition and first sort fields by their sources."""

    slot: int
    partition: tuple[str, ...]
    prefix: tuple[str, ...]
    turned: bool = False
    """Whether the partition is in another order than that of the conditions, to meet one that is there already."""


def places(group: Together, slots: int, facts: Mapping[str, EntityFacts]) -> Iterator[Placed]:
    """Where a read of several entities could be served: fine partitions before coarse ones."""
    shared = group.shared
    spread = [s for s in shared if all(group.field(p, s) in facts[p.entity].spread for p in group.parts)]
    # Where a consistent read of everything forces the table's key, it serves the rest as well.
    forced = all(facts[part.entity].forced for part in group.parts)
    for slot in range(slots + 1):
        fine = set() if slot == 0 and forced else set(spread)
        for size in range(len(shared), -1, -1):
            for partition in itertools.combinations(shared, size):
                if (fine and not fine.intersection(partition)) or (not partition and shared):
                    continue
                rest = [s for s in shared if s not in partition]
                for prefix in itertools.permutations(rest):
                    for order in itertools.permutations(partition):
                        yield Placed(slot, order, prefix, order != partition)


def shards_of(group: Together, partition: Sequence[str], facts: Mapping[str, EntityFacts]) -> int:
    """Over how many partitions a read of several entities must be spread: all of them write to the same ones, and each
    request reads all of them."""
    most = max((part.readings for part in group.parts), key=taken)
    sharing = []
    for part in group.parts:
        one = facts[part.entity]
        held = frozenset(group.field(part, source) for source in partition)
        sorts = [group.field(part, s) for s in group.shared if s not in partition] + list(part.order[: group.ordered])
        moves = bool((part.known | frozenset(part.order)) - one.fixed)
        readings = most if part is group.parts[0] else ()
        sharing.append(Sharing(one, held, sorts[0] if sorts else None, moves, readings))
    return spread_over(sharing, for_reads=group.merged)
