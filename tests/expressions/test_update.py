"""What updates do; the table is what DynamoDB Local answered."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from tablewright.errors import ExpressionError, NumberError
from tablewright.expressions import apply_update, compiled_update, parse_update
from tablewright.expressions.comparison import equal
from tablewright.values.types import Item

OBSERVED: list[dict[str, Any]] = json.loads((Path(__file__).parent / "observed_updates.json").read_text())


@pytest.mark.parametrize("row", OBSERVED, ids=lambda row: row["text"])
def test_same_outcome(row: dict[str, Any]) -> None:
    update = compiled_update(row["text"])
    update.check(row["values"])
    before = copy.deepcopy(row["item"])
    if "message" in row:
        with pytest.raises(ExpressionError) as caught:
            update.apply(row["item"], row["values"])
        assert caught.value.message == row["message"]
    else:
        result = update.apply(row["item"], row["values"])
        assert equal({"M": result.item}, {"M": row["result"]})
        assert apply_update(update.bind(row["values"]), row["item"]).item == result.item
    assert row["item"] == before


OLD: Item = {
    "l": {"L": [{"N": "0"}, {"N": "1"}, {"N": "2"}, {"N": "3"}]},
    "m": {"M": {"x": {"N": "1"}, "y": {"M": {"z": {"N": "2"}, "w": {"N": "3"}}}}},
    "n": {"N": "1"},
    "ss": {"SS": ["a", "b"]},
}
VALUES: Item = {":n": {"N": "5"}, ":m": {"N": "6"}, ":ab": {"SS": ["a", "b"]}, ":l": {"L": []}}


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("SET n = :n", {"n": {"N": "1"}}, {"n": {"N": "5"}}),
        ("SET q = :n", {}, {"q": {"N": "5"}}),
        ("SET n = n", {"n": {"N": "1"}}, {"n": {"N": "1"}}),
        ("REMOVE n", {"n": {"N": "1"}}, {}),
        ("REMOVE q", {}, {}),
        ("ADD n :n", {"n": {"N": "1"}}, {"n": {"N": "6"}}),
        ("DELETE ss :ab", {"ss": {"SS": ["a", "b"]}}, {}),
        ("SET m.x = :n", {"m": {"M": {"x": {"N": "1"}}}}, {"m": {"M": {"x": {"N": "5"}}}}),
        ("SET m.q = :n", {}, {"m": {"M": {"q": {"N": "5"}}}}),
        (
            "SET m.x = :n, m.y.z = :m REMOVE m.y.w",
            {"m": {"M": {"x": {"N": "1"}, "y": {"M": {"z": {"N": "2"}, "w": {"N": "3"}}}}}},
            {"m": {"M": {"x": {"N": "5"}, "y": {"M": {"z": {"N": "6"}}}}}},
        ),
        ("SET l[2] = :n, l[0] = :m", {"l": {"L": [{"N": "0"}, {"N": "2"}]}}, {"l": {"L": [{"N": "6"}, {"N": "5"}]}}),
        # A position past the end appends, but the path leads nowhere before and after.
        ("SET l[9] = :n", {}, {}),
        ("SET l[4] = :n", {}, {"l": {"L": [{"N": "5"}]}}),
        # What stands at the position afterwards is what moved there.
        ("REMOVE l[1]", {"l": {"L": [{"N": "1"}]}}, {"l": {"L": [{"N": "2"}]}}),
        ("REMOVE l[3]", {"l": {"L": [{"N": "3"}]}}, {}),
        ("SET l = :l", {"l": OLD["l"]}, {"l": {"L": []}}),
    ],
)
def test_updated_attributes(text: str, old: Item, new: Item) -> None:
    result = compiled_update(text).apply(OLD, VALUES)
    assert result.updated_old() == old
    assert result.updated_new() == new


def test_touched_paths() -> None:
    result = compiled_update("SET m.x = :n, #q = :n REMOVE l[1], l[0]", {"#q": "q"}).apply(OLD, VALUES)
    assert result.paths == (("m", "x"), ("q",), ("l", 1), ("l", 0))
    assert result.attributes == {"m", "q", "l"}


def test_unchanged_parts_are_shared_and_changed_ones_are_not() -> None:
    old = copy.deepcopy(OLD)
    result = compiled_update("SET m.y.z = :n, l[1] = :n").apply(old, VALUES)
    assert old == OLD
    assert result.old is old
    assert result.item["ss"] is old["ss"]
    assert result.item["m"] is not old["m"]
    assert result.item["m"]["M"]["x"] is old["m"]["M"]["x"]


def test_no_item_is_an_empty_item() -> None:
    assert compiled_update("ADD a :n SET b = if_not_exists(b, :m)").apply(None, VALUES).item == {
        "a": {"N": "5"},
        "b": {"N": "6"},
    }


@pytest.mark.parametrize(
    ("text", "number", "amount", "expected"),
    [
        ("ADD a :v", "5", "-5", "0"),
        ("SET a = a + :v", "1.5", "0.5", "2"),
        ("SET a = a - :v", "0.0000001", "0.0000000001", "0.0000000999"),
        ("ADD a :v", "9" * 38, "0", "9" * 38),
    ],
)
def test_arithmetic_is_exact(text: str, number: str, amount: str, expected: str) -> None:
    values = {":v": {"N": amount}}
    assert compiled_update(text).apply({"a": {"N": number}}, values).item == {"a": {"N": expected}}


@pytest.mark.parametrize("text", ["ADD a :v", "SET a = a + :v", "SET b = a - :v"])
def test_a_sum_that_cannot_be_held_is_refused(text: str) -> None:
    with pytest.raises(NumberError):
        compiled_update(text).apply({"a": {"N": "1" + "0" * 40}}, {":v": {"N": "1"}})


def test_sets_grow_without_doubles() -> None:
    item: Item = {"a": {"NS": ["1", "2"]}, "b": {"BS": ["YQ=="]}}
    values = {":n": {"NS": ["2.0", "3"]}, ":b": {"BS": ["YQ==", "Yg=="]}}
    assert compiled_update("ADD a :n, b :b").apply(item, values).item == {
        "a": {"NS": ["1", "2", "3"]},
        "b": {"BS": ["YQ==", "Yg=="]},
    }


def test_parsed_updates_hold_their_values() -> None:
    parsed = parse_update("SET #a = :v REMOVE b", {"#a": "x"}, {":v": {"S": "1"}})
    assert parsed.node.paths == (("x",), ("b",))
    assert parsed.names_used == {"#a"}
    assert parsed.values_used == {":v"}
    assert apply_update(parsed.node, {"b": {"N": "1"}}).item == {"x": {"S": "1"}}


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("SET x = b + c", "An operand in the update expression has an incorrect data type"),
        (
            "SET x = b + if_not_exists(c, d)",
            "The provided expression refers to an attribute that does not exist in the item",
        ),
        ("SET x = list_append(b, c)", "An operand in the update expression has an incorrect data type"),
        (
            "SET x = list_append(b, if_not_exists(c, d))",
            "The provided expression refers to an attribute that does not exist in the item",
        ),
    ],
)
def test_a_function_tells_of_a_missing_attribute_before_types_are_looked_at(expression: str, message: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        apply_update(parse_update(expression, {}, {}).node, {"b": {"S": ""}})
    assert caught.value.message == message
