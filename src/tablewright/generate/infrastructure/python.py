"""Values as Python source, one member a line where they do not fit into one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_WIDTH = 100


def literal(value: Any, indent: int = 0) -> str:
    """A value of dicts, lists, texts, numbers and flags as Python writes it; `indent` is that of the line it starts on."""
    flat = _flat(value)
    if len(flat) + indent <= _WIDTH or not value or not isinstance(value, Mapping | list):
        return flat
    inner = " " * (indent + 4)
    if isinstance(value, Mapping):
        members = [f"{inner}{_flat(name)}: {literal(member, indent + 4)},\n" for name, member in value.items()]
        return "{\n" + "".join(members) + " " * indent + "}"
    return "[\n" + "".join(f"{inner}{literal(member, indent + 4)},\n" for member in value) + " " * indent + "]"


def _flat(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_flat(name)}: {_flat(member)}" for name, member in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flat, value)) + "]"
    if isinstance(value, str):
        plain = repr(value)
        return plain if '"' in value or "\\" in plain else f'"{value}"'
    return repr(value)
