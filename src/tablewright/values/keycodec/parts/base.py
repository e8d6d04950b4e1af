"""What every part encoder offers: one value of a declared type as text inside a key, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from tablewright.errors import KeyValueError


class PartCodec(Protocol):
    """One value of a declared type as key text that is safe to join, injective and exactly invertible."""

    kind: str
    """What the values are, for messages."""
    ordered: bool = True
    """Whether text order equals value order."""
    discrete: bool = False
    """Whether `before` knows the next smaller value."""
    fixed_width: int | None = None
    """Characters of every encoded text, when all have the same."""
    max_bytes: int | None = None
    """Most UTF-8 bytes that an encoded text can take, when that is known."""
    alphabet: frozenset[str] | None = None
    """Characters that an encoded text can hold; None when it can hold any."""
    required: frozenset[str] = frozenset()
    """Characters that every encoded text holds."""
    choices: Sequence[str] | None = None
    """All encoded texts, sorted, when they are few and known."""

    def encode(self, value: Any) -> str:
        """The text of a value; raises KeyValueError for one that cannot stand in a key."""
        ...

    def decode(self, text: str) -> Any:
        """The value of a text that `encode` made; raises KeyValueError for any other text."""
        ...

    def before(self, value: Any) -> Any | None:
        """The largest value smaller than this one, or None when there is none or the type is not discrete."""
        return None

    def possible_literals(self, literal: str) -> bool:
        """Whether an encoded text can equal this literal."""
        try:
            self.decode(literal)
        except KeyValueError:
            return False
        return True


def may_share_text(one: PartCodec, other: PartCodec) -> bool:
    """Whether the two can produce the same text; True unless that is excluded."""
    if one.choices is not None:
        return any(other.possible_literals(text) for text in one.choices)
    if other.choices is not None:
        return any(one.possible_literals(text) for text in other.choices)
    if one.fixed_width is not None and other.fixed_width is not None and one.fixed_width != other.fixed_width:
        return False
    for left, right in ((one, other), (other, one)):
        if right.alphabet is not None and not left.required <= right.alphabet:
            return False
        # A character takes at least one byte.
        if left.fixed_width is not None and right.max_bytes is not None and right.max_bytes < left.fixed_width:
            return False
    return one.alphabet is None or other.alphabet is None or not one.alphabet.isdisjoint(other.alphabet)


def wrong_type(kind: str, value: object) -> KeyValueError:
    """The error for a value of another type than the field declares."""
    return KeyValueError(f"needs {kind}, not {type(value).__name__}.", constraint="type")


def not_written_here(kind: str) -> KeyValueError:
    """The error for key text that the encoder would not have written."""
    return KeyValueError(f"the key text is not {kind} as the key codec writes it.", constraint="encoded")
