"""The shapes of stored keys: how many parts they have, and which of these are labels."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from tablewright.values.types import Item

LABEL = re.compile(r"[$@_]?[A-Za-z][A-Za-z0-9_.\- ]*").fullmatch
"""Whether a part of a key may be a label."""
_FEW = 6
"""So many labels, at most, stand at one place."""


class Shape(Struct, frozen=True, eq=False):
    """Items whose keys have one shape."""

    labels: tuple[str, ...]
    """The labels in their keys, in order."""
    items: list[Item]


def shapes(keys: Sequence[str], items: Sequence[Item], split: str) -> list[Shape]:
    """The items, sorted by the shapes of their keys; those that differ in a label only, and hold the same attributes,
    stay together. `keys` are the attributes to look at."""
    by_count: dict[tuple[int, ...], list[tuple[Item, list[str | None]]]] = {}
    for item in items:
        split_keys = [_parts(item, key, split) for key in keys]
        flat = [part for parts in split_keys for part in parts]
        by_count.setdefault(tuple(map(len, split_keys)), []).append((item, flat))
    found: list[Shape] = []
    for _, members in sorted(by_count.items(), key=lambda one: one[0]):
        places = [_labels([parts[place] for _, parts in members]) for place in range(len(members[0][1]))]
        by_labels: dict[tuple[str | None, ...], list[Item]] = {}
        for item, parts in members:
            shown = tuple(p if p in labels else None for p, labels in zip(parts, places, strict=True))
            by_labels.setdefault(shown, []).append(item)
        alike: dict[frozenset[str], list[tuple[str | None, ...]]] = {}
        for shown, those in by_labels.items():
            alike.setdefault(frozenset(name for item in those for name in item), []).append(shown)
        for several in alike.values():
            labels = [at[0] for at in zip(*several, strict=True) if len(set(at)) == 1]
            found.append(
                Shape(tuple(label for label in labels if label is not None), [i for s in several for i in by_labels[s]])
            )
    return found


def _parts(item: Item, key: str, split: str) -> list[str | None]:
    """The parts of a key; None for one that is the value of an attribute, which may hold what stands between parts."""
    values = {v["S"] for name, v in item.items() if name != key and "S" in v}
    segments = item.get(key, {}).get("S", "").split(split)
    found: list[str | None] = []
    at = 0
    while at < len(segments):
        ends = (end for end in range(len(segments), at, -1) if split.join(segments[at:end]) in values)
        end = next(ends, None)
        found.append(segments[at] if end is None else None)
        at = at + 1 if end is None else end
    return found


def _labels(parts: Sequence[str | None]) -> frozenset[str]:
    """The labels at one place of keys: a few words that are no values, and that several keys have."""
    counted = Counter(part for part in parts if part is not None)
    words = {part for part, count in counted.items() if LABEL(part) and (count > 1 or len(counted) == 1)}
    return (
        frozenset(words) if len(words) == len(counted) <= _FEW and sum(counted.values()) == len(parts) else frozenset()
    )
