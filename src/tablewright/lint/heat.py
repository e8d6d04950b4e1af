"""How much a single partition has to bear, as far as the model says what is expected."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from msgspec import Struct

from tablewright.compiler.derived import BucketPlan, ShardPlan
from tablewright.compiler.paths import KeyPath
from tablewright.compiler.reads import CollectionPlan, QueryPlan
from tablewright.compiler.served import FanOut
from tablewright.cost.reads import merges, of_each
from tablewright.lint.design import Design, Read
from tablewright.lint.keyfacts import Described, annotation, distinct, is_time, pieces, values_of
from tablewright.model.expectations import Expectations
from tablewright.values import sizes
from tablewright.values.sizes import PARTITION_READS, PARTITION_WRITES, WRITE_UNIT

BUSY_END = 300
"""Write units in a second from which on it matters that a partition is written at its end only."""
WIDE = 50
"""Shards beyond which a read of all of them is too wide, unless the writes need them."""


def partitions(design: Design, path: KeyPath) -> int | None:
    """Over how many partitions an entity's items are spread at one time; None when nobody knows.

    Time does not spread: what is written now goes to the bucket of now.
    """
    count = 1
    for piece in pieces(path.pk):
        if isinstance(piece.derived, ShardPlan):
            count *= piece.derived.of
        elif piece.field is not None and not isinstance(piece.derived, BucketPlan):
            if is_time(path.plan, piece.field):
                continue
            known = distinct(design, path.plan, piece.field)
            if known is None:
                return None
            count *= max(known, 1)
    return count


def share(design: Design, path: KeyPath, everywhere: Collection[str] = ()) -> float | None:
    """The share of an entity's traffic that its most wanted partition bears; None when nobody knows. Placeholders of which
    every value is asked, `everywhere`, spread nothing."""
    part = 1.0
    for piece in pieces(path.pk):
        if piece.field in everywhere:
            continue
        if isinstance(piece.derived, ShardPlan):
            part /= piece.derived.of
        elif piece.field is not None and not isinstance(piece.derived, BucketPlan):
            one = field_share(path.plan, piece.field, design.expectations)
            if one is None:
                return None
            part *= one
    return part


def field_share(plan: Described, name: str, said: Expectations) -> float | None:
    """The share of an entity's traffic that concerns the most wanted value of a field; None when nobody knows. Of a time
    that is now, with all of it."""
    if is_time(plan, name):
        return 1.0
    expected = said.of_field(plan.entity, name)
    known = values_of(expected, annotation(plan, name))
    if expected.hottest is not None:
        return expected.hottest
    return None if known is None else 1 / max(known, 1)


def write_units(design: Design, path: KeyPath) -> float | None:
    """Write units in a second that an entity's writes take on a key; an index that holds a few attributes takes one for each."""
    expected = design.expectations.of(path.plan.entity)
    if expected.writes is None:
        return None
    whole = path.index is None or path.index.projection == "ALL"
    return expected.writes * sizes.write_units(expected.size or WRITE_UNIT if whole else WRITE_UNIT)


def read_units(design: Design, read: Read) -> float | None:
    """Read units in a second that a pattern takes from each partition that it asks, if all were the most wanted one;
    eventually consistent unless it says so."""
    expected = design.expectations.of_pattern(read.pattern.name)
    if expected.rate is None:
        return None
    size = design.expectations.of(read.plan.entity).size or WRITE_UNIT
    count = expected.results or 1
    if isinstance(read.one, QueryPlan) and expected.results is not None and merges(read.one):
        count = of_each(read.one, design.expectations, expected.results)
    if isinstance(read.whole, CollectionPlan):
        count = math.ceil(count / len(read.whole.parts))  # what is read together is expected together
    return expected.rate * sizes.read_units(count * size, read.one.strong)


def _reads_of_one(design: Design, read: Read) -> float | None:
    """Read units in a second that a pattern takes from the most wanted partition: a share of them where it asks one
    partition, and all where it asks every shard."""
    units = read_units(design, read)
    part = share(design, read.path, [f.name for f in read.one.served.fan_out if _every_value(f)])
    return None if units is None or part is None else units * part


def _every_value(fan: FanOut) -> bool:
    return isinstance(fan.plan, ShardPlan) or (fan.listed is not None and fan.listed.possible is not None)


class Load(Struct, frozen=True):
    """What the most wanted partition of an entity bears in a second, where it is known."""

    writes: float | None
    reads: float | None


def load(design: Design, path: KeyPath) -> Load:
    """The load of the most wanted partition of a key."""
    part = share(design, path)
    if part is None:
        return Load(None, None)
    written = write_units(design, path)
    reads = design.reads_of(path.plan, path.index_name)
    return Load(
        None if written is None else written * part,
        _together(reads, lambda read: _reads_of_one(design, read)) if reads else None,
    )


def shared_load(design: Design, paths: Sequence[KeyPath]) -> Load:
    """The load of the most wanted partition of several entities that lie together, as far as it is known."""
    every = [load(design, path) for path in paths]
    writes = [one.writes for one in every if one.writes is not None]
    reads = [one.reads for one in every if one.reads is not None]
    return Load(sum(writes) if writes else None, sum(reads) if reads else None)


def together(paths: Iterable[KeyPath]) -> list[list[KeyPath]]:
    """Keys of entities that lie in the same partitions: on one index, by one template."""
    groups: dict[tuple[str | None, str], list[KeyPath]] = {}
    for path in paths:
        groups.setdefault((path.index_name, " ".join(map(str, path.pk))), []).append(path)
    return list(groups.values())


def bearable(design: Design, path: KeyPath) -> bool:
    """Whether it was said how much is written and read, and a partition bears half as much again; where nobody knows how it
    is spread, a partition that takes all of it."""
    known = _at_most(design, path)
    if known.writes is None or (known.reads is None and design.reads_of(path.plan, path.index_name)):
        return False
    return known.writes <= PARTITION_WRITES / 2 and (known.reads or 0.0) <= PARTITION_READS / 2


def _at_most(design: Design, path: KeyPath) -> Load:
    """What the most wanted partition takes; all of it where nobody knows how it is spread."""
    if share(design, path) is not None:
        return load(design, path)
    reads = design.reads_of(path.plan, path.index_name)
    return Load(write_units(design, path), _together(reads, lambda read: read_units(design, read)))


def _together(reads: Iterable[Read], units: Callable[[Read], float | None]) -> float | None:
    """What patterns take together: of each the variant that takes most, since a call is one of them."""
    variants: dict[str, dict[int, float]] = {}
    for read in reads:
        taken = units(read)
        if taken is None:
            return None
        of_pattern = variants.setdefault(read.pattern.name, {})
        of_pattern[id(read.whole)] = of_pattern.get(id(read.whole), 0.0) + taken
    return sum(max(of_pattern.values()) for of_pattern in variants.values())


def cooled_by_shards(design: Design, path: KeyPath) -> bool:
    """Whether shards could help a partition: reads ask all of them, so not where it is easily written as it is."""
    written = _at_most(design, path).writes
    return written is None or written > PARTITION_WRITES / 2


def told_with(design: Design, path: KeyPath) -> str:
    """What else there is to say with expect() before a rule can know that a partition bears what comes; or that all was said."""
    missing = [] if design.expectations.of(path.plan.entity).writes is not None else [(path.plan.name, "writes")]
    missing += [
        (read.pattern.name, "rate")
        for read in design.reads_of(path.plan, path.index_name)
        if design.expectations.of_pattern(read.pattern.name).rate is None
    ]
    wanted = ", ".join(dict.fromkeys(f"expect({name}, {what}=...)" for name, what in missing))
    if wanted:
        return f"if one partition bears it easily, say so: {wanted}"
    return "by what expect() says, a partition does not bear it easily"


def own_paths(design: Design) -> Iterator[KeyPath]:
    """Keys under which many items of an entity lie: those of single items with a fixed key are left out."""
    for path in design.every_path():
        if path.index is not None and path.index.local:
            continue
        if path.plan.key_fields:
            yield path
