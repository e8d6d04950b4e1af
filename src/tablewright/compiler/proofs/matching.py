"""Finding values for which two keys are the same: part by part, out of a few values for each field."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime
from typing import Any

from tablewright.compiler.derived import BucketPlan, ShardPlan, bucket_start
from tablewright.compiler.entity_plan import EntityPlan, IndexBinding
from tablewright.compiler.fields import DECODING_FAILURES
from tablewright.compiler.keyparts import Piece
from tablewright.compiler.proofs.samples import Choices
from tablewright.errors import TablewrightError

Chosen = dict[str, Any]
_MOST_STEPS = 20_000
_MOST_HINTS = 30


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
    found = (_try(other, values) for values in itertools.islice(chosen_values(other.sources, {}, others), _MOST_HINTS))
    texts = [text for text in found if text is not None]
    if piece.field is not None:
        choices.prefer(piece.field, [v for t in texts for v in _read(piece, choices, t)])
    elif isinstance(piece.derived, BucketPlan):
        written = [t for t in texts if isinstance(t, str) and piece.derived.part.possible_literals(t)]
        choices.prefer(piece.derived.field, [day for t in written for day in _days(t)])
    elif isinstance(piece.derived, ShardPlan):
        # Which values lie in a shard is only known of those that were tried.
        for name in piece.derived.fields:
            choices.widen(name, 8 * piece.derived.of)
        if len(piece.sources) == 1:
            (name,) = piece.sources
            choices.prefer(name, [v for v in choices.of(name) if _try(piece, {name: v}) in texts])


def _days(bucket: str) -> Iterator[datetime | date]:
    """The beginning of a bucket, as a time and as a date."""
    start = bucket_start(bucket).replace(tzinfo=UTC)
    yield start
    yield start.date()


def _read(piece: Piece, choices: Choices, text: Any) -> Iterator[Any]:
    """The value of a field alone that has this text in a key, or this wire value as a key."""
    try:
        if piece.codec is not None and isinstance(text, str):
            # A longer text may still tell what lies in a range of such.
            yield piece.codec.decode(text[: piece.codec.fixed_width])
        elif piece.codec is None and piece.field is not None and isinstance(text, dict):
            yield choices.plan.sources[piece.field].codec.decode(text)
    except DECODING_FAILURES:
        return


# ---------------------------------------------------------------------------------------------------- whole items


def completions(
    plan: EntityPlan,
    binding: IndexBinding | None,
    chosen: Chosen,
    choices: Choices,
    *,
    held: bool = True,
    also: Iterable[str] = (),
) -> Iterator[Chosen]:
    """Values for all fields that keys are made of, and for some more, with those that are chosen: of items that an index
    holds, or leaves out if not `held`."""
    wanted = set(plan.key_fields).union(() if binding is None else binding.sources, also)
    start = {**dict.fromkeys(name for name in plan.sources if name not in wanted), **chosen}
    # The last names are tried out first: those that decide where an item lies.
    there = {name for key in (binding.sk if binding is not None else ()) for name in key.sources}
    names = sorted(wanted, key=lambda name: (name in there, binding is not None and name in binding.sources, name))
    for values in itertools.islice(chosen_values(names, start, choices), _MOST_STEPS):
        try:
            plan.key(values)
            if binding is None or (binding.compute(values) is not None) is held:
                yield values
        except TablewrightError:
            continue
