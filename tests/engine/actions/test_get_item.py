"""GetItem: one item, parts of it, or nothing."""

from typing import Any

import pytest

KEY: dict[str, Any] = {"pk": {"S": "a"}, "sk": {"N": "1"}}
MISMATCH = "The provided key element does not match the schema"


def test_a_missing_item_gives_an_empty_response(table: Any) -> None:
    assert table("GetItem", Key=KEY) == {}


def test_equal_numbers_are_the_same_key(table: Any) -> None:
    table.put(**KEY)
    assert table("GetItem", Key={"pk": {"S": "a"}, "sk": {"N": "1.00"}}) == {"Item": KEY}
    assert table("GetItem", Key={"pk": {"S": "a"}, "sk": {"N": "-1"}}) == {}


def test_projection_gives_only_what_is_asked_for(table: Any) -> None:
    table.put(**KEY, m={"M": {"x": {"N": "1"}, "y": {"N": "2"}}}, v={"S": "v"})
    response = table("GetItem", Key=KEY, ProjectionExpression="#m.x, absent", ExpressionAttributeNames={"#m": "m"})
    assert response == {"Item": {"m": {"M": {"x": {"N": "1"}}}}}
    assert table("GetItem", Key=KEY, ProjectionExpression="absent") == {"Item": {}}


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ({}, MISMATCH),
        ({"pk": {"S": "a"}}, MISMATCH),
        ({**KEY, "more": {"S": "x"}}, MISMATCH),
        ({"pk": {"S": "a"}, "other": {"N": "1"}}, MISMATCH),
        ({"pk": {"S": "a"}, "sk": {"S": "1"}}, MISMATCH),
        ({"pk": {"S": "a"}, "sk": {"N": "one"}}, "The parameter cannot be converted to a numeric value: one"),
        (
            {"pk": {"S": ""}, "sk": {"N": "1"}},
            "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an "
            "empty string value. Key: pk",
        ),
    ],
)
def test_keys_must_match_the_schema(table: Any, key: dict[str, Any], message: str) -> None:
    assert table.refused("GetItem", Key=key) == ("ValidationException", message)


def test_expressions_may_not_look_inside_a_key(table: Any) -> None:
    message = "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: "
    assert table.refused("GetItem", Key=KEY, ProjectionExpression="pk.x")[1] == f"{message}Key: pk"
    assert table.refused("GetItem", Key=KEY, ProjectionExpression="g[0]")[1] == f"{message}IndexKey: g"


def test_names_of_tables(call: Any) -> None:
    def refused(**request: Any) -> tuple[str, str]:
        name, message = call.refused("GetItem", Key=KEY, **request)
        return name, message

    assert refused() == (
        "ValidationException",
        "1 validation error detected: Value null at 'tableName' failed to satisfy constraint: Member must not be null",
    )
    assert refused(TableName="ab") == (
        "ValidationException",
        "1 validation error detected: Value 'ab' at 'tableName' failed to satisfy constraint: "
        "Member must have length greater than or equal to 3",
    )
    assert refused(TableName="")[1].endswith("Member must have length greater than or equal to 1")
    assert refused(TableName="a" * 256)[1].endswith("Member must have length less than or equal to 255")
    assert refused(TableName="no spaces") == (
        "ValidationException",
        "1 validation error detected: Value 'no spaces' at 'tableName' failed to satisfy constraint: "
        "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+",
    )
    assert refused(TableName="Missing") == ("ResourceNotFoundException", "Requested resource not found")


def test_an_arn_stands_for_its_table(table: Any, call: Any) -> None:
    table.put(**KEY)
    arn = "arn:aws:dynamodb:eu-west-1:123456789012:table/App"
    assert call("GetItem", TableName=arn, Key=KEY) == {"Item": KEY}


@pytest.mark.parametrize(("consistent", "units"), [(False, 1.0), (True, 2.0)])
def test_capacity_is_counted_in_blocks_of_four_kilobytes(table: Any, consistent: bool, units: float) -> None:
    table.put(**KEY, v={"S": "x" * 5000})
    response = table("GetItem", Key=KEY, ConsistentRead=consistent, ReturnConsumedCapacity="INDEXES")
    assert response["ConsumedCapacity"] == {
        "TableName": "App",
        "CapacityUnits": units,
        "Table": {"CapacityUnits": units},
    }


def test_reading_nothing_costs_the_smallest_read(table: Any) -> None:
    response = table("GetItem", Key=KEY, ReturnConsumedCapacity="TOTAL")
    assert response == {"ConsumedCapacity": {"TableName": "App", "CapacityUnits": 0.5}}
