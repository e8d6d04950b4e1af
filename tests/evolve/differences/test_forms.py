"""Two types are said to be written alike in keys where the keys of the same values are alike."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import product
from typing import Any
from uuid import UUID

import pytest

from tablewright.errors import KeyTemplateError, TablewrightError
from tests.evolve.differences.models import described, loaded

MODEL = """
from datetime import date, datetime
from decimal import Decimal
from enum import IntEnum, StrEnum
from typing import Annotated, Literal
from uuid import UUID
from pydantic import AfterValidator, Field, StringConstraints
from tablewright import Entity, Epoch, Keys, NaturalKey, Table

class Letter(StrEnum):
    A = "Ab"

class Digit(IntEnum):
    ONE = 1

box = Table("Box")

class Thing(Entity, table=box):
    keys = Keys("THING#{valueWIDTH}", "SORT")
    value: TYPE
"""
TYPES = [
    "str", 'Literal["1", "2"]', "Letter", 'Literal["Ab", "c"]', 'Literal["Ab"]', "NaturalKey", "Annotated[str, StringConstraints(to_upper=True)]",
    "Annotated[str, StringConstraints(strip_whitespace=True)]", "Annotated[str, Field(max_length=9)]",
    'Annotated[str, Field(pattern="b")]', "Annotated[str, AfterValidator(lambda text: text[::-1])]",
    "int", "Digit", "Literal[1, 2]", "Annotated[int, Field(ge=0)]", "Annotated[int, Field(ge=-9, le=99)]", "Decimal",
    "datetime", 'Annotated[datetime, Epoch("s")]', 'Annotated[datetime, Epoch("ms")]', "date", "UUID", "bool",
]  # fmt: skip
WIDTHS = ["", ":3"]
VALUES: list[Any] = [
    "Ab", " Ab ", "1", "2", 1, -1, Decimal(1), datetime(2024, 5, 6, 7, tzinfo=UTC), date(2024, 5, 6), UUID(int=7), True,
]  # fmt: skip


def key_texts(text: str) -> dict[int, str]:
    """The keys of those values that the model takes, by their number."""
    module = loaded(text)
    (plan,) = module.box.plan.entities.values()
    found = {}
    for number, value in enumerate(VALUES):
        try:
            found[number] = plan.key({"value": module.Thing(value=value).value})["PK"]["S"]
        except (TablewrightError, ValueError):  # not a value of this type
            continue
    return found


def compiled() -> dict[str, tuple[str, dict[int, str]]]:
    """For each type and width that can stand in a key: the form that it is said to have, and keys."""
    found = {}
    for kind, width in product(TYPES, WIDTHS):
        text = MODEL.replace("TYPE", kind).replace("WIDTH", width)
        try:
            keys = described(text).entities["Thing"].keys
        except KeyTemplateError:
            continue
        found[kind + width] = (f"{keys.pk} {keys.forms}", key_texts(text))
    return found


def test_what_is_said_to_be_alike_is_alike() -> None:
    models = compiled()
    assert len(models) > len(TYPES)
    for (one, (form, keys)), (other, (other_form, other_keys)) in product(models.items(), repeat=2):
        if form == other_form:
            common = keys.keys() & other_keys.keys()
            assert all(keys[n] == other_keys[n] for n in common), f"{one} and {other} are said to be alike"


ALIKE = {
    "str": ['Literal["1", "2"]', "Letter", "Annotated[str, Field(max_length=9)]", 'Annotated[str, Field(pattern="b")]'],
    "int": ["Digit", "Literal[1, 2]", "Annotated[int, Field(ge=0)]"],
    "int:3": ["Digit:3", "Literal[1, 2]:3"],
    "datetime": ['Annotated[datetime, Epoch("s")]'],
}


@pytest.mark.parametrize("kind", ALIKE)
def test_what_is_alike_is_said_to_be(kind: str) -> None:
    models = compiled()
    assert {models[other][0] for other in ALIKE[kind]} == {models[kind][0]}
