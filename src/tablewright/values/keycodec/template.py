"""Key templates as a user writes them: `ORDER#{placed_at}#{order_id}` read into segments, or refused with a remedy."""

from __future__ import annotations

import re
from typing import TypeAlias

from msgspec import Struct

from tablewright.errors import KeyTemplateError
from tablewright.values.keycodec.escape import ESCAPE, needs_escape
from tablewright.values.keycodec.style import STRICT, KeyStyle


class Literal(Struct, frozen=True):
    """Text that every key of the template holds at this place."""

    text: str

    def __str__(self) -> str:
        return self.text


class Placeholder(Struct, frozen=True):
    """A field's value; `width` and `fraction` are the digits declared in `{field:06}` and `{field:8.2}`."""

    field: str
    width: int | None = None
    fraction: int | None = None

    def __str__(self) -> str:
        if self.width is None:
            return f"{{{self.field}}}"
        digits = f"{self.width:02d}" if self.fraction is None else f"{self.width}.{self.fraction}"
        return f"{{{self.field}:{digits}}}"


class Compound(Struct, frozen=True):
    """Several pieces in one segment, as in `USER-{id}`; only adopted keys have these."""

    pieces: tuple[Literal | Placeholder, ...]

    def __str__(self) -> str:
        return "".join(map(str, self.pieces))


Segment: TypeAlias = Literal | Placeholder | Compound


def pieces_of(segment: Segment) -> tuple[Literal | Placeholder, ...]:
    """The literals and fields of one segment."""
    return segment.pieces if isinstance(segment, Compound) else (segment,)


_placeholder = re.compile(r"\{([^{}]*)\}")
_inside = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?::(\d+)(?:\.(\d+))?)?").fullmatch


class KeyTemplate(Struct, frozen=True):
    """A template read: its text, its style, and one segment for each part between separators."""

    text: str
    style: KeyStyle
    segments: tuple[Segment, ...]

    @classmethod
    def parse(cls, text: str, style: KeyStyle = STRICT) -> KeyTemplate:
        """Read a template; raises KeyTemplateError that names the template and the remedy."""
        if not text:
            raise KeyTemplateError(
                "A key template is empty.", hint=f"Write literals and fields, such as USER{style.separator}{{user_id}}."
            )
        if any("\ud800" <= char <= "\udfff" for char in text):
            raise KeyTemplateError("A key template holds a lone surrogate.", hint="Write it as ordinary text.")
        template = cls(text, style, tuple(_read_segment(part, text, style) for part in _split(text, style.separator)))
        placeholders = {p for pieces in template.pieces for p in pieces if isinstance(p, Placeholder)}
        if len(placeholders) != len(template.fields):
            raise KeyTemplateError(
                f'Key template "{text}" writes one field in two forms.', hint="Give it the same digits at every place."
            )
        return template

    @property
    def pieces(self) -> tuple[tuple[Literal | Placeholder, ...], ...]:
        """The pieces of each segment."""
        return tuple(pieces_of(segment) for segment in self.segments)

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the fields, in order, each once."""
        return tuple(dict.fromkeys(p.field for pieces in self.pieces for p in pieces if isinstance(p, Placeholder)))

    def __str__(self) -> str:
        return self.text


def _split(text: str, separator: str) -> list[str]:
    """The parts between separators; a separator inside braces belongs to the field."""
    parts = [""]
    position = 0
    while position < len(text):
        if text.startswith(separator, position):
            parts.append("")
            position += len(separator)
            continue
        end = text.find("}", position) + 1 if text[position] == "{" else position + 1
        parts[-1] += text[position : end or None]
        position = end or len(text)
    return parts


def _read_segment(part: str, template: str, style: KeyStyle) -> Segment:
    if not part:
        raise KeyTemplateError(
            f'Key template "{template}" has an empty part.',
            hint=f"Two separators {style.separator} must not stand together, at the start or at the end.",
        )
    pieces: list[Literal | Placeholder] = []
    position = 0
    for found in _placeholder.finditer(part):
        if found.start() > position:
            pieces.append(_read_literal(part[position : found.start()], template, style))
        elif pieces:
            raise KeyTemplateError(
                f'Key template "{template}" has two fields with nothing between them.',
                hint=f"Put the separator between them: {pieces[-1]}{style.separator}{found[0]}.",
            )
        pieces.append(_read_placeholder(found[1], template))
        position = found.end()
    if position < len(part):
        pieces.append(_read_literal(part[position:], template, style))
    if len(pieces) == 1:
        return pieces[0]
    if style.strict:
        raise KeyTemplateError(
            f'Key template "{template}" mixes text and field in one part, "{part}".',
            hint=f"Separate them: {style.separator.join(map(str, pieces))}. For keys that exist already in that form, "
            "give the table KeyStyle.adopted(...).",
        )
    return Compound(tuple(pieces))


def _read_literal(text: str, template: str, style: KeyStyle) -> Literal:
    if "{" in text or "}" in text:
        raise KeyTemplateError(
            f'Key template "{template}" has a brace that is not part of a field.',
            hint="Write fields as {name}, {name:06} or {name:8.2}.",
        )
    if style.strict and needs_escape(text):
        raise KeyTemplateError(
            f'Key template "{template}" has a character in "{text}" that literals cannot hold.',
            hint=f'Spaces, control characters and ! " $ {ESCAPE} are kept for the key codec; use letters, digits, - _ . :',
        )
    return Literal(text)


def _read_placeholder(text: str, template: str) -> Placeholder:
    found = _inside(text)
    name = text.partition(":")[0]
    if name.isidentifier() and not name.isascii():
        raise KeyTemplateError(
            f'Key template "{template}" has the field "{{{text}}}", whose name is not made of the letters A to Z, digits and _.',
            hint=f'Rename the field; stored={{"other_name": "{name}"}} keeps the name of its attribute.',
        )
    if found is None or (found[2] and not int(found[2])) or (found[3] and not int(found[3])):
        raise KeyTemplateError(
            f'Key template "{template}" has the field "{{{text}}}", which cannot be read.',
            hint="Write {name}, {name:06} for an int padded to six digits, or {name:8.2} for a Decimal.",
        )
    width, fraction = found[2], found[3]
    return Placeholder(found[1], int(width) if width else None, int(fraction) if fraction else None)
