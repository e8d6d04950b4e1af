"""Finding values for which two keys are the same: part by part, out of a few values for each field."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from tablewright.compiler.entity_plan import EntityPlan, IndexBinding
from tablewright.compiler.fields import DECODING_FAILURES
from tablewright.compiler.keys import KeyPlan, NativeKey, TemplateKey
from tablewright.compiler.proofs.samples import Choices
from tablewright.errors import TablewrightError
from tablewright.values.keycodec import BoundSegment, PartCodec, Placeholder
from tablewright.values.keycodec.template import pieces_of

Chosen = dict[str, Any]
_MOST_STEPS = 20_000
_MOST_HINTS = 30


class Piece(Struct, frozen=True, eq=False):
    """A part of a key: the fields it is made of, and its text for their values."""

    sources: tuple[str, ...]
    text: Callable[[Mapping[str, Any]], Any]
    field: str | None = None
    """The field that it is, where it is one alone."""
    codec: PartCodec | None = None


def pairs(
    one: Sequence[KeyPlan], other: Sequence[KeyPlan], *, beginning: int | None = None
) -> list[tuple[Piece, Piece]]:
    """What must be equal for these keys to be; of a sort key perhaps only its first segments."""
    found: list[tuple[Piece, Piece]] = []
    for left, right in zip(one, other, strict=False):
        if isinstance(left, TemplateKey) and isinstance(right, TemplateKey):
            lefts, rights = list(_pieces(left)), list(_pieces(right))
            if beginning is None and len(lefts) != len(rights):
                found.append((_whole(left), _whole(right)))
                continue
            found += list(zip(lefts[:beginning], rights[:beginning], strict=False))
        elif beginning is None:
            found.append((_whole(left), _whole(right)))
    return found


def _whole(key: KeyPlan) -> Piece:
    return Piece(tuple(sorted(key.sources)), key.encode, key.field.name if isinstance(key, NativeKey) else None)


def _pieces(key: TemplateKey) -> Iterator[Piece]:
    for segment in key.bound.segments:
        names = [f.name for f in segment.fields]
        sources = [s for n in names for s in (key.derived[n].fields if n in key.derived else (n,))]
        alone = isinstance(segment.segment, Placeholder) and names[0] not in key.derived
        yield Piece(
            tuple(dict.fromkeys(sources)),
            _text(key, segment),
            names[0] if alone else None,
            segment.fields[0].codec if alone else None,
        )


def _text(key: TemplateKey, segment: BoundSegment) -> Callable[[Mapping[str, Any]], str]:
    def text(values: Mapping[str, Any]) -> str:
        every = key.with_derived(values)
        return "".join(
            key.bound.codecs[p.field].encode(every[p.field]) if isinstance(p, Placeholder) else p.text
            for p in pieces_of(segment.segment)
        )

    return text


def matches(wanted: list[tuple[Piece, Piece]], left: Choices, right: Choices) -> Iterator[tuple[Chosen, Chosen]]:
    """Values for both sides that make all pairs equal; it gives up after some thousand steps."""
    # What is compared with a literal has hardly any choice; what it must be is passed on from pair to pair.
    ordered = sorted(wanted, key=lambda pair: bool(pair[0].sources) + bool(pair[1].sources))
    for _ in range(2):
        suggest(ordered, left, right)
    steps = itertools.count()

    def go(position: int, mine: Chosen, theirs: Chosen) -> Iterator[tuple[Chosen, Chosen]]:
        if position == len(ordered):
            yield mine, theirs
            return
        one, other = ordered[position]
        for more in chosen_values(one.sources, mine, left):
            text = _try(one, more)
            for others in chosen_values(other.sources, theirs, right) if text is not None else ():
                if next(steps) > _MOST_STEPS:
                    return
                if _try(other, others) == text:
                    yield from go(position + 1, more, others)

    return go(0, {}, {})


def suggest(wanted: list[tuple[Piece, Piece]], left: Choices, right: Choices) -> None:
    """Lets both sides try first what the other one can have as well."""
    for one, other in wanted:
        _suggest(one, left, other, right)
        _suggest(other, right, one, left)


def _try(piece: Piece, values: Chosen) -> Any:
    try:
        return piece.text(values)
    except TablewrightError:
        return None


def chosen_values(names: Iterable[str], chosen: Chosen, choices: Choices) -> Iterator[Chosen]:
    """Every choice for the fields that have none yet."""
    open_names = [name for name in names if name not in chosen]
    for combination in itertools.product(*(choices.of(name) for name in open_names)):
        yield {**chosen, **dict(zip(open_names, combination, strict=True))}


def _suggest(piece: Piece, choices: Choices, other: Piece, others: Choices) -> None:
    """Values that the other side can have as well."""
    if piece.field is None:
        return
    texts = (_try(other, values) for values in itertools.islice(chosen_values(other.sources, {}, others), _MOST_HINTS))
    choices.prefer(piece.field, [v for t in texts if t is not None for v in _read(piece, choices, t)])


def _read(piece: Piece, choices: Choices, text: Any) -> Iterator[Any]:
    """The value of a field alone that has this text in a key, or this wire value as a key."""
    try:
        if piece.codec is not None and isinstance(text, str):
            yield piece.codec.decode(text)
        elif piece.codec is None and piece.field is not None and isinstance(text, dict):
            yield choices.plan.sources[piece.field].codec.decode(text)
    except DECODING_FAILURES:
        return


# ---------------------------------------------------------------------------------------------------- whole items


def completions(
    plan: EntityPlan, binding: IndexBinding | None, chosen: Chosen, choices: Choices, *, held: bool = True
) -> Iterator[Chosen]:
    """Values for all fields that keys are made of, with those that are chosen: of items that an index holds, or leaves out
    if not `held`."""
    wanted = set(plan.key_fields) | (set(binding.sources) if binding is not None else set())
    start = {**dict.fromkeys(name for name in plan.sources if name not in wanted), **chosen}
    for values in itertools.islice(chosen_values(sorted(wanted), start, choices), _MOST_STEPS):
        try:
            plan.key(values)
            if binding is None or (binding.compute(values) is not None) is held:
                yield values
        except TablewrightError:
            continue
