"""One statement from its text to something that can run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.context import Context
from tablewright.engine.partiql.ast import Field, Name, Path, Select
from tablewright.engine.partiql.parser import parse_statement
from tablewright.engine.partiql.reads import refuse_multi_attribute
from tablewright.engine.partiql.statements import Deleting, Inserting, Understood, Updating, Writing, understand
from tablewright.engine.partiql.values import check_parameters
from tablewright.engine.partiql.writes import Prepared, prepare_delete, prepare_insert, prepare_update
from tablewright.values import AttributeValue


def read_statement_text(context: Context, request: Mapping[str, Any]) -> tuple[Understood, list[AttributeValue]]:
    """What a statement of a request asks for, with its parameters; faults come in the service's order."""
    parameters = check_parameters(request.get("Parameters"))
    return understood(context, request["Statement"], parameters), parameters


def understood(context: Context, text: str, parameters: list[AttributeValue]) -> Understood:
    """What a text asks for, once its parameters are known to be values."""
    node = parse_statement(text)
    if isinstance(node, Select):
        match node.source.place:
            case Path(Name(table), (Field(index),)):
                refuse_multi_attribute(context, table, index)
    return understand(node, parameters)


def prepare(
    context: Context, statement: Writing, request: Mapping[str, Any], *, in_transaction: bool = False
) -> Prepared:
    """A write statement as a write."""
    on_failure = request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"
    match statement:
        case Inserting():
            return prepare_insert(context, statement, in_transaction=in_transaction)
        case Updating():
            return prepare_update(context, statement, on_failure=on_failure, in_transaction=in_transaction)
        case Deleting():
            return prepare_delete(context, statement, on_failure=on_failure, in_transaction=in_transaction)
