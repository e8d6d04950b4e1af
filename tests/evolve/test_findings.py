"""What is said of values that do not fit a model: nothing of them, and keys of maps are data too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self

import pydantic
import pytest
from pydantic import BaseModel, Field, field_validator, model_validator

from tablewright.evolve.findings import findings, first_of


class Inner(BaseModel, extra="forbid"):
    a: int


@dataclass
class Record:
    x: int


class Circle(BaseModel):
    kind: Literal["circle"]
    size: int


class Square(BaseModel):
    kind: Literal["square"]
    size: int


class Outer(BaseModel):
    plain: int = 0
    counts: dict[str, int] = {}
    numbers: dict[int, dict[str, Inner]] = {}
    mixed: int | Inner | dict[str, int] | None = None
    inner: Inner | None = None
    several: list[Inner] = []
    words: set[int] = set()
    pair: tuple[int, str] | None = None
    record: Record | None = None
    shape: Annotated[Circle | Square, Field(discriminator="kind")] | None = None


def refused(**values: Any) -> pydantic.ValidationError:
    with pytest.raises(pydantic.ValidationError) as told:
        Outer(**values)
    return told.value


@pytest.mark.parametrize(
    ("values", "places"),
    [
        ({"plain": "SECRET"}, ["plain"]),
        ({"counts": {"SECRET": "x"}}, ["counts.*"]),
        ({"numbers": {"SECRET": {}}}, ["numbers.*.[key]"]),
        ({"numbers": {5: {"SECRET": {"a": "x"}}}}, ["numbers.*.*.a"]),
        ({"mixed": {"SECRET": "x"}}, ["mixed.int", "mixed.Inner.a", "mixed.Inner.*", "mixed.dict[str,int].*"]),
        ({"inner": {"a": "x"}}, ["inner.a"]),
        ({"inner": {"a": 1, "SECRET": 1}}, ["inner.*"]),
        ({"several": [{"a": 1}, {"a": "x"}]}, ["several.1.a"]),
        ({"words": ["x"]}, ["words.0"]),
        ({"pair": (1,)}, ["pair.1"]),
        ({"record": {"x": "x"}}, ["record.x"]),
        ({"shape": {"kind": "circle", "size": "x"}}, ["shape.circle.size"]),
        ({"shape": {"kind": "SECRET"}}, ["shape"]),
    ],
)
def test_places_are_told_without_keys(values: dict[str, Any], places: list[str]) -> None:
    error = refused(**values)
    found = findings(Outer, error)
    assert [".".join(one.steps) for one in found] == places
    for model in (Outer, None):
        assert "SECRET" not in first_of(model, error) + repr(findings(model, error))


class Judged(BaseModel):
    start: int = 0
    end: int = 0
    mail: str = ""
    tags: dict[str, list[str]] = {}

    @field_validator("mail")
    @classmethod
    def has_a_place(cls, mail: str) -> str:
        if "@" not in mail:
            raise ValueError("there is no @" if mail.islower() else f"there is no @ in {mail.lower()}")
        return mail

    @field_validator("tags")
    @classmethod
    def are_few(cls, tags: dict[str, list[str]]) -> dict[str, list[str]]:
        assert not tags, f"too many: {tags}"
        return tags

    @model_validator(mode="after")
    def in_order(self) -> Self:
        if self.end < self.start:
            raise ValueError("end is before start" if self.end else f"the start is {self.start}")
        return self


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"mail": "ann"}, "Value error, there is no @"),
        ({"mail": "Secret"}, None),
        ({"tags": {"secret": []}}, None),
        ({"tags": {"some": ["secret"]}}, None),
        ({"start": 5, "end": 3}, "Value error, end is before start"),
        ({"start": 5}, None),
    ],
)
def test_what_a_validator_says_is_told_where_it_holds_no_value(values: dict[str, Any], message: str | None) -> None:
    with pytest.raises(pydantic.ValidationError) as told:
        Judged(**values)
    (found,) = findings(Judged, told.value)
    assert found.message == (message or "A validator refuses it, in words that hold something of the value")


def test_types_that_cannot_be_made_out_are_no_end() -> None:
    @dataclass
    class Near:
        count: int

    @dataclass
    class Holder:
        near: Near

    class Model(BaseModel):
        holder: Holder
        nothing: tuple[()] = ()

    Holder.__annotations__["near"] = "Near"
    with pytest.raises(pydantic.ValidationError) as told:
        Model(holder={"near": {"count": "x"}}, nothing=(1,))  # type: ignore[arg-type]
    assert [one.steps[0] for one in findings(Model, told.value)] == ["holder", "nothing"]


def test_the_first_one_is_told_in_words() -> None:
    error = refused(plain="x", counts={"a": "y"})
    told = "Input should be a valid integer, unable to parse string as an integer"
    assert first_of(Outer, error) == f"Outer.plain: {told} (and 1 more)."
    with pytest.raises(pydantic.ValidationError) as other:
        Inner(SECRET=1)  # type: ignore[call-arg]
    assert first_of(None, other.value) == "Inner.a: Field required (and 1 more)."
