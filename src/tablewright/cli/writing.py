"""Files that commands write: never over what a person worked on, unless told so."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from tablewright.errors import ArgumentError

if TYPE_CHECKING:
    from tablewright.table import Table

FORCE_HELP = "Write over files that are there and differ."
RECORD = ".tablewright.json"
"""The file of a folder that says what was written there, so that edits are told from what is merely old."""


def write_file(path: Path, text: str, *, force: bool = False) -> None:
    """Writes one file that may be made anew, as write_generated does."""
    write_generated(path.parent, {path.name: text}, force=force)


def write_files(folder: Path, files: Mapping[str, str], *, force: bool = False) -> None:
    """Writes files below a folder that are made once, for people to edit. If another one stands in the place of any,
    nothing is written."""
    _write(folder, files, [] if force else [name for name in files if _differs(folder / name, files[name])])


def refuse_edited(path: Path, *, force: bool = False) -> None:
    """Refuses a file that somebody made or edited, before work is done for it whose result cannot be known."""
    if not force and _is_edited(path.parent, path.name, _noted(path.parent)):
        raise _refusal(path, [path.name])


def stale_files(folder: Path, files: Mapping[str, str]) -> list[str]:
    """The names of files that are missing, or hold something else."""
    return [name for name, text in files.items() if not _is_written(folder / name, text)]


def write_generated(folder: Path, files: Mapping[str, str], *, force: bool = False) -> list[str]:
    """Writes files that may be made anew, and returns the names of those that were not up to date. One that is there is
    replaced if it still is what was written last, by the digest noted in the folder; others are somebody's work."""
    import json

    stale = stale_files(folder, files)
    known = _noted(folder)
    kept = [name for name in stale if _is_edited(folder, name, known)]
    _write(folder, {name: files[name] for name in stale}, [] if force else kept)
    noted = known | {name: _digest(text.encode()) for name, text in files.items()}
    if noted != known:
        text = json.dumps({"generated": dict(sorted(noted.items()))}, indent=2) + "\n"
        (folder / RECORD).write_text(text, encoding="utf-8", newline="\n")
    return stale


def _write(folder: Path, files: Mapping[str, str], kept: list[str]) -> None:
    if kept:
        raise _refusal(folder / kept[0], kept)
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")


def _refusal(first: Path, kept: list[str]) -> ArgumentError:
    more = f" and {len(kept) - 1} more" if len(kept) > 1 else ""
    return ArgumentError(
        f"{first}{more} would be written over; nothing was written.",
        hint="Somebody made or edited it. Name another place, or add --force.",
    )


def _differs(path: Path, text: str) -> bool:
    return path.exists() and not _is_written(path, text)


def _is_written(path: Path, text: str) -> bool:
    return path.is_file() and path.read_bytes() == text.encode()


def _is_edited(folder: Path, name: str, known: Mapping[str, str]) -> bool:
    """Whether a file is there that is not what was written last."""
    path = folder / name
    return path.exists() and (not path.is_file() or _digest(path.read_bytes()) != known.get(name))


def _digest(content: bytes) -> str:
    from hashlib import sha256

    return sha256(content).hexdigest()


def _noted(folder: Path) -> dict[str, str]:
    import json

    try:
        read = json.loads((folder / RECORD).read_bytes())
    except (OSError, ValueError):
        return {}
    noted = read.get("generated") if isinstance(read, dict) else None
    return {str(k): str(v) for k, v in noted.items()} if isinstance(noted, dict) else {}


def variable_of(table: Table) -> tuple[str, str]:
    """The module that a model was read from, and the table's name in it."""
    for module in list(sys.modules.values()):
        for name, value in list(vars(module).items()) if isinstance(module, ModuleType) else ():
            if value is table and _assigns(module, name):
                return module.__name__, name
    raise ArgumentError(f"No module assigns the table {table.label} to a variable.", hint=f"{table.label} = Table(...)")


def _assigns(module: ModuleType, name: str) -> bool:
    """Whether the name is made there, rather than imported."""
    import ast
    import inspect

    try:
        body = ast.parse(inspect.getsource(module)).body
    except (OSError, TypeError):
        return False
    return any(
        isinstance(target, ast.Name) and target.id == name
        for node in body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
    )
