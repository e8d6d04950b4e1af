"""A data-access layer as its source shows it: which functions there are and do something, and what tests speak of."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

Function = ast.FunctionDef | ast.AsyncFunctionDef


class SourceFile:
    """A Python file of the layer."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.tree: ast.Module | None = ast.parse(path.read_bytes())
        except (SyntaxError, ValueError):
            self.tree = None

    @cached_property
    def functions(self) -> dict[str, Function]:
        """Functions that do something, by name."""
        found = ast.walk(self.tree) if self.tree is not None else ()
        return {n.name: n for n in found if isinstance(n, Function) and not is_stub(n)}

    @cached_property
    def _aliases(self) -> dict[str, str]:
        found = ast.walk(self.tree) if self.tree is not None else ()
        return {
            a.asname: a.name for n in found if isinstance(n, ast.Import | ast.ImportFrom) for a in n.names if a.asname
        }

    def defined(self) -> set[str]:
        """Names that the file gives to others: classes, imports, assignments."""
        found: set[str] = set()
        for node in self.tree.body if self.tree is not None else ():
            match node:
                case ast.ClassDef(name=name):
                    found.add(name)
                case ast.Import(names=names) | ast.ImportFrom(names=names):
                    found |= {alias.asname or alias.name for alias in names}
                case ast.Assign(targets=targets):
                    found |= {t.id for t in targets if isinstance(t, ast.Name)}
                case _:
                    pass
        return found

    def spoken_of(self, function: Function) -> set[str]:
        """What a function names in its body and its decorators: by name, as an attribute, or in quotes."""
        found: set[str] = set()
        for node in ast.walk(function):
            match node:
                case ast.Name(id=name) | ast.Attribute(attr=name):
                    found |= {name, self._aliases.get(name, name)}
                case ast.Constant(value=str() as name):
                    found.add(name)
                case _:
                    pass
        return found


class Layer:
    """All of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._files: dict[Path, SourceFile] = {}

    def file(self, path: str | Path) -> SourceFile | None:
        """A file by its path in the layer."""
        whole = self.folder / path
        if not whole.is_file():
            return None
        if whole not in self._files:
            self._files[whole] = SourceFile(whole)
        return self._files[whole]

    def files(self, folder: str) -> Iterator[SourceFile]:
        """The files of a folder of the layer."""
        for path in sorted((self.folder / folder).rglob("*.py")):
            found = self.file(path.relative_to(self.folder))
            if found is not None:
                yield found

    def functions(self, folder: str) -> dict[str, tuple[SourceFile, Function]]:
        """Every function of a folder that does something."""
        return {name: (file, found) for file in self.files(folder) for name, found in file.functions.items()}

    def unread(self) -> list[str]:
        """Files that are no Python."""
        return [str(f.path) for f in self.files(".") if f.tree is None]

    def tests(self) -> Iterator[tuple[SourceFile, Function]]:
        """Tests that can fail."""
        for file in self.files("tests"):
            for name, function in file.functions.items():
                if name.startswith("test") and can_fail(function):
                    yield file, function


def is_stub(function: Function) -> bool:
    """Whether a function only promises to do something: it calls nothing but what it raises."""
    kept = [statement for statement in function.body if not isinstance(statement, ast.Raise)]
    return not any(isinstance(node, ast.Call) for statement in kept for node in ast.walk(statement))


def can_fail(test: Function) -> bool:
    """Whether a test compares anything."""
    for node in ast.walk(test):
        if isinstance(node, ast.Assert) and not isinstance(node.test, ast.Constant):
            return True
        if isinstance(node, ast.Call) and called(node).startswith(("assert", "raises")):
            return True
    return False


def called(call: ast.Call) -> str:
    """The last part of the name of what is called."""
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def calls(function: Function) -> set[str]:
    """What a function calls, by the last part of its name."""
    return {called(node) for node in ast.walk(function) if isinstance(node, ast.Call)}
