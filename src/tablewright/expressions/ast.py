"""What expressions mean once they are read: frozen nodes with real attribute names and wire values.

The parser makes these nodes, the builder prints them, and the evaluator compiles them; whoever wants to state a
condition in Python makes them directly.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

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


@dataclass(frozen=True, slots=True)
class Attribute:
    """The value at a document path."""

    path: Path


@dataclass(frozen=True, slots=True)
class Value:
    """A constant, in wire form. It must not be changed afterwards."""

    wire: AttributeValue

    def __hash__(self) -> int:
        return hash(_frozen(self.wire))


@dataclass(frozen=True, slots=True)
class ValueRef:
    """A constant that is still a placeholder, given anew with every request. Only templates hold these."""

    name: str


@dataclass(frozen=True, slots=True)
class Size:
    """size(operand)"""

    operand: Operand


Operand: TypeAlias = Attribute | Value | ValueRef | Size

# ----------------------------------------------------------------------------------------------- conditions


@dataclass(frozen=True, slots=True)
class Compare:
    """left op right"""

    op: Comparator
    left: Operand
    right: Operand


@dataclass(frozen=True, slots=True)
class Between:
    """operand BETWEEN low AND high"""

    operand: Operand
    low: Operand
    high: Operand


@dataclass(frozen=True, slots=True)
class In:
    """operand IN (options)"""

    operand: Operand
    options: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class AttributeExists:
    """attribute_exists(path)"""

    path: Path


@dataclass(frozen=True, slots=True)
class AttributeNotExists:
    """attribute_not_exists(path)"""

    path: Path


@dataclass(frozen=True, slots=True)
class AttributeType:
    """attribute_type(operand, type)"""

    operand: Operand
    type: Operand


@dataclass(frozen=True, slots=True)
class BeginsWith:
    """begins_with(operand, prefix)"""

    operand: Operand
    prefix: Operand


@dataclass(frozen=True, slots=True)
class Contains:
    """contains(container, member)"""

    container: Operand
    member: Operand


@dataclass(frozen=True, slots=True)
class And:
    """Two or more terms, all of which must hold."""

    terms: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Two or more terms, one of which must hold."""

    terms: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Not:
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


@dataclass(frozen=True, slots=True)
class IfNotExists:
    """if_not_exists(path, default)"""

    path: Path
    default: UpdateOperand


@dataclass(frozen=True, slots=True)
class ListAppend:
    """list_append(first, second)"""

    first: UpdateOperand
    second: UpdateOperand


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """left + right, or left - right"""

    op: Literal["+", "-"]
    left: UpdateOperand
    right: UpdateOperand


UpdateOperand: TypeAlias = Attribute | Value | ValueRef | IfNotExists
UpdateValue: TypeAlias = Attribute | Value | ValueRef | IfNotExists | ListAppend | Arithmetic


@dataclass(frozen=True, slots=True)
class SetAction:
    """SET path = value"""

    path: Path
    value: UpdateValue


@dataclass(frozen=True, slots=True)
class RemoveAction:
    """REMOVE path"""

    path: Path


@dataclass(frozen=True, slots=True)
class AddAction:
    """ADD path value"""

    path: Path
    value: Value | ValueRef


@dataclass(frozen=True, slots=True)
class DeleteAction:
    """DELETE path value"""

    path: Path
    value: Value | ValueRef


UpdateAction: TypeAlias = SetAction | RemoveAction | AddAction | DeleteAction


@dataclass(frozen=True, slots=True)
class Update:
    """An update expression: its actions in the order written."""

    actions: tuple[UpdateAction, ...]

    @property
    def paths(self) -> tuple[Path, ...]:
        """The paths that are written, in order."""
        return tuple(action.path for action in self.actions)


@dataclass(frozen=True, slots=True)
class Projection:
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
