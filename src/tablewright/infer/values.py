"""The type of a field, worked out from the values that a sample holds."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal

from msgspec import Struct

from tablewright.compiler.codecs import codec_for
from tablewright.model.fields import Epoch
from tablewright.values.types import AttributeValue

MANY = 20
"""From so many values on, that they are always the same few says something."""
_FEW = 6
STATE = re.compile(r"[A-Za-z][A-Za-z0-9_ -]{0,23}").fullmatch
"""A word as states and kinds are called."""
_WHOLE = re.compile(r"-?[0-9]+").fullmatch
_TIME_NAME = re.compile(r"(?:^|_|[a-z])(?:at|At|time|Time|ts|ttl|TTL|date|Date|expires?|Expires?|epoch)$").search
_CENTURY = range(978_300_000, 4_133_980_800)
"""Seconds from 2001 to 2100, which numbers of a time are likely to be within."""
_MOMENTS = range(253_402_300_800)
"""Seconds from 1970 to 9999, which are all that a time can be."""


_SECONDS = 'Annotated[datetime, Epoch("s")]'


class Guess(Struct, frozen=True):
    """What a field seems to be: its annotation as an object and as source text."""

    annotation: Any
    text: str
    note: str = ""

    @property
    def expires(self) -> bool:
        """Whether items can expire by such a field: it has to be a whole number of seconds."""
        return self.text in ("int", _SECONDS)


def moment(values: Sequence[AttributeValue]) -> Guess:
    """The type of whole numbers that are known to be times in seconds."""
    if all(int(value["N"]) in _MOMENTS for value in values):
        return Guess(Annotated[datetime, Epoch("s")], _SECONDS)
    return Guess(int, "int", "seconds, some of which are no time")


def guess(name: str, values: Sequence[AttributeValue], *, closed: bool = True) -> Guess:
    """The type of these values, of which none is NULL. `closed` says whether a few words may be taken for all there are."""
    tags = {tag for value in values for tag in value}
    if len(tags) != 1:
        return Guess(Any, "Any", "of several types" if tags else "never seen with a value")
    (tag,) = tags
    contents: list[Any] = [value[tag] for value in values]
    match tag:
        case "S":
            return _text(contents, closed=closed)
        case "N":
            return _number(name, contents)
        case "BOOL":
            return Guess(bool, "bool")
        case "B":
            return Guess(bytes, "bytes")
        case "SS":
            return Guess(set[str], "set[str]")
        case "BS":
            return Guess(set[bytes], "set[bytes]")
        case "NS":
            whole = all(_WHOLE(text) for texts in contents for text in texts)
            return Guess(set[int], "set[int]") if whole else Guess(set[Decimal], "set[Decimal]")
        case "L":
            return _list(name, [element for elements in contents for element in elements])
        case _:
            return _map(name, [member for members in contents for member in members.values()])


def usual(name: str, values: Sequence[AttributeValue]) -> Guess:
    """The same of the type that nearly all of them have, for values that stand in keys."""
    tags = Counter(tag for value in values for tag in value)
    tag, count = tags.most_common(1)[0] if tags else ("S", 0)
    return guess(name, [v for v in values if tag in v] if count >= 0.9 * len(values) else values)


def travels(annotation: Any, values: Sequence[AttributeValue]) -> bool:
    """Whether a field of this type would read these values, and write them again as they are."""
    codec = codec_for(annotation)
    try:
        return all(codec.encode(codec.decode(value)) == value for value in values)
    except Exception:  # whatever a codec says of values that it does not know, it does not fit them
        return False


def _text(texts: list[str], *, closed: bool) -> Guess:
    values = [{"S": text} for text in texts]
    for kind, name in ((datetime, "datetime"), (date, "date")):
        if travels(kind, values):
            return Guess(kind, name)
    known = sorted(set(texts))
    enough = len(texts) >= max(MANY, 5 * len(known)) and 1 < len(known) <= _FEW  # one alone tells of no others
    if closed and enough and all(STATE(text) for text in known):
        shown = ", ".join(f'"{text}"' for text in known)
        return Guess(Literal[tuple(known)], f"Literal[{shown}]", f"these in {len(texts):,} items")
    return Guess(str, "str")


def _number(name: str, texts: list[str]) -> Guess:
    if not all(_WHOLE(text) for text in texts):
        return Guess(Decimal, "Decimal")
    if _TIME_NAME(name):
        for unit, factor in (("s", 1), ("ms", 1000)):
            if all(int(text) // factor in _CENTURY for text in texts):
                return Guess(Annotated[datetime, Epoch(unit)], f'Annotated[datetime, Epoch("{unit}")]')  # type: ignore[arg-type]
    return Guess(int, "int")


def _list(name: str, elements: list[AttributeValue]) -> Guess:
    inner = _inner(name, elements)
    return Guess(list[inner.annotation], f"list[{inner.text}]")  # type: ignore[name-defined]


def _map(name: str, members: list[AttributeValue]) -> Guess:
    inner = _inner(name, members)
    return Guess(dict[str, inner.annotation], f"dict[str, {inner.text}]")  # type: ignore[name-defined]


def _inner(name: str, values: list[AttributeValue]) -> Guess:
    """What a list or map holds: one type of values that are never NULL, or anything."""
    found = guess(name, values, closed=False)
    plain = found.annotation is not Any and not any("NULL" in value for value in values)
    return found if plain and travels(found.annotation, values) else Guess(Any, "Any")
