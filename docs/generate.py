"""Makes the pages of docs/reference/ from the code. Run `make docs` after a change; a test compares."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any, get_type_hints

from typer.models import ArgumentInfo

import tablewright
import tablewright.keybuilding
import tablewright.testing
from tablewright import errors
from tablewright.cli import app
from tablewright.client.metering import Meter, Sent
from tablewright.client.settings import Environment, OpenOptions
from tablewright.engine import OPERATIONS, Engine, open_engine
from tablewright.engine.operations import LOADED
from tablewright.server import Server, serve_in_thread
from tablewright.server.settings import Settings

REFERENCE = Path(__file__).parent / "reference"
MADE = "<!-- Made from the code by docs/generate.py; edit the docstrings instead. -->"


def pages() -> dict[str, str]:
    """The text of every page by its file name."""
    parts = {
        "names": names(),
        "session": session(),
        "open": opening(),
        "errors": error_tree(),
        "cli": commands(),
        "engine": engine(),
        "testing": testing(),
        "keybuilding": key_building(),
    }
    return {f"{name}.md": f"{MADE}\n\n" + "\n\n".join(blocks) + "\n" for name, blocks in parts.items()}


def main() -> None:
    """Writes the pages."""
    REFERENCE.mkdir(exist_ok=True)
    for name, text in pages().items():
        (REFERENCE / name).write_text(text, encoding="utf-8")


# ------------------------------------------------------------------------------------------------------- reading code


def said(thing: object) -> str:
    """A docstring as Markdown: what is indented, or drawn, stays as it is."""
    return inspect.cleandoc(thing.__doc__ or "") if not isinstance(thing, str) else inspect.cleandoc(thing)


def in_one_line(text: str) -> str:
    """The first paragraph, fit for a list or a table."""
    return " ".join(text.split("\n\n", maxsplit=1)[0].split()).replace("|", "\\|")


def called(function: Callable[..., Any], name: str | None = None) -> str:
    """How a function is called: its parameters as they are written, without self."""
    signature = inspect.signature(function)
    shown: list[str] = []
    keyword_only = False
    for parameter in signature.parameters.values():
        if parameter.name in ("self", "cls"):
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            shown.append("*")
        variable = parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        stars = "" if not variable else "*" if parameter.kind is parameter.VAR_POSITIONAL else "**"
        keyword_only = keyword_only or stars == "*"
        shown.append(stars + parameter.name + _default(parameter))
    return f"{name or function.__name__}({', '.join(shown)})"


def _default(parameter: inspect.Parameter) -> str:
    if parameter.default is parameter.empty:
        return ""
    simple = parameter.default is None or isinstance(parameter.default, bool | int | float | str)
    return f"={parameter.default!r}" if simple else "=..."


def methods(cls: type) -> Iterator[tuple[str, Any]]:
    """The public methods of a class, base classes first, each in the order of the source."""
    seen: dict[str, Any] = {}
    for base in reversed(cls.__mro__[:-1]):
        if base.__module__.startswith("tablewright"):
            seen.update({n: v for n, v in vars(base).items() if not n.startswith("_")})
    for name, value in seen.items():
        found = value.fget if isinstance(value, property) else value
        if inspect.isfunction(found):
            yield name, value


def explained(cls: type) -> list[str]:
    """A class with its methods."""
    blocks = [f"## {cls.__name__}", said(cls)]
    lines = []
    for name, method in methods(cls):
        if isinstance(method, property):
            lines.append(f"- `.{name}`: {in_one_line(said(method))}")
        else:
            first, _, more = said(method).partition("\n\n")
            lines.append(f"- **`{called(method, name)}`**: {' '.join(first.split())}")
            lines.extend(f"\n  {' '.join(part.split())}\n" for part in more.split("\n\n") if part)
    return [*blocks, "\n".join(lines)] if lines else blocks


def _documented_constant(name: str) -> str:
    """The string below an assignment, which Python itself forgets."""
    for module in list(sys.modules.values()):
        if (
            not isinstance(module, ModuleType)
            or not module.__name__.startswith("tablewright.")
            or name not in vars(module)
        ):
            continue
        body = ast.parse(inspect.getsource(module)).body
        for statement, after in pairwise(body):
            targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
            named = any(isinstance(t, ast.Name) and t.id == name for t in targets)
            if named and isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
                return str(after.value.value)
    return ""


# --------------------------------------------------------------------------------------------------------- the pages


def names() -> list[str]:
    """Everything that can be imported from `tablewright`."""
    return ["# Names", "Everything that `from tablewright import ...` offers.", *offered(tablewright)]


def testing() -> list[str]:
    """Everything that can be imported from `tablewright.testing`."""
    intro = (
        "Everything that `from tablewright.testing import ...` offers. [Test your application](../how-to/testing.md) tells of "
        "the fixtures, which pytest finds by itself, and [faults](../how-to/faults.md) how faults strike."
    )
    return ["# Testing", intro, *offered(tablewright.testing)]


def key_building() -> list[str]:
    """Everything that can be imported from `tablewright.keybuilding`."""
    intro = (
        "Everything that `from tablewright.keybuilding import ...` offers: keys built and cut by hand. [Build keys by hand]"
        "(../how-to/build-keys.md) shows them at work."
    )
    return ["# Building keys", intro, *offered(tablewright.keybuilding)]


def offered(module: ModuleType) -> list[str]:
    """The public names of a module."""
    blocks = []
    for name in module.__all__:
        value = getattr(module, name)
        if name == "__version__":
            heading, text = name, "The version of the package, as text."
        elif inspect.isclass(value):
            own = value if name == "RetryPolicy" else vars(value).get("__init__")
            shows = (
                (own is value or inspect.isfunction(own))
                and not issubclass(value, tablewright.Entity)
                and name not in _MADE_FOR_YOU
            )
            heading, text = called(own, name) if own is not None and shows else name, said(value)
        elif inspect.isfunction(value):
            heading, text = called(value), said(value)
        else:
            heading, text = name, said(_documented_constant(name))
        blocks += [f"## `{heading}`", text]
        if name in ("Query", "Get", "Collection"):
            blocks += explained(value)[2:]
    return blocks


_MADE_FOR_YOU = {
    *("Session", "AsyncSession", "Transaction", "AsyncTransaction", "BatchWriter", "Page", "Capacity", "Stored"),
    *("Query", "Get", "Collection", "Key", "PlainTable", "AsyncPlainTable"),
}
"""Classes that users meet but do not construct."""


def session() -> list[str]:
    """Sessions, what they return, transactions, batches and meters."""
    blocks = ["# Session", "What `table.open(...)` returns. [Opening a table](open.md) lists places and options."]
    blocks += explained(tablewright.Session)
    blocks += ["## AsyncSession", said(tablewright.AsyncSession)]
    plain = [f"`{n}`" for n, m in methods(tablewright.AsyncSession) if not inspect.iscoroutinefunction(m)]
    blocks += [f"Every method is awaited, but for {', '.join(plain)}: these give something to await, iterate or enter."]
    for cls in (tablewright.Results, tablewright.Page, tablewright.Transaction, tablewright.BatchWriter, Meter, Sent):
        blocks += explained(cls)
    blocks += explained(tablewright.Capacity)
    blocks += explained(tablewright.PlainTable)
    blocks += ["## AsyncPlainTable", said(tablewright.AsyncPlainTable)]
    return blocks


def opening() -> list[str]:
    """The ways to open a table."""
    blocks = ["# Opening a table", f"`{called(tablewright.Table.open)}`", said(tablewright.Table.open)]
    blocks += [f"`{called(tablewright.Table.open_async)}`", said(tablewright.Table.open_async)]
    known = {}
    for paragraph in said(OpenOptions).split("\n\n")[1:]:
        text = " ".join(paragraph.split())
        for each in re.finditer(r"((?:`\w+`(?: and )?)+): (.+?)(?= `\w+`(?: and `\w+`)?: |$)", text):
            meaning = each[2][0].upper() + each[2][1:]
            known.update(dict.fromkeys(re.findall(r"`(\w+)`", each[1]), meaning))
    rows = [f"| `{o}` | `{k}` | {known[o]} |" for o, k in OpenOptions.__annotations__.items()]
    kinds = [
        re.sub(r"ForwardRef\('(.*?)'.*\)`", lambda f: f[1].replace("|", "\\|").removeprefix("caching.") + "`", row)
        for row in rows
    ]
    blocks += ["## Options", "\n".join(["| Option | Type | Meaning |", "|---|---|---|", *kinds])]
    blocks += ["## Environment", said(Environment.read), "What is given to `open()` wins."]
    blocks += ["## RetryPolicy", f"`{called(tablewright.RetryPolicy)}`", said(tablewright.RetryPolicy)]
    return blocks


def error_tree() -> list[str]:
    """Every error with its code."""
    head = (
        "Every error derives from `TablewrightError`. Catch by class or by `code`; both are stable. `message` says what was "
        "wrong and where, `hint` what to do next. Messages never hold values of items. Errors marked *retryable* may pass "
        "when tried again later; the session has tried already."
    )
    wire: dict[str, list[str]] = {}
    for name, kind in errors.BY_WIRE_NAME.items():
        wire.setdefault(kind.__name__, []).append(name)
    rows = [f"| `{kind}` | {', '.join(f'`{n}`' for n in sorted(names))} |" for kind, names in sorted(wire.items())]
    return [
        "# Errors",
        "Import them from `tablewright.errors`.",
        head,
        "\n".join(_branch(errors.TablewrightError, 0)),
        "## Names on the wire",
        "What DynamoDB calls them.",
        "\n".join(["| Error | DynamoDB's exceptions |", "|---|---|", *rows]),
    ]


def _branch(kind: type[errors.TablewrightError], depth: int) -> Iterator[str]:
    marks = f"`{kind.code}`, {kind.category}" + (", *retryable*" if kind.retryable else "")
    yield f"{'  ' * depth}- **{kind.__name__}** ({marks}): {in_one_line(said(kind))}"
    for child in kind.__subclasses__():
        if child.__module__ == errors.__name__:
            yield from _branch(child, depth + 1)


def commands() -> list[str]:
    """Every command with its options."""
    blocks = [
        "# Command line",
        "`python -m tablewright` is the same. Errors end with 1 and a message, wrong usage with 2. `--help` works everywhere, "
        "and `tablewright --version` prints the version.",
    ]
    for command in app.registered_commands:
        assert command.callback is not None
        name = command.name or command.callback.__name__
        blocks += [f"## tablewright {name}", said(command.callback)]
        rows = []
        for option, hint in get_type_hints(command.callback, include_extras=True).items():
            for mark in getattr(hint, "__metadata__", ()):
                given = option.upper() if isinstance(mark, ArgumentInfo) else f"--{option.replace('_', '-')}"
                # In an annotation the first name of an option stands where its default would.
                flag = mark.default if isinstance(mark.default, str) else next(iter(mark.param_decls or ()), given)
                rows.append(f"| `{flag}` | {mark.help} |")
        if rows:
            blocks.append("\n".join(["| Option | Meaning |", "|---|---|", *rows]))
    return blocks


def engine() -> list[str]:
    """Every operation of the engine, with what its action says of itself; the engine and the server from Python."""
    rows = []
    for name in sorted(OPERATIONS):
        module = sys.modules[LOADED[name][0].__module__]
        meaning = in_one_line(said(module)).removeprefix(f"{name}: ")
        rows.append(f"| `{name}` | {meaning[0].upper()}{meaning[1:]} |")
    return [
        "# The engine",
        "What the embedded engine answers, in process and over HTTP. [How close it is to DynamoDB]"
        "(../explanation/engine-fidelity.md) tells what differs.",
        "\n".join(["| Operation | What it does |", "|---|---|", *rows]),
        "Any other operation is refused with `UnknownOperationException`.",
        f"## `{called(open_engine)}`",
        said(open_engine),
        *explained(Engine),
        f"## `{called(Server.__init__, 'Server')}`",
        said(Server),
        f"`{called(Settings)}`",
        said(Settings),
        f"## `{called(serve_in_thread)}`",
        said(serve_in_thread),
    ]


if __name__ == "__main__":
    main()
