"""The user's own file, with keys: Design(...) becomes Table(...) with its indexes, and each entity gets its Keys(...).

Only these places change, found by the positions in the syntax tree; everything else stays as it was written.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import TypeAlias

from tablewright.errors import ArgumentError
from tablewright.model.keys import attr_is
from tablewright.synth.facts import DIGITS, EntityFacts
from tablewright.synth.layout import WIDTH, Code, Nested, comment, lay_out
from tablewright.synth.naming import KeyText, Named, Native
from tablewright.synth.projections import shown

_OWN = ("identity", "handles", "unique")

Held: TypeAlias = Mapping[str, Sequence[str] | None]
"""The indexes, and the attributes that each holds beside its keys; None for all."""


def emit(source: str, design: str, keys: Named, facts: Mapping[str, EntityFacts], indexes: Held) -> str:
    """The file with keys. `design` is the name of the table."""
    return _Emitter(source, design).emit(keys, facts, indexes)


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

    def emit(self, keys: Named, facts: Mapping[str, EntityFacts], indexes: Held) -> str:
        classes = [n for n in ast.walk(self._tree) if isinstance(n, ast.ClassDef) and self._of_design(n)]
        for name, held in keys.items():
            written = [node for node in classes if node.name == name]
            if not written:
                raise ArgumentError(
                    f"{name} is not written in this file as class {name}(..., table=...).",
                    hint="Write it there, where its keys belong.",
                )
            for node in written:
                self._write_keys(node, held, facts[name])
        native = {key.index: key.native for held in keys.values() for key in held if key.native is not None}
        self._write_table([self._index(name, native.get(name), held) for name, held in indexes.items()])
        self._fix_imports()
        return self._applied()

    def _write_table(self, indexes: Sequence[Nested]) -> None:
        """Table(...) in place of Design(...), with its indexes: in one line with the rest if that fits and it was one."""
        call, name = self._call, self._name("Table")
        if not indexes:
            self._replace(call.func, name)
            return
        listed = Nested("indexes=[", indexes, "]")
        first = self._text[self._lines[call.lineno - 1] :].split(b"\n", 1)[0].decode()
        indent = first[: len(first) - len(first.lstrip())]
        if call.lineno != call.end_lineno:
            inner = f"{indent}    "
            made = f"{inner}{lay_out(listed, inner, after=1)}"
            end = self._end(call.args[0])
            after = re.match(
                rb",[ \t]*(#[^\n]*)?\n", self._text[end:]
            )  # a comment stays with what it was written about
            place = end + (0 if after is None else after.end())
            self._replace(call.func, name)
            self._edits.append((place, place, f",\n{made}" if after is None else f"{made},\n"))
            return
        given = [*map(self._source, call.args), *map(self._source, call.keywords)]
        before = call.col_offset - len(indent)
        made = lay_out(Nested(f"{name}(", [*given, listed], ")"), indent, before=before)
        self._replace(call, made)

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

    def _write_keys(self, node: ast.ClassDef, keys: Sequence[KeyText], facts: EntityFacts) -> None:
        said = [keyword.arg for keyword in node.keywords]
        absent = next((name for name in facts.entity.__asked__ if name not in said), None)
        if absent is not None:
            raise ArgumentError(
                f"{node.name}, line {node.lineno}, has {absent}= from elsewhere, where it cannot be taken out.",
                hint=f"Write it in the class statement itself: class {node.name}(..., {absent}=[...]).",
            )
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
        text = self._keys(indent, keys, unique, facts)
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

    def _keys(self, indent: str, keys: Sequence[KeyText], unique: str | None, facts: EntityFacts) -> str:
        parts: list[Code] = [f'"{keys[0].pk}"', f'"{keys[0].sk}"']
        for key in keys[1:]:
            if key.native is not None:
                parts.append(f"{key.index}={_native_pair(key)}")
                continue
            pair = [f'"{key.pk}"', f'"{key.sk}"']
            if key.shape.when:
                pair.append(f"when={self._condition(key)}")
            parts.append(Nested(f"{key.index}={self._name('sparse') if key.shape.when else ''}(", pair, ")"))
        if unique is not None:
            parts.append(unique)
        shards = {key.shard: key.shape.shards for key in keys if key.shard is not None}
        if shards:
            by = ", ".join(f'"{name}"' for name in facts.identity)
            made = [f'"{n}": {self._name("Shard")}({by}, of={count})' for n, count in shards.items()]
            parts.append(Nested("derive={", made, "}"))
        opening = f"{indent}keys = "
        told = comment(_of_digits(keys, facts), indent)
        return told + opening + lay_out(Nested(f"{self._name('Keys')}(", parts, ")"), indent, before=len("keys = "))

    def _index(self, name: str, native: Native | None, held: Sequence[str] | None) -> Nested:
        parts: list[Code] = [f'"{name}"']
        if native is not None:
            pk, sk = (", ".join(self._attribute(*attribute) for attribute in side) for side in native)
            parts += [f"pk=[{pk}]", f"sk=[{sk}]" if sk else "sk=None"]
        return Nested(f"{self._name('GSI')}(", [*parts, f"projection={shown(held)}"], ")")

    def _attribute(self, name: str, tag: str) -> str:
        kind = {"N": "number", "B": "binary"}.get(tag)
        return f'"{name}"' if kind is None else f'{self._name(kind)}("{name}")'

    def _condition(self, key: KeyText) -> str:
        tests = [self._test(name, value) for name, value in key.shape.when]
        return tests[0] if len(tests) == 1 else " & ".join(f"({test})" for test in tests)

    def _test(self, name: str, value: object) -> str:
        self._used |= {"attr", "is_in"} if isinstance(value, bool) else {"attr"}
        return attr_is(name, value, _constant(value), prefix=self._prefix)

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


def _of_digits(keys: Sequence[KeyText], facts: EntityFacts) -> str:
    """What to know of numbers in keys that are as wide as can be; nothing where none is."""
    sorts = {name for key in keys if key.native is None for name in key.shape.sort}
    wide = [name for name in facts.fields if name in sorts and facts.unbounded(name)]
    if not wide:
        return ""
    return f"{' and '.join(wide)} {'has' if len(wide) == 1 else 'have'} {DIGITS} digits here, as 64 bits need. Where Field(ge=..., le=...) allows fewer, write fewer."


def _last_name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _import_line(names: Iterable[str]) -> str:
    ordered = sorted(names, key=lambda n: (0 if re.fullmatch(r"[A-Z0-9_]{2,}", n) else 1 if n[0].isupper() else 2, n))
    single = f"from tablewright import {', '.join(ordered)}"
    if len(single) <= WIDTH:
        return single
    return lay_out(Nested("from tablewright import (", ordered, ")"), "")


def _constant(value: object) -> str:
    if isinstance(value, Enum):
        return f"{type(value).__qualname__}.{value.name}"
    plain = isinstance(value, str) and value.isprintable() and not re.search(r'["\\\\]', value)
    return f'"{value}"' if plain else repr(value)
