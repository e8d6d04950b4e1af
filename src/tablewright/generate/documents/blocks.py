"""What documents are made of: blocks whose text may hold `code` between backticks. Each form of output writes them its way."""

from __future__ import annotations

from collections.abc import Sequence
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


def code(text: str) -> str:
    """Text as code within a block. A backtick cannot stand there, so it becomes an apostrophe."""
    return f"`{one_line(text).replace('`', chr(39))}`" if text else ""


def codes(texts: Sequence[str]) -> str:
    """Several of them, with commas between."""
    return ", ".join(code(text) for text in texts)


def one_line(text: str) -> str:
    """Text without its line breaks."""
    return " ".join(text.split())


def lowered(blocks: Sequence[Block], by: int) -> list[Block]:
    """The same blocks as a part of a larger document: their headings stand lower."""
    return [Heading(b.level + by, b.text) if isinstance(b, Heading) else b for b in blocks]
