"""Modules and names that are loaded when they are first used, so that a program pays for what it does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


class _Later:
    """Stands for a module under its name; when something of it is asked for, the module itself takes its place there."""

    __slots__ = ("_module", "_name", "_namespace")

    def __init__(self, namespace: dict[str, Any], name: str, module: str) -> None:
        self._namespace = namespace
        self._name = name
        self._module = module

    def __getattr__(self, attribute: str) -> Any:
        module = self._namespace[self._name] = import_module(self._module)
        return getattr(module, attribute)


def later(namespace: dict[str, Any], package: str, *names: str) -> None:
    """Puts modules of a package into a namespace, to be loaded at their first use; type checkers are told beside it:

    `if TYPE_CHECKING: from tablewright.client import feeds`, `else: later(globals(), "tablewright.client", "feeds")`.
    """
    for name in names:
        namespace[name] = _Later(namespace, name, f"{package}.{name}")


def names_later(namespace: dict[str, Any], homes: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package whose names come from modules below it: {"module": "name name"}."""
    package: str = namespace["__name__"]
    home_of = {name: home for home, names in homes.items() for name in names.split()}

    def load(name: str) -> Any:
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = namespace[name] = getattr(import_module(f"{package}.{home_of[name]}"), name)
        return found

    return load
