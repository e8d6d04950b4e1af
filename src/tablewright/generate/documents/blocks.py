"""Pieces of Markdown, written so that the same content is always the same text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def heading(text: str, level: int = 1) -> str:
    """A heading; lines of its text become one."""
    return f"{'#' * level} {one_line(text)}"


def code(text: str) -> str:
    """Text as code. What holds a backtick gets longer fences, as Markdown wants it."""
    fence = "``" if "`" in text else "`"
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def one_line(text: str) -> str:
    """Text without its line breaks."""
    return " ".join(text.split())


def table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; a row is a line."""
    lines = [headers, ["---"] * len(headers), *rows]
    return "\n".join("| " + " | ".join(_cell(cell) for cell in line) + " |" for line in lines)


def _cell(text: str) -> str:
    return one_line(text).replace("|", "\\|")


def page(*blocks: str) -> str:
    """Blocks with an empty line between them; empty blocks are left out."""
    return "\n\n".join(block for block in blocks if block) + "\n"
