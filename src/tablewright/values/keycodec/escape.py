"""Escaping of one value inside a key: every character at or below `%` becomes `%XX`, nothing else changes.

`#` separates, `$` bounds ranges and `%` escapes; with all three and everything below them gone from values, byte order
of keys equals order of values, and a parent's range holds its descendants only.
"""

from __future__ import annotations

import re

from tablewright.errors import KeyValueError

SEPARATOR = "#"
BOUND = "$"
ESCAPE = "%"

needs_escape = re.compile(f"[\x00-{ESCAPE}\ud800-\udfff]").search
"""A match when the text is not its own escaped form."""
_surrogate = re.compile("[\ud800-\udfff]").search
_table = {code: f"%{code:02X}" for code in range(ord(ESCAPE) + 1)}
_malformed = re.compile("[\x00-$]|%(?!(?:[01][0-9A-F]|2[0-5]))").search
_escaped = re.compile("%(..)").sub


def escape(text: str) -> str:
    """The text as it stands in a key; lone surrogates are refused."""
    if needs_escape(text) is None:
        return text
    refuse_surrogates(text)
    return text.translate(_table)


def unescape(text: str) -> str:
    """The exact inverse of escape; anything that escape would not have written is refused."""
    if needs_escape(text) is None:
        return text
    refuse_surrogates(text)
    if _malformed(text) is not None:
        raise KeyValueError(
            "A key part is not in the form that the key codec writes.",
            constraint="escaped",
            hint="It was written by something else: adopt the table with its own key style.",
        )
    return _escaped(lambda found: chr(int(found[1], 16)), text)


def refuse_surrogates(text: str) -> None:
    """Raise KeyValueError when the text holds a lone surrogate."""
    if _surrogate(text) is not None:
        raise KeyValueError(
            "A lone surrogate cannot stand in a key.",
            constraint="utf-8",
            hint="Decode the text with its right encoding before using it.",
        )
