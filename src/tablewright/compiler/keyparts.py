"""Keys taken apart: the parts that must be equal for two keys to be, each with the fields it is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from tablewright.compiler.derived import DerivedPlan
from tablewright.compiler.keys import KeyPlan, NativeKey, TemplateKey
from tablewright.values.keycodec import BoundSegment, PartCodec, Placeholder
from tablewright.values.keycodec.template import pieces_of


class Piece(Struct, frozen=True, eq=False):
    """A part of a key: the fields it is made of, and its text for their values."""

    sources: tuple[str, ...]
    text: Callable[[Mapping[str, Any]], Any]
    """A text of a template, or the wire value of an attribute as a whole."""
    field: str | None = None
    """The field that it is, where it is one alone."""
    codec: PartCodec | None = None
    """What writes it, where it is one placeholder alone."""
    placeholder: str | None = None
    """The name of the placeholder that it is, where it is one alone."""
    derived: DerivedPlan | None = None
    """How that is worked out, where it is a shard or a bucket."""


def pairs(
    one: Sequence[KeyPlan], other: Sequence[KeyPlan], *, beginning: int | None = None
) -> list[tuple[Piece, Piece]]:
    """What must be equal for these keys to be; of a sort key perhaps only its first segments."""
    found: list[tuple[Piece, Piece]] = []
    for left, right in zip(one, other, strict=False):
        if isinstance(left, TemplateKey) and isinstance(right, TemplateKey):
            lefts, rights = pieces(left), pieces(right)
            if beginning is None and len(lefts) != len(rights):
                found.append((whole(left), whole(right)))
                continue
            found += list(zip(lefts[:beginning], rights[:beginning], strict=False))
        elif beginning is None:
            found.append((whole(left), whole(right)))
    return found


def whole(key: KeyPlan) -> Piece:
    """An attribute as one part."""
    return Piece(tuple(sorted(key.sources)), key.encode, key.field.name if isinstance(key, NativeKey) else None)


def pieces(key: TemplateKey) -> list[Piece]:
    """The segments of a template."""
    return list(_pieces(key))


def _pieces(key: TemplateKey) -> Iterator[Piece]:
    for segment in key.bound.segments:
        names = [f.name for f in segment.fields]
        sources = [s for n in names for s in (key.derived[n].fields if n in key.derived else (n,))]
        alone = names[0] if isinstance(segment.segment, Placeholder) else None
        yield Piece(
            tuple(dict.fromkeys(sources)),
            _text(key, segment),
            None if alone in key.derived else alone,
            None if alone is None else segment.fields[0].codec,
            alone,
            key.derived.get(alone or ""),
        )


def _text(key: TemplateKey, segment: BoundSegment) -> Callable[[Mapping[str, Any]], str]:
    def text(values: Mapping[str, Any]) -> str:
        every = key.with_derived(values)
        return "".join(
            key.bound.codecs[p.field].encode(every[p.field]) if isinstance(p, Placeholder) else p.text
            for p in pieces_of(segment.segment)
        )

    return text
