"""Documents as one HTML page that stands alone: its style and its pictures are in it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup, escape

from tablewright.generate.documents.blocks import Block, Heading, Picture, spans

_TEMPLATE = Path(__file__).with_name("page.html.jinja")


def to_html(title: str, blocks: Iterable[Block]) -> str:
    """The page."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters["inline"] = inline
    listed = list(blocks)
    anchors = _anchors([b.text for b in listed if isinstance(b, Heading)])
    named = iter(anchors)
    parts = [
        {
            "kind": type(block).__name__,
            "block": block,
            "anchor": next(named) if isinstance(block, Heading) else "",
            "svg": Markup(block.svg) if isinstance(block, Picture) else "",  # noqa: S704 - drawn here, its texts escaped
        }
        for block in listed
    ]
    template = environment.from_string(_TEMPLATE.read_text(encoding="utf-8"))
    return template.render(title=title, parts=parts) + "\n"


def inline(text: str) -> Markup:
    """One line of text, and code in it."""
    return Markup("").join(Markup("<code>{}</code>").format(t) if is_code else escape(t) for is_code, t in spans(text))


def _anchors(texts: list[str]) -> list[str]:
    """A name for each heading to link to, every one different."""
    found: list[str] = []
    for text in texts:
        base = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "part"
        name, number = base, 1
        while name in found:
            number += 1
            name = f"{base}-{number}"
        found.append(name)
    return found
