"""All rules, found by walking through the folder of rules."""

from __future__ import annotations

import importlib
import pkgutil
from difflib import get_close_matches
from functools import cache

from tablewright.errors import ArgumentError
from tablewright.lint import rules
from tablewright.lint.rule import Rule

FAMILIES = {
    "definitions": "What the compiler refuses, and waivers",
    "keys": "Keys",
    "indexes": "Indexes",
    "partitions": "Partitions and heat",
    "patterns": "Access patterns",
    "items": "Items and their attributes",
    "relationships": "Relationships",
    "security": "Tenants and security",
    "time": "Time",
    "source": "Source of the application",
}
"""The families in the order of their codes: TW0xx, TW1xx and so on."""


@cache
def all_rules() -> dict[str, type[Rule]]:
    """Every rule by its code, in the order of codes."""
    found: dict[str, type[Rule]] = {}
    for module in pkgutil.walk_packages(rules.__path__, f"{rules.__name__}."):
        if module.ispkg:
            continue
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, type) and issubclass(value, Rule) and value.__module__ == module.name:
                found[value.code] = value
    return dict(sorted(found.items()))


def rule(code: str) -> type[Rule]:
    """The rule of this code, or of this name."""
    every = all_rules()
    for one in every.values():
        if code.upper() == one.code or code == one.name:
            return one
    names = {one.name: one.code for one in every.values()}
    near = get_close_matches(code.upper(), every, n=3) or get_close_matches(code.lower(), names, n=3)
    hint = f"Did you mean {' or '.join(near)}?" if near else "See `tablewright lint --rules` for all of them."
    raise ArgumentError(f"There is no rule {code!r}.", field=code, hint=hint)


def selected(only: tuple[str, ...] = (), without: tuple[str, ...] = ()) -> list[type[Rule]]:
    """The rules whose codes begin with one of `only` (all, if there is none) and with none of `without`."""
    for prefix in (*only, *without):
        if not prefix or not any(code.startswith(prefix.upper()) for code in all_rules()):
            raise ArgumentError(
                f"No rule's code begins with {prefix!r}.", field=prefix, hint="TW3 means all of TW3xx, TW304 one rule."
            )
    return [
        one
        for code, one in all_rules().items()
        if (not only or code.startswith(tuple(p.upper() for p in only)))
        and not code.startswith(tuple(p.upper() for p in without))
    ]
