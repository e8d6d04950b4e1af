"""The user's own file, with keys: Design(...) becomes Table(...) with its indexes, and each entity gets its Keys(...).

Only these places change, found by the positions in the syntax tree; everything else stays as it was written.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum

from tablewright.errors import ArgumentError
from tablewright.synth.naming import KeyText, Named, Native

WIDTH = 100
_OWN = ("identity", "handles", "unique")


def emit(source: str, design: str, keys: Named, shards: Mapping[str, str], indexes: int) -> str:
    """The file with keys. `design` is the name of the table; `shards` says for each entity what its shards are made by."""
    return _Emitter(source, design).emit(keys, shards, indexes)


class _Emitter:
    def __init__(self, source: str, design: str) -> None:
        self._text = source.encode()
        self._tree = ast.parse(source)
        self._lines = [0]
        for line in self._text.splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))
        self._edits: list[tuple[int, int, str]] = []
        self._call = self._find_call(design)
        qualified = self._call.func.value if isinstance(self._call.func, ast.Attribute) else None
        self._prefix = "" if qualified is None else f"{ast.unparse(qualified)}."
        self._used: set[str] = set()

    def emit(self, keys: Named, shards: Mapping[str, str], indexes: int) -> str:
        for node in ast.walk(self._tree):
            if isinstance(node, ast.ClassDef) and node.name in keys and self._of_design(node):
                self._write_keys(node, keys[node.name], shards.get(node.name))
        native = {key.index: key.native for held in keys.values() for key in held if key.native is not None}
        listed = ", ".join(self._index(f"GSI{n}", native.get(f"GSI{n}")) for n in range(1, indexes + 1))
        self._replace(self._call.func, self._name("Table"))
        if listed:
            given = [self._end(a) for a in self._call.args] + [self._end(k) for k in self._call.keywords]
            end = max(given)
            self._edits.append((end, end, f", indexes=[{listed}]"))
        self._fix_imports()
        return self._applied()

    # ------------------------------------------------------------------------------------------------ places

    def _find_call(self, design: str) -> ast.Call:
        calls = [
            n for n in ast.walk(self._tree) if isinstance(n, ast.Call) and _last_name(n.func) == "Design" and n.args
        ]
        named = [c for c in calls if isinstance(c.args[0], ast.Constant) and c.args[0].value == design]
        for found in (named, calls):
            if len(found) == 1:
                return found[0]
        raise ArgumentError(
            f"The file does not hold one Design({design!r}, ...).", hint="Write the name of the table in it as a text."
        )

    def _of_design(self, node: ast.ClassDef) -> bool:
        return any(keyword.arg == "table" for keyword in node.keywords)

    def _start(self, node: ast.expr | ast.stmt | ast.keyword) -> int:
        return self._lines[node.lineno - 1] + node.col_offset

    def _end(self, node: ast.expr | ast.stmt | ast.keyword) -> int:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._lines[node.end_lineno - 1] + node.end_col_offset

    def _source(self, node: ast.expr | ast.keyword) -> str:
        return self._text[self._start(node) : self._end(node)].decode()

    def _replace(self, node: ast.expr | ast.stmt, text: str) -> None:
        self._edits.append((self._start(node), self._end(node), text))

    def _name(self, name: str) -> str:
        self._used.add(name)
        return self._prefix + name

    # ------------------------------------------------------------------------------------------------ entities

    def _write_keys(self, node: ast.ClassDef, keys: Sequence[KeyText], shard: str | None) -> None:
        unique = None
        for keyword in node.keywords:
            if keyword.arg in _OWN:
                unique = self._source(keyword) if keyword.arg == "unique" else unique
                comma = self._text.rfind(b",", 0, self._start(keyword))
                self._edits.append((comma, self._end(keyword), ""))
        body = node.body[0]
        if body.lineno == node.lineno:
            raise ArgumentError(f"{node.name} is written in one line.", hint="Write its fields in lines of their own.")
        indent = " " * body.col_offset
        text = self._keys(indent, keys, unique, shard)
        if ast.get_docstring(node, clean=False) is None:
            where = self._lines[body.lineno - 1]
            self._edits.append((where, where, f"{text}\n"))
            return
        assert body.end_lineno is not None
        where = self._lines[body.end_lineno]
        after = self._text[where:].split(b"\n", 1)
        blank = len(after) > 1 and not after[0].strip()
        ends_file = where >= len(self._text) and not self._text.endswith(b"\n")
        if blank and len(node.body) > 1:
            where += len(after[0]) + 1
            self._edits.append((where, where, f"{text}\n"))
        else:
            self._edits.append((where, where, "\n" * ends_file + f"\n{text}\n"))

    def _keys(self, indent: str, keys: Sequence[KeyText], unique: str | None, shard: str | None) -> str:
        parts = [f'"{keys[0].pk}"', f'"{keys[0].sk}"']
        for key in keys[1:]:
            if key.native is not None:
                parts.append(f"{key.index}={_native_pair(key)}")
                continue
            pair = f'"{key.pk}", "{key.sk}"'
            sparse = f"{self._name('sparse')}({pair}, when={self._condition(key)})" if key.shape.when else None
            parts.append(f"{key.index}={sparse or f'({pair})'}")
        if unique is not None:
            parts.append(unique)
        shards = {key.shard: key.shape.shards for key in keys if key.shard is not None}
        if shards:
            made = ", ".join(f'"{n}": {self._name("Shard")}({shard}, of={count})' for n, count in shards.items())
            parts.append(f"derive={{{made}}}")
        opening = f"{indent}keys = {self._name('Keys')}("
        single = f"{opening}{', '.join(parts)})"
        if len(single) <= WIDTH:
            return single
        return "\n".join((opening, *(f"{indent}    {part}," for part in parts), f"{indent})"))

    def _index(self, name: str, native: Native | None) -> str:
        if native is None:
            return f'{self._name("GSI")}("{name}")'
        pk, sk = (", ".join(self._attribute(*attribute) for attribute in side) for side in native)
        sort = f"sk=[{sk}]" if sk else "sk=None"
        return f'{self._name("GSI")}("{name}", pk=[{pk}], {sort})'

    def _attribute(self, name: str, tag: str) -> str:
        kind = {"N": "number", "B": "binary"}.get(tag)
        return f'"{name}"' if kind is None else f'{self._name(kind)}("{name}")'

    def _condition(self, key: KeyText) -> str:
        tests = [f'{self._name("attr")}("{name}") == {_constant(value)}' for name, value in key.shape.when]
        return tests[0] if len(tests) == 1 else " & ".join(f"({test})" for test in tests)

    # ------------------------------------------------------------------------------------------------ imports

    def _fix_imports(self) -> None:
        if self._prefix:
            return
        imports = [n for n in ast.walk(self._tree) if isinstance(n, ast.ImportFrom) and n.module == "tablewright"]
        known = {alias.name for node in imports for alias in node.names}
        for node in imports:
            aliases = [a for a in node.names if a.name != "Design"]
            if len(aliases) == len(node.names):
                continue
            names = [a.name if a.asname is None else f"{a.name} as {a.asname}" for a in aliases]
            self._replace(node, _import_line([*names, *(self._used - known)]))
            return

    def _applied(self) -> str:
        text = self._text
        for start, end, new in sorted(self._edits, reverse=True):
            text = text[:start] + new.encode() + text[end:]
        return text.decode()


def _native_pair(key: KeyText) -> str:
    """The templates of an index of own attributes: one placeholder each, in brackets where a side has several."""
    sides = [[f'"{field}"' for field in side.split(", ")] for side in (key.pk, key.sk) if side]
    shown = [side[0] if len(side) == 1 else f"({', '.join(side)})" for side in sides]
    return f"({', '.join(shown)})" if len(shown) > 1 else f"({shown[0]}, None)"


def _last_name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _import_line(names: Iterable[str]) -> str:
    ordered = sorted(names, key=lambda n: (0 if re.fullmatch(r"[A-Z0-9_]{2,}", n) else 1 if n[0].isupper() else 2, n))
    single = f"from tablewright import {', '.join(ordered)}"
    if len(single) <= WIDTH:
        return single
    return "\n".join(("from tablewright import (", *(f"    {name}," for name in ordered), ")"))


def _constant(value: object) -> str:
    if isinstance(value, Enum):
        return f"{type(value).__qualname__}.{value.name}"
    plain = isinstance(value, str) and value.isprintable() and not re.search(r'["\\\\]', value)
    return f'"{value}"' if plain else repr(value)
