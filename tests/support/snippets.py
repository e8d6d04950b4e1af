"""Finds the runnable snippets of a Markdown file and runs them as a reader would: in order, in one place.

    ```python                      run; all python snippets of a file share one namespace
    ```python file=shop.py         written to that file first, so that later commands can name it, then run
    ```python add=shop.py          the same at the end of that file, for pages that build it piece by piece
    ```python wrong=shop.py        written to that file and not run, because it is wrong on purpose
    ```markdown file=README.md     written to that file, for commands that read it
    ```console                     `$ tablewright …` lines run; the lines below each must appear in its output; one that ends in … may go on
    ```console exit=1              the same for commands that must fail
    ```python no-run: reason       not run, and the reader of the source sees why

Each file gets a fresh, empty working directory.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path

TIMEOUT_SECONDS = 300

_ROOT = Path(__file__).parent.parent.parent

_FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>`{3,})(?P<info>[^`]*)$")


@dataclass(slots=True)
class Snippet:
    """One fenced block: `line` is where its first line stands, counted from 1."""

    language: str
    text: str
    line: int
    file: str | None = None
    added: bool = False
    only_kept: bool = False
    """Written to its file, and not run."""
    exit_code: int = 0


@dataclass(slots=True)
class Command:
    """One `$ ` line of a console snippet and the output lines shown below it."""

    text: str
    line: int
    shown: list[str] = field(default_factory=list)


def find_snippets(markdown: str) -> list[Snippet]:
    """The snippets to run, in order. Raises ValueError for an info string that means nothing."""
    snippets: list[Snippet] = []
    lines = iter(enumerate(markdown.splitlines(), 1))
    for number, line in lines:
        fence = _FENCE.match(line)
        if fence is None:
            continue
        closing = re.compile(rf"^ *`{{{len(fence['ticks'])},}} *$")
        body: list[str] = []
        for _, inner in lines:
            if closing.match(inner):
                break
            body.append(inner.removeprefix(fence["indent"]))
        else:
            raise ValueError(f"line {number}: this fence is never closed")
        snippet = _read_info(fence["info"].strip(), "\n".join(body), number + 1)
        if snippet is not None:
            snippets.append(snippet)
    return snippets


def _read_info(info: str, text: str, line: int) -> Snippet | None:
    language, _, options = info.partition(" ")
    if language not in ("python", "console") and not (language == "markdown" and options):
        return None
    if options.startswith("no-run"):
        if not re.match(r"no-run: *\S", options):
            raise ValueError(f"line {line - 1}: no-run needs its reason: no-run: why")
        return None
    snippet = Snippet(language, text, line)
    for option in options.split():
        name, _, value = option.partition("=")
        if language == "python" and name in ("file", "add", "wrong") and re.fullmatch(r"[\w.-]+", value):
            snippet.file, snippet.added, snippet.only_kept = value, name == "add", name == "wrong"
        elif language == "markdown" and name == "file" and re.fullmatch(r"[\w.-]+", value):
            snippet.file, snippet.only_kept = value, True
        elif language == "console" and name == "exit" and value.isdecimal():
            snippet.exit_code = int(value)
        else:
            raise ValueError(f"line {line - 1}: {option!r} is not an option of a {language} snippet")
    return snippet


def find_commands(snippet: Snippet) -> list[Command]:
    """The commands of a console snippet; a line that ends in a backslash goes on in the next."""
    commands: list[Command] = []
    goes_on = False
    for number, line in enumerate(snippet.text.splitlines(), snippet.line):
        if goes_on:
            commands[-1].text += "\n" + line
        elif line.startswith("$ "):
            commands.append(Command(line.removeprefix("$ "), number))
        elif commands and line.strip() not in ("", "...", "…"):
            commands[-1].shown.append(line.strip())
        goes_on = bool(commands) and not commands[-1].shown and commands[-1].text.endswith("\\")
    return commands


def keep(snippet: Snippet, folder: Path) -> None:
    """Writes a snippet into its file, if it has one."""
    if snippet.file is not None:
        path = folder / snippet.file
        before = path.read_text(encoding="utf-8") + "\n\n" if snippet.added else ""
        path.write_text(f"{before}{snippet.text}\n", encoding="utf-8")


def run_snippets(document: Path, folder: Path) -> str | None:
    """What went wrong, or None. The snippets run in a process of their own, with `folder` as working directory."""
    steps = [asdict(snippet) for snippet in find_snippets(document.read_text(encoding="utf-8"))]
    if not steps:
        return None
    tools = Path(sys.executable).parent
    environment = {
        **os.environ,
        "PATH": f"{tools}{os.pathsep}{os.environ.get('PATH', '')}",
        "PYTHONPATH": os.pathsep.join(map(str, (folder, _ROOT, _ROOT / "src"))),
        "PYTHONDONTWRITEBYTECODE": "1",
        "COLUMNS": "120",
        "NO_COLOR": "1",
        "TERM": "dumb",
    }
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.snippet_runner", str(document.resolve())],
        input=json.dumps(steps),
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    return None if done.returncode == 0 else f"{done.stdout}{done.stderr}"
