"""The shapes of requests that carry PartiQL statements."""

from __future__ import annotations

from collections.abc import Mapping

from tablewright.engine.partiql.limits import (
    MAX_BATCH_STATEMENTS,
    MAX_STATEMENT,
    MAX_TOKEN,
    MAX_TRANSACTION_STATEMENTS,
)
from tablewright.engine.validation.shapes import Entries, Flag, Members, Number, Shape, Struct, Text

_CONSUMED = Text(choices=("INDEXES", "TOTAL", "NONE"))
_STATEMENT: dict[str, Shape] = {
    "Statement": Text(required=True, low=1, high=MAX_STATEMENT),
    "Parameters": Members(Entries(), low=1),
    "ReturnValuesOnConditionCheckFailure": Text(choices=("ALL_OLD", "NONE")),
}

SHAPES: Mapping[str, Struct] = {
    "BatchExecuteStatement": Struct(
        {
            "Statements": Members(
                Struct({**_STATEMENT, "ConsistentRead": Flag()}), required=True, low=1, high=MAX_BATCH_STATEMENTS
            ),
            "ReturnConsumedCapacity": _CONSUMED,
        }
    ),
    "ExecuteStatement": Struct(
        {
            **_STATEMENT,
            "ConsistentRead": Flag(),
            "NextToken": Text(low=1, high=MAX_TOKEN),
            "ReturnConsumedCapacity": _CONSUMED,
            "Limit": Number(low=1),
        }
    ),
    "ExecuteTransaction": Struct(
        {
            "TransactStatements": Members(Struct(_STATEMENT), required=True, low=1, high=MAX_TRANSACTION_STATEMENTS),
            "ClientRequestToken": Text(low=1, high=36),
            "ReturnConsumedCapacity": _CONSUMED,
        }
    ),
}
