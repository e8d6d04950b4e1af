"""The pages of docs/reference/recommendations/: one for each rule of advice, made from its docstring, and a list of all."""

from __future__ import annotations

import inspect

from tablewright.observe.advising import all_rules
from tablewright.observe.recommendation import Rule

_INTRO = """What the figures of a table's use can lead to. [Get advice](../../how-to/advice.md) tells how they are gathered and asked. Each rule says
nothing until it has seen enough, and names its figures. *Errors* are throttled or refused, or soon will be; *warnings* cost time or money;
*info* is worth knowing."""


def recommendation_pages() -> dict[str, str]:
    """The text of every page by its file name."""
    pages = {"index": _index()} | {name: _page(name, rule) for name, rule in all_rules().items()}
    return {f"recommendations/{name}.md": "\n\n".join(blocks) for name, blocks in pages.items()}


def _index() -> list[str]:
    rows = [f"| [{name}]({name}.md) | {_paragraphs(rule)[0]} |" for name, rule in all_rules().items()]
    return ["# Recommendations", _INTRO, "\n".join(["| Rule | Finds |", "|---|---|", *rows])]


def _page(name: str, rule: Rule) -> list[str]:
    return [f"# {name}", "*[All recommendations](index.md)*", *_paragraphs(rule)]


def _paragraphs(rule: Rule) -> list[str]:
    """What a rule says of itself; a line that begins with > shows what it says to others."""
    text = inspect.cleandoc(rule.__doc__ or "")
    return [" ".join(paragraph.split()) for paragraph in text.split("\n\n")]
