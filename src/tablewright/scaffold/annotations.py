"""Types as source text, with the imports that the text needs."""

from __future__ import annotations

import ast
import sys
import types
from collections.abc import Iterable, Mapping
from typing import Any, Literal, Union, get_args, get_origin

from tablewright.model.annotations import NoneType, plain


class Imports:
    """The names that a file of generated code uses, by the module that they come from."""

    def __init__(self, homes: Mapping[str, str]) -> None:
        self._homes = homes
        """The modules of the model, whose names are written as `model.X`, and what they are called here."""
        self._names: dict[str, set[str]] = {}

    def add(self, module: str, *names: str) -> None:
        """Notes names."""
        self._names.setdefault(module, set()).update(names)

    def text(self, annotation: Any) -> str:
        """An annotation as it is written in code."""
        kind = plain(annotation)
        origin, arguments = get_origin(kind), get_args(kind)
        if kind is NoneType or kind is None:
            return "None"
        if kind is Any:
            self.add("typing", "Any")
            return "Any"
        if origin is Literal:
            self.add("typing", "Literal")
            return f"Literal[{', '.join(_literal(a) for a in arguments)}]"
        if origin in (Union, types.UnionType):
            return " | ".join(dict.fromkeys(self.text(a) for a in arguments))
        if origin is not None:
            inner = ", ".join("..." if a is Ellipsis else self.text(a) for a in arguments)
            return f"{self.text(origin)}[{inner}]"
        return self._class(kind)

    def _class(self, kind: Any) -> str:
        module, name = getattr(kind, "__module__", "builtins"), getattr(kind, "__qualname__", str(kind))
        if "<locals>" in name:
            self.add("typing", "Any")
            return "Any"
        if module == "builtins":
            return str(name)
        if module in self._homes:
            return f"{self._homes[module]}.{name}"
        self.add(module, name.partition(".")[0])
        return str(name)

    def statements(self, code: str) -> str:
        """The imports that this code needs, in the order that ruff wants: the standard library, then others."""
        used = _names(code)
        needed = {module: names & used for module, names in self._names.items() if names & used}
        standard = sorted(m for m in needed if m.partition(".")[0] in sys.stdlib_module_names)
        groups = [standard, sorted(needed.keys() - set(standard))]
        return "\n\n".join("\n".join(_statement(m, needed[m]) for m in group) for group in groups if group)

    def homes(self, code: str) -> str:
        """The imports of the modules of the model that this code needs."""
        used = _names(code)
        return "\n".join(_module(m, alias) for m, alias in sorted(self._homes.items()) if alias in used)


def _names(code: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}


def _module(module: str, alias: str) -> str:
    package, _, name = module.rpartition(".")
    imported = f"from {package} import {name}" if package else f"import {name}"
    return imported if name == alias else f"{imported} as {alias}"


def _literal(value: Any) -> str:
    shown = repr(value)
    return f'"{value}"' if isinstance(value, str) and shown[1:-1] == value and '"' not in value else shown


def _statement(module: str, names: Iterable[str]) -> str:
    ordered = sorted(names, key=lambda n: (not n.isupper(), not n[0].isupper(), n))
    return f"from {module} import {', '.join(ordered)}"
