"""Runs the type checkers over files whose wrong lines are marked, and compares what each refuses with the marks.

A line that must be refused ends in `# E` (both checkers), `# E: mypy` or `# E: pyright`, optionally followed by
` - why`. Every other line must pass.
"""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import tokenize
import tomllib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeAlias

ROOT = Path(__file__).parent.parent.parent

Place: TypeAlias = tuple[Path, int]
Refusals: TypeAlias = dict[Place, str]
"""File and line to what the checker said there."""

_MARK = re.compile(r"# E(?:: (?P<checker>mypy|pyright))?(?: - .+)?")


def expected_refusals(files: Sequence[Path], checker: str) -> set[Place]:
    """The marked lines that concern this checker."""
    marked: set[Place] = set()
    for file in files:
        for token in tokenize.generate_tokens(io.StringIO(file.read_text(encoding="utf-8")).readline):
            if token.type != tokenize.COMMENT or not re.match(r"# E\b", token.string):
                continue
            match = _MARK.fullmatch(token.string)
            if match is None:
                raise ValueError(f"{file}:{token.start[0]}: cannot read the mark {token.string!r}")
            if match["checker"] in (None, checker):
                marked.add((file.resolve(), token.start[0]))
    return marked


def refused_by_mypy(files: Sequence[Path], scratch: Path) -> Refusals:
    """One run of mypy over all files, with the project's settings."""
    command = ["mypy", "--config-file", str(ROOT / "pyproject.toml"), "--output", "json", *map(str, files)]
    lines = _run(command).splitlines()
    return _collect(
        (ROOT / d["file"], d["line"], d["message"]) for d in map(json.loads, lines) if d["severity"] == "error"
    )


def refused_by_pyright(files: Sequence[Path], scratch: Path) -> Refusals:
    """One run of basedpyright over all files, with the project's settings."""
    # Files named on the command line would make it ignore the settings, so they become the settings' own list.
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["basedpyright"]
    config = scratch / "pyrightconfig.json"
    include = [str(file) for file in files]
    config.write_text(json.dumps({**settings, "include": include, "extraPaths": [str(ROOT / "src")]}))
    output = _run(["basedpyright", "--outputjson", "--pythonpath", sys.executable, "--project", str(config)])
    return _collect(
        (Path(d["file"]), d["range"]["start"]["line"] + 1, d["message"])
        for d in json.loads(output)["generalDiagnostics"]
        if d["severity"] == "error"
    )


CHECKERS: dict[str, Callable[[Sequence[Path], Path], Refusals]] = {
    "mypy": refused_by_mypy,
    "pyright": refused_by_pyright,
}


def disagreements(files: Sequence[Path], checker: str, scratch: Path) -> list[str]:
    """Where marks and checker differ, one sentence each; empty when all is as marked."""
    expected = expected_refusals(files, checker)
    refused = CHECKERS[checker](files, scratch)
    wrong = [(place, "must be refused, but passes") for place in expected - refused.keys()]
    wrong += [(place, f"must pass, but: {message}") for place, message in refused.items() if place not in expected]
    return [f"{file.name}:{line} {checker}: {complaint}" for (file, line), complaint in sorted(wrong)]


def _run(command: Sequence[str]) -> str:
    tool = Path(sys.executable).parent / command[0]
    done = subprocess.run([str(tool), *command[1:]], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):  # 1 is "found errors", the rest is a checker that could not run
        raise RuntimeError(f"{command[0]} failed: {done.stdout}{done.stderr}")
    return done.stdout


def _collect(found: Iterable[tuple[Path, int, str]]) -> Refusals:
    refusals: Refusals = {}
    for file, line, message in found:
        refusals.setdefault((file.resolve(), line), message)
    return refusals
