"""PartiQL as far as counting needs it: whether a statement writes, and which table or index it names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

STATEMENTS = frozenset({"ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction"})

_NAME = r'("[^"]*"|[\w-]+)'
_SELECT = r"""SELECT\b(?:[^"']|"[^"]*"|'[^']*')*?\bFROM\b"""
"""Whatever is selected may have FROM in a name or a text."""
_STATED = re.compile(
    rf"\s*(?:({_SELECT})|INSERT\s+INTO\b|UPDATE\b|DELETE\s+FROM\b|EXISTS\s*\(\s*{_SELECT})\s*{_NAME}(?:\s*\.\s*{_NAME})?",
    re.IGNORECASE,
)


class Stated(Struct, frozen=True, gc=False):
    """What a statement says of itself."""

    writes: bool
    table: str
    index: str | None


_NOTHING = Stated(False, "", None)


def stated(text: str) -> Stated:
    """What a statement says; a read of nothing known where it is not as statements should be."""
    found = _STATED.match(text)
    if found is None:
        return _NOTHING
    selects, table, index = found.groups()
    return Stated(selects is None, table.strip('"'), None if index is None else index.strip('"'))


def several(request: Mapping[str, Any]) -> list[Any]:
    """The statements of a request that holds many, each with what belongs to it."""
    return request.get("Statements") or request.get("TransactStatements") or []


def all_stated(request: Mapping[str, Any]) -> list[Stated]:
    """What each statement of a request says."""
    return [stated(one["Statement"]) for one in (several(request) or [request])]
