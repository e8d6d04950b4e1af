"""Key attributes that hold one field natively."""

from datetime import UTC, datetime
from decimal import Decimal
from enum import IntEnum
from typing import Any
from uuid import UUID

import pytest

from tablewright.errors import KeyTooLongError, KeyValueError, MissingKeyPartError
from tablewright.values.keycodec import NativeKey


class Level(IntEnum):
    LOW = 1


@pytest.mark.parametrize(
    ("key", "value", "av"),
    [
        (NativeKey("id", "S"), "a#|%", {"S": "a#|%"}),
        (NativeKey("id", "S", UUID), UUID(int=1), {"S": "00000000-0000-0000-0000-000000000001"}),
        (NativeKey("at", "S", datetime), datetime(2025, 1, 1, tzinfo=UTC), {"S": "2025-01-01T00:00:00.000000Z"}),
        (NativeKey("n", "S", int | None), 42, {"S": "42"}),
        (NativeKey("n", "N"), 42, {"N": "42"}),
        (NativeKey("n", "N"), Decimal("1.50"), {"N": "1.5"}),
        (NativeKey("n", "N", int), -7, {"N": "-7"}),
        (NativeKey("n", "N", Decimal), Decimal("7"), {"N": "7"}),
        (NativeKey("n", "N", Level), Level.LOW, {"N": "1"}),
        (NativeKey("b", "B"), b"ab", {"B": "YWI="}),
    ],
)
def test_values_become_key_attributes_and_come_back(key: NativeKey, value: Any, av: dict[str, Any]) -> None:
    assert key.encode(value) == av
    assert key.decode(av) == value
    assert type(key.decode(av)) is type(value)


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        (NativeKey("id", "S", entity="User"), "", "User.id: an empty string"),
        (NativeKey("id", "S"), 5, "id: needs a string"),
        (NativeKey("id", "S"), "\ud800", "surrogate"),
        (NativeKey("n", "N"), True, "bool is not a number"),
        (NativeKey("n", "N"), 1.5, "float is not an exact number"),
        (NativeKey("n", "N"), Decimal("NaN"), "NaN"),
        (NativeKey("b", "B"), b"", "empty bytes"),
        (NativeKey("b", "B"), "ab", "needs bytes"),
    ],
)
def test_wrong_values_are_refused_by_name(key: NativeKey, value: Any, reason: str) -> None:
    with pytest.raises(KeyValueError, match=reason) as caught:
        key.encode(value)
    assert caught.value.field == key.field


def test_missing_and_long_values_are_refused_by_name() -> None:
    with pytest.raises(MissingKeyPartError, match=r"User\.id is missing"):
        NativeKey("id", "S", entity="User").encode(None)
    key = NativeKey("id", "S", limit=4)
    assert key.encode("éé") == {"S": "éé"}
    with pytest.raises(KeyTooLongError) as caught:
        key.encode("ééé")
    assert caught.value.context == {"bytes": 6, "limit": 4}


@pytest.mark.parametrize(
    ("key", "av"),
    [
        (NativeKey("id", "S"), {"N": "1"}),
        (NativeKey("id", "S"), {"S": ""}),
        (NativeKey("n", "N", int), {"N": "1.5"}),
        (NativeKey("id", "S", UUID), {"S": "x"}),
    ],
)
def test_foreign_attributes_are_refused(key: NativeKey, av: dict[str, Any]) -> None:
    with pytest.raises(KeyValueError):
        key.decode(av)
