"""YAML of CloudFormation, read again: what `generate` writes and people edit in it, not all that the language has."""

from __future__ import annotations

import json
import re
from typing import Any

from msgspec import Struct

_ENTRY = re.compile(r"""("(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'#&*!|>%@`\[\]{},-](?:(?! #).)*?)\s*:(?:\s+(.*))?""").fullmatch
_TAGGED = re.compile(r"!(\w+)(?:\s+(.*))?").fullmatch
_COMMENTED = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^"'#].*?|)(?:(?:^|\s+)#.*)""").fullmatch
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?").fullmatch
_WORDS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False, "null": None, "~": None}
_UNKNOWN = tuple("&*|>%@`[{,")
"""What begins a form of values that is not read."""


class _Line(Struct):
    indent: int
    text: str


def read(text: str) -> Any:
    """The data, with functions as JSON has them: `!Sub x` is `{"Fn::Sub": "x"}`. ValueError for what is not understood."""
    lines: list[_Line] = []
    for raw in text.splitlines():
        told = raw.strip()
        if told and not told.startswith("#") and told != "---":
            lines.append(_Line(len(raw) - len(raw.lstrip(" ")), told))
    reader = _Reader(lines)
    data = reader.block(-1)
    if reader.at != len(lines):
        raise ValueError("a line stands further left or right than those it belongs to")
    return data


class _Reader:
    def __init__(self, lines: list[_Line]) -> None:
        self._lines = lines
        self.at = 0

    def _here(self) -> _Line | None:
        return self._lines[self.at] if self.at < len(self._lines) else None

    def block(self, above: int) -> Any:
        """What stands further right than the line above; None where nothing does."""
        first = self._here()
        if first is None or first.indent <= above:
            return None
        return self._list(first.indent) if _is_dash(first.text) else self._mapping(first.indent)

    def _mapping(self, indent: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while (line := self._here()) is not None and line.indent == indent and not _is_dash(line.text):
            entry = _ENTRY(line.text)
            if entry is None:
                raise ValueError("a line is no entry of a mapping")
            name = _scalar(entry[1])
            if not isinstance(name, str) or name in found:
                raise ValueError("an entry has no name of its own")
            self.at += 1
            found[name] = self._value(entry[2] or "", indent, beside=True)
        return found

    def _list(self, indent: int) -> list[Any]:
        found: list[Any] = []
        while (line := self._here()) is not None and line.indent == indent and _is_dash(line.text):
            rest = line.text[1:].lstrip(" ")
            if rest and (_is_dash(rest) or _ENTRY(rest) is not None):
                inner = indent + len(line.text) - len(rest)
                self._lines[self.at] = _Line(inner, rest)
                found.append(self.block(indent))
            else:
                self.at += 1
                found.append(self._value(rest, indent))
        return found

    def _value(self, head: str, indent: int, *, beside: bool = False) -> Any:
        """A value that begins after a name or a dash. The dashes of a list may stand right `beside` its name."""
        commented = _COMMENTED(head)
        head = head if commented is None else commented[1]
        tagged = _TAGGED(head)
        if tagged is not None:
            name = tagged[1] if tagged[1] in ("Ref", "Condition") else f"Fn::{tagged[1]}"
            return {name: self._value(tagged[2] or "", indent, beside=beside)}
        if head:
            return _scalar(head)
        line = self._here()
        if beside and line is not None and line.indent == indent and _is_dash(line.text):
            return self._list(indent)
        return self.block(indent)


def _is_dash(text: str) -> bool:
    return text == "-" or text.startswith("- ")


def _scalar(text: str) -> Any:
    if text.startswith("'"):
        if not re.fullmatch("'(?:[^']|'')*'", text):
            raise ValueError("a text has no end")
        return text[1:-1].replace("''", "'")
    if text.startswith('"') or _NUMBER(text) or text in ("{}", "[]"):
        return json.loads(text)
    if text.startswith(_UNKNOWN) or ": " in text:
        raise ValueError("a value is of a form that is not read")
    return _WORDS.get(text.lower(), text)
