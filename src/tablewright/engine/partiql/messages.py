"""The service's words for PartiQL statements that it refuses."""

from __future__ import annotations

from typing import NoReturn

from tablewright.errors import RequestRefused

_MALFORMED = "Statement wasn't well formed, can't be processed: "

KEY_EQUALITY = "Where clause does not contain a mandatory equality on all key attributes"
PARAMETERS = "Number of parameters in request and statement don't match."
ALIASING = "Aliasing is not supported"
ON_INDEX = "This operation is not supported on an index"
PATH_COMPONENT = "Unexpected path component"
DUPLICATE_ITEM = "Duplicate primary key exists in table"
EXISTS_MISPLACED = "EXISTS can only be used in ExecuteTransaction write requests."
EXISTS_SHAPE = "EXISTS() must contain a single item read with additional condition"
MULTI_ATTRIBUTE = (
    "PartiQL statements cannot be executed on tables with multi-attribute HASH keys or multi-attribute RANGE keys."
)
NESTING = "Nesting Levels have exceeded supported limits"
OVERLAPPING = "Overlapping conditions with range keys are not supported in where clause"
TOO_MANY_READS = "Too many decomposed read operations for a given query."
INVALID_TOKEN = "Invalid NextToken"  # noqa: S105 - no password
OTHER_TOKEN = "NextToken does not match request"  # noqa: S105 - no password


def refuse(message: str, position: object = None) -> NoReturn:
    """Refuse a statement that could be read; `position` prints as line:column:length where the service tells it."""
    raise RequestRefused(message if position is None else f"{message} at {position}")


def malformed(detail: str = "") -> NoReturn:
    """Refuse a statement that cannot be read. The service gives no detail for what its lexer refuses."""
    raise RequestRefused(f"{_MALFORMED}{detail}")
