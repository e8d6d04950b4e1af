"""Values that are one thing, such as a time or an amount: how each stands in JSON or as text, and is read from there."""

from __future__ import annotations

import enum
from base64 import b64decode, b64encode
from collections.abc import Callable
from datetime import date, datetime, time
from decimal import Decimal, InvalidOperation
from typing import Any, Literal, get_args, get_origin
from uuid import UUID

from msgspec import Struct

from tablewright.compiler.wirecodec import format_datetime
from tablewright.model.annotations import plain

_TRUTHS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


class Unreadable(ValueError):
    """A value that must not be taken as it is. Its message says what it should be, and never what it is."""


class Leaf(Struct, frozen=True, eq=False):
    """A type of such values. What `read` cannot make anything of is handed on: the entity's own validation judges it."""

    kind: type
    write: Callable[[Any], Any]
    """The value as JSON has it."""
    read: Callable[[str], Any]
    """The value that a text stands for."""

    def taken(self, given: Any) -> Any:
        """The value, from JSON, a text or a database."""
        if isinstance(given, str):
            try:
                return self.read(given)
            except Unreadable:
                raise
            except (ValueError, InvalidOperation):
                return given
        if isinstance(given, Decimal | int) and not isinstance(given, bool) and self.kind in (Decimal, float):
            return self.kind(given)
        return given


def _bytes(text: str) -> bytes:
    try:
        return b64decode(text, validate=True)
    except ValueError:
        raise Unreadable("it should be bytes in base64") from None


def _truth(text: str) -> bool:
    try:
        return _TRUTHS[text.strip().lower()]
    except KeyError:
        raise ValueError("neither true nor false") from None


LEAVES: dict[type, Leaf] = {
    str: Leaf(str, str, str),
    int: Leaf(int, int, int),
    bool: Leaf(bool, bool, _truth),
    float: Leaf(float, float, float),
    Decimal: Leaf(Decimal, str, lambda text: Decimal(text.strip())),
    datetime: Leaf(datetime, format_datetime, lambda text: datetime.fromisoformat(text.strip())),
    date: Leaf(date, date.isoformat, lambda text: date.fromisoformat(text.strip())),
    time: Leaf(time, time.isoformat, lambda text: time.fromisoformat(text.strip())),
    UUID: Leaf(UUID, str, lambda text: UUID(text.strip())),
    bytes: Leaf(bytes, lambda value: b64encode(value).decode("ascii"), _bytes),
}


def leaf_of(annotation: Any) -> Leaf | None:
    """The leaf of an annotation; None where it is of another kind."""
    kind = plain(annotation)
    if get_origin(kind) is Literal:
        return _choice({value: value for value in get_args(kind)})
    if not isinstance(kind, type):
        return None
    if issubclass(kind, enum.Enum) and not issubclass(kind, enum.Flag):
        return _choice({member.value: member for member in kind})
    return LEAVES.get(kind)


def _choice(members: dict[Any, Any]) -> Leaf | None:
    """The leaf of a list of values, if each has a text of its own."""
    if not all(type(value) in (str, int) for value in members):
        return None
    texts = {str(value): member for value, member in members.items()}
    kinds = {type(value) for value in members}
    if len(texts) < len(members) or len(kinds) > 1:
        return None

    def read(text: str) -> Any:
        try:
            return texts[text]
        except KeyError:
            raise ValueError("none of the listed values") from None

    return Leaf(kinds.pop(), lambda member: member.value if isinstance(member, enum.Enum) else member, read)
