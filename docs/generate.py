"""Makes the pages of docs/reference/ from the code. Run `make docs` after a change; a test compares."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import get_type_hints

from describing import (
    declared,
    documented_constant,
    explained,
    fenced,
    in_one_line,
    listed_method,
    made,
    members,
    methods,
    said,
)
from recommendation_pages import recommendation_pages
from rule_pages import rule_pages
from typer import Typer
from typer.models import ArgumentInfo

import tablewright
import tablewright.evolve.jobs
import tablewright.evolve.migrations
import tablewright.evolve.moving
import tablewright.keybuilding
import tablewright.testing
from tablewright import errors
from tablewright.cli import app
from tablewright.client.settings import Environment, OpenOptions
from tablewright.engine import OPERATIONS, Engine, open_engine
from tablewright.engine.operations import LOADED
from tablewright.evolve.moving.mending import Mended
from tablewright.evolve.moving.phases import Progress
from tablewright.evolve.moving.planning import Plan
from tablewright.evolve.moving.restoring import Restored
from tablewright.evolve.moving.retiring import Archived
from tablewright.evolve.moving.settling import Repaired
from tablewright.evolve.moving.shadowing import ShadowReport
from tablewright.evolve.moving.verifying import Tally, Verification
from tablewright.evolve.moving.writing import Written
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
        "jobs": jobs(),
        "migrations": migrations(),
        "moving": moving(),
    }
    texts = {f"{name}.md": _joined(blocks) for name, blocks in parts.items()} | rule_pages() | recommendation_pages()
    return {name: f"{MADE}\n\n{text}\n" for name, text in texts.items()}


def _joined(blocks: list[str]) -> str:
    return re.sub(r"\n{3,}", "\n\n", "\n\n".join(blocks)).rstrip()


def main() -> None:
    """Writes the pages."""
    for folder in ("lint", "recommendations"):
        (REFERENCE / folder).mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (REFERENCE / name).write_text(text, encoding="utf-8")


# --------------------------------------------------------------------------------------------------------- the pages


def names() -> list[str]:
    """Everything that can be imported from `tablewright`."""
    return ["# Names", "Everything that `from tablewright import ...` offers.", _TYPES, *offered(tablewright)]


_TYPES = """In signatures, `E` is an entity's class, or an entity of it. An `AttributeSpec` is the name of a key attribute, or `number(...)` or
`binary(...)` of it; a `Projection` is `"ALL"`, `"KEYS_ONLY"` or a list of names. An `IndexSpec` is a pair of templates, or one, or
`sparse(...)`; a `Side` is a template or, for several attributes, a list of them. `Derived` is a `Shard` or a `Bucket`, a `KeyRing` a mapping
from ids to keys, `AnyStore` a `ValueStore` or an `AsyncValueStore`, `Number` an int, float or Decimal.
`OpenOptions` are [the options of opening a table](open.md#options)."""


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


def jobs() -> list[str]:
    """Everything that can be imported from `tablewright.evolve.jobs`."""
    intro = (
        "Everything that `from tablewright.evolve.jobs import ...` offers: work on every item of a table. [Run jobs]"
        "(../how-to/jobs.md) shows it at work."
    )
    words = (
        "In signatures, an `Item` is an item in DynamoDB's JSON, `Met` a function of an action and of the item that stood in its way, and "
        "`Steps[T]` a generator that asks for requests and gives `T`."
    )
    return ["# Jobs", intro, words, *offered(tablewright.evolve.jobs)]


def migrations() -> list[str]:
    """Everything that can be imported from `tablewright.evolve.migrations`."""
    intro = (
        "Everything that `from tablewright.evolve.migrations import ...` offers: what the files of `tablewright migrate` are made of. "
        "[Migrate a table](../how-to/migrations.md) says what each step does when, and who sees what meanwhile."
    )
    words = "In signatures, a `Step` is any of those below but `Migration`."
    return ["# Migrations", intro, words, *offered(tablewright.evolve.migrations)]


def moving() -> list[str]:
    """Everything that can be imported from `tablewright.evolve.moving`."""
    intro = (
        "Everything that `from tablewright.evolve.moving import ...` offers: many legacy tables that become one. [Move many tables to one]"
        "(../how-to/move-to-one-table.md) goes the whole way."
    )
    words = (
        "In signatures, `Legacy` is a legacy item as a dict of plain values, `Item` one in DynamoDB's JSON, and `Source` the name of an "
        "attribute, a `Constant`, a `Default`, or a function of the legacy item. `Tell` is a function that takes a `BadRow`. `MovingOptions` "
        "are [the options of opening a table](open.md#options), `flags=`, which is a `FlagStore`, and `timer=`, which measures how long reads "
        "take; `JobOptions` are [those of jobs](jobs.md#joboptions). What calls of a session give stands at the end."
    )
    results = [block for cls in _GIVEN_BY_MOVING for block in (f"## `{cls.__name__}`", said(cls), *members(cls))]
    return ["# Moving", intro, words, *offered(tablewright.evolve.moving), *results]


_GIVEN_BY_MOVING = (
    *(Written, Plan, Progress, Repaired, Mended, Verification, Tally),
    *(ShadowReport, Restored, Archived),
)


def offered(module: ModuleType) -> list[str]:
    """The public names of a module."""
    blocks = []
    for name in module.__all__:
        value = getattr(module, name)
        blocks.append(f"## `{name}`")
        if name == "__version__":
            blocks.append("The version of the package, as text.")
        elif inspect.isclass(value):
            blocks += [*made(value), said(value)]
            if name in _ON_THE_SESSION_PAGE:
                blocks.append(f"Its methods: [{name}](session.md#{name.lower()}).")
            else:
                blocks += members(value)
        elif inspect.isfunction(value):
            blocks += [fenced(declared(value, name)), said(value)]
        else:
            blocks.append(said(documented_constant(name)))
    return blocks


_ON_THE_SESSION_PAGE = {
    *("Session", "AsyncSession", "Transaction", "AsyncTransaction", "BatchWriter", "Results", "AsyncResults"),
    *("PlainTable", "AsyncPlainTable"),
}


def session() -> list[str]:
    """Sessions, what they return, transactions, batches and meters."""
    blocks = ["# Session", "What `table.open(...)` returns. [Opening a table](open.md) lists places and options."]
    blocks += ["## Session", said(tablewright.Session), _WORDS, *grouped(tablewright.Session)]
    blocks += ["## AsyncSession", said(tablewright.AsyncSession)]
    plain = [(n, m) for n, m in methods(tablewright.AsyncSession) if not inspect.iscoroutinefunction(m)]
    blocks += ["Every method is awaited, but for these, which give something to await, iterate or enter:"]
    lines = [line for n, m in plain if not isinstance(m, property) for line in listed_method(n, m)[:1]]
    blocks += ["\n".join([*lines, *(f"- `.{n}`" for n, m in plain if isinstance(m, property))])]
    for cls in (tablewright.Results, tablewright.AsyncResults, tablewright.Page, tablewright.Transaction):
        blocks += explained(cls)
    blocks += ["## AsyncTransaction", said(tablewright.AsyncTransaction), "Its methods are those of Transaction."]
    for cls in (
        tablewright.BatchWriter,
        tablewright.Meter,
        tablewright.Sent,
        tablewright.Capacity,
        tablewright.PlainTable,
    ):
        blocks += explained(cls)
    blocks += ["## AsyncPlainTable", said(tablewright.AsyncPlainTable)]
    return blocks


def grouped(cls: type) -> list[str]:
    """The methods of a session by what they are for; each must be in one of the groups."""
    known = dict(methods(cls))
    blocks: list[str] = []
    for title, names in _GROUPS.items():
        lines = [line for name in names.split() for line in listed_method(name, known.pop(name))]
        blocks += [f"### {title}", "\n".join(lines)]
    assert not known, f"no group has {', '.join(known)}"
    return blocks


_GROUPS = {
    "Reading": "get run execute query get_many tally changes",
    "Writing one item": "create put save upsert update increment apply apply_only edit revise",
    "Deleting": "delete undelete purge delete_collection",
    "Belongings": "belongings erase",
    "Writing several items": "transaction batch",
    "Counters": "count_up total",
    "Trees": "load_tree expand_node save_tree preview_tree remove_tree",
    "Links and copies": "link stale_copies refresh_copies",
    "Maintenance": (
        "statement scan_for_maintenance sweep_for_maintenance claim_unique orphaned_values decode decode_record"
    ),
    "The table": "table_name create_table ensure_table add_missing_indexes delete_table",
    "The session": "measure collector track recommendations send boto3_client close",
}

_WORDS = """In signatures, `E` is an entity's class, and what is written as `E` an entity of it. A `Target[E]` is an entity, a
`key(...)`, or a pattern's read that gets one item. `Conditions` are one condition, such as `Order.total > 10`, or a list of them.
An `Expectation` is the version that is expected, a time where the entity is locked by time, or None for an item without one. An
`Op` is what patterns, `query(...)`, `get(...)` and `collect(...)` describe; `S` is what running it gives. In
results, `T` is what the query reads."""


def opening() -> list[str]:
    """The ways to open a table."""
    blocks = ["# Opening a table"]
    for name in ("open", "open_async"):
        method = getattr(tablewright.Table, name)
        blocks += [fenced(declared(method, name)), said(method)]
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
    blocks += ["## RetryPolicy", *made(tablewright.RetryPolicy), said(tablewright.RetryPolicy)]
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
        "`python -m tablewright` is the same. A command ends with 1 where it did its work and the answer is no (something was found, differs, does not fit), and with 2 and a message where it could not do it. `--help` works everywhere, "
        "and `tablewright --version` prints the version.",
    ]
    for name, function in _functions(app):
        blocks += [f"## tablewright {name}", said(function)]
        rows = []
        for option, hint in get_type_hints(function, include_extras=True).items():
            for mark in getattr(hint, "__metadata__", ()):
                given = option.upper() if isinstance(mark, ArgumentInfo) else f"--{option.replace('_', '-')}"
                # In an annotation the first name of an option stands where its default would.
                flag = mark.default if isinstance(mark.default, str) else next(iter(mark.param_decls or ()), given)
                rows.append(f"| `{flag}` | {mark.help} |")
        if rows:
            blocks.append("\n".join(["| Option | Meaning |", "|---|---|", *rows]))
    return blocks


def _functions(commands: Typer, before: str = "") -> Iterator[tuple[str, Callable[..., object]]]:
    """The functions behind the commands by their names, those of groups such as `design` with the group's name before."""
    for command in commands.registered_commands:
        assert command.callback is not None
        yield f"{before}{command.name or command.callback.__name__}", command.callback
    for group in commands.registered_groups:
        assert group.typer_instance is not None
        yield from _functions(group.typer_instance, f"{before}{group.typer_instance.info.name} ")


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
        "Any other operation is refused with `UnknownOperationException`. In Python that is a `RequestRefused` whose "
        "`wire_name` is `UnknownOperationException`.",
        "## `open_engine`",
        fenced(declared(open_engine, "open_engine")),
        said(open_engine),
        *explained(Engine),
        "## `Server`",
        fenced(declared(Server.__init__, "Server", result=False)),
        said(Server),
        *made(Settings),
        said(Settings),
        "## `serve_in_thread`",
        fenced(declared(serve_in_thread, "serve_in_thread")),
        said(serve_in_thread),
    ]


if __name__ == "__main__":
    main()
