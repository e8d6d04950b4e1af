"""The service's names for parts of a statement, as they appear in its messages."""

from __future__ import annotations

from tablewright.engine.partiql.ast import (
    Aggregate,
    Bag,
    Boolean,
    Call,
    Expression,
    Foreign,
    Ion,
    IsType,
    ListOf,
    Missing,
    Name,
    Null,
    Number,
    Operation,
    Parameter,
    Path,
    Select,
    Struct,
    Text,
)


def token_name(node: Expression) -> str:
    """A part by what is written: an operator, a function, a name."""
    match node:
        case Name(name):
            return name
        case Operation(operator):
            return operator
        case Call(function) | Aggregate(function):
            return function
        case Foreign(token):
            return token
        case Missing():
            return "MISSING"
        case Select():
            return "SELECT"
        case Path():
            return "PATH"
        case IsType():
            return "is"
        case Parameter():
            return "PARAMETER"
        case Struct():
            return "STRUCT"
        case Text(text) | Number(text) | Ion(text):
            return text
        case Boolean(value):
            return "true" if value else "false"
        case Null():
            return "null"
        case ListOf() | Bag():
            return "[]"
        case _:
            return "UNKNOWN"


def type_name(node: Expression) -> str:
    """A part by its class: what stands where only a value of some type may."""
    match node:
        case Name():
            return "VariableReference"
        case Path():
            return "Path"
        case Parameter():
            return "Parameter"
        case Text():
            return "STRING"
        case Number(text):
            return "INT" if text.lstrip("-").isdigit() else "DECIMAL"
        case Boolean():
            return "BOOL"
        case Null():
            return "NULL"
        case Ion(text):
            return _ion_type(text)
        case Struct():
            return "Struct"
        case ListOf() | Bag():
            return "Seq"
        case Missing():
            return "LiteralMissing"
        case Select():
            return "Select"
        case Aggregate():
            return "CallAgg"
        case IsType():
            return "IsType"
        case Operation() | Call():
            return "NAry"
        case Foreign(_, kind):
            return kind
        case _:
            return "DataManipulation"


def _ion_type(text: str) -> str:
    stripped = text.strip()
    if stripped.startswith("{{"):
        return "BLOB"
    if stripped.startswith("{"):
        return "STRUCT"
    if stripped.startswith("["):
        return "LIST"
    if stripped.startswith(('"', "'")):
        return "STRING"
    if stripped in ("true", "false"):
        return "BOOL"
    digits = stripped.lstrip("-")
    if digits.isdigit():
        return "INT"
    return "DECIMAL" if digits[:1].isdigit() else "SYMBOL"
