"""Key texts of several parts: joined so that nothing collides, cut again exactly, and read by closed ranges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tablewright.errors import ArgumentError, KeyTooLongError, KeyValueError
from tablewright.values.keycodec import KeyRange, KeyStyle, PartCodec, descendants, part_for
from tablewright.values.keycodec.escape import SEPARATOR, needs_escape
from tablewright.values.sizes import MAX_PARTITION_KEY, MAX_SORT_KEY, text_size

_PART: PartCodec = part_for(str)


class KeyPair(NamedTuple):
    """A partition key and a sort key."""

    pk: str
    sk: str

    def reversed(self) -> KeyPair:
        """The same edge, seen from its other end."""
        return KeyPair(self.sk, self.pk)


def composite_key(parts: Sequence[str], *, separator: str = SEPARATOR) -> str:
    """The parts as one key: `composite_key(["ORDER", "2025", "o1"])` is `ORDER#2025#o1`.

    A part may hold any text, the separator too: what could be mistaken is written as `%XX`. Keys sort as their lists of
    parts do. With another separator they still cannot collide and read back exactly, but order is not promised.
    """
    part = _part(separator)
    return limited(separator.join(part.encode(p) for p in _listed("composite_key", parts)), MAX_PARTITION_KEY)


def parse_composite_key(key: str, *, separator: str = SEPARATOR) -> tuple[str, ...]:
    """The parts of a key: the exact inverse of composite_key. A text that it would not have written is refused."""
    part = _part(separator)
    return tuple(part.decode(text) for text in _text("parse_composite_key", key).split(separator))


def entity_key(entity_type: str, entity_id: str) -> str:
    """`entity_key("USER", "alice")` is `USER#alice`; the id may hold any text."""
    return limited(f"{literal('entity_key', entity_type)}{SEPARATOR}{_PART.encode(entity_id)}", MAX_PARTITION_KEY)


def parse_entity_key(key: str) -> tuple[str, str]:
    """Type and id of a key: the exact inverse of entity_key. A key that was made elsewhere is split at its first separator."""
    entity_type, separator, entity_id = _text("parse_entity_key", key).partition(SEPARATOR)
    if not separator:
        raise KeyValueError("The key has no separator, so it is no entity's.", constraint="TYPE#id")
    parts = [_PART.decode(part) for part in entity_id.split(SEPARATOR)]
    return literal("parse_entity_key", entity_type), SEPARATOR.join(parts)


def adjacency_keys(source: str, target: str) -> KeyPair:
    """The keys of an edge between two nodes, which are keys themselves: partition key `source`, sort key `target`.

    Stored with both arguments exchanged as well, or read through an index with the two keys exchanged, the edge is found
    from either end.
    """
    pk, sk = (written_key("adjacency_keys", text) for text in (source, target))
    return KeyPair(limited(pk, MAX_PARTITION_KEY), limited(sk, MAX_SORT_KEY))


def hierarchical_key(path: Sequence[str]) -> str:
    """A path from the root down, as a sort key: `hierarchical_key(["DE", "Berlin", "Mitte"])` is `DE#Berlin#Mitte`."""
    return limited(SEPARATOR.join(_PART.encode(p) for p in _listed("hierarchical_key", path)), MAX_SORT_KEY)


def parse_hierarchical_key(key: str) -> tuple[str, ...]:
    """The path of a key: the exact inverse of hierarchical_key."""
    return parse_composite_key(key)


def key_range(key: str) -> KeyRange:
    """A key and everything below it, as `low` and `high` for one BETWEEN.

    `key_range(hierarchical_key(["DE"]))` holds `DE` and `DE#Berlin`, and never `DEN`, which a prefix would read too.
    """
    return descendants(written_key("key_range", key))


def gsi_key(index: str, entity_type: str, value: str) -> str:
    """A value for an index that several kinds of item share: `gsi_key("GSI1", "EMAIL", "a@b.c")` is `GSI1#EMAIL#a@b.c`."""
    head = SEPARATOR.join(literal("gsi_key", word) for word in (index, entity_type))
    return limited(f"{head}{SEPARATOR}{_PART.encode(value)}", MAX_PARTITION_KEY)


# -------------------------------------------------------------------------------------------------- shared checks


def literal(function: str, text: str) -> str:
    """A word of the design, such as USER, that stands in keys as it is; one that would be escaped is refused."""
    if not isinstance(text, str) or not text or needs_escape(text):
        raise KeyValueError(
            f"{function}() takes a plain word for the type or index.",
            constraint="word",
            hint='Use letters, digits, - _ . : only, such as "USER".',
        )
    return text


def written_key(function: str, key: str) -> str:
    """A key text as these functions write it; anything else is refused, because it could reach other keys."""
    for text in _text(function, key).split(SEPARATOR):
        _PART.decode(text)
    return key


def _part(separator: str) -> PartCodec:
    if separator == SEPARATOR:
        return _PART
    fit = isinstance(separator, str) and separator and separator.isprintable()
    if not fit or "%" in separator or any(char.isalnum() for char in separator):
        raise ArgumentError(
            "A separator holds punctuation only, and no %.", constraint="separator", hint='Use "#", "|" or "::".'
        )
    return part_for(str, style=KeyStyle.adopted(separator, escape=True))


def _listed(function: str, parts: Sequence[str]) -> Sequence[str]:
    if isinstance(parts, str) or not isinstance(parts, Sequence) or not parts:
        raise ArgumentError(
            f"{function}() takes a list of parts, at least one.", constraint="parts", hint='["ORDER", "o1"]'
        )
    return parts


def _text(function: str, key: str) -> str:
    if not isinstance(key, str):
        raise ArgumentError(f"{function}() takes a key, not {type(key).__name__}.", constraint="text")
    return key


def limited(key: str, limit: int = MAX_PARTITION_KEY) -> str:
    """The key, unless it is longer than DynamoDB takes."""
    size = text_size(key)
    if size > limit:
        raise KeyTooLongError(
            f"The key takes {size:,} bytes; DynamoDB allows {limit:,}.",
            constraint=f"{limit} bytes",
            hint="Shorten its parts.",
            context={"bytes": size, "limit": limit},
        )
    return key
