"""What conditions mean; every row was put to DynamoDB Local."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright.expressions import compile_condition, compiled_condition, evaluate, parse_condition
from tablewright.expressions.ast import And, Attribute, AttributeExists, Compare, Or, Size, Value
from tablewright.values.types import Item

ITEM: Item = {
    "a": {"S": "héé"},
    "b": {"S": "𐀀𐀀"},
    "c": {"N": "123"},
    "d": {"B": "YWJj"},
    "e": {"L": [{"N": "1"}, {"N": "2"}]},
    "f": {"M": {"x": {"N": "1"}}},
    "g": {"SS": ["a", "b"]},
    "h": {"NS": ["1", "2", "3"]},
    "i": {"BS": ["YQ=="]},
    "j": {"BOOL": True},
    "k": {"NULL": True},
}

ROWS: list[tuple[str, dict[str, Any] | None, bool]] = [
    # equality: numbers by value, sets without order, documents in depth
    ("g = :v", {"SS": ["b", "a"]}, True),
    ("g = :v", {"SS": ["b"]}, False),
    ("h = :v", {"NS": ["3", "2", "1.0"]}, True),
    ("i = :v", {"BS": ["YQ=="]}, True),
    ("c = :v", {"N": "1.23E2"}, True),
    ("c <> :v", {"N": "1.23E2"}, False),
    ("e = :v", {"L": [{"N": "1.0"}, {"N": "2"}]}, True),
    ("e = :v", {"L": [{"N": "2"}, {"N": "1"}]}, False),
    ("f = :v", {"M": {"x": {"N": "1.00"}}}, True),
    ("f = :v", {"M": {"x": {"N": "1"}, "y": {"N": "1"}}}, False),
    ("j = :v", {"BOOL": True}, True),
    ("j = :v", {"BOOL": False}, False),
    ("k = :v", {"NULL": True}, True),
    ("d = :v", {"B": "YWJj"}, True),
    ("a = :v", {"N": "1"}, False),
    # other types and missing attributes: nothing holds but <>
    ("a < :v", {"N": "1"}, False),
    ("a > :v", {"N": "1"}, False),
    ("a <> :v", {"N": "1"}, True),
    ("zz <> :v", {"N": "1"}, True),
    ("zz = :v", {"N": "1"}, False),
    ("zz < :v", {"N": "1"}, False),
    ("zz = zy", None, False),
    ("zz <> zy", None, True),
    ("NOT zz = zy", None, True),
    # order
    ("a < :v", {"S": "z"}, True),
    ("b > :v", {"S": "\uffff"}, True),
    ("c > :v", {"N": "22"}, True),
    ("c >= :v", {"N": "123.0"}, True),
    ("d > :v", {"B": "YWI="}, True),
    ("d < :v", {"B": "gA=="}, True),
    ("c BETWEEN :v AND :v", {"N": "123"}, True),
    ("c BETWEEN :v AND zz", {"N": "1"}, False),
    ("c BETWEEN e[0] AND :v", {"N": "200"}, True),
    ("a BETWEEN e[0] AND :v", {"N": "200"}, False),
    ("c IN (:v)", {"N": "123.0"}, True),
    ("e IN (:v)", {"L": [{"N": "1"}, {"N": "2"}]}, True),
    ("c IN (zz, e[0], :v)", {"N": "123"}, True),
    ("zz IN (:v)", {"N": "1"}, False),
    # paths
    ("e[0] = :v", {"N": "1"}, True),
    ("e[5] = :v", {"N": "1"}, False),
    ("e[5] <> :v", {"N": "1"}, True),
    ("f.x = :v", {"N": "1"}, True),
    ("f.y <> :v", {"N": "1"}, True),
    ("a.x = :v", {"N": "1"}, False),
    ("f[0] = :v", {"N": "1"}, False),
    ("f.x.y.z = :v", {"N": "1"}, False),
    ("attribute_exists(f.x)", None, True),
    ("attribute_exists(f.y)", None, False),
    ("attribute_not_exists(f.y)", None, True),
    ("attribute_not_exists(a.b)", None, True),
    ("attribute_exists(e[1])", None, True),
    ("attribute_exists(k)", None, True),
    ("attribute_not_exists(zz)", None, True),
    # functions
    ("attribute_type(a, :v)", {"S": "S"}, True),
    ("attribute_type(a, :v)", {"S": "N"}, False),
    ("attribute_type(zz, :v)", {"S": "S"}, False),
    ("attribute_type(g, :v)", {"S": "SS"}, True),
    ("attribute_type(k, :v)", {"S": "NULL"}, True),
    ("begins_with(a, :v)", {"S": "hé"}, True),
    ("begins_with(a, :v)", {"S": ""}, True),
    ("begins_with(d, :v)", {"B": "YWI="}, True),
    ("begins_with(d, :v)", {"S": "a"}, False),
    ("begins_with(c, :v)", {"S": "1"}, False),
    ("begins_with(:v, a)", {"S": "héééé"}, True),
    ("contains(g, :v)", {"S": "a"}, True),
    ("contains(g, :v)", {"SS": ["a"]}, False),
    ("contains(h, :v)", {"N": "2.00"}, True),
    ("contains(h, :v)", {"S": "2"}, False),
    ("contains(i, :v)", {"B": "YQ=="}, True),
    ("contains(e, :v)", {"N": "2.0"}, True),
    ("contains(e, :v)", {"L": [{"N": "2"}]}, False),
    ("contains(a, :v)", {"S": "é"}, True),
    ("contains(a, :v)", {"S": ""}, True),
    ("contains(a, :v)", {"N": "1"}, False),
    ("contains(d, :v)", {"B": "YmM="}, True),
    ("contains(c, :v)", {"N": "2"}, False),
    ("contains(f, :v)", {"S": "x"}, False),
    ("contains(j, :v)", {"BOOL": True}, False),
    ("contains(:v, a)", {"L": [{"S": "héé"}]}, True),
    ("contains(:v, a)", {"SS": ["héé"]}, True),
    ("contains(:v, a)", {"S": "xhéé"}, True),
    ("contains(size(a), :v)", {"N": "5"}, False),
    ("size(a) = :v", {"N": "3"}, True),
    ("size(b) = :v", {"N": "4"}, True),
    ("size(d) = :v", {"N": "3"}, True),
    ("size(e) = :v", {"N": "2"}, True),
    ("size(f) = :v", {"N": "1"}, True),
    ("size(g) = :v", {"N": "2"}, True),
    ("size(h) = :v", {"N": "3"}, True),
    ("size(i) = :v", {"N": "1"}, True),
    ("size(c) >= :v", {"N": "0"}, False),
    ("size(c) <> :v", {"N": "0"}, True),
    ("size(j) >= :v", {"N": "0"}, False),
    ("size(k) >= :v", {"N": "0"}, False),
    ("size(zz) <> :v", {"N": "0"}, True),
    ("size(a) < size(b)", None, True),
    ("a = size(b)", None, False),
    ("size(a) BETWEEN e[1] AND :v", {"N": "3"}, True),
    # logic
    ("NOT NOT c = :v", {"N": "123"}, True),
    ("c = :v OR zz = :v AND zz = :v", {"N": "123"}, True),
    ("(c = :v OR zz = :v) AND zz = :v", {"N": "123"}, False),
    ("NOT c = :v OR c = :v", {"N": "123"}, True),
    ("NOT (c = :v OR c = :v)", {"N": "123"}, False),
    ("c = :v AND c > e[0] AND attribute_exists(a)", {"N": "123"}, True),
    ("zz = :v OR zy = :v OR c = :v", {"N": "123"}, True),
]


@pytest.mark.parametrize(("text", "value", "expected"), ROWS, ids=[f"{i} {row[0]}" for i, row in enumerate(ROWS)])
def test_meaning(text: str, value: dict[str, Any] | None, expected: bool) -> None:
    values = {} if value is None else {":v": value}
    condition = compiled_condition(text)
    condition.check(values)
    assert condition(ITEM, values) is expected
    assert condition.test(ITEM, values) is expected
    # With the value inside, as a client holds it, it means the same.
    node = parse_condition(text, None, values).node
    assert compile_condition(node)(ITEM) is expected
    assert evaluate(node, ITEM) is expected


def test_no_item_is_an_empty_item() -> None:
    assert compile_condition(parse_condition("attribute_not_exists(PK)").node)(None)
    assert not evaluate(AttributeExists(("PK",)), None)
    assert compiled_condition("attribute_not_exists(PK)")(None)


def test_one_parse_serves_many_values() -> None:
    first = compiled_condition("#a = :v", {"#a": "x"})
    assert compiled_condition("#a = :v", {"#a": "x"}) is first
    assert compiled_condition("#a = :v", {"#a": "y"}) is not first
    assert first({"x": {"N": "1"}}, {":v": {"N": "1"}})
    assert not first({"x": {"N": "1"}}, {":v": {"N": "2"}})


def test_nodes_are_values() -> None:
    one = parse_condition(
        "a = :v AND size(b[0].c) > :n OR d IN (:v, e)", None, {":v": {"L": []}, ":n": {"N": "1"}}
    ).node
    other = parse_condition("a=:x AND size(b[0].c)>:y OR d IN(:x,e)", None, {":x": {"L": []}, ":y": {"N": "1"}}).node
    assert one == other
    assert hash(one) == hash(other)
    left = Compare("=", Attribute(("a",)), Value({"L": []}))
    right = Compare(">", Size(Attribute(("b", 0, "c"))), Value({"N": "1"}))
    assert isinstance(one, Or)
    assert one.terms[0] == And((left, right))
    with pytest.raises(AttributeError):
        left.op = "<>"  # type: ignore[misc]
