"""Whether two templates can produce the same key, or one's keys can fall below another's; True unless excluded."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from tablewright.values.keycodec.bound import BoundTemplate
from tablewright.values.keycodec.parts.base import may_share_text
from tablewright.values.keycodec.places import BoundSegment
from tablewright.values.keycodec.style import KeyStyle
from tablewright.values.keycodec.template import Literal, Placeholder, pieces_of


class Verdict(Struct, frozen=True):
    """Whether something is possible, and in plain words why or why not. True when it is possible."""

    possible: bool
    reason: str

    def __bool__(self) -> bool:
        return self.possible


def may_equal(one: BoundTemplate, other: BoundTemplate) -> Verdict:
    """Whether the two templates can produce the same key text.

    A field that stands in both is taken as two independent ones, so the answer errs towards True.
    """
    return _same_parts(one, one.segments, other, other.segments)


def may_begin_alike(one: BoundTemplate, other: BoundTemplate, count: int) -> Verdict:
    """The same for the first `count` segments of both."""
    return _same_parts(one, one.segments[:count], other, other.segments[:count])


def _same_parts(
    one: BoundTemplate, left: Sequence[BoundSegment], other: BoundTemplate, right: Sequence[BoundSegment]
) -> Verdict:
    if one.style != other.style:
        return Verdict(True, "The templates are written in different key styles, so nothing tells their keys apart.")
    apart = _difference(left, right, one.style)
    if apart is not None:
        return Verdict(False, apart)
    if len(left) != len(right):
        (short, shorter), (_, longer) = sorted(((left, one), (right, other)), key=lambda pair: len(pair[0]))
        straddling = _straddling(short, one.style)
        if straddling is None:
            return Verdict(False, f"{_text(one)} and {_text(other)} have different numbers of parts.")
        return Verdict(
            True, f'"{straddling}" in {_text(shorter)} may hold the separator, and so look like {_text(longer)}.'
        )
    return Verdict(True, _witness(left, right))


def may_fall_in(template: BoundTemplate, parent: Sequence[BoundSegment]) -> Verdict:
    """Whether a key of the template can lie in the range of a parent and its descendants.

    The parent is given as its segments, `bound.segments[:count]`. In adopted keys the range also holds texts that
    merely begin like the parent, so there a common beginning is enough.
    """
    if not parent:
        return Verdict(True, "The range covers the whole partition.")
    style = template.style
    depth = len(parent) if style.strict else len(parent) - 1
    apart = _difference(template.segments[:depth], parent[:depth], style)
    if apart is not None:
        return Verdict(False, apart)
    straddling = _straddling(template.segments[: len(parent)], style) or _straddling(parent, style)
    if len(template.segments) < len(parent) and straddling is None:
        return Verdict(False, f"{_text(template)} has fewer parts than {_join(parent, style)}.")
    if straddling is not None:
        return Verdict(True, f'"{straddling}" may hold the separator, so parts need not stand side by side.')
    if not style.strict and not _may_begin_like(template.segments[len(parent) - 1], parent[-1]):
        left, right = template.segments[len(parent) - 1], parent[-1]
        return Verdict(False, f'Part {len(parent)} tells them apart: "{left}" never begins like "{right}".')
    return Verdict(True, _witness(template.segments, parent))


# ---------------------------------------------------------------------------------------------- segment by segment


def _difference(one: Sequence[BoundSegment], other: Sequence[BoundSegment], style: KeyStyle) -> str | None:
    """The first pair of segments that cannot be equal, in words; None when there is none."""
    for position, (left, right) in enumerate(zip(one, other, strict=False)):
        straddles = _straddling((left, right), style) is not None
        if not (_beginnings_agree(left, right) if straddles else _may_match(left, right)):
            return f'Part {position + 1} tells them apart: "{left}" is never "{right}".'
        if straddles:
            # From here on the parts of the two need not stand side by side.
            return None
    return None


def _straddling(segments: Sequence[BoundSegment], style: KeyStyle) -> BoundSegment | None:
    """The first segment in which a value may hold the separator and so push later parts along."""
    if style.strict or style.escape:
        return None
    for segment in segments:
        for field in segment.fields:
            alphabet = field.codec.alphabet
            if not field.guarded and (alphabet is None or alphabet.issuperset(style.separator)):
                return segment
    return None


def _may_match(one: BoundSegment, other: BoundSegment) -> bool:
    left, right = one.segment, other.segment
    if isinstance(left, Literal) and isinstance(right, Literal):
        return left.text == right.text
    if isinstance(left, Literal):
        return _may_be_literal(other, left.text)
    if isinstance(right, Literal):
        return _may_be_literal(one, right.text)
    if isinstance(left, Placeholder) and isinstance(right, Placeholder):
        return may_share_text(one.fields[0].codec, other.fields[0].codec)
    return _beginnings_agree(one, other) and _ends_agree(one, other)


def _may_be_literal(segment: BoundSegment, text: str) -> bool:
    if isinstance(segment.segment, Placeholder):
        return segment.fields[0].codec.possible_literals(text)
    pattern = "".join(re.escape(p.text) if isinstance(p, Literal) else "(.+)" for p in pieces_of(segment.segment))
    found = re.fullmatch(pattern, text, re.DOTALL)
    if found is None:
        return False
    several = len(segment.fields) != 1
    return several or segment.fields[0].codec.possible_literals(found[1])


def _beginnings_agree(one: BoundSegment, other: BoundSegment) -> bool:
    left, right = _outer_text(one, 0), _outer_text(other, 0)
    if not (left.startswith(right) or right.startswith(left)):
        return False
    return _may_start(one, right) and _may_start(other, left)


def _ends_agree(one: BoundSegment, other: BoundSegment) -> bool:
    left, right = _outer_text(one, -1), _outer_text(other, -1)
    return left.endswith(right) or right.endswith(left)


def _outer_text(segment: BoundSegment, position: int) -> str:
    piece = pieces_of(segment.segment)[position]
    return piece.text if isinstance(piece, Literal) else ""


def _may_start(segment: BoundSegment, text: str) -> bool:
    """Whether a segment that begins with a field can begin with a text's first character."""
    if not text or isinstance(pieces_of(segment.segment)[0], Literal):
        return True
    codec = segment.fields[0].codec
    if codec.choices is not None:
        return any(choice[0] == text[0] for choice in codec.choices)
    return codec.alphabet is None or text[0] in codec.alphabet


def _may_begin_like(segment: BoundSegment, parent: BoundSegment) -> bool:
    """Whether the segment's text can begin with the parent's whole text."""
    own, parents = segment.segment, parent.segment
    if isinstance(parents, Literal) and isinstance(own, Literal):
        return own.text.startswith(parents.text)
    if isinstance(parents, Literal) and isinstance(own, Placeholder):
        codec = segment.fields[0].codec
        if codec.choices is not None:
            return any(choice.startswith(parents.text) for choice in codec.choices)
        return codec.alphabet is None or codec.alphabet.issuperset(parents.text)
    if isinstance(parents, Placeholder) and isinstance(own, Literal):
        codec = parent.fields[0].codec
        if codec.choices is not None:
            return any(own.text.startswith(choice) for choice in codec.choices)
        if codec.fixed_width is not None:
            return codec.possible_literals(own.text[: codec.fixed_width])
    return _beginnings_agree(segment, parent)


# ------------------------------------------------------------------------------------------------------- in words


def _witness(one: Sequence[BoundSegment], other: Sequence[BoundSegment]) -> str:
    """The pairs that are not plainly equal, which is where the two could be made to differ."""
    pairs = [
        f'"{left}" and "{right}"'
        for left, right in zip(one, other, strict=False)
        if not (isinstance(left.segment, Literal) and left.segment == right.segment)
    ]
    if not pairs:
        return "Their parts are the same literals."
    return f"Nothing tells {', '.join(pairs)} apart."


def _text(template: BoundTemplate) -> str:
    return f'{template.entity} "{template.template}"' if template.entity else f'"{template.template}"'


def _join(segments: Sequence[BoundSegment], style: KeyStyle) -> str:
    return f'"{style.separator.join(map(str, segments))}"'
