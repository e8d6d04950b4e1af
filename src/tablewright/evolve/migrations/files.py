"""Migration files: `migrations/NNNN_name.py` beside a model, in the order of their numbers."""

from __future__ import annotations

import ast
import hashlib
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from traceback import extract_tb
from types import ModuleType

from msgspec import Struct

from tablewright.errors import ArgumentError, TablewrightError
from tablewright.evolve.migrations.migration import Migration
from tablewright.evolve.migrations.step import Step

FOLDER = "migrations"
_NAME = re.compile(r"(\d{4})_([a-z0-9_]+)\.py")
_LONGEST = 100
"""Characters of the words in a file's name that `new` takes; file systems take some 240."""


class MigrationFile(Struct, frozen=True, eq=False):
    """A file that was read."""

    name: str
    """Without its ending: 0002_orders_by_status."""
    digest: str
    """Of what it does. Comments, docstrings and spaces do not count, nor who wins: that is decided when it is known what differs."""
    migration: Migration


def read_files(folder: Path) -> tuple[MigrationFile, ...]:
    """The migrations of a folder; none where there is no folder."""
    found: dict[str, Path] = {}
    for path in sorted(folder.glob("*.py")):
        match = _NAME.fullmatch(path.name)
        if match is None:
            if path.name.startswith("_"):
                continue
            raise ArgumentError(
                f"{path.name} in {folder} is not named as a migration is.", hint="Call it 0001_name.py, or move it."
            )
        if match[1] in found:
            raise ArgumentError(
                f"Two migrations have the number {match[1]}: {found[match[1]].name} and {path.name}.",
                hint="Give the later one the next number.",
            )
        found[match[1]] = path
    return tuple(read_file(path) for path in found.values())


def read_file(path: Path) -> MigrationFile:
    """One migration."""
    try:
        text = path.read_bytes()  # Python knows by itself how a file says in what it is encoded
    except OSError as error:
        raise ArgumentError(
            f"The migration {path} cannot be read: {error.strerror}.",
            hint="Bring the file back, or remove what has its name.",
        ) from None
    module = ModuleType(f"tablewright_migration_{path.stem}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # while it runs, so that what it defines can be found by its name
    try:
        exec(compile(text, str(path), "exec"), vars(module))  # noqa: S102  its own author's code, as a model is
    except TablewrightError:
        raise
    except (Exception, SystemExit) as error:
        raise ArgumentError(
            f"The migration {path.name} cannot be read: {_place(path, text, error)}{type(error).__name__}: {error}.",
            hint="Correct the file.",
        ) from error
    finally:
        del sys.modules[module.__name__]
    migration = getattr(module, "migration", None)
    if not isinstance(migration, Migration):
        raise ArgumentError(f"{path.name} has no `migration`.", hint="Write migration = Migration([...]) in it.")
    return MigrationFile(path.stem, _digest(text), migration)


def _place(path: Path, text: bytes, error: BaseException) -> str:
    """Where in the file something went wrong, and in which call: an argument that is missing says neither."""
    at = next((one for one in reversed(extract_tb(error.__traceback__)) if one.filename == str(path)), None)
    if at is None or at.lineno is None:
        return ""
    called = re.match(rb"[A-Za-z_]\w*(?=\()", text.splitlines()[at.lineno - 1][at.colno or 0 :])
    return f"line {at.lineno}{f', {called[0].decode()}()' if called else ''}: "


def later_steps(name: str, files: Iterable[MigrationFile]) -> tuple[Step, ...]:
    """The steps of the migrations behind one."""
    return tuple(step for file in files if file.name > name for step in file.migration.steps)


def _digest(text: bytes) -> str:
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            node.keywords = [one for one in node.keywords if one.arg != "wins"]
        elif isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return hashlib.sha256(ast.unparse(tree).encode()).hexdigest()[:32]


def next_path(folder: Path, name: str) -> Path:
    """Where the next migration goes."""
    word = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    if not word:
        raise ArgumentError(
            f"{name!r} has no letter that could be part of a file's name.", hint="Name it in a few words."
        )
    if len(word) > _LONGEST:
        raise ArgumentError(f"A name of {len(word)} characters is too long for a file.", hint="Name it in a few words.")
    numbers = [int(match[1]) for path in folder.glob("*.py") if (match := _NAME.fullmatch(path.name))]
    return folder / f"{max(numbers, default=0) + 1:04}_{word}.py"


def refuse_repeated(folder: Path, text: str, steps: Sequence[Step]) -> None:
    """Refuses the text of a new file that says what the last one says: the same steps, or the same differences, answered since."""
    paths = sorted(path for path in folder.glob("*.py") if _NAME.fullmatch(path.name))
    if not paths:
        return
    try:
        last = read_file(paths[-1])
        said = _differences(paths[-1].read_bytes())
    except (ArgumentError, OSError):  # whoever runs it will be told
        return
    differences = _differences(text.encode())
    if last.migration.steps == tuple(steps) or (differences and said == differences):
        raise ArgumentError(
            f"{paths[-1]} was written from the same difference of the two models.",
            hint="Change that file, or delete it and give the command again if it has not been run anywhere. If it has, name the model "
            "that it leads to by --from.",
        )


def _differences(text: bytes) -> str:
    """What the docstring of a file tells of two models, below its title."""
    return (ast.get_docstring(ast.parse(text)) or "").partition("\n")[2].strip()
