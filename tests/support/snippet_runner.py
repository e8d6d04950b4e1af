"""The process in which one document's snippets run; `snippets.run_snippets` starts it."""

from __future__ import annotations

import json
import subprocess
import sys
import types
from pathlib import Path

from tests.support.snippets import Command, Snippet, find_commands, keep


def main(document: str) -> None:
    """Run the snippets given on standard input, as JSON; end with a message at the first that fails."""
    module = types.ModuleType("__main__")
    module.__dict__["__file__"] = document
    snippets = [Snippet(**step) for step in json.load(sys.stdin)]
    sys.modules["__main__"] = module
    for snippet in snippets:
        keep(snippet, Path())
        if snippet.only_kept:
            continue
        if snippet.language == "python":
            _run_python(snippet, document, module)
        else:
            for command in find_commands(snippet):
                _run_command(command, snippet.exit_code, document)


def _run_python(snippet: Snippet, document: str, module: types.ModuleType) -> None:
    # Pushed down to its place in the document, so that tracebacks and inspect show the document's own lines.
    source = "\n" * (snippet.line - 1) + snippet.text
    exec(compile(source, document, "exec", dont_inherit=True), module.__dict__)


def _run_command(command: Command, exit_code: int, document: str) -> None:
    if command.text.split()[0] != "tablewright":
        return  # make, pip and the like set a machine up; they are tried by CI itself
    done = subprocess.run(
        command.text,
        shell=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    where = f"{document}:{command.line}: {command.text}"
    if done.returncode != exit_code:
        sys.exit(f"{where}\nended with {done.returncode}, not {exit_code}:\n{done.stdout}")
    printed = [line.strip() for line in done.stdout.splitlines()]
    for shown in command.shown:
        if not any(_is(line, shown) for line in printed):
            sys.exit(f"{where}\ndid not print this line: {shown}\nbut:\n{done.stdout}")


def _is(line: str, shown: str) -> bool:
    """Whether a line is the one that the document shows; what ends in … may go on in any way."""
    return line.startswith(shown[:-1]) if shown.endswith("…") else line == shown


if __name__ == "__main__":
    main(sys.argv[1])
