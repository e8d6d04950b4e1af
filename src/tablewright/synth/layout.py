"""Layout of the code that is written: a call in one line where it fits, and else an argument a line, as formatters do."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import TypeAlias

from msgspec import Struct

WIDTH = 100
"""Columns of a line at most, but for a text that is longer by itself."""


class Nested(Struct, frozen=True):
    """What stands between brackets, and can be broken there: `sparse(` ... `)`."""

    opening: str
    parts: Sequence[Code]
    closing: str

    def __str__(self) -> str:
        return f"{self.opening}{', '.join(map(str, self.parts))}{self.closing}"


Code: TypeAlias = str | Nested


def lay_out(code: Code, indent: str, *, before: int = 0, after: int = 0) -> str:
    """The code, whose first line begins at an indent with so many columns before it and others after it. Its other lines
    are indented by themselves."""
    single = str(code)
    if isinstance(code, str) or len(indent) + before + len(single) + after <= WIDTH:
        return single
    inner = f"{indent}    "
    lines = [f"{inner}{lay_out(part, inner, after=1)}," for part in code.parts]
    return "\n".join((code.opening, *lines, f"{indent}{code.closing}"))


def comment(words: str, indent: str) -> str:
    """A comment that is wrapped, with the end of its last line."""
    start = f"{indent}# "
    lines = wrap(
        words, WIDTH, initial_indent=start, subsequent_indent=start, break_long_words=False, break_on_hyphens=False
    )
    return "".join(f"{line}\n" for line in lines)
