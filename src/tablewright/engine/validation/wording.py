"""How a request that cannot be read is told so: the service words the same faults differently by operation.

Its newer checks serve operations on single items and some reads; writes of single items tell their findings in the
form of a validation error. Batches, transactions and scans still have the older checks. What is only found when the
table or the item is looked at is worded alike everywhere, and does not pass here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.validation.layers import is_too_deep
from tablewright.engine.validation.shapes import ONE_ERROR
from tablewright.errors import RequestRefused, ValidationError
from tablewright.values import DuplicateMembersError, MagnitudeError

_COUNTED = frozenset({"PutItem", "UpdateItem", "DeleteItem"})
_NEWER = _COUNTED | {"GetItem", "BatchGetItem", "Query"}

# Faults of the JSON rather than of what it says; these are told as they are.
_STRUCTURAL = frozenset({"one tag", "name", "key path"})

# A request that only the older checks can read.
_DEEP = ""

_VALUES_ALONE = "ExpressionAttributeValues can only be specified when using expressions"
_NOT_NUMERIC = "The parameter cannot be converted to a numeric value"
_ONE_EACH = "KeyConditionExpressions must only contain one condition per key"


class Malformed(RequestRefused):
    """Parameters that do not fit each other."""


def refusal(operation: str, error: ValidationError | Malformed, request: Mapping[str, Any]) -> RequestRefused:
    """The error that the service answers a request with."""
    named = operation
    if operation in _NEWER and is_too_deep(request):
        operation = _DEEP
    if isinstance(error, Malformed):
        return RequestRefused(_counted(operation, error.message), operation=named)
    if error.constraint == "serialization":
        return RequestRefused(error.message, wire_name="SerializationException", operation=named)
    constraint, message = error.constraint, error.message
    if operation in _NEWER:
        cause = error.__cause__
        if constraint == "placeholders" and isinstance(cause, ValidationError):
            # The older checks name the placeholder of a bad value.
            constraint = cause.constraint
            message = message if constraint == "one tag" else _newer(cause)
        else:
            message = _newer(error)
    elif isinstance(error, MagnitudeError):
        message = error.older
    if message == _ONE_EACH and operation == "Query":
        message = f"Invalid KeyConditionExpression: {message}"
    return RequestRefused(message if constraint in _STRUCTURAL else _counted(operation, message), operation=named)


def _newer(error: ValidationError) -> str:
    if isinstance(error, DuplicateMembersError):
        return error.quoted
    return f"{_NOT_NUMERIC}: " if error.message == _NOT_NUMERIC else error.message


def _counted(operation: str, message: str) -> str:
    if operation not in _COUNTED:
        return message
    return f"{ONE_ERROR}{_VALUES_ALONE if message.startswith(_VALUES_ALONE) else message}"
