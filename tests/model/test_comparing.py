"""Comparisons on a class make conditions; the same functions on real values answer at once."""

from datetime import datetime
from decimal import Decimal
from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from tablewright import (
    Entity,
    Keys,
    Table,
    all_of,
    any_of,
    between,
    contains,
    created,
    exists,
    is_in,
    missing,
    negate,
    size,
    starts_with,
    updated,
)
from tablewright.errors import ArgumentError, PatternError, UnknownFieldError
from tablewright.model.conditions import (
    AllOf,
    AnyOf,
    Between,
    Compare,
    Condition,
    Contains,
    Exists,
    IsIn,
    Missing,
    Negated,
    SizeIs,
    StartsWith,
    as_condition,
    path_text,
    substitute,
)
from tablewright.model.symbols import Symbol

table = Table("Comparing")


class File(BaseModel):
    path: str  # names that the machinery must not take for its own
    owner: str
    annotation: str = ""


class Doc(Entity, table=table):
    keys = Keys("DOC#{doc_id}", "DOC#{doc_id}")
    doc_id: str
    file: File
    state: Literal["new", "old"] = "new"
    words: int = 0
    price: Decimal | None = None
    open: bool = False
    tags: set[str] = Field(default_factory=set)
    parts: list[File] = Field(default_factory=list)
    more: dict[str, int] = Field(default_factory=dict)


def fields_of(condition: Any) -> tuple[Any, ...]:
    """Path and values of a test."""
    assert isinstance(condition, Condition)
    names = ("path", "op", "value", "low", "high", "prefix", "member", "values")
    return tuple(getattr(condition, name) for name in names if hasattr(condition, name))


@pytest.mark.parametrize(
    ("condition", "kind", "expected"),
    [
        (lambda: Doc.words == 3, Compare, (("words",), "=", 3)),
        (lambda: Doc.words != 3, Compare, (("words",), "<>", 3)),
        (lambda: Doc.words < 3, Compare, (("words",), "<", 3)),
        (lambda: Doc.words <= 3, Compare, (("words",), "<=", 3)),
        (lambda: Doc.words > 3, Compare, (("words",), ">", 3)),
        (lambda: Doc.words >= 3, Compare, (("words",), ">=", 3)),
        (lambda: Doc.price == None, Missing, (("price",),)),  # noqa: E711
        (lambda: Doc.price != None, Exists, (("price",),)),  # noqa: E711
        (lambda: between(Doc.words, 1, 2), Between, (("words",), 1, 2)),
        (lambda: starts_with(Doc.doc_id, "a"), StartsWith, (("doc_id",), "a")),
        (lambda: contains(Doc.tags, "t"), Contains, (("tags",), "t")),
        (lambda: is_in(Doc.state, ["new"]), IsIn, (("state",), ("new",))),
        (lambda: exists(Doc.price), Exists, (("price",),)),
        (lambda: missing(Doc.price), Missing, (("price",),)),
        (lambda: size(Doc.parts) > 3, SizeIs, (("parts",), ">", 3)),
        (lambda: size(Doc.parts) == 3, SizeIs, (("parts",), "=", 3)),
        (lambda: size(Doc.parts) != 3, SizeIs, (("parts",), "<>", 3)),
        (lambda: size(Doc.parts) < 3, SizeIs, (("parts",), "<", 3)),
        (lambda: size(Doc.parts) <= 3, SizeIs, (("parts",), "<=", 3)),
        (lambda: size(Doc.parts) >= 3, SizeIs, (("parts",), ">=", 3)),
        (lambda: Doc.file.path == "p", Compare, (("file", "path"), "=", "p")),
        (lambda: Doc.file.owner == "o", Compare, (("file", "owner"), "=", "o")),
        (lambda: Doc.parts[1].annotation == "a", Compare, (("parts", 1, "annotation"), "=", "a")),
        (lambda: Doc.more["x"] > 1, Compare, (("more", "x"), ">", 1)),
    ],
)
def test_comparisons_make_conditions(condition: Any, kind: type, expected: tuple[Any, ...]) -> None:
    made = condition()
    assert type(made) is kind
    assert made.owner is Doc
    assert fields_of(made) == expected


def test_conditions_combine() -> None:
    one, two = Doc.words == 1, Doc.words == 2
    assert isinstance(all_of(one, two), AllOf)
    assert isinstance(any_of(one, two), AnyOf)
    assert isinstance(negate(one), Negated)
    assert isinstance(one & two, AllOf)
    assert isinstance(one | two, AnyOf)
    assert isinstance(~one, Negated)  # type: ignore[operator]
    nested: Any = any_of(all_of(one, two), negate(Doc.open))
    assert [path_text(leaf.path) for leaf in nested.leaves()] == ["words", "words", "open"]


def test_a_bool_field_alone_means_that_it_is_true() -> None:
    assert fields_of(as_condition(Doc.open, "query")) == (("open",), "=", True)
    with pytest.raises(ArgumentError, match=r"query\(\) was given Field, not a condition"):
        as_condition(Doc.words, "query")


def test_real_values_are_answered_at_once() -> None:
    doc = Doc(doc_id="abc", file=File(path="p", owner="o"), words=5, tags={"t"})
    assert between(doc.words, 1, 5) is True
    assert starts_with(doc.doc_id, "ab") is True
    assert starts_with(None, "ab") is False
    assert contains(doc.tags, "t") is True
    assert contains(None, "t") is False
    assert is_in(doc.words, [1, 2]) is False
    assert exists(doc.price) is False
    assert missing(doc.price) is True
    assert size(doc.parts) == 0
    assert size(None) == 0
    assert all_of(True, False) is False
    assert any_of(True, False) is True
    assert negate(False) is True


@pytest.mark.parametrize(
    ("attempt", "message"),
    [
        (lambda: bool(Doc.words == 1), "a condition on a field is used as True or False"),
        (lambda: 1 < Doc.words < 3, "a condition on a field is used as True or False"),
        (lambda: not Doc.open, "Doc.open is used as True or False"),
        (lambda: "a" in Doc.tags, "'in' asks for a value now"),
        (lambda: list(Doc.tags), "Doc.tags stands for a field and cannot be looped over"),
        (lambda: f"by {Doc.doc_id}", "Doc.doc_id is used as text"),
        (lambda: str(Doc.doc_id), "Doc.doc_id is used as text"),
        (lambda: Doc.words == Doc.price, "Doc.words is compared with another field"),
        (lambda: Doc.words == Symbol("p", str), "Doc.words is int, but the parameter 'p' is str"),
    ],
)
def test_what_cannot_be_described_is_refused(attempt: Any, message: str) -> None:
    with pytest.raises(PatternError, match=f"test_comparing.py:[0-9]+: {message}"):
        attempt()


@pytest.mark.parametrize(
    "attempt",
    [
        lambda: Doc.file.size,
        lambda: Doc.words.real,
        lambda: Doc.parts["x"],
        lambda: Doc.words[0],
        lambda: Doc.parts[-1],
    ],
)
def test_parts_that_are_not_there(attempt: Any) -> None:
    with pytest.raises(UnknownFieldError, match=r"test_comparing.py:\d+: Doc\."):
        attempt()


def test_an_unknown_field_is_named_with_the_nearest() -> None:
    with pytest.raises(AttributeError, match=r"Doc has no field 'wrods'\. Did you mean 'words'\?"):
        _ = Doc.wrods  # type: ignore[attr-defined]


def test_fields_cannot_be_dictionary_keys() -> None:
    with pytest.raises(TypeError, match=r"Doc\.words stands for a field"):
        _ = {Doc.words: 1}


@pytest.mark.parametrize("values", [[], [str(n) for n in range(101)]])
def test_is_in_takes_one_to_a_hundred_values(values: list[str]) -> None:
    with pytest.raises(ArgumentError, match="DynamoDB compares with 1 to 100 values"):
        is_in(Doc.doc_id, values)


def test_stamps_of_the_library_can_be_compared() -> None:
    moment = datetime(2025, 1, 1)
    assert fields_of(created(Doc) >= moment) == (("created_at",), ">=", moment)
    assert fields_of(updated(Doc) < moment) == (("updated_at",), "<", moment)


def test_times_of_the_library_are_told_from_fields_of_the_same_name() -> None:
    class Old(Entity, table=Table("Old")):
        keys = Keys("OLD#{name}", "OLD")
        name: str
        created_at: datetime
        updated_at: datetime

    for ask in (created, updated):
        with pytest.raises(PatternError, match="of its own"):
            ask(Old)


def test_substitute_fills_every_kind_of_condition() -> None:
    symbol = Symbol("p", Any)
    made: Any = all_of(
        Doc.words == symbol,
        any_of(between(Doc.words, symbol, 9), negate(starts_with(Doc.doc_id, symbol))),
        contains(Doc.tags, symbol),
        is_in(Doc.words, [1, symbol]),
        size(Doc.parts) < symbol,
        exists(Doc.price),
    )
    filled = substitute(made, {"p": 5})
    values = [fields_of(leaf)[1:] for leaf in filled.leaves()]
    assert values == [("=", 5), (5, 9), (5,), (5,), ((1, 5),), ("<", 5), ()]


@pytest.mark.parametrize(
    ("method", "written"),
    [
        ("startswith", "starts_with(Doc.doc_id, prefix)"),
        ("begins_with", "starts_with(Doc.doc_id, prefix)"),
        ("between", "between(Doc.doc_id, low, high)"),
        ("is_in", "is_in(Doc.doc_id, values)"),
        ("eq", "Doc.doc_id == value"),
        ("not_exists", "missing(Doc.doc_id)"),
    ],
)
def test_methods_of_other_libraries_are_told_as_they_are_written_here(method: str, written: str) -> None:
    with pytest.raises(UnknownFieldError, match="has no part called") as caught:
        getattr(Doc.doc_id, method)
    assert caught.value.hint == f"Write {written}."
