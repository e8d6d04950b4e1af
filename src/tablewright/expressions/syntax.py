"""Expressions as written: the tree between parser and resolver, with placeholders and functions still unchecked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class PathSyntax:
    """A document path; placeholders keep their '#', positions are ints."""

    parts: tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class ValueSyntax:
    """A value placeholder with its ':'."""

    name: str


@dataclass(frozen=True, slots=True)
class Call:
    """An operator or a function with what it is applied to. AND and OR take all terms of one level."""

    name: str
    args: tuple[Syntax, ...]
    is_function: bool = False


Syntax: TypeAlias = PathSyntax | ValueSyntax | Call


@dataclass(frozen=True, slots=True)
class ActionSyntax:
    """One action of an update section; REMOVE has no value."""

    path: PathSyntax
    value: Syntax | None


@dataclass(frozen=True, slots=True)
class SectionSyntax:
    """One section of an update expression: SET, REMOVE, ADD or DELETE."""

    keyword: str
    actions: tuple[ActionSyntax, ...]
