"""DynamoDB's limits on expressions, at the limit and one past it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tablewright.errors import ExpressionError
from tablewright.expressions import compiled_condition, compiled_projection, compiled_update

VALUES = {":a": {"S": "x"}, ":n": {"N": "1"}}


def _condition(text: str) -> None:
    compiled_condition(text).check(VALUES)


def _update(text: str) -> None:
    compiled_update(text).check(VALUES)


def _projection(text: str) -> None:
    compiled_projection(text)


TOO_MANY = "The expression contains too many operators; operator count: 301"
CASES: list[tuple[Callable[[str], None], str, str | None]] = [
    (_condition, "a" * 4093 + "=:a", None),
    (_condition, "a" * 4094 + "=:a", "Expression size has exceeded the maximum allowed size; expression size: 4097"),
    (_condition, "𐀀" * 2100, "Expression size has exceeded the maximum allowed size; expression size: 4200"),
    (_condition, "é" * 3000, 'Syntax error; token: "é", near: "éé"'),
    (_update, "SET a = :n" + " " * 4090, "Expression size has exceeded the maximum allowed size;"),
    (_projection, " " * 4097, "Expression size has exceeded the maximum allowed size;"),
    (_condition, " OR ".join(["a=:a"] * 150), None),
    (_condition, " OR ".join(["a=:a"] * 151), TOO_MANY),
    (_condition, " OR ".join(["size(a)=:a"] * 100), None),
    (_condition, " OR ".join(["size(a)=:a"] * 101), TOO_MANY),
    (_condition, " AND ".join(["attribute_exists(a)"] * 150), None),
    (_condition, " AND ".join(["attribute_exists(a)"] * 151), TOO_MANY),
    (_condition, " OR ".join(["a BETWEEN :n AND :n"] * 150), None),
    (_condition, " OR ".join(["a BETWEEN :n AND :n"] * 151), TOO_MANY),
    (_condition, "NOT " * 299 + "a=b", None),
    (_condition, "NOT " * 300 + "a=b", TOO_MANY),
    (_condition, "NOT " * 1000 + "a=b", TOO_MANY),
    (_condition, " OR ".join(["a=:a"] * 200) + " OR foo(a)", "Invalid function name; function: foo"),
    (
        _condition,
        " OR ".join(["a=:a"] * 200) + " OR #u = a",
        "An expression attribute name used in the document path is not defined; attribute name: #u",
    ),
    (_condition, "a=:a" + " AND (a=:a" * 149 + ")" * 149, None),
    (_condition, "a=:a" + " AND (a=:a" * 150 + ")" * 150, TOO_MANY),
    (_condition, "a=:a" + " AND (a=:a" * 350 + ")" * 350, TOO_MANY),
    (_condition, "(" * 400 + "a=b" + ")" * 400, "The expression has redundant parentheses;"),
    (_condition, "(" * 4096, "The expression has redundant parentheses;"),
    (_condition, "a IN (" + ",".join([":a"] * 100) + ")", None),
    (
        _condition,
        "a IN (" + ",".join([":a"] * 101) + ")",
        "The IN operator is provided with too many operands; number of operands: 101",
    ),
    (_condition, "a" + ".b" * 31 + " = :a", None),
    (_condition, "a" + ".b" * 32 + " = :a", "The document path has too many nesting levels; nesting levels: 33"),
    (_condition, "a" + "[0]" * 32 + " = :a", "The document path has too many nesting levels; nesting levels: 33"),
    (_update, "SET a" + ".b" * 32 + " = :n", "The document path has too many nesting levels; nesting levels: 33"),
    (_projection, "a" + ".b" * 32, "The document path has too many nesting levels; nesting levels: 33"),
    (_condition, "a[2147483647] = :a", None),
    (_condition, "a[2147483648] = :a", "List index is not within the allowable range; index: [2147483648]"),
    (_update, "SET a = " + "if_not_exists(z," * 220 + ":n" + ")" * 220, None),
    (_update, "REMOVE " + ",".join(f"a{i}" for i in range(700)), None),
    (_projection, ",".join(f"a{i}" for i in range(700)), None),
]


@pytest.mark.parametrize(
    ("read", "text", "message"), CASES, ids=[f"{i}-{case[1][:20]}" for i, case in enumerate(CASES)]
)
def test_limit(read: Callable[[str], None], text: str, message: str | None) -> None:
    if message is None:
        read(text)
        return
    with pytest.raises(ExpressionError) as caught:
        read(text)
    prefix, _, rest = caught.value.message.partition(": ")
    assert prefix.startswith("Invalid ")
    assert rest == message


def test_deep_conditions_evaluate() -> None:
    item: dict[str, Any] = {"a": {"S": "x"}}
    assert compiled_condition("a=:a" + " AND (a=:a" * 149 + ")" * 149)(item, VALUES)
    assert not compiled_condition("NOT " * 299 + "a=:a")(item, VALUES)
