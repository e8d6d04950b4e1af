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


def shown_equal(key: KeyPlan, known: Mapping[str, Source]) -> str:
    """`PK = CUSTOMER#{username}`"""
    if isinstance(key, TemplateKey):
        return f"{key.attribute.name} = {shown_segments(key.bound, key.bound.segments, known)}"
    name = key.field.name
    return f"{key.attribute.name} = {shown_value(known[name]) if name in known else f'{{{name}}}'}"
