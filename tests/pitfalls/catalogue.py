"""The catalogue of pitfalls: read from catalogue.toml, looked for in models, and made into docs/explanation/pitfalls.md.

Run it to write the page.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from msgspec import Struct, convert

from tablewright.cli.models import load_model
from tablewright.compiler.proofs import prove
from tablewright.lint import Severity, lint
from tablewright.lint.findings import at_least
from tablewright.lint.registry import all_rules

HERE = Path(__file__).parent
MODELS = HERE / "models"
PAGE = HERE.parent.parent / "docs" / "explanation" / "pitfalls.md"
WRITE = "python -m tests.pitfalls.catalogue"


class Pitfall(Struct, frozen=True):
    """Something that goes wrong, and what finds it in the flawed model of its folder."""

    model: str
    title: str
    found_by: str
    text: str


class Chapter(Struct, frozen=True):
    """Pitfalls of one kind."""

    title: str
    pitfall: list[Pitfall]


class Elsewhere(Struct, frozen=True):
    """Something that goes wrong when a program runs, which no model shows; and what the library does about it."""

    title: str
    text: str
    answer: str
    page: str


class Catalogue(Struct, frozen=True):
    """All of them."""

    chapter: list[Chapter]
    elsewhere: list[Elsewhere]

    @property
    def pitfalls(self) -> list[Pitfall]:
        """Of all chapters."""
        return [pitfall for chapter in self.chapter for pitfall in chapter.pitfall]


CATALOGUE = convert(tomllib.loads((HERE / "catalogue.toml").read_text(encoding="utf-8")), Catalogue)


def found_in(model: Path) -> dict[str, Severity]:
    """Everything that is found in a model and not waived, written as in the catalogue, and how grave it is."""
    loaded = load_model(str(model), leniently=True)
    found: dict[str, Severity] = {f"refused {r.error.code}": "error" for r in loaded.refused if not r.follows}
    if loaded.failed is not None:
        found[f"refused {loaded.failed.code}"] = "error"
    for table in loaded.tables:
        proof = prove(table, loaded.refused)
        found |= {f"unserved {reason.kind}": "error" for pattern in proof.patterns for reason in pattern.reasons}
        found |= {f"rule {finding.code}": finding.severity for finding in at_least(lint(table, loaded.refused), "info")}
    return found


# ----------------------------------------------------------------------------------------------------------- the page

_INTRO = """<!-- Made from tests/pitfalls/catalogue.toml; edit that, and run `{write}`. -->

# Pitfalls

What goes wrong in single-table designs, again and again. Each of these {count} was written as a small model, and something finds it:
the compiler, when the file is imported, or the linter. `tablewright check` says why a pattern is not served and what would serve it,
`tablewright lint --explain CODE` explains a rule. The flawed models and the mended ones are in the project's tests."""

_ELSEWHERE = """## What no model shows

These happen when a program runs. What the library does about each is on the page that is named."""


def page() -> str:
    """The page as it should be."""
    blocks = [_INTRO.format(write=WRITE, count=len(CATALOGUE.pitfalls))]
    for chapter in CATALOGUE.chapter:
        blocks.append(f"## {chapter.title}")
        for pitfall in chapter.pitfall:
            blocks += [f"### {pitfall.title}", pitfall.text, f"{_finder(pitfall.found_by)} {_models(pitfall)}"]
    rows = [f"| {one.title} | {one.text} | {one.answer} [More]({one.page}) |" for one in CATALOGUE.elsewhere]
    blocks += [_ELSEWHERE, "\n".join(["| Pitfall | What happens | Here |", "|---|---|---|", *rows])]
    return "\n\n".join(blocks) + "\n"


def _finder(found_by: str) -> str:
    how, _, what = found_by.partition(" ")
    if how == "unserved":
        return f"*Found by the compiler: no key serves the pattern (`{what}`).*"
    if how == "refused":
        return f"*Found by the compiler: the definition is refused (`{what}`).*"
    rule: Any = all_rules()[what]
    return f"*Found by the linter: {what}, {rule.name}.*"


def _models(pitfall: Pitfall) -> str:
    folder = f"../../tests/pitfalls/models/{pitfall.model}"
    return f"[Flawed]({folder}/flawed.py), [mended]({folder}/right.py)."


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
