"""Where the things of a model are written: file and line, as far as their source can be found."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tablewright.lint.findings import Place, Subject
from tablewright.model.change import Change
from tablewright.model.indexes import Index
from tablewright.model.inspection import Unread
from tablewright.model.pattern import Pattern
from tablewright.model.relationships import Relationship
from tablewright.model.table import TableModel


class Places:
    """Finds lines. Tables, indexes and relationships do not know where they were written, so they are searched in the
    files of the table's entities and patterns."""

    def __init__(self, table: TableModel) -> None:
        self._table = table
        self._texts: dict[str, str] = {}
        self._parsed: dict[str, dict[str, ast.ClassDef]] = {}

    def of(self, subject: Subject) -> Place | None:
        """Where the subject of a finding is written."""
        thing = subject.thing
        if isinstance(thing, Pattern | Change | Unread):
            return self._function(thing.function)
        if inspect.isfunction(thing):
            return self._function(thing)
        if isinstance(thing, type):
            return self._class(thing, subject.field)
        if isinstance(thing, Relationship):
            target = thing.target if isinstance(thing.target, str) else thing.target.__name__
            return self._search(
                rf"Relationship\(\s*{re.escape(thing.source.__name__)}\s*,\s*[\"']?{re.escape(target)}\b"
            )
        if isinstance(thing, Index):
            return self._search(rf"[GL]SI\(\s*[\"']{re.escape(thing.name)}[\"']") or self.of_table()
        if isinstance(thing, TableModel):
            return self.of_table()
        return None

    def of_table(self) -> Place | None:
        """Where the table is made."""
        return self._search(rf"Table\(\s*[\"']{re.escape(self._table.name)}[\"']")

    def _function(self, function: Any) -> Place | None:
        code = getattr(function, "__code__", None)
        if code is None:
            return None
        lines = self._text(code.co_filename).splitlines()
        line = code.co_firstlineno
        while line < len(lines) and not lines[line - 1].lstrip().startswith("def "):
            line += 1
        return Place(code.co_filename, line if lines else code.co_firstlineno)

    def _class(self, cls: type, field: str | None) -> Place | None:
        try:
            file = inspect.getsourcefile(cls)
        except TypeError:
            return None
        node = None if file is None else self._classes(file).get(cls.__qualname__)
        if file is None or node is None:
            return None
        for line in node.body if field is not None else ():
            if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name) and line.target.id == field:
                return Place(file, line.lineno)
        return Place(file, node.lineno)

    def _classes(self, file: str) -> dict[str, ast.ClassDef]:
        """The classes of a file by their qualified names; of two that have the same, the first. It is parsed once, since a
        large model has many findings."""
        if file not in self._parsed:
            try:
                self._parsed[file] = dict(reversed(list(_classes(ast.parse(self._text(file)), ""))))
            except SyntaxError:
                self._parsed[file] = {}
        return self._parsed[file]

    def _search(self, expression: str) -> Place | None:
        for file in self._files():
            found = re.search(expression, self._text(file))
            if found is not None:
                return Place(file, self._text(file).count("\n", 0, found.start()) + 1)
        return None

    def _files(self) -> list[str]:
        """The files that the model is written in: those of its entities and patterns, and of modules beside them that know
        the table."""
        table = self._table
        functions = [p.function for p in (*table.patterns.values(), *table.unserved.values())]
        owners = (*table.entities.values(), *table.aggregates.values(), *functions)
        names = [name for owner in owners if (name := owner.__module__)]  # code that was made on the spot has none
        packages = {name.rpartition(".")[0] for name in names} - {""}
        beside = [
            name
            for name, module in list(sys.modules.items())
            if name.rpartition(".")[0] in packages and any(value is table for value in list(vars(module).values()))
        ]
        modules = [sys.modules.get(name) for name in dict.fromkeys((*names, *beside))]
        files = [getattr(module, "__file__", None) for module in modules] + [
            f.__code__.co_filename for f in functions if hasattr(f, "__code__")
        ]
        return list(dict.fromkeys(file for file in files if file))

    def _text(self, file: str) -> str:
        if file not in self._texts:
            try:
                self._texts[file] = Path(file).read_text(encoding="utf-8")
            except OSError:
                self._texts[file] = ""
        return self._texts[file]


def _classes(node: ast.AST, above: str) -> Iterator[tuple[str, ast.ClassDef]]:
    """Every class in a piece of source, with its qualified name."""
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, ast.ClassDef):
            yield f"{above}{inner.name}", inner
            yield from _classes(inner, f"{above}{inner.name}.")
        elif isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _classes(inner, f"{above}{inner.name}.<locals>.")
        else:
            yield from _classes(inner, above)
