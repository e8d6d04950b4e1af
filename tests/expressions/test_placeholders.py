"""The placeholder maps of a request: malformed keys, bad values, and placeholders that nobody uses."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright.errors import ExpressionError, ValidationError
from tablewright.expressions import (
    check_names,
    check_unused,
    check_values,
    compiled_condition,
    compiled_projection,
    compiled_update,
)

NAMES = "ExpressionAttributeNames"
VALUES = "ExpressionAttributeValues"


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({}, f"{NAMES} must not be empty"),
        ({"x": "a"}, f'{NAMES} contains invalid key: Syntax error; key: "x"'),
        ({"#": "a"}, f'{NAMES} contains invalid key: Syntax error; key: "#"'),
        ({"#x-y": "a"}, f'{NAMES} contains invalid key: Syntax error; key: "#x-y"'),
        ({"#é": "a"}, f'{NAMES} contains invalid key: Syntax error; key: "#é"'),
        ({"#a\n": "a"}, f'{NAMES} contains invalid key: Syntax error; key: "#a\n"'),
        ({"": "a"}, f"{NAMES} contains invalid key: The expression attribute map contains an empty key;"),
        (
            {"#" + "a" * 255: "a"},
            f"{NAMES} contains invalid key: The expression attribute map contains a key that is too long; "
            "size of key: 256",
        ),
        ({"#x": ""}, f"{NAMES} contains invalid value: Empty attribute name for key #x"),
        ({"#x": None}, f"{NAMES} contains invalid value: null for key #x"),
        (
            {"#x": "a" * 65536},
            f"{NAMES} contains invalid value: Attribute name is too large, must be less than 65536 bytes for key #x",
        ),
        (
            {"#x": "é" * 32768},
            f"{NAMES} contains invalid value: Attribute name is too large, must be less than 65536 bytes for key #x",
        ),
    ],
)
def test_names_refused(names: dict[str, str], message: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        check_names(names)
    assert caught.value.message == message


def test_names_accepted() -> None:
    names = {"#1": "a", "#_": "b", "#aB_9": "any thing.at[all]", "#" + "a" * 254: "c", "#long": "a" * 65535}
    before = dict(names)
    check_names(names)
    assert names == before


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, f"{VALUES} must not be empty"),
        ({"x": {"S": "a"}}, f'{VALUES} contains invalid key: Syntax error; key: "x"'),
        ({":": {"S": "a"}}, f'{VALUES} contains invalid key: Syntax error; key: ":"'),
        ({":-": {"S": "a"}}, f'{VALUES} contains invalid key: Syntax error; key: ":-"'),
        ({"": {"S": "a"}}, f"{VALUES} contains invalid key: The expression attribute map contains an empty key;"),
        (
            {":" + "a" * 255: {"S": "a"}},
            f"{VALUES} contains invalid key: The expression attribute map contains a key that is too long;",
        ),
        (
            {":x": {}},
            f"{VALUES} contains invalid value: Supplied AttributeValue is empty, must contain exactly one of the "
            "supported datatypes for key :x",
        ),
        (
            {":x": {"S": "", "N": "1"}},
            f"{VALUES} contains invalid value: Supplied AttributeValue has more than one datatypes set, must contain "
            "exactly one of the supported datatypes for key :x",
        ),
    ],
)
def test_values_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        check_values(values)
    assert caught.value.message == message


def test_values_of_the_wrong_json_type_are_refused_in_the_serializers_words() -> None:
    with pytest.raises(ValidationError) as caught:
        check_values({":x": {"S": 1}})
    assert VALUES not in caught.value.message


def test_values_come_back_canonical() -> None:
    assert check_values({":n": {"N": "1.50"}, ":s": {"S": ""}}) == {":n": {"N": "1.5"}, ":s": {"S": ""}}


def test_unused_placeholders_over_all_expressions() -> None:
    condition = compiled_condition("#a = :a", {"#a": "x", "#b": "y", "#c": "z", "#d": "w"})
    update = compiled_update("SET #b = :b", {"#a": "x", "#b": "y", "#c": "z", "#d": "w"})
    names = {"#a": "x", "#b": "y", "#d": "w", "#c": "z"}
    values = {":a": {"N": "1"}, ":b": {"N": "1"}}
    check_unused({"#a": "x", "#b": "y"}, values, [condition, update])
    check_unused(None, None, [])
    with pytest.raises(ExpressionError) as caught:
        check_unused(names, values, [condition, update])
    assert caught.value.message == f"Value provided in {NAMES} unused in expressions: keys: {{#c, #d}}"
    with pytest.raises(ExpressionError) as caught:
        check_unused(None, values, [condition])
    assert caught.value.message == f"Value provided in {VALUES} unused in expressions: keys: {{:b}}"
    with pytest.raises(ExpressionError, match=r"keys: {#a}"):
        check_unused({"#a": "x"}, None, [compiled_projection("b")])


def test_what_was_used_is_known() -> None:
    condition = compiled_condition("#a.#b = :a OR size(c) IN (:b, :a)", {"#a": "x", "#b": "y", "#c": "z"})
    assert condition.names_used == {"#a", "#b"}
    assert condition.values_used == {":a", ":b"}
    assert condition.paths == (("x", "y"), ("c",))
