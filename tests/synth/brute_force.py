"""The fewest indexes for a design, the slow way: every key that there could be, and every choice among them.

It shares nothing with the search but the definition of when a key serves a read. What it finds can be written down as a
model, so that the prover says whether it is one.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from tests.synth.random_designs import FEW, FIELDS, Page, Part, Read, Sketch


@dataclass(frozen=True)
class Key:
    """The key of one entity on the table or on an index."""

    partition: tuple[str, ...]
    sort: tuple[str, ...]
    before: int = 0
    """How many sort fields stand before the word that names the entity."""
    sparse: bool = False
    """Whether it holds items with c == "x" only."""


@dataclass(frozen=True)
class Place:
    """Where a page is served: on the table (slot 0) or an index, by which of its values, the others first in the sort key."""

    slot: int
    partition: tuple[int, ...]
    prefix: tuple[int, ...]


@dataclass(frozen=True)
class Found:
    """Keys for a whole design: of each entity by slot, and where each page is served."""

    indexes: int
    keys: tuple[tuple[Key | None, ...], ...]
    places: tuple[Place, ...]


def fewest(sketch: Sketch) -> Found | None:
    """Keys with the fewest indexes; None where no number would do."""
    sketch = sketch.asked()
    identities = [kind.identity for kind in sketch.kinds]
    searches = [_Kind(number, sketch, identities) for number in range(len(sketch.kinds))]
    most = sum(len(kind.reads) for kind in sketch.kinds) + len(sketch.pages)
    for count in range(most + 1):
        for places in _placed(sketch.pages, count, searches, ()):
            chosen = [search.keys(places, count) for search in searches]
            if None not in chosen:
                return Found(count, tuple(keys for keys in chosen if keys is not None), places)
    return None


def _placed(
    pages: Sequence[Page], count: int, searches: Sequence[_Kind], before: tuple[Place, ...]
) -> Iterator[tuple[Place, ...]]:
    """Every choice of places for all pages that leaves each entity a key in each place."""
    if len(before) == len(pages):
        yield before
        return
    page = pages[len(before)]
    numbers = range(len(page.parts[0].shared))
    for slot in range(1 if page.strong else count + 1):
        for size in numbers:
            for partition in itertools.permutations(numbers, size + 1):
                for prefix in itertools.permutations([n for n in numbers if n not in partition]):
                    places = (*before, Place(slot, partition, prefix))
                    if all(search.keys(places, count, alone=False) is not None for search in searches):
                        yield from _placed(pages, count, searches, places)


class _Kind:
    """One entity: what each possible key of it serves."""

    def __init__(self, number: int, sketch: Sketch, identities: Sequence[tuple[str, ...]]) -> None:
        self._kind = sketch.kinds[number]
        self._parts = [(page, next((p for p in page.parts if p.member == number), None)) for page in sketch.pages]
        self._ordered = [page.in_order(identities) for page in sketch.pages]
        # A consistent read of everything leaves the table no choice, whatever that does to its partitions.
        strong = [set(read.known) for read in self._kind.reads if read.strong]
        strong += [set(part.shared) for page, part in self._parts if page.strong and part is not None]
        self._forced = any(not known - FEW for known in strong)
        # What no read names could stand in a key, but would do nothing there.
        named = {*self._kind.identity, *(f for read in self._kind.reads for f in (*read.known, *read.follows))}
        named |= {f for _, part in self._parts if part is not None for f in (*part.known, *part.order)}
        self._named = tuple(f for f in FIELDS if f in named)
        self._options = cache(self._find_options)
        self._chosen = cache(self._choose)

    def keys(self, places: tuple[Place, ...], count: int, *, alone: bool = True) -> tuple[Key | None, ...] | None:
        """Keys by slot that serve this entity's part of all pages, and with `alone` its own reads too."""
        mine = tuple(place if self._parts[n][1] is not None else None for n, place in enumerate(places))
        return self._chosen(mine, count, alone)

    def _choose(self, places: tuple[Place | None, ...], count: int, alone: bool) -> tuple[Key | None, ...] | None:
        slots = []
        for slot in range(count + 1):
            asked = tuple((n, p) for n, p in enumerate(places) if p is not None and p.slot == slot)
            options = self._options(slot == 0, tuple((n, p.partition, p.prefix) for n, p in asked))
            if not options:
                return None
            slots.append(options if asked or slot == 0 else {0: None, **options})
        everything = (1 << len(self._kind.reads)) - 1
        return self._cover(slots, 0 if alone else everything, everything)

    def _cover(
        self, slots: Sequence[dict[int, Key | None]], done: int, everything: int
    ) -> tuple[Key | None, ...] | None:
        if not slots:
            return () if done == everything else None
        for served, key in slots[0].items():
            rest = self._cover(slots[1:], done | served, everything)
            if rest is not None:
                return (key, *rest)
        return None

    def _find_options(
        self, base: bool, asked: tuple[tuple[int, tuple[int, ...], tuple[int, ...]], ...]
    ) -> dict[int, Key | None]:
        """By which of the entity's reads it serves, a key that serves these parts of pages."""
        if len({self._held(n, partition) for n, partition, _ in asked}) > 1:
            return {}
        before = max((len(prefix) + self._ordered[n] for n, _, prefix in asked), default=0)
        found: dict[int, Key | None] = {}
        for key in _keys(self._named, before):
            if base and not self._can_be_the_table_s(key):
                continue
            if all(self._serves_part(key, n, partition, prefix, base=base) for n, partition, prefix in asked):
                served = [n for n, read in enumerate(self._kind.reads) if self._serves(key, read, base=base)]
                found.setdefault(sum(1 << n for n in served), key)
        return {mask: key for mask, key in found.items() if not any(mask != m and mask & m == mask for m in found)}

    def _can_be_the_table_s(self, key: Key) -> bool:
        fields = {*key.partition, *key.sort}
        settled = set(self._kind.identity) | (self._kind.frozen - {"o"})
        cold = self._forced or bool(set(key.partition) - FEW) or not set(self._kind.identity) - FEW
        return not key.sparse and cold and set(self._kind.identity) <= fields <= settled

    def _serves(self, key: Key, read: Read, *, base: bool) -> bool:
        """Whether a key serves a read of this entity alone."""
        if read.strong and not base:
            return False
        if base and read.ranged is None and set(read.known) == {*key.partition, *key.sort}:
            read = replace(read, order=())  # the whole key of the table is one item, whatever its order
        if key.sparse and (not read.constant or "c" in (*key.partition, *key.sort)):
            return False
        known = set(read.known) - ({"c"} if key.sparse else set())
        spread = known - FEW
        if spread and not set(key.partition) - FEW and not (base and self._forced):
            return False
        rest = len(known) - len(key.partition)
        return rest >= key.before and _follows(key, known, read.follows) and (not read.one or len(key.sort) == rest)

    def _serves_part(
        self, key: Key, number: int, partition: tuple[int, ...], prefix: tuple[int, ...], *, base: bool
    ) -> bool:
        """Whether a key serves this entity's part of a page in a place."""
        page, part = self._parts[number]
        assert part is not None
        held = self._held(number, partition)
        spread = _spread(page)
        if spread and not spread.intersection(partition) and not (base and self._forced):
            return False
        if key.sparse or sorted(held) != sorted(key.partition):
            return False
        if key.sort[: len(prefix)] != tuple(part.shared[n] for n in prefix):
            return False
        order = part.order
        if base and not part.ranged and set(part.known) == {*key.partition, *key.sort}:
            order = ()
        return _follows(key, set(part.known), order)

    def _held(self, number: int, partition: tuple[int, ...]) -> tuple[str, ...]:
        """The fields of this entity that choose the partition, in the order that all parts of the page agree on."""
        part = self._parts[number][1]
        assert part is not None
        return tuple(part.shared[n] for n in partition)


def _spread(page: Page) -> frozenset[int]:
    """The values of a page that have many values in every part."""
    return frozenset(n for n in range(len(page.parts[0].shared)) if not any(p.shared[n] in FEW for p in page.parts))


def _follows(key: Key, known: set[str], order: tuple[str, ...]) -> bool:
    """Whether a key begins with what is known, and goes on with an order, and all items that are asked for are in it."""
    rest = len(known) - len(key.partition)
    if not set(key.partition) <= known or ("o" in (*key.partition, *key.sort) and "o" not in known):
        return False
    if len(key.sort) < rest or set(key.sort[:rest]) | set(key.partition) != known:
        return False
    return key.sort[rest : rest + len(order)] == order


@cache
def _keys(named: tuple[str, ...], before: int) -> tuple[Key, ...]:
    """Every key of these fields."""
    found = []
    for size in range(len(named) + 1):
        for fields in itertools.permutations(named, size):
            for cut in range(size - before + 1):
                if list(fields[:cut]) == sorted(fields[:cut]):
                    found += [Key(fields[:cut], fields[cut:], before, sparse) for sparse in (False, True)]
    return tuple(found)


def written(sketch: Sketch, found: Found) -> str:
    """The design as a model with these keys."""
    asked = sketch.asked()
    text = sketch.text().replace("Design", "Table").replace('"Random"', f'"Random", indexes=[{_indexes(found)}]')
    for number, kind in enumerate(sketch.kinds):
        opening = f"class {kind.name}(Entity, table=design, identity={list(kind.identity)!r}):"
        keys = ", ".join(_templates(asked, found, number))
        text = text.replace(opening, f"class {kind.name}(Entity, table=design):\n    keys = Keys({keys})")
    return text.replace("import Collection,", "import GSI, Keys, attr, sparse, Collection,")


def _indexes(found: Found) -> str:
    return ", ".join(f'GSI("GSI{n}")' for n in range(1, found.indexes + 1))


def _templates(sketch: Sketch, found: Found, number: int) -> Iterator[str]:
    """The keys of one entity. Those who are read together share a partition; all others are alone."""
    kind = sketch.kinds[number]
    for slot, key in enumerate(found.keys[number]):
        if key is None:
            continue
        together = [
            {p.member for p in page.parts}
            for page, place in zip(sketch.pages, found.places, strict=True)
            if place.slot == slot
        ]
        members = {number}
        while any(group & members and not group <= members for group in together):
            members = members.union(*(group for group in together if group & members))
        # The order of the partition's fields is that of the values that all know, under whatever names.
        partition = _by_value(sketch, found, slot, number, key)
        pk = "#".join((f"TOGETHER{min(members)}", *(f"{{{f}}}" for f in partition)))
        shown = [f"{{{f}:2}}" if sketch.types[f] == "int" else f"{{{f}}}" for f in key.sort]
        before = [f"AT{n}#{field}" for n, field in enumerate(shown[: key.before])]
        tie = [f"{{{f}}}" for f in kind.identity if f not in {*key.partition, *key.sort}] if key.sparse or slot else []
        exact = any(read.one for read in kind.reads)
        sk = "#".join((*before, kind.name.upper(), *shown[key.before :], *([] if exact else tie)))
        if slot == 0:
            yield from (f'"{pk}"', f'"{sk}"')
        elif key.sparse:
            yield f'GSI{slot}=sparse("{pk}", "{sk}", when=attr("c") == "x")'
        else:
            yield f'GSI{slot}=("{pk}", "{sk}")'


def _by_value(sketch: Sketch, found: Found, slot: int, number: int, key: Key) -> tuple[str, ...]:
    for page, place in zip(sketch.pages, found.places, strict=True):
        part: Part | None = next((p for p in page.parts if p.member == number), None)
        if part is not None and place.slot == slot:
            return tuple(part.shared[n] for n in place.partition)
    return key.partition
