"""The few shapes that pictures are made of. Coordinates are whole pixels, so that the same model is the same text."""

from __future__ import annotations

import unicodedata
from html import escape as escaped

from tablewright.generate.documents.blocks import plain_line

LINE = 20
"""The height of a line of text."""
INK, SOFT, FAINT, PAPER = "#1f2933", "#52606d", "#cbd2d9", "#ffffff"
FAMILIES = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"
COLOURS = ("#dbeafe", "#dcfce7", "#fef3c7", "#fce7f3", "#ede9fe", "#cffafe", "#ffedd5", "#e2e8f0", "#fee2e2", "#ecfccb")
"""Backgrounds that tell entities apart; dark text is readable on each."""


def width_of(text: str) -> int:
    """How many pixels a text takes, rather too many than too few."""
    columns = sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
    return int(columns * 7.3) + 1


def colour_of(number: int) -> str:
    """The background of the entity with this number."""
    return COLOURS[number % len(COLOURS)]


def shortened(text: str, columns: int) -> str:
    """Text of at most so many characters."""
    return text if len(text) <= columns else text[: columns - 1] + "…"


def escape(content: str) -> str:
    """Text as it stands in XML, which allows few control characters."""
    return escaped(plain_line(content))


def text(x: int, y: int, content: str, *, bold: bool = False, fill: str = INK, anchor: str = "start") -> str:
    """A line of text whose middle is at this height."""
    weight = ' font-weight="bold"' if bold else ""
    at = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text x="{x}" y="{y + 4}" fill="{fill}"{weight}{at}>{escape(content)}</text>'


def label(x: int, y: int, content: str) -> str:
    """Text over a line, which stays readable."""
    halo = f'paint-order="stroke" stroke="{PAPER}" stroke-width="4"'
    return (
        f'<text x="{x}" y="{y + 4}" fill="{SOFT}" font-size="11" text-anchor="middle" {halo}>{escape(content)}</text>'
    )


def box(x: int, y: int, width: int, height: int, *, fill: str = PAPER, dashed: bool = False) -> str:
    """A rectangle."""
    dashes = ' stroke-dasharray="4 3"' if dashed else ""
    place = f'x="{x}" y="{y}" width="{width}" height="{height}"'
    return f'<rect {place} fill="{fill}" stroke="{FAINT}"{dashes}/>'


def path(steps: str, *, dashed: bool = False) -> str:
    """A line along a path."""
    dashes = ' stroke-dasharray="4 3"' if dashed else ""
    return f'<path d="{steps}" fill="none" stroke="{SOFT}" stroke-width="1.3"{dashes}/>'


def drawing(title: str, width: int, height: int, shapes: list[str]) -> str:
    """A whole picture; its title is read out to whoever cannot see it."""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="{escape(title)}" font-family="{FAMILIES}" font-size="12">'
    )
    return "\n".join([head, f"<title>{escape(title)}</title>", box(0, 0, width, height), *shapes, "</svg>"]) + "\n"
