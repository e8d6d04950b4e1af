"""How the values of fields look inside keys: each way of writing one that a template knows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from msgspec import Struct

from tablewright.compiler.codecs import codec_for
from tablewright.errors import TablewrightError
from tablewright.infer.values import Guess
from tablewright.model.annotations import metadata, plain
from tablewright.model.fields import Epoch
from tablewright.model.keys import Bucket, Derived
from tablewright.values.keybuilding.granularity import WIDTHS, Granularity
from tablewright.values.keycodec import KeyStyle, PartCodec, part_for
from tablewright.values.types import AttributeValue

_DIGITS = re.compile(r"[0-9]+").fullmatch
_POINT = re.compile(r"([0-9]+)\.([0-9]+)").fullmatch


class Form(Struct, frozen=True):
    """A field as it stands in a key: which one, its digits, and what is derived from it."""

    field: str
    digits: str = ""
    as_int: bool = False
    """Whether the field has to be a plain number for that, though it looks like a time."""
    bucket: Granularity | None = None

    @property
    def derived(self) -> tuple[str, Derived] | None:
        """The derived placeholder that it takes."""
        return None if self.bucket is None else (f"{self.field}_{self.bucket}", Bucket(self.field, self.bucket))

    def __str__(self) -> str:
        name = self.field if self.derived is None else self.derived[0]
        return f"{{{name}{':' + self.digits if self.digits else ''}}}"


class Writer:
    """Writes the values of one field as parts of keys."""

    def __init__(self, name: str, guess: Guess, style: KeyStyle, *, sorts: bool) -> None:
        self._name, self._style, self._sorts = name, style, sorts
        self._kind = plain(guess.annotation)
        self._epoch = metadata(guess.annotation, Epoch) is not None
        self._decode = codec_for(guess.annotation).decode
        self._parts: dict[tuple[object, ...], PartCodec] = {}

    def forms(self, value: AttributeValue, segments: list[str]) -> Iterator[tuple[str, Form]]:
        """Each text that the value can be in a key, with its form. `segments` are the parts of the key at hand, which
        tell the digits."""
        try:
            decoded: Any = self._decode(value)
        except Exception:  # not of the type that the others are
            return
        if "N" in value:
            yield from self._numbers(value["N"], decoded, segments)
        elif isinstance(decoded, datetime):
            text = self._part(datetime, decoded)
            if text is not None:
                yield text, Form(self._name)
                yield from self._buckets(text)
        elif isinstance(decoded, str | bool | date):
            text = self._part(type(decoded), decoded)
            if text:
                yield text, Form(self._name)
            if text and isinstance(decoded, date):
                yield from self._buckets(text)

    def _numbers(self, stored: str, decoded: Any, segments: list[str]) -> Iterator[tuple[str, Form]]:
        if self._epoch:
            text = self._part(datetime, decoded)
            if text is not None:
                yield text, Form(self._name)
                yield from self._buckets(text)
        try:
            number: Any = int(stored)
        except ValueError:
            number = Decimal(stored)
        kind = type(number)
        if kind is Decimal or self._kind is Decimal:
            kind, number = Decimal, Decimal(stored)
            for segment in segments:
                found = _POINT(segment)
                if found is not None:
                    width, fraction = len(found[1]), len(found[2])
                    if self._part(Decimal, number, width=width, fraction=fraction) == segment:
                        yield segment, Form(self._name, f"{width}.{fraction}")
        else:
            for segment in segments:
                if _DIGITS(segment) and self._part(int, number, width=len(segment)) == segment:
                    yield segment, Form(self._name, str(len(segment)), as_int=self._epoch)
            if self._sorts and self._style.strict:
                return  # numbers that sort have digits
        text = self._part(kind, number, plain_int=not self._sorts)
        if text is not None:
            yield text, Form(self._name, as_int=self._epoch)

    def _buckets(self, text: str) -> Iterator[tuple[str, Form]]:
        for granularity, width in WIDTHS.items():
            if width < len(text):
                yield text[:width], Form(self._name, bucket=granularity)

    def _part(self, kind: type, value: Any, **digits: Any) -> str | None:
        known = (kind, *digits.items())
        try:
            if known not in self._parts:
                self._parts[known] = part_for(kind, style=self._style, **digits)
            return self._parts[known].encode(value)
        except (TablewrightError, ValueError, TypeError, ArithmeticError):
            return None
