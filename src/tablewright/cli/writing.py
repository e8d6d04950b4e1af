"""Files that commands write once, for people to edit: never over what is there, unless told so."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from tablewright.errors import ArgumentError

if TYPE_CHECKING:
    from tablewright.table import Table


def write_files(folder: Path, files: Mapping[str, str], *, force: bool = False) -> None:
    """Writes files below a folder. If one is there already, nothing is written."""
    there = [name for name in files if (folder / name).exists()]
    if there and not force:
        more = f" and {len(there) - 1} more" if len(there) > 1 else ""
        raise ArgumentError(
            f"{folder / there[0]}{more} would be written over.", hint="Name another folder, or add --force."
        )
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")


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
