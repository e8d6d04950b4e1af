"""Syntax to meaning: names are looked up, functions and operand types checked, in the order in which DynamoDB does.

Parse results are worth keeping, but the values of a request differ each time. So this room resolves names only and
leaves a list of checks for the values: a template. What goes wrong in a template is reported through those checks
too, since DynamoDB reports the first fault from left to right, whether it lies in a name or in a value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Generic, NoReturn, TypeAlias, TypeVar

from msgspec import Struct

from tablewright.expressions.ast import Path, ValueRef
from tablewright.expressions.lexer import refuse
from tablewright.expressions.limits import MAX_LIST_INDEX, MAX_PATH_DEPTH
from tablewright.expressions.reserved import is_reserved
from tablewright.expressions.syntax import PathSyntax, ValueSyntax
from tablewright.values.types import AttributeValue

Values: TypeAlias = Mapping[str, AttributeValue]
Names: TypeAlias = Mapping[str, str]
Check: TypeAlias = Callable[[Values], None]

Node = TypeVar("Node")


class Template(Struct, Generic[Node], frozen=True):
    """An expression whose names are resolved and whose values are still placeholders.

    `node` may be used only after `check` has passed for the values of the request.
    """

    kind: str
    node: Node
    names_used: frozenset[str]
    values_used: frozenset[str]
    checks: tuple[Check, ...]

    def check(self, values: Values) -> None:
        """Refuse values that do not fit, with DynamoDB's message."""
        for check in self.checks:
            check(values)


def fixed(kind: str, node: Node) -> Template[Node]:
    """The template of a node that was made without text and holds its values."""
    return Template(kind, node, _NOTHING_USED, _NOTHING_USED, ())


_NOTHING_USED: frozenset[str] = frozenset()


class Parsed(Struct, Generic[Node], frozen=True):
    """An expression with real names and values, and the placeholders that it used."""

    node: Node
    names_used: frozenset[str]
    values_used: frozenset[str]


class FaultFound(Exception):
    """Stops a resolver after a fault that no values can mend."""


class Resolver:
    """Collects the checks of one template and the placeholders that it uses."""

    __slots__ = ("checks", "kind", "names", "names_used", "values_used")

    def __init__(self, kind: str, names: Names) -> None:
        self.kind = kind
        self.names = names
        self.names_used: set[str] = set()
        self.values_used: set[str] = set()
        self.checks: list[Check] = []

    def fault(self, message: str) -> NoReturn:
        """End here: whatever the values are, this is what will be reported, unless an earlier check speaks first."""
        kind = self.kind

        def check(values: Values) -> None:
            refuse(kind, message)

        self.checks.append(check)
        raise FaultFound

    def path(self, syntax: PathSyntax) -> Path:
        """A path with its names looked up."""
        if len(syntax.parts) > MAX_PATH_DEPTH:
            self.fault(f"The document path has too many nesting levels; nesting levels: {len(syntax.parts)}")
        parts: list[str | int] = []
        for part in syntax.parts:
            if isinstance(part, str) and part[0] == "#":
                name = self.names.get(part)
                if name is None:
                    self.fault(
                        f"An expression attribute name used in the document path is not defined; attribute name: {part}"
                    )
                self.names_used.add(part)
                parts.append(name)
            else:
                parts.append(part)
        return tuple(parts)

    def value(self, syntax: ValueSyntax) -> ValueRef:
        """A value placeholder, to be checked for existence."""
        name, kind = syntax.name, self.kind
        if name not in self.values_used:
            self.values_used.add(name)

            def check(values: Values) -> None:
                if name not in values:
                    refuse(
                        kind,
                        f"An expression attribute value used in expression is not defined; attribute value: {name}",
                    )

            self.checks.append(check)
        return ValueRef(name)

    def template(self, build: Callable[[], Node], nothing: Node) -> Template[Node]:
        """Run a build to its end or its first fault."""
        try:
            node = build()
        except FaultFound:
            node = nothing
        return Template(self.kind, node, frozenset(self.names_used), frozenset(self.values_used), tuple(self.checks))


def check_bare_names(syntax: PathSyntax, kind: str) -> None:
    """Refuse reserved words and impossible positions; these are found before any placeholder is looked at."""
    for part in syntax.parts:
        if isinstance(part, int):
            if part > MAX_LIST_INDEX:
                refuse(kind, f"List index is not within the allowable range; index: [{part}]")
        elif part[0] != "#" and is_reserved(part):
            refuse(kind, f"Attribute name is a reserved keyword; reserved keyword: {part}")


def tag_of(value: AttributeValue) -> str:
    """The type tag of a wire value."""
    for tag in value:
        return tag
    return ""


def path_text(path: Path) -> str:
    """A path as DynamoDB writes it in messages: [a, b, [0]]."""
    return "[" + ", ".join(f"[{part}]" if isinstance(part, int) else part for part in path) + "]"
