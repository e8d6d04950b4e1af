"""Tags in requests: how many there may be, and of what characters."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NoReturn

from tablewright.errors import RequestRefused

MAX_TAGS = 50

_RESERVED = "aws:"
_ALLOWED = re.compile(r"[\w\s+\-=.:/@]*")


def check_tags(tags: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """Tags by their keys; refuses what cannot be one."""
    checked: dict[str, str] = {}
    for tag in tags:
        key, value = tag["Key"], tag["Value"]
        if key.lower().startswith(_RESERVED):
            _refuse(f"Tag keys starting with {_RESERVED} are reserved for system use")
        for what, text in (("key", key), ("value", value)):
            if not _ALLOWED.fullmatch(text):
                _refuse(
                    f"The tag {what} may only contain letters, numbers, white space and the characters + - = . _ : / @"
                )
        if key in checked:
            _refuse(f"Duplicate tag key: {key}")
        checked[key] = value
    check_number(checked)
    return checked


def check_number(tags: Mapping[str, str]) -> None:
    """Refuse more tags than a resource may have."""
    if len(tags) > MAX_TAGS:
        _refuse(f"The number of tags exceeds the limit of {MAX_TAGS} per resource")


def _refuse(message: str) -> NoReturn:
    raise RequestRefused(f"One or more parameter values were invalid: {message}")
