"""The two placeholder maps of a request: their keys, their values, and whether every one of them is used."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NoReturn, Protocol

from tablewright.errors import ExpressionError, FieldTypeError, ValidationError
from tablewright.expressions.limits import MAX_NAME_BYTES, MAX_PLACEHOLDER_SIZE
from tablewright.values.checks import check_value
from tablewright.values.numbers import MagnitudeError
from tablewright.values.types import AttributeValue

_is_name_key = re.compile(r"#[A-Za-z0-9_]+").fullmatch
_is_value_key = re.compile(r":[A-Za-z0-9_]+").fullmatch


class UsesPlaceholders(Protocol):
    """Anything read from one expression."""

    @property
    def names_used(self) -> frozenset[str]: ...

    @property
    def values_used(self) -> frozenset[str]: ...


def _refuse(message: str, cause: ValidationError | None = None) -> NoReturn:
    raise ExpressionError(message, constraint="placeholders", operation="expression") from cause


def check_names(names: Mapping[str, str]) -> None:
    """Refuse an ExpressionAttributeNames map that DynamoDB would refuse, whatever the expressions say."""
    if not names:
        _refuse("ExpressionAttributeNames must not be empty")
    wrong: str | None = None
    for key, name in names.items():
        if not isinstance(key, str) or not _is_name_key(key) or len(key) > MAX_PLACEHOLDER_SIZE:
            _refuse_key("ExpressionAttributeNames", key)
        if not name:
            wrong = wrong or f"{'null' if name is None else 'Empty attribute name'} for key {key}"
        elif len(name) > MAX_NAME_BYTES // 4 and len(name.encode("utf-8", "surrogatepass")) > MAX_NAME_BYTES:
            wrong = wrong or f"Attribute name is too large, must be less than {MAX_NAME_BYTES + 1} bytes for key {key}"
    if wrong is not None:
        _refuse(f"ExpressionAttributeNames contains invalid value: {wrong}")


def check_values(values: Mapping[str, Any], *, spare: int = 0) -> dict[str, AttributeValue]:
    """Check an ExpressionAttributeValues map; gives back its values in canonical wire form.

    `spare` is how much deeper than the attributes of items they may nest.
    """
    if not values:
        _refuse("ExpressionAttributeValues must not be empty")
    checked: dict[str, AttributeValue] = {}
    wrong: tuple[str, ValidationError] | None = None
    for key, value in values.items():
        if not isinstance(key, str) or not _is_value_key(key) or len(key) > MAX_PLACEHOLDER_SIZE:
            _refuse_key("ExpressionAttributeValues", key)
        if wrong is None:
            try:
                checked[key] = check_value(value, key, spare=spare)
            except ValidationError as error:
                if error.constraint == "serialization":
                    raise
                # Wrong keys are told before wrong values, wherever they stand.
                wrong = key, error
    if wrong is not None:
        key, cause = wrong
        # Only the service's older checks name the placeholder.
        message = cause.older if isinstance(cause, MagnitudeError) else cause.message
        _refuse(f"ExpressionAttributeValues contains invalid value: {message} for key {key}", cause)
    return checked


def _refuse_key(where: str, key: Any) -> NoReturn:
    if not isinstance(key, str):
        raise FieldTypeError(f"A key of {where} is not a string.", constraint="serialization")
    if not key:
        reason = "The expression attribute map contains an empty key;"
    elif len(key) > MAX_PLACEHOLDER_SIZE:
        # The service tells the size of names only.
        told = f" size of key: {len(key)}" if where == "ExpressionAttributeNames" else ""
        reason = f"The expression attribute map contains a key that is too long;{told}"
    else:
        reason = f'Syntax error; key: "{key}"'
    _refuse(f"{where} contains invalid key: {reason}")


def check_unused(
    names: Mapping[str, str] | None,
    values: Mapping[str, AttributeValue] | None,
    expressions: Iterable[UsesPlaceholders],
) -> None:
    """Refuse placeholders that none of a request's expressions uses."""
    used = list(expressions)
    if names and (unused := names.keys() - frozenset().union(*(one.names_used for one in used))):
        _refuse_unused(f"Value provided in ExpressionAttributeNames unused in expressions: keys: {_listed(unused)}")
    if values and (unused := values.keys() - frozenset().union(*(one.values_used for one in used))):
        _refuse_unused(f"Value provided in ExpressionAttributeValues unused in expressions: keys: {_listed(unused)}")


def _refuse_unused(message: str) -> NoReturn:
    raise ExpressionError(message, constraint="unused", operation="expression")


def _listed(keys: Iterable[str]) -> str:
    return "{" + ", ".join(sorted(keys)) + "}"
