"""Requests in words, for people and documents: key conditions with parameters by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from tablewright.compiler.keys import KeyPlan, TemplateKey
from tablewright.compiler.selection import UNKNOWN, Source
from tablewright.values.keycodec import BoundSegment, BoundTemplate, PartCodec, Placeholder
from tablewright.values.keycodec.template import pieces_of


class Shown(Struct, frozen=True, eq=False):
    """A request in words."""

    operation: str
    index: str | None
    key: str
    note: str = ""

    def __str__(self) -> str:
        return f"{self.operation} {self.index or 'table'}: {self.key}" + (f" ({self.note})" if self.note else "")


class ShownTerm(Struct, frozen=True):
    """One comparison of a key condition, with its parameters by name in braces."""

    attribute: str
    tag: str
    operator: str
    """=, <, <=, >, >=, BETWEEN or begins_with."""
    operands: tuple[str, ...]

    def __str__(self) -> str:
        if self.operator == "begins_with":
            return f"begins_with({self.attribute}, {self.operands[0]})"
        return f"{self.attribute} {self.operator} {' AND '.join(self.operands)}"


def shown_value(source: Source, codec: PartCodec | None = None) -> str:
    """{parameter}, or the constant itself as it stands in the key."""
    if source.constant is UNKNOWN:
        return f"{{{source.name}}}"
    return str(source.constant) if codec is None else codec.encode(source.constant)


def shown_segments(bound: BoundTemplate, segments: Sequence[BoundSegment], known: Mapping[str, Source]) -> str:
    """Leading segments of a template, with what is known filled in."""
    shown = []
    for segment in segments:
        text = ""
        for piece in pieces_of(segment.segment):
            if isinstance(piece, Placeholder) and piece.field in known:
                text += shown_value(known[piece.field], bound.codecs[piece.field])
            else:
                text += f"{{{piece.field}}}" if isinstance(piece, Placeholder) else piece.text
        shown.append(text)
    return bound.style.separator.join(shown)


def shown_equal(key: KeyPlan, known: Mapping[str, Source]) -> ShownTerm:
    """`PK = CUSTOMER#{username}`"""
    if isinstance(key, TemplateKey):
        value = shown_segments(key.bound, key.bound.segments, known)
    else:
        name = key.field.name
        value = shown_value(known[name]) if name in known else f"{{{name}}}"
    return ShownTerm(key.attribute.name, key.attribute.tag, "=", (value,))
