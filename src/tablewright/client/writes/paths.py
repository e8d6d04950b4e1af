"""Field paths as text: `address.city`, `lines[0].quantity`."""

from __future__ import annotations

import re

from tablewright.errors import ArgumentError
from tablewright.model.conditions import FieldPath

_STEP = re.compile(r"([^.\[\]]+)((?:\[\d+\])*)")
_POSITION = re.compile(r"\[(\d+)\]")


def parse_path(text: str) -> FieldPath:
    """The steps of a path."""
    path: list[str | int] = []
    for part in text.split(".") if isinstance(text, str) else [""]:
        found = _STEP.fullmatch(part)
        if found is None:
            raise ArgumentError(
                f"{text!r} is no field path.",
                field=str(text),
                hint='Write "status", "address.city" or "lines[0].quantity".',
            )
        path.append(found[1])
        path.extend(int(n) for n in _POSITION.findall(found[2]))
    return tuple(path)
