"""Paths of a statement as document paths, and tables as it names them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

from tablewright.engine.partiql.ast import Element, Expression, Field, Name, Number, Path, Source, Step, Text
from tablewright.engine.partiql.messages import ALIASING, PATH_COMPONENT, refuse
from tablewright.expressions.limits import MAX_LIST_INDEX

DocumentPath: TypeAlias = tuple[str | int, ...]

_EMPTY = "Path component cannot be an empty string"
_TABLE_NAME = "Table name should be within the length [3, 255] and only contain 'a-z', 'A-Z', '0-9', '-', '_', '.'."
_table_name = re.compile(r"[a-zA-Z0-9_.-]{3,255}|arn:.*").fullmatch


def is_path(node: Expression) -> bool:
    """Whether an expression leads to an attribute."""
    return isinstance(node, (Name, Path))


def document_path(node: Expression) -> DocumentPath:
    """The path that an expression writes."""
    if isinstance(node, Name):
        return (_named(node.name),)
    if not isinstance(node, Path) or not isinstance(node.root, Name):
        refuse(PATH_COMPONENT, node.root.position if isinstance(node, Path) else node.position)
    return (_named(node.root.name), *map(_part, node.steps))


def _named(name: str) -> str:
    if not name:
        refuse(_EMPTY)
    return name


def _part(step: Step) -> str | int:
    if isinstance(step, Field):
        return _named(step.name)
    if not isinstance(step, Element):
        kind = "Unpivot path component like a.*.b" if step.star == ".*" else "Wildcard path component like a[*].b"
        refuse(f"{kind} are not supported", step.position)
    index = step.index
    if isinstance(index, Name):
        return _named(index.name)
    if isinstance(index, Text):
        return _named(index.text)
    if not isinstance(index, Number) or not index.text.lstrip("-").isdigit():
        refuse(PATH_COMPONENT, index.position)
    if len(index.text) > 11 or not 0 <= int(index.text) <= MAX_LIST_INDEX:
        refuse(f"List index is not within the allowable range; index: [{index.text}]", index.position)
    return int(index.text)


@dataclass(frozen=True, slots=True)
class Place:
    """A table, or an index of it, as a statement names it."""

    table: str
    index: str | None


def place_of(source: Source) -> Place:
    """Where a SELECT, UPDATE or DELETE works."""
    if source.is_joined:
        refuse("Only select from a single table or index is supported.")
    if source.has_alias:
        refuse(ALIASING)
    node = source.place
    if isinstance(node, Name):
        return Place(_table(node.name), None)
    if not isinstance(node, Path) or not isinstance(node.root, Name):
        refuse("Unexpected from source")
    step, *others = node.steps
    if others:
        refuse("A path may contain at most 2 components in the FROM clause")
    if isinstance(step, Element):
        refuse("Invalid list expression in source.")
    if not isinstance(step, Field):
        refuse("Unexpected from source")
    return Place(_table(node.root.name), _named(step.name))


def _table(name: str) -> str:
    if not _table_name(_named(name)):
        refuse(_TABLE_NAME)
    return name
