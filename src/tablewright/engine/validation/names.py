"""Names of tables in requests."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tablewright.engine.arns import table_of
from tablewright.engine.validation.requests import NAME_PATTERN
from tablewright.errors import RequestRefused


def required_name(request: Mapping[str, Any]) -> str:
    """The request's TableName."""
    name: str | None = request.get("TableName")
    if name is None:
        raise RequestRefused("The parameter 'TableName' is required but was not present in the request")
    return name


def check_name(name: str, label: str = "TableName") -> str:
    """A table's name by DynamoDB's rules; a table ARN stands for its table."""
    name = table_of(name)
    if not 3 <= len(name) <= 255:
        raise RequestRefused(f"{label} must be at least 3 characters long and at most 255 characters long")
    if not re.fullmatch(NAME_PATTERN, name):
        raise RequestRefused(
            f"1 validation error detected: Value '{name}' at 'tableName' failed to satisfy constraint: "
            f"Member must satisfy regular expression pattern: {NAME_PATTERN}"
        )
    return name
