"""The places of a template: each field with its encoder, what stands before it and what follows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from tablewright.errors import KeyValueError
from tablewright.values.keycodec.parts.base import PartCodec
from tablewright.values.keycodec.template import KeyTemplate, Literal, Placeholder, Segment


class BoundField(Struct, frozen=True):
    """A field at its place in a template: what stands before it in its segment, and what follows it."""

    name: str
    codec: PartCodec
    segment: int
    lead: str
    """Literal text between the separator and the field; only adopted keys have any."""
    follow: str
    """Literal text up to the next field or the end of the key, separators included."""
    last: bool
    """No further field follows."""
    guarded: bool
    """Whether a value that holds the separator is refused here; strict keys need no guard."""
    encode: Callable[[Any], str]
    """The codec's encode, which in adopted keys also refuses what could not be read back at this place."""


class BoundSegment(Struct, frozen=True):
    """A segment with the fields in it."""

    segment: Segment
    fields: tuple[BoundField, ...]

    def __str__(self) -> str:
        return str(self.segment)


def literal_run(template: KeyTemplate, segment: int, piece: int) -> str:
    """Literal text from a place up to the next field or the end, separators included."""
    text = ""
    pieces = template.pieces
    while segment < len(pieces):
        for current in pieces[segment][piece:]:
            if isinstance(current, Placeholder):
                return text
            text += current.text
        segment, piece = segment + 1, 0
        if segment < len(pieces):
            text += template.style.separator
    return text


def tail_within(template: KeyTemplate, field: BoundField, count: int) -> str:
    """Literal text after a field that still belongs to the first `count` segments."""
    pieces = template.pieces
    names = [p.field if isinstance(p, Placeholder) else None for p in pieces[field.segment]]
    position = len(names) - 1 - names[::-1].index(field.name)
    text = "".join(str(piece) for piece in pieces[field.segment][position + 1 :])
    for later in template.segments[field.segment + 1 : count]:
        text += template.style.separator + str(later)
    return text


def bind_fields(template: KeyTemplate, codecs: Mapping[str, PartCodec]) -> tuple[BoundField, ...]:
    places = [
        (segment, index, piece)
        for segment, pieces in enumerate(template.pieces)
        for index, piece in enumerate(pieces)
        if isinstance(piece, Placeholder)
    ]
    fields = []
    for segment, index, piece in places:
        codec = codecs[piece.field]
        before = template.pieces[segment][index - 1] if index else None
        follow = literal_run(template, segment, index + 1)
        last = (segment, index) == places[-1][:2]
        # In adopted keys a value of fixed width is cut by its width; another one may hold the separator only at the
        # very end, where nothing can be mistaken for what stands below it.
        at_end = last and segment == len(template.segments) - 1
        guarded = not template.style.strict and not at_end and codec.fixed_width is None
        encode = _guarded(codec, template.style.separator, follow) if guarded else codec.encode
        lead = before.text if isinstance(before, Literal) else ""
        fields.append(BoundField(piece.field, codec, segment, lead, follow, last, guarded, encode))
    return tuple(fields)


def _guarded(codec: PartCodec, separator: str, follow: str) -> Callable[[Any], str]:
    """Encoding that refuses a text which could not be told from what follows it."""
    plain = codec.encode

    def encode(value: Any) -> str:
        text = plain(value)
        if separator in text or (text + follow).find(follow) != len(text):
            raise KeyValueError(
                f'holds "{separator if separator in text else follow}", which separates the parts of this key.',
                constraint="separator",
                hint="Only the last part of an adopted key can hold it; choose other values.",
            )
        return text

    return encode
