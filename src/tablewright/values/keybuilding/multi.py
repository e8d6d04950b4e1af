"""Values for index keys of several attributes, one to four on a side, each in its own type."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Literal, TypeAlias

from tablewright.errors import ArgumentError, KeyValueError, MissingKeyPartError, NumberError
from tablewright.values.keybuilding.buckets import epoch_milliseconds
from tablewright.values.keycodec.escape import refuse_surrogates
from tablewright.values.numbers import format_number

KeyTag: TypeAlias = Literal["S", "N", "B"]
MultiValue: TypeAlias = str | int | Decimal | bytes
MAX_ATTRIBUTES = 4
_WORDS: dict[str, str] = {"S": "a string", "N": "a number", "B": "binary"}


def multi_attribute_key(values: Sequence[MultiValue]) -> list[MultiValue]:
    """The values of one side of an index key, checked: one to four texts, numbers or bytes, none of them empty."""
    if isinstance(values, str | bytes) or not isinstance(values, Sequence) or not 1 <= len(values) <= MAX_ATTRIBUTES:
        raise ArgumentError(
            f"A multi-attribute key has 1 to {MAX_ATTRIBUTES} values in a list.", constraint=f"1 to {MAX_ATTRIBUTES}"
        )
    for position, value in enumerate(values):
        _tag(value, position)
    return list(values)


def validate_multi_attribute_key(
    values: Sequence[MultiValue], definition: Sequence[tuple[str, KeyTag]], *, sort: bool = False
) -> list[MultiValue]:
    """The values, checked against the attributes' names and types: `[("tenant", "S"), ("year", "N")]`.

    A partition key needs them all; a sort key (`sort=True`) may be given from the left.
    """
    if not 1 <= len(definition) <= MAX_ATTRIBUTES or any(tag not in _WORDS for _, tag in definition):
        raise ArgumentError(
            f"A definition names 1 to {MAX_ATTRIBUTES} attributes with S, N or B.", constraint="definition"
        )
    checked = multi_attribute_key(values)
    if len(checked) > len(definition):
        raise KeyValueError(
            f"The key has at most {len(definition)} values, and {len(checked)} were given.",
            constraint=f"at most {len(definition)}",
        )
    if len(checked) < len(definition) and not sort:
        name = definition[len(checked)][0]
        raise MissingKeyPartError(
            f"The partition key has {len(definition)} values, and {len(checked)} were given: {name} is missing.",
            field=name,
            constraint=f"exactly {len(definition)}",
        )
    for position, (value, (name, tag)) in enumerate(zip(checked, definition, strict=False)):
        if _tag(value, position) != tag:
            raise KeyValueError(
                f"The value at {position} is for {name}, which holds {_WORDS[tag]}, not {type(value).__name__}.",
                field=name,
                constraint=_WORDS[tag],
            )
    return checked


def multi_tenant_key(tenant: str, customer: str, department: str | None = None) -> list[str]:
    """The values of a tenant's key: tenant, customer and, if given, department."""
    return hierarchical_multi_key(tenant, customer, department)


def hierarchical_multi_key(
    level1: str, level2: str | None = None, level3: str | None = None, level4: str | None = None
) -> list[str]:
    """One value for each level that is given; a level without the one above it is refused."""
    levels = (level1, level2, level3, level4)
    given = [level for level in levels if level is not None]
    if given != list(levels[: len(given)]):
        gap = next(n for n, level in enumerate(levels, start=1) if level is None)
        raise MissingKeyPartError(
            f"Level {gap} is missing, and a deeper one is given.",
            field=f"level{gap}",
            constraint="no gaps",
            hint="Values would move into the place of the missing one.",
        )
    for position, level in enumerate(given):
        if _tag(level, position) != "S":
            raise KeyValueError(f"Level {position + 1} is no text.", field=f"level{position + 1}", constraint="text")
    return given


def time_series_multi_key(category: str, timestamp: datetime, subcategory: str | None = None) -> list[str | int]:
    """Category, milliseconds since 1970 as a number and, if given, a subcategory."""
    hierarchical_multi_key(category, subcategory)
    values: list[str | int] = [category, epoch_milliseconds("time_series_multi_key", timestamp)]
    return values if subcategory is None else [*values, subcategory]


def _tag(value: object, position: int) -> KeyTag:
    """The type of a value that can stand in a key; empty ones are refused."""
    if isinstance(value, str) and value:
        refuse_surrogates(value)
        return "S"
    if isinstance(value, bytes) and value:
        return "B"
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        try:
            format_number(value)
        except NumberError as error:
            raise KeyValueError(f"The value at {position}: {error.message}", constraint=error.constraint) from None
        return "N"
    empty = isinstance(value, str | bytes)
    raise KeyValueError(
        f"The value at {position} is {'empty' if empty else type(value).__name__}, which cannot stand in a key.",
        constraint="non-empty" if empty else "a string, a number or binary",
    )
