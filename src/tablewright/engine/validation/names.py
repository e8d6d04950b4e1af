"""Names of tables in requests: their rules, and the service's words for names that break them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from tablewright.engine.arns import table_of
from tablewright.engine.validation.shapes import fault, wrong_text
from tablewright.errors import RequestRefused

NAME_PATTERN = "[a-zA-Z0-9_.-]+"

NOT_PRESENT = "The parameter 'TableName' is required but was not present in the request"
"""What operations on tables themselves say when no table is named."""

_SHORTEST, _LONGEST = 3, 255
_GOOD = re.compile(r"(?:arn:[^:]*:dynamodb:[^:]*:[^:]*:table/)?[a-zA-Z0-9_.-]{3,255}")


_SEEN: set[str] = set()
_REMEMBERED = 1024


def _is_good(name: str) -> bool:
    if _GOOD.fullmatch(name) is None:
        return False
    # A look is cheaper than a match, and requests name the same few tables over and over.
    if len(_SEEN) < _REMEMBERED:
        _SEEN.add(name)
    return True


class TableName(Struct, frozen=True):
    """A table's name, or its ARN in place of it; as `required`, the message of a request without."""

    required: bool | str = True

    @property
    def only(self) -> type | None:
        """The type, if being of it is all that the shape asks."""
        return None

    def fits(self, value: Any) -> bool:
        """Whether the value has this shape."""
        return value.__class__ is str and (value in _SEEN or _is_good(value))

    def explain(self, value: Any, path: str, faults: list[str]) -> None:
        """Refuse a wrong JSON type; add broken constraints to `faults`."""
        if not isinstance(value, str):
            wrong_text(value)
        try:
            check_name(value, path)
        except RequestRefused as error:
            faults.append(error.message)


def required_name(request: Mapping[str, Any]) -> str:
    """The request's TableName."""
    name: str = request["TableName"]
    return name


def check_name(name: str, path: str = "tableName") -> str:
    """A table's name by DynamoDB's rules; a table ARN stands for its table."""
    if not name:
        raise RequestRefused(fault(name, path, "Member must have length greater than or equal to 1"))
    name = table_of(name)
    if not re.fullmatch(NAME_PATTERN, name):
        raise RequestRefused(fault(name, path, f"Member must satisfy regular expression pattern: {NAME_PATTERN}"))
    if len(name) < _SHORTEST:
        raise RequestRefused(fault(name, path, f"Member must have length greater than or equal to {_SHORTEST}"))
    if len(name) > _LONGEST:
        raise RequestRefused(fault(name, path, f"Member must have length less than or equal to {_LONGEST}"))
    return name
