"""How documents say conditions, types, quantities and what patterns give."""

from enum import Enum, StrEnum
from typing import Annotated, Any, Literal

import pytest

from tablewright import all_of, any_of, attr, between, contains, exists, is_in, missing, negate, size, starts_with
from tablewright.generate.documents.entities import type_name, values_of
from tablewright.generate.documents.wording import condition, docline, response, said
from tests.generate.every_feature import Pupil, School, school

A, B = attr("a"), attr("b")


class Level(Enum):
    LOW = 1
    HIGH = 2


class Colour(StrEnum):
    RED = "red"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (A == "x", "a = x"),
        (A >= 3, "a >= 3"),
        (A == True, "a = true"),  # noqa: E712 - a condition
        (A == Level.HIGH, "a = 2"),
        (between(A, 1, 2), "a from 1 to 2"),
        (starts_with(A, "x"), "a begins with x"),
        (contains(A, "x"), "a contains x"),
        (is_in(A, ["y", "x"]), "a is one of y, x"),
        (is_in(A, [True]), "a = true"),
        (exists(A), "a has a value"),
        (missing(A), "a has no value"),
        (size(A) > 2, "the size of a > 2"),
        (negate(A == 1), "not a = 1"),
        (all_of(A == 1, any_of(B == 1, B == 2)), "a = 1 and (b = 1 or b = 2)"),
        (negate(all_of(A == 1, B == 2)), "not (a = 1 and b = 2)"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_conditions(given: Any, words: str) -> None:
    assert condition(given) == words


@pytest.mark.parametrize(
    ("annotation", "name"),
    [
        (int | None, "int"),
        (int | str, "int or str"),
        (list[dict[str, int]], "list[dict[str,int]]"),
        (tuple[int, ...], "tuple[int]"),
        (Annotated[str, "mark"], "str"),
        (Literal["a"] | None, "enum"),
        (Colour, "Colour"),
        (None, "None"),
    ],
    ids=str,
)
def test_types(annotation: Any, name: str) -> None:
    assert type_name(annotation) == name


def test_values() -> None:
    assert values_of(Literal["a", Colour.RED] | Level | None) == ["a", "red", "1", "2"]
    assert values_of(str) == []


def test_docstrings() -> None:
    assert docline(School) == "A school. Everything else hangs on it."
    assert said(School).splitlines()[-1] == "What stands here is more than one line."
    assert docline(type("Silent", (), {})) == ""
    assert docline(Pupil) == "Somebody who learns."


def test_what_patterns_give() -> None:
    told = {name: response(pattern, school.plan) for name, pattern in school.patterns.items()}
    assert told["class_by_id"] == "Class or nothing"
    assert told["classes_at"] == "list of Class"
    assert told["titles_of_grade"] == "list of ClassTitle (Class)"
    assert told["class_page"] == "ClassPage (Class, Lesson)"
    assert told["all_of_pupil"] == "list of Pupil and Attends"
