"""Requests built from Python: generated placeholders only, shared within a request."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tablewright.errors import ArgumentError
from tablewright.expressions import (
    Attr,
    ExpressionBuilder,
    all_of,
    any_of,
    compile_condition,
    compiled_condition,
    compiled_update,
    evaluate,
    not_,
    parse_condition,
    parse_update,
)
from tablewright.expressions.ast import And, Attribute, Compare, In, Not, Or, Update, Value, ValueRef
from tablewright.expressions.printer import PlaceholderPool, print_condition, print_projection, print_update
from tablewright.values.types import AttributeValue

ONE: AttributeValue = {"N": "1"}
A, B = Attr("a"), Attr("b", "c", 0)


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (A.eq(ONE), "#0 = :0"),
        (A.ne(ONE), "#0 <> :0"),
        (A.lt(ONE), "#0 < :0"),
        (A.le(ONE), "#0 <= :0"),
        (A.gt(ONE), "#0 > :0"),
        (A.ge(B), "#0 >= #1.#2[0]"),
        (A.between(ONE, {"N": "2"}), "#0 BETWEEN :0 AND :1"),
        (A.is_in([ONE, B, {"N": "2"}]), "#0 IN (:0, #1.#2[0], :1)"),
        (A.exists(), "attribute_exists(#0)"),
        (B.not_exists(), "attribute_not_exists(#0.#1[0])"),
        (A.begins_with({"S": "x"}), "begins_with(#0, :0)"),
        (A.contains({"S": "x"}), "contains(#0, :0)"),
        (A.has_type("N"), "attribute_type(#0, :0)"),
        (A.size().gt(ONE), "size(#0) > :0"),
        (A.size().between(ONE, B.size()), "size(#0) BETWEEN :0 AND size(#1.#2[0])"),
        (A.eq(B.size()), "#0 = size(#1.#2[0])"),
        (A.eq(Value(ONE)), "#0 = :0"),
        (not_(A.exists()), "NOT attribute_exists(#0)"),
        (not_(all_of(A.exists(), B.exists())), "NOT (attribute_exists(#0) AND attribute_exists(#1.#2[0]))"),
        (
            any_of(all_of(A.exists(), B.exists()), A.eq(ONE)),
            "attribute_exists(#0) AND attribute_exists(#1.#2[0]) OR #0 = :0",
        ),
        (all_of(any_of(A.exists(), B.exists()), A.eq(ONE)), None),
        (all_of(A.exists()), "attribute_exists(#0)"),
        (all_of(all_of(A.exists(), A.eq(ONE)), A.ne(ONE)), "attribute_exists(#0) AND #0 = :0 AND #0 <> :0"),
        (And((And((A.exists(), A.eq(ONE))), A.ne(ONE))), "(attribute_exists(#0) AND #0 = :0) AND #0 <> :0"),
        (Or((Or((A.exists(), A.eq(ONE))), A.ne(ONE))), "(attribute_exists(#0) OR #0 = :0) OR #0 <> :0"),
        (Not(Not(A.exists())), "NOT NOT attribute_exists(#0)"),
        (And((And((Or((A.exists(), A.eq(ONE))),)), A.ne(ONE))), "(attribute_exists(#0) OR #0 = :0) AND #0 <> :0"),
    ],
)
def test_conditions(node: Any, text: str | None) -> None:
    request = ExpressionBuilder().condition(node).build()
    if text is not None:
        assert request["ConditionExpression"] == text
    condition = compiled_condition(request["ConditionExpression"], request["ExpressionAttributeNames"])
    condition.check(request.get("ExpressionAttributeValues", {}))


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (A.set(ONE), "SET #0 = :0"),
        (A.set(B), "SET #0 = #1.#2[0]"),
        (B.set_if_not_exists(ONE), "SET #0.#1[0] = if_not_exists(#0.#1[0], :0)"),
        (A.increment(ONE), "SET #0 = #0 + :0"),
        (A.increment(ONE, start={"N": "0"}), "SET #0 = if_not_exists(#0, :0) + :1"),
        (A.decrement(ONE), "SET #0 = #0 - :0"),
        (A.append({"L": [ONE]}), "SET #0 = list_append(if_not_exists(#0, :0), :1)"),
        (A.append({"L": [ONE]}, create=False), "SET #0 = list_append(#0, :0)"),
        (A.prepend({"L": [ONE]}), "SET #0 = list_append(:0, if_not_exists(#0, :1))"),
        (A.remove(), "REMOVE #0"),
        (A.add(ONE), "ADD #0 :0"),
        (A.delete({"SS": ["x"]}), "DELETE #0 :0"),
    ],
)
def test_actions(action: Any, text: str) -> None:
    request = ExpressionBuilder().update(action).build()
    assert request["UpdateExpression"] == text
    update = compiled_update(text, request["ExpressionAttributeNames"])
    values = request.get("ExpressionAttributeValues", {})
    assert update.bind(values) == Update((action,))


def test_one_pool_per_request() -> None:
    request = (
        ExpressionBuilder()
        .key_condition(all_of(Attr("PK").eq({"S": "x"}), Attr("SK").begins_with({"S": "y"})))
        .filter(Attr("status").eq({"S": "x"}))
        .filter(Attr("tags").eq({"L": [{"S": "x"}]}))
        .filter(Attr("status").ne(Attr("tags")))
        .project(("PK",), Attr("status"), Attr("m", "x"), ("PK",))
        .build()
    )
    assert request == {
        "KeyConditionExpression": "#0 = :0 AND begins_with(#1, :1)",
        "FilterExpression": "#2 = :0 AND #3 = :2 AND #2 <> #3",
        "ProjectionExpression": "#0, #2, #4.#5",
        "ExpressionAttributeNames": {"#0": "PK", "#1": "SK", "#2": "status", "#3": "tags", "#4": "m", "#5": "x"},
        "ExpressionAttributeValues": {":0": {"S": "x"}, ":1": {"S": "y"}, ":2": {"L": [{"S": "x"}]}},
    }


def test_sections_are_grouped() -> None:
    request = (
        ExpressionBuilder()
        .update(A.add(ONE), Attr("x").set(ONE), Attr("y").remove())
        .update(Update((Attr("z").set(ONE), Attr("w").delete({"NS": ["1"]}))))
        .condition(A.exists())
        .condition(Attr("x").not_exists())
        .build()
    )
    assert request["UpdateExpression"] == "SET #1 = :0, #3 = :0 REMOVE #2 ADD #0 :0 DELETE #4 :1"
    assert request["ConditionExpression"] == "attribute_exists(#0) AND attribute_not_exists(#1)"


def test_nothing_given_nothing_built() -> None:
    assert ExpressionBuilder().build() == {}


def test_equal_values_share_a_placeholder_and_different_types_do_not() -> None:
    pool = PlaceholderPool()
    wires: list[AttributeValue] = [
        {"S": "1"},
        {"N": "1"},
        {"B": "1"},
        {"BOOL": True},
        {"NULL": True},
        {"L": []},
        {"M": {}},
        {"SS": ["1"]},
        {"NS": ["1"]},
    ]
    first = [pool.value(wire) for wire in wires]
    assert len(set(first)) == len(wires)
    assert [pool.value(dict(wire)) for wire in wires] == first


def test_text_holds_nothing_of_the_caller() -> None:
    evil = "x = :y OR attribute_exists(PK) --"
    node = all_of(
        Attr(evil, evil, 3).eq({"S": evil}), Attr(evil).size().gt({"N": "1"}), Attr("status").is_in([{"S": evil}])
    )
    request = (
        ExpressionBuilder()
        .condition(node)
        .filter(node)
        .key_condition(Attr(evil).eq({"S": evil}))
        .update(Attr(evil).set({"S": evil}), Attr("#0").remove(), Attr(":0").append({"L": []}))
        .project((evil, "a.b", 0))
        .build()
    )
    words = r"AND|IN|size|SET|REMOVE|list_append|if_not_exists"
    only_ours = re.compile(rf"(?:#\d+|:\d+|\[\d+\]|\.|, | |=|>|\(|\)|{words})*")
    for member, text in request.items():
        if member.endswith("Expression"):
            assert only_ours.fullmatch(text), member


@pytest.mark.parametrize(
    "build",
    [
        lambda pool: print_condition(Compare("= :x OR a =", Attribute(("a",)), Value(ONE)), pool),  # type: ignore[arg-type]
        lambda pool: print_condition(Compare("=", Attribute(()), Value(ONE)), pool),
        lambda pool: print_condition(Compare("=", Attribute(("",)), Value(ONE)), pool),
        lambda pool: print_condition(Compare("=", Attribute((0,)), Value(ONE)), pool),
        lambda pool: print_condition(Compare("=", Attribute(("a", -1)), Value(ONE)), pool),
        lambda pool: print_condition(Compare("=", Attribute(("a", True)), Value(ONE)), pool),
        lambda pool: print_condition(Compare("=", Attribute(("a", 1.5)), Value(ONE)), pool),  # type: ignore[arg-type]
        lambda pool: print_condition(Compare("=", "a", Value(ONE)), pool),  # type: ignore[arg-type]
        lambda pool: print_condition(Compare("=", Attribute(("a",)), {"N": "1"}), pool),  # type: ignore[arg-type]
        lambda pool: print_condition("a = b", pool),  # type: ignore[arg-type]
        lambda pool: print_condition(And(()), pool),
        lambda pool: print_condition(Or(()), pool),
        lambda pool: print_condition(In(Attribute(("a",)), ()), pool),
        lambda pool: print_update(Update(()), pool),
        lambda pool: print_update(Update(("SET a = b",)), pool),  # type: ignore[arg-type]
        lambda pool: print_projection([], pool),
        lambda pool: print_projection([()], pool),
        lambda pool: all_of(),
    ],
)
def test_what_cannot_be_said_is_refused(build: Any) -> None:
    with pytest.raises(ArgumentError):
        build(PlaceholderPool())


def test_more_options_than_one_in_may_have() -> None:
    node = all_of(A.is_in([{"N": str(n)} for n in range(250)]), not_(B.is_in([{"N": str(n)} for n in range(101)])))
    request = ExpressionBuilder().condition(node).build()
    names, values = request["ExpressionAttributeNames"], request["ExpressionAttributeValues"]
    assert len(values) == 250
    condition = compiled_condition(request["ConditionExpression"], names)
    condition.check(values)
    for number, expected in [("0", True), ("150", True), ("249", True), ("250", False)]:
        assert condition({"a": {"N": number}}, values) is expected
        assert evaluate(node, {"a": {"N": number}}) is expected


def test_a_client_can_evaluate_its_own_condition() -> None:
    holds = compile_condition(all_of(Attr("status").eq({"S": "PENDING"}), Attr("total").gt({"N": "9"})))
    assert holds({"status": {"S": "PENDING"}, "total": {"N": "10"}})
    assert not holds({"status": {"S": "PENDING"}, "total": {"N": "9.0"}})
    assert not holds(None)


def test_prepared_requests_take_their_values_later() -> None:
    builder = (
        ExpressionBuilder()
        .condition(Attr("status").eq(ValueRef("expected")))
        .update(
            Attr("status").set(ValueRef("status")), Attr("version").increment({"N": "1"}), Attr("n").add(ValueRef("by"))
        )
    )
    request = builder.build()
    assert request["UpdateExpression"] == "SET #0 = :1, #1 = #1 + :2 ADD #2 :3"
    assert builder.parameters == {"expected": ":0", "status": ":1", "by": ":3"}
    assert request["ExpressionAttributeValues"] == {":2": {"N": "1"}}
    values = request["ExpressionAttributeValues"] | {
        builder.parameters[name]: wire
        for name, wire in {"expected": {"S": "a"}, "status": {"S": "b"}, "by": {"N": "2"}}.items()
    }
    names = request["ExpressionAttributeNames"]
    assert parse_condition(request["ConditionExpression"], names, values).node == Attr("status").eq({"S": "a"})
    assert parse_update(request["UpdateExpression"], names, values).node == Update(
        (Attr("status").set({"S": "b"}), Attr("version").increment({"N": "1"}), Attr("n").add({"N": "2"}))
    )
