"""The fewest indexes for one entity, the slow way: every key that there could be, and every choice among them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

from tests.synth.random_designs import FEW, FIELDS, Kind, Read


def fewest(kind: Kind) -> int | None:
    """How many indexes an entity needs for its reads; None where no number would do."""
    everything = (1 << len(kind.reads)) - 1
    settled = set(kind.identity) | (kind.frozen - {"o"})
    # A consistent read of everything leaves the table no choice, whatever that does to its partitions.
    forced = any(read.strong and not set(read.known) - FEW for read in kind.reads)
    bases, indexes = {0}, {0}
    for partition, sort in _keys():
        fields = {*partition, *sort}
        for sparse in (False, True):
            served = sum(1 << n for n, read in enumerate(kind.reads) if _serves(partition, sort, read, sparse=sparse))
            # The whole key of the table is one item, whatever its order.
            one = sum(1 << n for n, read in enumerate(kind.reads) if _is_one(partition, sort, read, kind))
            indexes.add(sum(1 << n for n in range(len(kind.reads)) if served >> n & 1 and not kind.reads[n].strong))
            cold = forced or bool(set(partition) - FEW)
            if not sparse and cold and fields <= settled and fields >= set(kind.identity):
                bases.add(
                    one | sum(1 << n for n, r in enumerate(kind.reads) if _serves(partition, sort, r, hot=forced))
                )
    for count in range(len(kind.reads) + 1):
        for chosen in itertools.combinations(sorted(indexes), count):
            covered = 0
            for one in chosen:
                covered |= one
            if any(covered | base == everything for base in bases):
                return count
    return None


def _keys() -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    for size in range(len(FIELDS) + 1):
        for fields in itertools.permutations(FIELDS, size):
            for cut in range(size + 1):
                if list(fields[:cut]) == sorted(fields[:cut]):
                    yield fields[:cut], fields[cut:]


def _is_one(partition: tuple[str, ...], sort: tuple[str, ...], read: Read, kind: Kind) -> bool:
    whole = {*partition, *sort} == set(read.known) >= set(kind.identity)
    return whole and read.ranged is None and _serves(partition, sort, replace(read, order=()))


def _serves(
    partition: tuple[str, ...], sort: tuple[str, ...], read: Read, *, sparse: bool = False, hot: bool = False
) -> bool:
    if sparse and (not read.constant or "c" in (*partition, *sort)):
        return False
    known = set(read.known) - ({"c"} if sparse else set())
    if not set(partition) <= known:
        return False
    spread = known - FEW
    if spread and not set(partition) - FEW and not hot:
        return False
    if "o" in (*partition, *sort) and "o" not in known:
        return False
    rest = len(known) - len(partition)
    if set(sort[:rest]) | set(partition) != known or len(sort) < rest:
        return False
    if read.one:
        return len(sort) == rest
    return sort[rest : rest + len(read.follows)] == read.follows
