"""Expressions as written: the tree between parser and resolver, with placeholders and functions still unchecked."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct


class PathSyntax(Struct, frozen=True):
    """A document path; placeholders keep their '#', positions are ints."""

    parts: tuple[str | int, ...]


class ValueSyntax(Struct, frozen=True):
    """A value placeholder with its ':'."""

    name: str


class Call(Struct, frozen=True):
    """An operator or a function with what it is applied to. AND and OR take all terms of one level."""

    name: str
    args: tuple[Syntax, ...]
    is_function: bool = False


Syntax: TypeAlias = PathSyntax | ValueSyntax | Call


class ActionSyntax(Struct, frozen=True):
    """One action of an update section; REMOVE has no value."""

    path: PathSyntax
    value: Syntax | None


class SectionSyntax(Struct, frozen=True):
    """One section of an update expression: SET, REMOVE, ADD or DELETE."""

    keyword: str
    actions: tuple[ActionSyntax, ...]
