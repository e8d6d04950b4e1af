"""What can be proved of a template's keys, and in plain words what cannot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal as OneOf
from typing import TypeAlias

from tablewright.values.keycodec.parts.base import PartCodec
from tablewright.values.keycodec.places import BoundField, BoundSegment
from tablewright.values.keycodec.style import KeyStyle
from tablewright.values.keycodec.template import Literal, pieces_of

Proof: TypeAlias = OneOf["injective", "ordered", "closed_range"]


def prove(segments: Sequence[BoundSegment], style: KeyStyle) -> tuple[frozenset[Proof], tuple[str, ...]]:
    """The proofs that hold for every key, and a warning for each one that does not.

    Injective always holds: what could not be read back is refused when it is encoded.
    """
    warnings: list[str] = []
    proofs: set[Proof] = {"injective"}
    unordered = [w for segment in segments for field in segment.fields if (w := order_warning(field, style))]
    if unordered:
        warnings += unordered
    else:
        proofs.add("ordered")
    open_cuts = [segments[:cut] for cut in range(1, len(segments)) if not closed_below(segments[:cut], style)]
    if open_cuts:
        warnings += [_range_warning(cut, style) for cut in open_cuts]
    else:
        proofs.add("closed_range")
    return frozenset(proofs), tuple(warnings)


def order_warning(field: BoundField, style: KeyStyle) -> str | None:
    """Why keys do not sort by this field among keys that agree before it; None when they do."""
    codec = field.codec
    if not codec.ordered:
        return f"Keys do not sort by {field.name}: it is written as plain text. Give it a width, as in {{{field.name}:06}}."
    if style.strict or not field.follow or codec.fixed_width is not None:
        return None
    follow = field.follow
    if codec.choices is not None:
        if sorted(codec.choices, key=lambda text: text + follow) == sorted(codec.choices):
            return None
    elif codec.alphabet is not None and min(codec.alphabet) > follow[0]:
        return None
    return (
        f'Keys do not always sort by {field.name}: its raw values can hold characters that sort before "{follow[0]}", '
        "which follows it."
    )


def closed_below(segments: Sequence[BoundSegment], style: KeyStyle) -> bool:
    """Whether one closed range holds a key made of these segments and its descendants, and no neighbour.

    A neighbour is a key whose last value merely begins alike, as 10 begins like 1.
    """
    if style.strict:
        return True
    last = segments[-1]
    if isinstance(pieces_of(last.segment)[-1], Literal):
        return True
    codec = last.fields[-1].codec
    return codec.fixed_width is not None or not _has_neighbours(codec, style.bound)


def _has_neighbours(codec: PartCodec, bound: str) -> bool:
    if codec.choices is not None:
        return any(one != other and one <= other <= one + bound for one in codec.choices for other in codec.choices)
    return codec.alphabet is None or min(codec.alphabet) <= bound[0]


def _range_warning(segments: Sequence[BoundSegment], style: KeyStyle) -> str:
    name = segments[-1].fields[-1].name
    return (
        f"No single range holds a {name} and what stands below it: a raw value can begin like another one and go on "
        f'with a character that sorts before "{style.separator}". What stands below is read by its prefix up to '
        f'"{style.separator}", and the parent by its own key.'
    )
