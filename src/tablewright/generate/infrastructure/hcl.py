"""Terraform's language, HCL: blocks with arguments, and texts that may hold references."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from msgspec import Struct, field


class Reference(Struct, frozen=True):
    """An expression that stands as it is: `Reference("var.stage")`."""

    text: str


class Block(Struct, frozen=True):
    """A block: its type, its labels, its arguments, and the blocks in it."""

    type: str
    labels: tuple[str, ...] = ()
    arguments: Mapping[str, Any] = field(default_factory=dict)
    blocks: Sequence[Block] = ()


def written(blocks: Sequence[Block]) -> str:
    """The blocks as a file."""
    return "\n".join("\n".join(_lines(block)) + "\n" for block in blocks)


def text(value: str) -> str:
    """A text in quotes; nothing in it is a template."""
    return json.dumps(value, ensure_ascii=False).replace("${", "$${").replace("%{", "%%{")


def _lines(block: Block) -> Iterator[str]:
    head = " ".join([block.type, *(text(label) for label in block.labels)])
    if not block.arguments and not block.blocks:
        yield f"{head} {{}}"
        return
    yield f"{head} {{"
    yield from (f"  {line}" for line in _arguments(block.arguments))
    for number, inner in enumerate(block.blocks):
        if number or block.arguments:
            yield ""
        yield from (f"  {line}".rstrip() for line in _lines(inner))
    yield "}"


def _arguments(arguments: Mapping[str, Any]) -> Iterator[str]:
    """The arguments, lined up as Terraform's own formatter does it: maps stand between those that are one line each."""
    for several, group in groupby(arguments.items(), key=lambda argument: isinstance(argument[1], Mapping)):
        if several:
            for name, members in group:
                yield f"{name} = {{"
                yield from (f"  {line}" for line in _arguments({text(member): v for member, v in members.items()}))
                yield "}"
        else:
            listed = list(group)
            width = max(len(name) for name, _ in listed)
            yield from (f"{name:<{width}} = {_value(value)}" for name, value in listed)


def _value(value: Any) -> str:
    if isinstance(value, Reference):
        return value.text
    if isinstance(value, str):
        return text(value)
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    return json.dumps(value)
