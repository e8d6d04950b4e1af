"""What was compiled is kept, but neither many small texts nor a few long ones fill the memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tablewright.engine.partiql.parser import parse_statement
from tablewright.expressions import (
    compiled,
    compiled_condition,
    compiled_key_condition,
    compiled_projection,
    compiled_update,
)
from tablewright.expressions.keeping import KEPT_CHARACTERS, keeping


def test_results_are_found_again() -> None:
    made: list[str] = []

    @keeping(2)
    def make(text: str) -> str:
        made.append(text)
        return text.upper()

    assert [make("a"), make("b"), make("a"), make("b")] == ["A", "B", "A", "B"]
    assert made == ["a", "b"]
    make("c")
    make("a")
    assert made == ["a", "b", "c", "a"]


def test_all_are_forgotten_once_their_texts_are_long() -> None:
    made: list[str] = []

    @keeping(100, characters=10)
    def make(text: str, names: tuple[tuple[str, str], ...] = ()) -> str:
        made.append(text)
        return text

    make("one")
    make("two", (("#a", "b"),))
    make("one")
    assert made == ["one", "two"]
    # With these there are eleven characters, and of those before none is left.
    make("by")
    make("by")
    make("one")
    assert made == ["one", "two", "by", "one"]
    assert make.cache_info().currsize == 2


def test_what_fails_is_not_counted() -> None:
    @keeping(100, characters=10)
    def make(text: str) -> str:
        if text == "wrong!":
            raise ValueError
        return text

    make("right")
    for _ in range(3):
        with pytest.raises(ValueError, match=r"^$"):
            make("wrong!")
    make("right")
    assert make.cache_info().hits == 1


def condition(number: int) -> Any:
    compiled_condition(" OR ".join(f"a{number}_{part} = :v" for part in range(200)))
    return compiled._condition


def update(number: int) -> Any:
    compiled_update("SET " + ", ".join(f"a{number}_{part} = :v" for part in range(200)))
    return compiled._update


def projection(number: int) -> Any:
    compiled_projection("#n", {"#n": f"{number}" + "n" * 4000})
    return compiled._projection


def key_condition(number: int) -> Any:
    compiled_key_condition("#n = :n", {"#n": f"{number}" + "n" * 4000})
    return compiled._key_condition


def statement(number: int) -> Any:
    parse_statement(f"SELECT * FROM T{number} WHERE a = '{'v' * 4000}'")
    return parse_statement


@pytest.mark.parametrize("send", [condition, update, projection, key_condition, statement])
def test_ever_new_texts_are_not_all_kept(send: Callable[[int], Any]) -> None:
    kept = [send(number) for number in range(300)][-1]
    assert kept.cache_info().currsize * 2000 < KEPT_CHARACTERS
