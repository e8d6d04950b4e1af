"""What expressions mean once they are read: frozen nodes with real attribute names and wire values.

The parser makes these nodes, the builder prints them, and the evaluator compiles them; whoever wants to state a
condition in Python makes them directly.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from tablewright.values.types import AttributeValue

Path: TypeAlias = tuple[str | int, ...]
"""A document path: the attribute's name, then map keys (str) and list positions (int)."""

Comparator: TypeAlias = Literal["=", "<>", "<", "<=", ">", ">="]


def _frozen(value: Any) -> Hashable:
    if isinstance(value, dict):
        return tuple(sorted(((k, _frozen(v)) for k, v in value.items()), key=lambda pair: str(pair[0])))
    if isinstance(value, (list, tuple)):
        return tuple(_frozen(v) for v in value)
    return value  # type: ignore[no-any-return]


# ------------------------------------------------------------------------------------------------- operands


class Attribute(Struct, frozen=True):
    """The value at a document path."""

    path: Path


class Value(Struct, frozen=True):
    """A constant, in wire form. It must not be changed afterwards."""

    wire: AttributeValue

    def __hash__(self) -> int:
        return hash(_frozen(self.wire))


class ValueRef(Struct, frozen=True):
    """A constant that is still a placeholder, given anew with every request. Only templates hold these."""

    name: str


class Size(Struct, frozen=True):
    """size(operand)"""

    operand: Operand


Operand: TypeAlias = Attribute | Value | ValueRef | Size

# ----------------------------------------------------------------------------------------------- conditions


class Compare(Struct, frozen=True):
    """left op right"""

    op: Comparator
    left: Operand
    right: Operand


class Between(Struct, frozen=True):
    """operand BETWEEN low AND high"""

    operand: Operand
    low: Operand
    high: Operand


class In(Struct, frozen=True):
    """operand IN (options)"""

    operand: Operand
    options: tuple[Operand, ...]


class AttributeExists(Struct, frozen=True):
    """attribute_exists(path)"""

    path: Path


class AttributeNotExists(Struct, frozen=True):
    """attribute_not_exists(path)"""

    path: Path


class AttributeType(Struct, frozen=True):
    """attribute_type(operand, type)"""

    operand: Operand
    type: Operand


class BeginsWith(Struct, frozen=True):
    """begins_with(operand, prefix)"""

    operand: Operand
    prefix: Operand


class Contains(Struct, frozen=True):
    """contains(container, member)"""

    container: Operand
    member: Operand


class And(Struct, frozen=True):
    """Two or more terms, all of which must hold."""

    terms: tuple[Condition, ...]


class Or(Struct, frozen=True):
    """Two or more terms, one of which must hold."""

    terms: tuple[Condition, ...]


class Not(Struct, frozen=True):
    """NOT term"""

    term: Condition


Condition: TypeAlias = (
    Compare
    | Between
    | In
    | AttributeExists
    | AttributeNotExists
    | AttributeType
    | BeginsWith
    | Contains
    | And
    | Or
    | Not
)

# -------------------------------------------------------------------------------------------------- updates


class IfNotExists(Struct, frozen=True):
    """if_not_exists(path, default)"""

    path: Path
    default: UpdateOperand


class ListAppend(Struct, frozen=True):
    """list_append(first, second)"""

    first: UpdateOperand
    second: UpdateOperand


class Arithmetic(Struct, frozen=True):
    """left + right, or left - right"""

    op: Literal["+", "-"]
    left: UpdateOperand
    right: UpdateOperand


UpdateOperand: TypeAlias = Attribute | Value | ValueRef | IfNotExists
UpdateValue: TypeAlias = Attribute | Value | ValueRef | IfNotExists | ListAppend | Arithmetic


class SetAction(Struct, frozen=True):
    """SET path = value"""

    path: Path
    value: UpdateValue


class RemoveAction(Struct, frozen=True):
    """REMOVE path"""

    path: Path


class AddAction(Struct, frozen=True):
    """ADD path value"""

    path: Path
    value: Value | ValueRef


class DeleteAction(Struct, frozen=True):
    """DELETE path value"""

    path: Path
    value: Value | ValueRef


UpdateAction: TypeAlias = SetAction | RemoveAction | AddAction | DeleteAction


class Update(Struct, frozen=True):
    """An update expression: its actions in the order written."""

    actions: tuple[UpdateAction, ...]

    @property
    def paths(self) -> tuple[Path, ...]:
        """The paths that are written, in order."""
        return tuple(action.path for action in self.actions)


class Projection(Struct, frozen=True):
    """A projection expression: the paths to keep."""

    paths: tuple[Path, ...]


def operands(node: Condition) -> Iterator[Operand | Condition]:
    """The parts of one condition, from left to right."""
    match node:
        case And(terms) | Or(terms):
            yield from terms
        case Not(term):
            yield term
        case Compare(_, left, right):
            yield left
            yield right
        case Between(operand, low, high):
            yield operand
            yield low
            yield high
        case In(operand, options):
            yield operand
            yield from options
        case AttributeExists(path) | AttributeNotExists(path):
            yield Attribute(path)
        case AttributeType(operand, kind):
            yield operand
            yield kind
        case BeginsWith(operand, prefix):
            yield operand
            yield prefix
        case Contains(container, member):
            yield container
            yield member


def paths_of(node: Condition | Operand) -> Iterator[Path]:
    """Every document path that a condition reads, from left to right."""
    match node:
        case Attribute(path):
            yield path
        case Value() | ValueRef():
            return
        case Size(operand):
            yield from paths_of(operand)
        case _:
            for part in operands(node):
                yield from paths_of(part)
