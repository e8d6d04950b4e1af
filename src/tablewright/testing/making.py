"""Made-up values for annotations: readable, within the declared bounds, few of them where items are to share some."""

from __future__ import annotations

import dataclasses
import random
import re
import types
import typing
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any, Literal, Union, get_args, get_origin
from uuid import UUID

from pydantic import BaseModel

from tablewright.model.annotations import (
    NoneType,
    constraint,
    count_of_values,
    field_annotation,
    is_typed_dict,
    optional,
    plain,
    without_none,
)

_START = datetime(2025, 1, 1, 8, tzinfo=UTC)
_DEEPEST = 4
_ONE_IN = 4


class NotMade(Exception):
    """A field that no value can be made up for."""

    def __init__(self, field: str, why: str) -> None:
        super().__init__(why)
        self.field = field


class Values:
    """Makes values. What is made for a name and a number is always the same, so that fields of one name meet."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._left: dict[str, list[int]] = {}
        self._drawn: list[tuple[str, int]] = []

    def absent(self, name: str) -> bool:
        """Whether an optional field is to be empty this time, as it is once in every four."""
        return self._next(f"{name}?", _ONE_IN) == 0

    def one_of_stock(self, name: str, annotation: Any, stock: int) -> Any:
        """A value out of a stock of so many. Where a type has few values, all of them are made before one is made again."""
        choices = count_of_values(without_none(annotation))
        number = self._chance.randrange(stock) if choices is None else self._next(name, choices)
        return self._make(name, without_none(annotation), number, 0)

    def _next(self, name: str, choices: int) -> int:
        left = self._left.setdefault(name, [])
        if not left:
            left += self._chance.sample(range(choices), choices)
        self._drawn.append((name, left.pop()))
        return self._drawn[-1][1]

    def settle(self, *, used: bool) -> None:
        """Ends one entity. If it is not used after all, the choices that were made for it are still to come."""
        for name, number in () if used else self._drawn:
            self._left[name].insert(0, number)
        self._drawn.clear()

    def one_of_many(self, name: str, annotation: Any, number: int) -> Any:
        """The value with this number."""
        return self._make(name, without_none(annotation), number, 0)

    def later(self, annotation: Any, moment: datetime) -> Any:
        """A time at which made-up items may expire, from a day to a season after a moment."""
        kind = plain(without_none(annotation))
        then = (moment + timedelta(hours=self._chance.randrange(24, 24 * 90))).replace(microsecond=0)
        return int(then.timestamp()) if kind in (int, float) else then

    def _make(self, name: str, annotation: Any, number: int, depth: int) -> Any:
        kind = plain(annotation)
        origin, arguments = get_origin(kind), get_args(kind)
        if kind is NoneType:
            return None
        if origin is Literal:
            return arguments[number % len(arguments)]
        if origin in (Union, types.UnionType):
            rest = [a for a in arguments if a is not NoneType]
            return self._make(name, rest[number % len(rest)], number, depth)
        if isinstance(kind, type) and issubclass(kind, Enum):
            members = list(kind)
            return members[number % len(members)]
        if (origin or kind) in (list, set, frozenset, tuple, dict) or origin in _COLLECTIONS:
            return self._several(name, annotation, origin or kind, arguments, number, depth)
        if isinstance(kind, type) and kind is not Any:
            if issubclass(kind, BaseModel) or dataclasses.is_dataclass(kind) or is_typed_dict(kind):
                return self._record(name, kind, number, depth)
            return self._plain(name, annotation, kind, number)
        if kind is Any:
            return f"{_word(name)}-{number + 1}"
        raise NotMade(name, f"nothing is known of {kind!r}")

    def _several(
        self, name: str, annotation: Any, kind: Any, arguments: tuple[Any, ...], number: int, depth: int
    ) -> Any:
        kind = _COLLECTIONS.get(kind, kind)
        if kind is tuple and arguments and arguments[-1] is not Ellipsis:
            return tuple(self._make(name, a, number, depth + 1) for a in arguments)
        least, most = constraint(annotation, "min_length") or 0, constraint(annotation, "max_length")
        count = max(least, 0 if depth >= _DEEPEST else min(2, 2 if most is None else most))
        if kind is dict:
            keys, values = arguments or (str, Any)
            return {
                self._make(name, keys, i, depth + 1): self._make(name, values, number + i, depth + 1)
                for i in range(count)
            }
        inner = arguments[0] if arguments else Any
        return kind(self._make(name, inner, number + i, depth + 1) for i in range(count))

    def _record(self, name: str, kind: Any, number: int, depth: int) -> Any:
        if depth > _DEEPEST:
            raise NotMade(name, "it contains itself without end")
        hints: dict[str, Any]
        if issubclass(kind, BaseModel):
            needed = {n: f for n, f in kind.model_fields.items() if f.is_required() or not optional(f.annotation)}
            hints = {n: field_annotation(f) for n, f in needed.items()}
        else:
            hints = typing.get_type_hints(kind, include_extras=True)
            required = getattr(kind, "__required_keys__", None)
            hints = {n: a for n, a in hints.items() if required is None or n in required}
        values = {n: self._make(n, without_none(a), number, depth + 1) for n, a in hints.items()}
        if issubclass(kind, BaseModel) and kind.__pydantic_root_model__:
            return kind.model_validate(values["root"])
        return kind(**values)

    def _plain(self, name: str, annotation: Any, kind: Any, number: int) -> Any:
        if kind is bool:
            return number % 2 == 0
        if issubclass(kind, str):
            return kind(_text(name, annotation, number))
        if issubclass(kind, int | float | Decimal):
            return _number(name, annotation, kind, number)
        if kind is datetime:
            return _START + timedelta(hours=7 * number + self._chance.randrange(24 * 90))
        if kind is date:
            return (_START + timedelta(days=number + self._chance.randrange(90))).date()
        if kind is time:
            return time(number % 24, 30)
        if kind is timedelta:
            return timedelta(minutes=5 * (number + 1))
        if kind is UUID:
            return UUID(int=random.Random(f"{name}:{number}").getrandbits(128), version=4)  # noqa: S311
        if issubclass(kind, bytes):
            return kind(_text(name, annotation, number).encode())
        try:  # a type of the user's own that is made of text, such as a URL
            return kind(f"https://example.com/{_word(name)}-{number + 1}" if "url" in kind.__name__.lower() else "1")
        except (TypeError, ValueError):
            raise NotMade(name, f"nothing is known of {kind.__name__}") from None


_COLLECTIONS: Mapping[Any, type] = {
    typing.get_origin(typing.Sequence[int]): list,
    typing.get_origin(Mapping[int, int]): dict,
}


def _word(name: str) -> str:
    return re.sub(r"_(id|key|name|number)$", "", name).replace("_", "-") or name


def _text(name: str, annotation: Any, number: int) -> str:
    pattern = constraint(annotation, "pattern")
    if pattern is not None:
        return _matching(name, getattr(pattern, "pattern", pattern), number)
    text = f"{_word(name)}-{number + 1}"
    if "email" in name or "mail" in name.split("_"):
        text += "@example.com"
    elif "url" in name.split("_"):
        text = f"https://example.com/{text}"
    least, most = constraint(annotation, "min_length") or 0, constraint(annotation, "max_length")
    if most is not None and len(text) > most:
        text = str(number + 1).rjust(min(most, 4), "a")[-most:]
    if constraint(annotation, "to_upper"):
        text = text.upper()
    return text.ljust(least, "x")


def _matching(name: str, pattern: str, number: int) -> str:
    """A text that matches a pattern of the usual kind: classes, literals and counts."""
    out: list[str] = []
    left = number
    for piece in re.finditer(
        r"(\[\^?[^\]]+\]|\\[dws]|\\.|\.|[^\\^$\[\]{}*+?()|])(\{(\d+)(?:,(\d*))?\}|[*+?])?", pattern
    ):
        letters = _letters(piece[1])
        least = int(piece[3]) if piece[3] else 0 if piece[2] in ("*", "?") else 1
        for _ in range(least):
            out.append(letters[left % len(letters)])
            left //= len(letters)
    text = "".join(out)
    if not re.search(pattern, text):
        raise NotMade(name, "its pattern is too intricate")
    return text


def _letters(piece: str) -> str:
    if piece.startswith("[") and not piece.startswith("[^"):
        found = ""
        for low, high, alone in re.findall(r"(\\?.)-(\\?[^\]])|(\\?.)", piece[1:-1]):
            if low:
                found += "".join(map(chr, range(ord(low[-1]), ord(high[-1]) + 1)))
            else:
                found += _letters(alone)
        return found
    return {"\\d": "0123456789", "\\w": "abcdefghij", "\\s": " ", ".": "abcdefghij"}.get(
        piece, "abcdefghij" if piece.startswith("[^") else piece[-1]
    )


def _number(name: str, annotation: Any, kind: Any, number: int) -> Any:
    low, high = constraint(annotation, "ge"), constraint(annotation, "le")
    above, below = constraint(annotation, "gt"), constraint(annotation, "lt")
    places = constraint(annotation, "decimal_places")
    step: Any = Decimal(1).scaleb(-places) if issubclass(kind, Decimal) and places else 1
    start = low if low is not None else above + step if above is not None else 1
    fraction = Decimal(number % 10) * step if places else Decimal(number % 2) / 2
    if issubclass(kind, int) or places == 0:
        fraction = Decimal(0)
    first = Decimal(str(start))
    value = first + number + fraction
    limit = high if high is not None else below - step if below is not None else None
    if limit is not None and value > Decimal(str(limit)):
        last = Decimal(str(limit))
        span = int(last - first) + 1
        whole = first + (number % span if span > 0 else 0) if low is not None or above is not None else last
        value = next(v for v in (whole + fraction, whole + fraction - 1, whole) if v == whole or first <= v <= last)
    multiple = constraint(annotation, "multiple_of")
    if multiple is not None:
        value = Decimal(str(multiple)) * (number + 1)
    if issubclass(kind, Decimal):
        return kind(f"{value.normalize():f}")  # as tables give it back
    if issubclass(kind, float):
        return kind(float(value))
    return kind(int(value))
