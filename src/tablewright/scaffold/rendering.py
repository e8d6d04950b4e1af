"""Templates to text: they lie beside this file, as they will stand in what is made."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

TEMPLATES = Path(__file__).parent / "templates"


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - Python and Markdown are written, no HTML
    )


def rendered(template: str, **words: Any) -> str:
    """A template by its path below `templates`, filled in."""
    return _environment().get_template(template).render(**words)
