"""Which items are of one kind: by an attribute that names the type, or by the labels and the shape of their keys."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct

from tablewright.generate.model_code import KNOWN_NAMES, python_name
from tablewright.infer.sample import Layout
from tablewright.infer.shapes import LABEL, Shape, shapes
from tablewright.values.types import Item

TYPE_NAMES = (
    *("Type", "entity_type", "EntityType", "entityType", "_type", "type", "_entity", "entity", "__typename"),
    *("__edb_e__", "_et", "_model", "model_type", "kind", "Kind", "itemType", "item_type", "record_type", "recordType"),
)
"""Attributes that usually name the type of an item."""
SEPARATORS = ("#", "|", "::", ":", "/", "~", "_", "-", ".")
_MOST_TYPES = 100
_STRONG = ("#", "|", "::")
"""Separators that hardly stand in plain values."""
MADE = re.compile(r"(?i)(?:.*(?:pk|sk)\d*|.*(?:partition|sort|hash|range)_?key|key|data)").fullmatch
"""Whether an attribute is called like one that keys are made for, such as PK or GSI1SK."""


class Cluster(Struct, frozen=True, eq=False):
    """Items of one kind."""

    name: str
    """The name of the class."""
    type: str | None
    """What the type attribute says; None without one."""
    items: list[Item]


def type_attribute(layout: Layout, items: Sequence[Item]) -> str | None:
    """The attribute that names the type: one of the usual names that nearly all items have, with few different values."""
    for name in TYPE_NAMES:
        if name in layout.attributes:
            continue
        found = [item[name]["S"] for item in items if "S" in item.get(name, {})]
        if len(found) >= 0.95 * len(items) and len(set(found)) <= min(_MOST_TYPES, max(2, len(items) // 2)):
            return name
    return None


def separator(layout: Layout, items: Sequence[Item]) -> str | None:
    """What stands between the parts of keys: where most of them begin with one of a few labels. None for plain values."""
    every = list(_key_texts(layout, items))
    best, most = None, 0.3 * len(every)
    for candidate in SEPARATORS:
        texts = [text for name, text in every if may_be_made(name, candidate)]
        labels = Counter(text.split(candidate)[0] for text in texts if candidate in text.strip(candidate))
        shared = {label: count for label, count in labels.items() if LABEL(label) and (count > 1 or label.isupper())}
        covered = sum(shared.values())
        if covered > most and len(shared) <= max(3, len(texts) // 4):
            best, most = candidate, covered * 1.2  # one further down the list must be clearly better
    return best


def may_be_made(attribute: str, split: str) -> bool:
    """Whether the values of a key attribute may be made by a template: not where it is called like a field, as `order_id`
    is, and holds what looks like a plain value."""
    return split in _STRONG or MADE(attribute) is not None


def clusters(
    layout: Layout, items: Sequence[Item], kind: str | None, split: str | None, *, by_shape: bool = False
) -> list[Cluster]:
    """The items, sorted into kinds, in a stable order. Without a type attribute these are told apart by what their keys
    begin with; `by_shape`, also by how many parts the keys have, and by the labels between them."""
    groups: dict[tuple[str | None, tuple[str, ...], int], list[Item]] = {}
    for item in items:
        stored = item.get(kind, {}).get("S") if kind is not None else None
        labels = () if stored is not None else tuple(_labels(layout, item, split))
        groups.setdefault((stored, labels, 0), []).append(item)
    if by_shape and split is not None:
        keys = [key.name for key in layout.keys if key.tag == "S" and may_be_made(key.name, split)]
        groups = {
            (stored, shape.labels or labels, number): shape.items
            for (stored, labels, _), members in groups.items()
            for number, shape in enumerate([Shape(labels, members)] if stored else shapes(keys, members, split))
        }
    found: list[Cluster] = []
    taken: set[str] = set()
    for (stored, labels, _), members in sorted(groups.items(), key=lambda group: (group[0][0] or "", *group[0][1:])):
        name = _class_name(layout, stored, labels, taken)
        taken.add(name)
        found.append(Cluster(name, stored, members))
    return found


def _class_name(layout: Layout, stored: str | None, labels: tuple[str, ...], taken: set[str]) -> str:
    if stored is not None:
        words = [stored]
    elif not labels:
        words = [layout.name.removesuffix("s")]
    else:
        words = [labels[-1]]
    names = [_upper(words), _upper([*dict.fromkeys(labels)] or words), f"{_upper(words)}Item"]
    names += [f"{names[0]}{number}" for number in range(2, 1000)]
    return next(name for name in names if name not in taken and name not in KNOWN_NAMES)


def _upper(words: Sequence[str]) -> str:
    return "".join(
        python_name(word.capitalize() if word.isupper() or word.islower() else word, upper=True) for word in words
    )


def _key_texts(layout: Layout, items: Sequence[Item]) -> Iterator[tuple[str, str]]:
    for item in items:
        for name in sorted(layout.attributes):
            text = item.get(name, {}).get("S")
            if text:
                yield name, text


def _labels(layout: Layout, item: Item, split: str | None) -> Iterator[str]:
    """What the keys of an item begin with, where that is a label and not a value."""
    for key in layout.keys:
        text = item.get(key.name, {}).get("S", "")
        first = text.split(split)[0] if split is not None else ""
        if split is not None and may_be_made(key.name, split) and LABEL(first) and (split in text or first.isupper()):
            yield first
