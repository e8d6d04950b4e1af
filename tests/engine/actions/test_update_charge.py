"""UpdateItem counts what it is asked to do, not only the item that comes out: so much per action, function and step."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright.values import MAX_ITEM_SIZE

KEY = {"pk": {"S": "a"}, "sk": {"N": "1"}}
TOO_LARGE = ("ValidationException", "Item size to update has exceeded the maximum allowed size")
TEN = {"S": "t" * 10}
ONE = {"N": "1"}
SET = 19
UPDATE_WITH_PADDING = 3 + SET + 1


def read(*steps: str) -> int:
    """What a path costs where its value is read."""
    return 1 + sum(14 + len(step) for step in steps)


@pytest.mark.parametrize(
    ("clause", "charge", "seed", "values"),
    [
        ("", 0, {}, {}),
        (", c = :c", SET + 1 + 10, {}, {":c": TEN}),
        (", c = name", SET + 1 + read("name"), {"name": TEN}, {}),
        (", c = m.two.m", SET + 1 + read("m", "two", "m"), {"m": {"M": {"two": {"M": {"m": TEN}}}}}, {}),
        (", c = y[11]", SET + 1 + read("y", "11"), {"y": {"L": [ONE] * 12}}, {}),
        (", n = n + :one", SET + 1 + 34 + read("n") + 2, {"n": {"N": "9" * 30}}, {":one": ONE}),
        (", n = :one - n", SET + 1 + 37 + read("n") + 2, {"n": ONE}, {":one": ONE}),
        (", c = if_not_exists(c, :c)", SET + 1 + 39 + read("c") + 10, {"c": ONE}, {":c": TEN}),
        (", c = if_not_exists(c, :c)", SET + 1 + 39 + read("c") + 10, {}, {":c": TEN}),
        (", y = list_append(y, :l)", SET + 1 + 37 + read("y") + 3 + 1 + 10, {"y": {"L": []}}, {":l": {"L": [TEN]}}),
        (", c = :c, d = :c", 2 * (SET + 1 + 10), {}, {":c": TEN}),
        (", m.two = :c", SET + 1 + 4 + 3 + 10, {"m": {"M": {}}}, {":c": TEN}),
        (", y[0] = :c", SET + 1 + 4 + 1 + 10, {"y": {"L": []}}, {":c": TEN}),
        (" ADD count :one", SET + 5 + 2, {}, {":one": ONE}),
        (" ADD marks :s", SET + 5 + 10, {"marks": {"SS": ["m"]}}, {":s": {"SS": ["t" * 10]}}),
        (" DELETE marks :s", 1 + 5, {"marks": {"SS": ["m", "t" * 10]}}, {":s": {"SS": ["t" * 10]}}),
        (" REMOVE name", 1 + 4, {"name": TEN}, {}),
        (
            " REMOVE m.two, y[10]",
            1 + 1 + 4 + 3 + 1 + 1 + 4 + 2,
            {"m": {"M": {"two": TEN}}, "y": {"L": [{"BOOL": True}] * 11}},
            {},
        ),
    ],
    ids=lambda given: given.strip(", ") or "set" if isinstance(given, str) else "",
)
def test_what_is_counted(table: Any, clause: str, charge: int, seed: Any, values: Any) -> None:
    names: dict[str, Any] = {}
    for word in ("name", "count"):
        if word in clause:
            clause = clause.replace(word, f"#{word}")
            names = {"ExpressionAttributeNames": {f"#{word}": word}}
    room = MAX_ITEM_SIZE - UPDATE_WITH_PADDING - charge
    for size in (room, room + 1):
        table.put(**KEY, **seed)
        request = {
            "Key": KEY,
            "UpdateExpression": f"SET b = :b{clause}",
            "ExpressionAttributeValues": {":b": {"S": "b" * size}, **values},
            **names,
        }
        if size == room:
            table("UpdateItem", **request)
        else:
            assert table.refused("UpdateItem", **request) == TOO_LARGE


def test_a_value_used_often_is_counted_often(table: Any) -> None:
    actions = ", ".join(f"a{number} = if_not_exists(pk, :v)" for number in range(100))
    for size, refused in ((4000, False), (4100, True)):
        request = {"UpdateExpression": f"SET {actions}", "ExpressionAttributeValues": {":v": {"S": "v" * size}}}
        table("DeleteItem", Key=KEY)
        if refused:
            assert table.refused("UpdateItem", Key=KEY, **request) == TOO_LARGE
        else:
            table("UpdateItem", Key=KEY, **request)


def test_it_is_counted_before_the_condition_is_looked_at(table: Any) -> None:
    table.put(**KEY, c=ONE)
    request = {
        "UpdateExpression": "SET c = if_not_exists(c, :c)",
        "ExpressionAttributeValues": {":c": {"S": "c" * MAX_ITEM_SIZE}},
    }
    for condition in ("attribute_exists(c)", "attribute_exists(nothing)"):
        assert table.refused("UpdateItem", Key=KEY, ConditionExpression=condition, **request) == TOO_LARGE


def test_other_ways_to_update_count_the_item_that_comes_out(table: Any, call: Any) -> None:
    fits = {"S": "b" * (MAX_ITEM_SIZE - len("pkask") - 2 - 1)}
    expression = {"UpdateExpression": "SET b = :b", "ExpressionAttributeValues": {":b": fits}}
    assert table.refused("UpdateItem", Key=KEY, **expression) == TOO_LARGE
    table("UpdateItem", Key=KEY, AttributeUpdates={"b": {"Value": fits}})
    table.put(**KEY)
    call("TransactWriteItems", TransactItems=[{"Update": {"TableName": "App", "Key": KEY, **expression}}])
    table.put(**KEY)
    call("ExecuteStatement", Statement="UPDATE App SET b = ? WHERE pk = 'a' AND sk = 1", Parameters=[fits])
    stored = table.get("a", 1)
    assert stored is not None
    assert stored["b"] == fits
