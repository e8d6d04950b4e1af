"""How far a read reaches at its widest, and whether somebody else's key can lie there."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime
from typing import Any

from msgspec import Struct

from tablewright.compiler.keyparts import Piece, pairs, pieces, whole
from tablewright.compiler.keys import KeyPlan, NativeKey, TemplateKey, bounds_of
from tablewright.compiler.meeting import Limit, Side, apart
from tablewright.compiler.paths import KeyPath, Rival
from tablewright.compiler.selection import UNKNOWN, Range, Selection, Source
from tablewright.compiler.served import FanOut
from tablewright.compiler.sortkeys import NativeSort, SortPlan, TemplateSort
from tablewright.errors import TablewrightError
from tablewright.values.keycodec import PartCodec, last_before, past, through
from tablewright.values.keycodec.parts.numbers import PaddedIntPart
from tablewright.values.keycodec.parts.times import DatePart, DatetimePart
from tablewright.values.ordering import sort_bytes

_LAST = "\U0010ffff"


def out_of_reach(path: KeyPath, selection: Selection, sort: SortPlan, fan_out: Iterable[FanOut], rival: Rival) -> bool:
    """Whether no request of a read by this key can bring an item of the rival's."""
    wanted = pairs(path.pk, rival.pk)
    if sort.complete:
        wanted += pairs(path.sk, rival.sk)
    elif isinstance(sort, TemplateSort):
        wanted += pairs(path.sk, rival.sk, beginning=sort.count)
    elif isinstance(sort, NativeSort):
        wanted += pairs(sort.fixed, rival.sk)
    mine = Side(
        path.plan,
        possible=selection.possible,
        texts={fan.name: _every(fan) for fan in fan_out if fan.plan is not None},
    )
    theirs = Side(rival.plan, when=rival.binding.condition if rival.binding is not None else None)
    return apart(wanted, mine, theirs, within=limits(sort, rival.sk))


def _every(fan: FanOut) -> list[str] | None:
    """All texts of a shard or bucket that are asked for; None where the arguments decide."""
    if fan.plan is None or any(end.constant is UNKNOWN for end in fan.bounds or ()):
        return None
    try:
        return [fan.plan.part.encode(value) for value in fan.every({})]
    except TablewrightError:
        return None


def limits(sort: SortPlan, theirs: tuple[KeyPlan, ...]) -> Iterator[Limit]:
    """What a key must meet to lie in the range of a read, behind the parts that are fixed."""
    if isinstance(sort, TemplateSort) and sort.ranged is not None and theirs:
        limit = _of_template(sort, theirs[0])
        if limit is not None:
            yield limit
    if isinstance(sort, NativeSort) and sort.ranged is not None and sort.test is not None:
        key = next((k for k in theirs if k.attribute == sort.ranged.attribute), None)
        if key is not None:
            yield _native(whole(key), sort.ranged, sort.test, key if isinstance(key, NativeKey) else None)


# ---------------------------------------------------------------------------------------------------------- templates


class _Texts(Struct, frozen=True, eq=False):
    """A range of the texts that go on from what is fixed."""

    piece: Piece
    """Their next part."""
    goes_on: str
    """What follows on it in their key: the separator, or nothing."""
    low: str | None
    high: str | None
    prefix: str | None

    def may_hold(self, theirs: Side) -> bool:
        """Whether one of their texts can lie in it."""
        if self.low is not None and self.high is not None and self.low > self.high:
            return False
        if self.goes_on and self.low is not None and self.low == self.high and self.goes_on not in self.low:
            return False  # one text, which ends where theirs go on
        texts = theirs.texts(self.piece)
        if texts is not None:
            return any(self._holds(text, text) for text in texts if isinstance(text, str))
        codec = self.piece.codec
        if isinstance(codec, PaddedIntPart | DatePart) and self.prefix is None:
            return self._holds_one_of(codec)
        return codec is None or self._holds(_least(codec) or "", _greatest(codec) or _LAST)

    def _holds_one_of(self, codec: PaddedIntPart | DatePart) -> bool:
        """The same for values that can be counted: the first that does not lie below the range must not lie above it."""
        least, greatest = _counted(codec)

        def text(number: int) -> str:
            return codec.encode(date.fromordinal(number) if isinstance(codec, DatePart) else number) + self.goes_on

        above = _LAST if self.goes_on else ""
        end = greatest + 1
        while self.low is not None and least < end:
            middle = (least + end) // 2
            if text(middle) + above >= self.low:
                end = middle
            else:
                least = middle + 1
        return least <= greatest and (self.high is None or text(least) <= self.high)

    def _holds(self, least: str, greatest: str) -> bool:
        """Whether a text from `least` to `greatest`, and what follows on it, can lie in the range."""
        if self.prefix is not None:
            return greatest >= self.prefix and (least <= self.prefix or least.startswith(self.prefix))
        first = least + self.goes_on
        last = greatest + self.goes_on + (_LAST if self.goes_on else "")
        return (self.high is None or first <= self.high) and (self.low is None or last >= self.low)


def _counted(codec: PaddedIntPart | DatePart) -> tuple[int, int]:
    """The least and the greatest value, as numbers."""
    if isinstance(codec, DatePart):
        return date.min.toordinal(), date.max.toordinal()
    widest = 10**codec.width - 1
    return (
        -widest if codec.ge is None else max(-widest, math.ceil(codec.ge)),
        widest if codec.le is None else min(widest, math.floor(codec.le)),
    )


def _of_template(sort: TemplateSort, theirs: KeyPlan) -> _Texts | None:
    bound = sort.key.bound
    place = bound.places[sort.ranged or ""]
    if not isinstance(theirs, TemplateKey) or place.lead or len(bound.segments[sort.count].fields) > 1:
        return None
    parts = pieces(theirs)
    if len(parts) <= sort.count:
        return None
    low = high = prefix = None
    for test in sort.tests:
        if test.operator == "begins_with":
            (source,) = test.operands
            prefix = place.codec.encode(source.constant) if source.constant not in (UNKNOWN, "") else ""
            continue
        if test.operator in (">=", ">", "between"):
            low = _text(test.operands[0], place.codec) or _least(place.codec)
            low = past(bound, place, low) if low is not None and test.operator == ">" else low
        if test.operator in ("<=", "between"):
            high = _text(test.operands[-1], place.codec) or _greatest(place.codec)
            high = None if high is None else through(bound, place, high)
        if test.operator == "<":
            high = _below(test, place.codec, follows=bool(place.follow))
            alone = not place.follow and place.codec.discrete
            high = through(bound, place, high) if high is not None and alone else high
    goes_on = bound.style.separator if len(parts) > sort.count + 1 else ""
    return _Texts(parts[sort.count], goes_on, low, high, prefix)


def _below(test: Range, codec: PartCodec, *, follows: bool) -> str | None:
    """The text at which `<` ends, or the last one before it where nothing follows on the value."""
    source = test.operands[0]
    if source.constant is UNKNOWN or follows:
        return _text(source, codec) or _greatest(codec)
    if not codec.discrete:
        return last_before(codec.encode(source.constant))
    smaller = codec.before(source.constant)
    return "" if smaller is None else codec.encode(smaller)


def _text(source: Source, codec: PartCodec) -> str | None:
    if source.constant is UNKNOWN:
        return None
    try:
        return codec.encode(source.constant)
    except TablewrightError:
        return None


def _least(codec: PartCodec) -> str | None:
    """A text that none of a codec's comes before."""
    match codec:
        case DatePart():
            return codec.encode(date.min)
        case DatetimePart():
            return codec.encode(datetime.min.replace(tzinfo=UTC))
        case PaddedIntPart():
            return codec.encode(codec.ge if codec.ge is not None else 1 - 10**codec.width)
    if codec.choices is not None:
        return codec.choices[0]
    return None if codec.alphabet is None else min(codec.alphabet) * (codec.fixed_width or 1)


def _greatest(codec: PartCodec) -> str | None:
    """A text that none of a codec's comes after."""
    match codec:
        case DatePart():
            return codec.encode(date.max)
        case DatetimePart():
            return codec.encode(datetime.max.replace(tzinfo=UTC))
        case PaddedIntPart():
            return codec.encode(codec.le if codec.le is not None else 10**codec.width - 1)
    if codec.choices is not None:
        return codec.choices[-1]
    if codec.alphabet is None:
        return None
    return max(codec.alphabet) * codec.fixed_width if codec.fixed_width is not None else max(codec.alphabet) + _LAST


# ------------------------------------------------------------------------------------------------- attributes as they are


class _Native(Struct, frozen=True, eq=False):
    """A range of an attribute's own values, as bytes that sort as they do."""

    piece: Piece
    low: bytes | None
    high: bytes | None
    prefix: str | None
    without: tuple[bytes | None, ...]
    """Ends that do not belong to it."""
    key: NativeKey | None

    def may_hold(self, theirs: Side) -> bool:
        """Whether one of their values can lie in it."""
        if self.low is not None and self.high is not None and self.low > self.high:
            return False
        texts = theirs.texts(self.piece)
        if texts is not None:
            values = [sort_bytes(dict((text,))) for text in texts]
            return any(self._holds(value, value) for value in values if value not in self.without)
        if self.key is None or self.prefix is not None:
            return True
        return self._holds(*(_wire(self.key, bound) for bound in bounds_of(self.key.field)))

    def _holds(self, least: bytes | None, greatest: bytes | None) -> bool:
        if self.prefix is not None:
            return least is not None and least.startswith(self.prefix.encode())
        return (self.high is None or least is None or least <= self.high) and (
            self.low is None or greatest is None or greatest >= self.low
        )


def _native(piece: Piece, key: NativeKey, test: Range, theirs: NativeKey | None) -> _Native:
    """A range as far as constants or the field's bounds tell."""
    if test.operator == "begins_with":
        constant = test.operands[0].constant
        return _Native(piece, None, None, "" if constant is UNKNOWN else constant, (), theirs)
    least, greatest = bounds_of(key.field)
    low = high = None
    if test.operator in (">=", ">", "between"):
        low = _value(test.operands[0], key, least)
    if test.operator in ("<=", "<", "between"):
        high = _value(test.operands[-1], key, greatest)
    without = {"<": (high,), ">": (low,)}.get(test.operator, ())
    return _Native(piece, low, high, None, without, theirs)


def _value(source: Source, key: NativeKey, widest: Any) -> bytes | None:
    return _wire(key, widest if source.constant is UNKNOWN else source.constant)


def _wire(key: NativeKey, value: Any) -> bytes | None:
    if value is None:
        return None
    try:
        return sort_bytes(key.encode({key.field.name: value}))
    except TablewrightError:
        return None
