"""Tags in requests: how many there may be, and of what characters."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Sized

from tablewright.errors import RequestRefused

MAX_TAGS = 50

_RESERVED = "aws:"
_KEY = r"[\w\s+\-=.:/@]{1,128}"
_VALUE = r"[\w\s+\-=.:/@]{0,256}"


def check_tags(tags: Sequence[Mapping[str, str | None]]) -> dict[str, str]:
    """Tags by their keys; refuses what cannot be one."""
    checked: dict[str, str] = {}
    for tag in tags:
        key, value = check_key(tag.get("Key")), tag.get("Value")
        if key.lower().startswith(_RESERVED):
            raise RequestRefused(f"Tag Key cannot be prefixed with {_RESERVED}, Key: {key}")
        if value is None or re.fullmatch(_VALUE, value) is None:
            raise RequestRefused(f"The Tag Value provided is invalid, Value: {_told(value)}")
        if key in checked:
            raise RequestRefused(f"Duplicate Tag Keys provided as input: Duplicate Tag Key found {key}")
        checked[key] = value
    check_number(checked)
    return checked


def check_key(key: str | None) -> str:
    """The key of a tag; refuses what cannot be one."""
    if key is None or re.fullmatch(_KEY, key) is None:
        raise RequestRefused(f"The Tag Key provided is invalid, Key: {_told(key)}")
    return key


def check_number(tags: Sized) -> None:
    """Refuse more tags than a resource may have."""
    if len(tags) > MAX_TAGS:
        raise RequestRefused("Number of Tags exceed the current limit for the provided ResourceArn")


def _told(text: str | None) -> str:
    return "null" if text is None else text
