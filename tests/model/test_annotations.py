"""Annotations: what is optional, what is inside, and whether one type can stand for another."""

import dataclasses
import enum
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal, NewType, Optional, TypedDict, Union
from uuid import UUID

import pytest
from pydantic import BaseModel, Field, StringConstraints
from typing_extensions import TypeAliasType

from tablewright.model.annotations import (
    constraint,
    describe,
    fits,
    member_annotation,
    members,
    metadata,
    optional,
    place_of,
    plain,
    without_none,
)


class Color(enum.Enum):
    RED = "red"


class Address(BaseModel):
    city: str
    lines: list[str] = []


@dataclasses.dataclass
class Point:
    x: int


class Row(TypedDict):
    cell: Decimal


UserId = NewType("UserId", str)
Name = TypeAliasType("Name", Annotated[str, Field(max_length=3)])


def test_wrappers_are_taken_off() -> None:
    assert plain(Annotated[UserId, "x"]) is str
    assert plain(Name) is str
    assert plain(list[int]) == list[int]


def test_members_of_nested_unions() -> None:
    assert members(Annotated[int | None, "x"] | str) == (int, type(None), str)
    assert members(Union[int, Optional[str]]) == (int, str, type(None))  # noqa: UP007, UP045
    assert members(int) == (int,)


@pytest.mark.parametrize("annotation", [str | None, Annotated[str | None, "x"], Annotated[str, 1] | None])
def test_optional_and_what_is_left(annotation: Any) -> None:
    assert optional(annotation)
    assert plain(without_none(annotation)) is str


def test_not_optional() -> None:
    assert not optional(str)
    assert without_none(int) is int
    assert members(without_none(int | str | None)) == (int, str)


def test_markers_and_constraints_are_found_on_the_type_or_beside_none() -> None:
    marked = Annotated[str, StringConstraints(max_length=5, to_lower=True)]
    for annotation in (marked, marked | None, Annotated[marked | None, "other"]):
        assert metadata(annotation, StringConstraints).to_lower is True
        assert constraint(annotation, "max_length") == 5
    assert constraint(Annotated[int, Field(ge=3)] | None, "ge") == 3
    assert constraint(str, "max_length") is None
    assert metadata(marked | int, StringConstraints) is None, "which member would it belong to?"


@pytest.mark.parametrize(
    ("annotation", "step", "inside"),
    [
        (Address, "city", str),
        (Address | None, "city", str),
        (Point, "x", int),
        (Row, "cell", Decimal),
        (dict[str, int], "anything", int),
        (dict, "anything", Any),
        (Any, "anything", Any),
        (list[int], 4, int),
        (tuple[int, ...], 4, int),
        (tuple[int, str], 1, str),
        (list, 0, Any),
        (Any, 0, Any),
        (Address, "town", None),
        (str, "city", None),
        (str, 0, None),
        (tuple[int, str], 2, None),
    ],
)
def test_parts(annotation: Any, step: str | int, inside: Any) -> None:
    assert member_annotation(annotation, step) is inside


def test_places_forget_positions_and_free_keys() -> None:
    assert place_of(list[int], 7) == place_of(list[int], 8)
    assert place_of(dict[str, int], "a") == place_of(dict[str, int], "b")
    assert place_of(Address, "city") == "city"
    assert place_of(tuple[int, str], 1) == 1


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (str, str),
        (UserId, str),
        (str | None, str | None),
        (int, Decimal),
        (int, float),
        (Literal["a"], str),
        (str, Literal["a", "b"]),
        (Literal["a"], Literal["a", "b"]),
        (str, Color),
        (Any, int),
        (list[str], list[str]),
    ],
)
def test_types_that_fit(given: Any, expected: Any) -> None:
    assert fits(given, expected)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (str, int),
        (float, Decimal),
        (Decimal, int),
        (date, datetime),
        (datetime, date),
        (str, UUID),
        (Literal["a"], Literal["b"]),
        (Literal["a"], int),
        (int, Color),
    ],
)
def test_types_that_do_not_fit(given: Any, expected: Any) -> None:
    assert not fits(given, expected)


def test_descriptions_read_like_annotations() -> None:
    assert describe(str | None) == "str | None"
    assert describe(Annotated[Decimal, "x"]) == "Decimal"
    assert describe(list[int]) == "list[int]"
