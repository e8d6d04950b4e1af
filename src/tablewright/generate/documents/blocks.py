"""What documents are made of: blocks of text, in which `code()` marks what is code. Each form of output writes them its way.

Whatever a model says is text there: the marks are characters that no text has, so that nothing in it can be taken for one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from msgspec import Struct


class Heading(Struct, frozen=True):
    """A heading; 1 is that of a document."""

    level: int
    text: str


class Text(Struct, frozen=True):
    """A paragraph."""

    text: str


class Bullets(Struct, frozen=True):
    """A list; where `done` is given, one of boxes to tick."""

    items: tuple[str, ...]
    done: tuple[bool, ...] | None = None


class Grid(Struct, frozen=True):
    """A table of texts."""

    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Listing(Struct, frozen=True):
    """Text of a program or diagram, as it is."""

    language: str
    text: str


class Picture(Struct, frozen=True):
    """A drawing. `name` is that of its file where it stands apart."""

    name: str
    title: str
    svg: str


Block: TypeAlias = Heading | Text | Bullets | Grid | Listing | Picture


_BEGIN, _END = "\x02", "\x03"
_CODE = re.compile(f"{_BEGIN}([^{_BEGIN}{_END}]*){_END}")
_MARK = re.compile(f"[{_BEGIN}{_END}]")
_NO_TEXT = re.compile("[\x00\x01\x04-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
"""What no text has, or none may have, besides the marks: XML allows none of these."""


def code(text: str) -> str:
    """Text as code within a block."""
    shown = plain_line(text)
    return f"{_BEGIN}{shown}{_END}" if shown else ""


def prose(text: str) -> str:
    """What people wrote, where pairs of backticks make code."""
    return re.sub("`([^`]+)`", lambda found: code(found[1]), plain_line(text))


def spans(text: str) -> Iterator[tuple[bool, str]]:
    """The pieces of a text of a block, on one line: whether each is code, and what it says."""
    for number, piece in enumerate(_CODE.split(_one_line(text))):
        if shown := _MARK.sub("", piece):
            yield bool(number % 2), shown


def codes(texts: Sequence[str]) -> str:
    """Several of them, with commas between."""
    return ", ".join(code(text) for text in texts)


def plain_line(text: str) -> str:
    """Text without its line breaks, and without what no text should have."""
    return _one_line(_MARK.sub("", text))


def _one_line(text: str) -> str:
    # Once more after the rest has gone: what stood between two spaces leaves both.
    return " ".join(_NO_TEXT.sub("", " ".join(text.split())).split())


def lowered(blocks: Sequence[Block], by: int) -> list[Block]:
    """The same blocks as a part of a larger document: their headings stand lower."""
    return [Heading(b.level + by, b.text) if isinstance(b, Heading) else b for b in blocks]
