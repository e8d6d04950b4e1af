"""Documents as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tablewright.generate.documents.blocks import Block, Bullets, Grid, Heading, Listing, Picture, Text, spans

_SPECIAL = re.compile(r"([\\`*_<>\[\]~&])")
_AT_START = re.compile(r"^(\d*)(?=[#+.)=-])")
"""What would begin a heading or a list, or make one of the line above."""


def to_markdown(blocks: Iterable[Block], *, pictures: str = "pictures") -> str:
    """The text of a document; pictures are shown from that folder."""
    return "\n\n".join(_block(block, pictures) for block in blocks) + "\n"


def _block(block: Block, pictures: str) -> str:
    match block:
        case Heading(level, text):
            return "#" * level + " " + re.sub(r"#$", r"\\#", inline(text))
        case Text(text):
            return _line(text)
        case Bullets(items, done):
            marks = ["- "] * len(items) if done is None else [f"- [{'x' if d else ' '}] " for d in done]
            return "\n".join(mark + _line(item) for mark, item in zip(marks, items, strict=True))
        case Grid(headers, rows):
            return "\n".join([_row(headers), _row(["---"] * len(headers)), *(_row(row) for row in rows)])
        case Listing(language, text):
            return fenced(language, text)
        case Picture(name, title, _):
            return f"![{inline(title)}]({pictures}/{name}.svg)"


def fenced(language: str, text: str) -> str:
    """A listing, between more backticks than there are in it."""
    fence = _ticks(text, 3)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def _line(text: str) -> str:
    return _AT_START.sub(r"\1\\", inline(text))


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(map(cell, cells)) + " |"


def cell(text: str) -> str:
    """One line of text in a table."""
    return inline(text).replace("|", "\\|")


def inline(text: str) -> str:
    """One line of text, in which only what is marked as code is anything but text."""
    return "".join(_code(piece) if is_code else _SPECIAL.sub(r"\\\1", piece) for is_code, piece in spans(text))


def _ticks(text: str, least: int) -> str:
    return "`" * max([least, *(len(run) + 1 for run in re.findall("`+", text))])


def _code(text: str) -> str:
    """Between more backticks than there are in it."""
    ticks = _ticks(text, 1)
    room = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{room}{text}{room}{ticks}"
