"""Whether two keys that look alike can really be the same: the values that each field can have are narrowed from part to
part until one has none left. Doubt counts as yes, so what is told apart here is told apart for every item."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from tablewright.compiler.derived import ShardPlan
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.fields import DECODING_FAILURES
from tablewright.compiler.keyparts import Piece
from tablewright.compiler.keys import bounds_of
from tablewright.compiler.predicates import compile_predicate
from tablewright.compiler.selection import listed_of
from tablewright.errors import TablewrightError
from tablewright.model.annotations import plain, without_none
from tablewright.model.conditions import Compare, Condition, IsIn, conjuncts
from tablewright.values.keycodec import PartCodec
from tablewright.values.keycodec.parts.base import may_share_text

_FEW = 2000
"""So many values, or combinations of them, are looked at one by one."""
_ROUNDS = 8
_MOST_STEPS = 20_000

Values: TypeAlias = Sequence[Any]


class Side:
    """One of two items whose keys are compared: what its fields can be, as far as that is few and known."""

    def __init__(
        self,
        plan: EntityPlan,
        *,
        possible: Mapping[str, Values] | None = None,
        when: Condition | None = None,
        texts: Mapping[str, Sequence[str] | None] | None = None,
    ) -> None:
        self._plan = plan
        self._few: dict[str, Values | None] = dict(possible or {})
        self._texts = texts or {}
        """What stands for a placeholder whatever the fields are, None for anything: a read asks for several values."""
        for condition in () if when is None else conjuncts(when):
            self._meets(condition)

    def few(self, name: str) -> Values | None:
        """All values of a field, if they are few."""
        if name not in self._few:
            self._few[name] = _declared(self._plan, name)
        return self._few[name]

    @property
    def impossible(self) -> bool:
        """Whether a field has no value left."""
        return any(values is not None and not values for values in self._few.values())

    def texts(self, piece: Piece) -> set[Any] | None:
        """All texts that a part can have (and perhaps some more), if they are few."""
        if piece.placeholder in self._texts:
            texts = self._texts[piece.placeholder or ""]
            return None if texts is None else set(texts)
        combinations = self._combinations(piece)
        if combinations is not None:
            return {text for values in combinations if (text := text_of(piece, values)) is not None}
        if isinstance(piece.derived, ShardPlan):
            return {piece.derived.part.encode(number) for number in piece.derived.every()}
        if piece.codec is not None and piece.codec.choices is not None:
            return set(piece.codec.choices)
        return None

    def narrow(self, piece: Piece, texts: set[Any]) -> bool:
        """Drops the values that give none of these texts; whether there were any."""
        if piece.placeholder in self._texts:
            return False
        combinations = self._combinations(piece)
        if combinations is None:
            if piece.field is None or self.few(piece.field) is not None:
                return False
            self._few[piece.field] = [v for text in texts for v in self._read(piece, text)]
            return True
        kept = [values for values in combinations if text_of(piece, values) in texts]
        changed = False
        for name in piece.sources:
            before = self.few(name) or ()
            after = [v for v in before if any(values[name] is v for values in kept)]
            changed = changed or len(after) < len(before)
            self._few[name] = after
        return changed

    def free(self, piece: Piece) -> PartCodec | None:
        """The codec of a part that can have many texts."""
        return piece.codec if self.texts(piece) is None else None

    def known(self, piece: Piece) -> bool:
        """Whether all that the part is made of has few values."""
        return piece.placeholder not in self._texts and self._combinations(piece) is not None

    def _combinations(self, piece: Piece) -> list[dict[str, Any]] | None:
        few = [self.few(name) for name in piece.sources]
        if any(values is None for values in few) or math.prod(len(v or ()) for v in few) > _FEW:
            return None
        return [dict(zip(piece.sources, c, strict=True)) for c in itertools.product(*(v or () for v in few))]

    def _read(self, piece: Piece, text: Any) -> Iterator[Any]:
        try:
            if piece.codec is not None and isinstance(text, str):
                yield piece.codec.decode(text)
            elif piece.codec is None and piece.field is not None and isinstance(text, tuple):
                yield self._plan.sources[piece.field].codec.decode(dict((text,)))
        except DECODING_FAILURES:
            return

    def _meets(self, condition: Condition) -> None:
        """Narrows a field to what a condition on it alone allows."""
        fields = {leaf.field for leaf in condition.leaves()}
        if len(fields) != 1:
            return
        (name,) = fields
        values = self.few(name)
        if values is not None:
            holds = compile_predicate(condition)
            self._few[name] = [value for value in values if holds({name: value})]
        elif isinstance(condition, Compare) and condition.op == "=":
            self._few[name] = [condition.value]
        elif isinstance(condition, IsIn):
            self._few[name] = list(condition.values)


def _declared(plan: EntityPlan, name: str) -> Values | None:
    """The values that a field's type or its bounds leave, if they are few."""
    field = plan.sources[name]
    kind = plain(without_none(field.annotation))
    if kind is bool:
        return (False, True)
    if kind is int:
        low, high = bounds_of(field)
        whole = isinstance(low, int) and isinstance(high, int)
        return range(int(low or 0), int(high or 0) + 1) if whole and (high or 0) - (low or 0) < _FEW else None
    return listed_of(kind)


def text_of(piece: Piece, values: Mapping[str, Any]) -> Any:
    """A part's text for these values, or an attribute's type and value; None where a key cannot hold them."""
    try:
        text = piece.text(values)
    except (TablewrightError, KeyError):
        return None
    return next(iter(text.items())) if isinstance(text, dict) else text


# ------------------------------------------------------------------------------------------------------------ proving


class Limit(Protocol):
    """Something that a key must meet beside being equal."""

    def may_hold(self, theirs: Side) -> bool:
        """Whether it can."""
        ...


def apart(pairs: Sequence[tuple[Piece, Piece]], mine: Side, theirs: Side, *, within: Iterable[Limit] = ()) -> bool:
    """Whether these parts are never all equal, or theirs never lies `within` what is asked for."""
    for _ in range(_ROUNDS):
        changed = False
        for one, other in pairs:
            left, right = mine.texts(one), theirs.texts(other)
            if right is None and left is not None:
                right = _also_written(left, other)
            elif left is None and right is not None:
                left = _also_written(right, one)
            if left is not None:
                changed = theirs.narrow(other, left) or changed
            if right is not None:
                changed = mine.narrow(one, right) or changed
            if left is not None and right is not None and left.isdisjoint(right):
                return True
        if mine.impossible or theirs.impossible:
            return True
        if not changed:
            break
    return (
        any(not limit.may_hold(theirs) for limit in within)
        or _written_differently(pairs, mine, theirs)
        or not _agree(pairs, mine, theirs)
    )


def _also_written(texts: set[Any], piece: Piece) -> set[Any] | None:
    """Those that a part with many texts can have as well."""
    codec = piece.codec
    return None if codec is None else {t for t in texts if isinstance(t, str) and codec.possible_literals(t)}


def _written_differently(pairs: Sequence[tuple[Piece, Piece]], mine: Side, theirs: Side) -> bool:
    """Whether parts that must have one text are written by codecs that share none."""
    groups: dict[Any, list[PartCodec]] = {}
    of: dict[Any, Any] = {}

    def root(node: Any) -> Any:
        while of.get(node, node) != node:
            node = of[node]
        return node

    for position, (one, other) in enumerate(pairs):
        codecs = mine.free(one), theirs.free(other)
        nodes = []
        for side, piece, codec in (("mine", one, codecs[0]), ("theirs", other, codecs[1])):
            if codec is not None:
                # A field that stands at several places is one text there, if it is written alike.
                alike = (type(codec), codec.fixed_width, codec.max_bytes)
                node = (side, piece.field, alike) if piece.field is not None else (side, position, alike)
                nodes.append(node)
                of.setdefault(node, node)
                groups.setdefault(root(node), []).append(codec)
        if len(nodes) == 2:
            first, second = map(root, nodes)
            if first != second:
                groups[first] = groups[first] + groups.pop(second)
                of[second] = first
    return any(
        not may_share_text(one, other) for codecs in groups.values() for one, other in itertools.combinations(codecs, 2)
    )


def _agree(pairs: Sequence[tuple[Piece, Piece]], mine: Side, theirs: Side) -> bool:
    """Whether some values of the fields that have few make all parts of these alone equal; yes if that takes too long."""
    known = [(one, other) for one, other in pairs if mine.known(one) and theirs.known(other)]
    steps = itertools.count()

    def go(position: int, left: dict[str, Any], right: dict[str, Any]) -> bool:
        if position == len(known):
            return True
        one, other = known[position]
        for more in _choices(one, left, mine):
            text = text_of(one, more)
            if text is None:
                continue
            for others in _choices(other, right, theirs):
                if next(steps) > _MOST_STEPS:
                    return True
                if text_of(other, others) == text and go(position + 1, more, others):
                    return True
        return False

    return go(0, {}, {})


def _choices(piece: Piece, chosen: dict[str, Any], side: Side) -> Iterator[dict[str, Any]]:
    names = [name for name in piece.sources if name not in chosen]
    for combination in itertools.product(*(side.few(name) or () for name in names)):
        yield {**chosen, **dict(zip(names, combination, strict=True))}
