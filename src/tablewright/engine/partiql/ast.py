"""A PartiQL statement once it is read: frozen nodes that know where they stood in the text, nothing yet of tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from tablewright.engine.partiql.lexer import Position

# --------------------------------------------------------------------------------------------------- expressions


@dataclass(frozen=True, slots=True)
class Name:
    """An attribute or table by its name."""

    name: str
    position: Position


@dataclass(frozen=True, slots=True)
class Field:
    """.name in a path"""

    name: str
    position: Position


@dataclass(frozen=True, slots=True)
class Element:
    """[index] in a path"""

    index: Expression
    position: Position


@dataclass(frozen=True, slots=True)
class Wildcard:
    """.* or [*] in a path"""

    star: str
    position: Position


Step: TypeAlias = Field | Element | Wildcard


@dataclass(frozen=True, slots=True)
class Path:
    """Something inside something."""

    root: Expression
    steps: tuple[Step, ...]
    position: Position


@dataclass(frozen=True, slots=True)
class Text:
    """'text'"""

    text: str
    position: Position


@dataclass(frozen=True, slots=True)
class Number:
    """A number as written, with its sign."""

    text: str
    position: Position


@dataclass(frozen=True, slots=True)
class Boolean:
    """TRUE or FALSE"""

    value: bool
    position: Position


@dataclass(frozen=True, slots=True)
class Null:
    """NULL"""

    position: Position


@dataclass(frozen=True, slots=True)
class Missing:
    """MISSING"""

    position: Position


@dataclass(frozen=True, slots=True)
class Ion:
    """`a literal in Ion's notation`, which DynamoDB does not take"""

    text: str
    position: Position


@dataclass(frozen=True, slots=True)
class Parameter:
    """The `?` with this number, from 0 on."""

    number: int
    position: Position


@dataclass(frozen=True, slots=True)
class ListOf:
    """[a, b]"""

    items: tuple[Expression, ...]
    position: Position


@dataclass(frozen=True, slots=True)
class Bag:
    """<<a, b>>"""

    items: tuple[Expression, ...]
    position: Position


@dataclass(frozen=True, slots=True)
class Struct:
    """{'name': value}"""

    members: tuple[tuple[Expression, Expression], ...]
    position: Position


@dataclass(frozen=True, slots=True)
class Symbol:
    """A word that only the function around it knows, as YEAR in EXTRACT."""

    text: str
    position: Position


@dataclass(frozen=True, slots=True)
class Foreign:
    """A form of SQL that DynamoDB reads and does not run, by the service's names for what is written and its class."""

    token: str
    kind: str
    position: Position


@dataclass(frozen=True, slots=True)
class Call:
    """function(arguments); the name is in lower case"""

    function: str
    arguments: tuple[Expression, ...]
    position: Position


@dataclass(frozen=True, slots=True)
class Aggregate:
    """COUNT and its like, which DynamoDB does not have."""

    function: str
    position: Position


@dataclass(frozen=True, slots=True)
class Operation:
    """An operator with its operands; AND and OR take all terms of one level. `operator` is in lower case."""

    operator: str
    operands: tuple[Expression, ...]
    position: Position


@dataclass(frozen=True, slots=True)
class IsType:
    """operand IS type; NOT is an operation around it"""

    operand: Expression
    type: str
    position: Position


# ---------------------------------------------------------------------------------------------------- statements


@dataclass(frozen=True, slots=True)
class Source:
    """What stands behind FROM, INTO or UPDATE."""

    place: Expression
    has_alias: bool = False
    is_joined: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """One expression of a select list."""

    expression: Expression
    has_alias: bool = False


@dataclass(frozen=True, slots=True)
class Ordering:
    """One term of ORDER BY."""

    expression: Expression
    descending: bool


@dataclass(frozen=True, slots=True)
class Select:
    """SELECT. No columns mean `*`; `unsupported` is the first clause that DynamoDB does not have."""

    columns: tuple[Column, ...]
    source: Source
    where: Expression | None
    order: tuple[Ordering, ...]
    position: Position
    quantifier: str = ""
    unsupported: str = ""


@dataclass(frozen=True, slots=True)
class Returned:
    """One element of a RETURNING clause, such as ALL OLD *."""

    mapping: str
    is_star: bool


@dataclass(frozen=True, slots=True)
class Insert:
    """INSERT INTO place VALUE item"""

    source: Source
    item: Expression
    position: Position
    has_place: bool = False
    on_conflict: bool = False
    returning: tuple[Returned, ...] = ()
    is_value: bool = True


@dataclass(frozen=True, slots=True)
class Assignment:
    """SET path = value"""

    path: Expression
    value: Expression


@dataclass(frozen=True, slots=True)
class Removal:
    """REMOVE path"""

    path: Expression


@dataclass(frozen=True, slots=True)
class Update:
    """UPDATE, or FROM … WHERE … SET. There is no source where SET stands alone."""

    source: Source | None
    actions: tuple[Assignment | Removal | Insert, ...]
    where: Expression | None
    position: Position
    returning: tuple[Returned, ...] = ()


@dataclass(frozen=True, slots=True)
class Delete:
    """DELETE FROM"""

    source: Source
    where: Expression | None
    position: Position
    returning: tuple[Returned, ...] = ()


@dataclass(frozen=True, slots=True)
class Definition:
    """CREATE, DROP or EXEC, by the service's name for it."""

    operation: str
    position: Position


Expression: TypeAlias = (
    Name
    | Path
    | Text
    | Number
    | Boolean
    | Null
    | Missing
    | Ion
    | Parameter
    | ListOf
    | Bag
    | Struct
    | Symbol
    | Foreign
    | Call
    | Aggregate
    | Operation
    | IsType
    | Select
    | Insert
    | Update
    | Delete
    | Definition
)

_OPERATIONS = {
    Name: "VariableReference",
    Path: "Path",
    Text: "Literal",
    Number: "Literal",
    Boolean: "Literal",
    Null: "Literal",
    Ion: "Literal",
    Missing: "LiteralMissing",
    Parameter: "Parameter",
    ListOf: "Seq",
    Bag: "Seq",
    Struct: "Struct",
    Aggregate: "CallAgg",
    IsType: "IsType",
}


def operation_name(node: Expression) -> str | None:
    """What the service calls a statement that is only an expression; None for operators and calls."""
    if isinstance(node, Definition):
        return node.operation
    if isinstance(node, Foreign):
        return node.kind
    return _OPERATIONS.get(type(node))
