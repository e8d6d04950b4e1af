"""The first chapters: the model file, and the request that each access pattern becomes."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from rich.table import Table as Grid
from rich.text import Text

from tablewright._version import __version__
from tablewright.cli.tour.look import Look
from tablewright.cli.tour.shop import model
from tablewright.compiler.showing import Shown

# A key condition is a chain of terms; BETWEEN has an AND of its own.
_NEXT_TERM = re.compile(r" AND (?=\(|\w+ (?:=|<|>|BETWEEN\b)|begins_with\()| (?=… )")


def show(look: Look) -> None:
    """The model, then the requests."""
    shop = model.shop
    title = Text.assemble(
        (f"Tablewright {__version__}\n", "bold"), "One model file; everything else follows from it. Here, a small shop."
    )
    look.show(look.panel(title, style="cyan"))
    look.chapter("The model")
    look.say(f"{len(shop.entities)} entities share the table. One of them, from ", (short(model.__file__), "cyan"), ":")
    look.code(inspect.getsource(model.Order).rstrip(), below=0)
    look.chapter("Every access pattern, proved when the file is imported")
    look.say("Each is a typed function. This is the one request that it becomes, found without asking a server:")
    look.show(_patterns(look))


def short(path: str | None) -> str:
    """A path as one would type it here."""
    found = Path(path or "")
    return str(found.relative_to(Path.cwd())) if found.is_relative_to(Path.cwd()) else str(found)


def _patterns(look: Look) -> Grid:
    grid = look.grid("Pattern", "Request", "Index", "Key condition")
    grid.columns[0].min_width = max(map(len, model.shop.patterns))
    for name, variants in model.shop.plan.patterns.items():
        parameters = model.shop.patterns[name].parameters.names
        plans = sorted(variants.items(), key=lambda each: sum(given is not None for given in each[0]))
        least = plans[0][0]
        for variant, plan in plans:
            extra = [p for p, given, base in zip(parameters, variant, least, strict=True) if given != base]
            grid.add_row(*_row(name, extra, plan.shown(), plain=look.plain))
    return grid


def _row(name: str, extra: list[str], shown: Shown, *, plain: bool) -> list[str | Text]:
    title = Text("".join(f"  with {name}=..." for name in extra)) if extra else Text(name, "bold")
    if not extra and shown.note not in ("", "one item or none"):
        title.append(f"\n  {shown.note}", "not bold dim")
    condition = "\n".join(term.strip("()") for term in _NEXT_TERM.split(shown.key))
    return [title, shown.operation, shown.index or "table", condition.replace("…", "...") if plain else condition]
