"""YAML as CloudFormation reads it: plain data, and the short form of its functions."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

_PLAIN = re.compile(r"[A-Za-z][\w./,;'()-]*(?: [\w./,;'()-]+)*(?:::?[\w./-]+)*", re.ASCII)
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
"""What JSON writes as it is, and YAML does not take."""
_WORDS = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})


class Function(Struct, frozen=True):
    """A function of CloudFormation: `Function("Ref", "Table")` is written `!Ref Table`."""

    name: str
    argument: Any


def written(data: Any) -> str:
    """The data as YAML."""
    return "\n".join(_lines(data)) + "\n"


def _lines(data: Any) -> Iterator[str]:
    if isinstance(data, Mapping):
        for name, value in data.items():
            head, below = _parts(value)
            yield f"{_scalar(name)}:{head and ' '}{head}"
            yield from (f"  {line}" for line in below)
        return
    for value in data:
        head, below = _parts(value)
        if head:
            yield f"- {head}"
            yield from (f"  {line}" for line in below)
        else:
            yield f"- {below[0]}"
            yield from (f"  {line}" for line in below[1:])


def _parts(value: Any) -> tuple[str, list[str]]:
    """What stands on the line of a name or a dash, and the lines below it."""
    tag = ""
    if isinstance(value, Function):
        tag, value = f"!{value.name}", value.argument
    if isinstance(value, Mapping | list) and value:
        return tag, list(_lines(value))
    return f"{tag}{tag and ' '}{_scalar(value)}", []


def _scalar(value: Any) -> str:
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _WORDS:
        return value
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False))
