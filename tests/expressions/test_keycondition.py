"""Key conditions against key schemas, with one and with several attributes."""

from __future__ import annotations

import pytest

from tablewright.errors import ExpressionError
from tablewright.expressions import (
    KeyRange,
    KeySchema,
    check_filter_keys,
    check_scalar_keys,
    compiled_condition,
    compiled_key_condition,
    parse_condition,
    parse_key_condition,
    reduce_key_condition,
)

VALUES = {
    ":p": {"S": "k"},
    ":q": {"S": "l"},
    ":n": {"N": "5"},
    ":e": {"S": ""},
    ":b": {"B": "YQ=="},
    ":eb": {"B": ""},
    ":long": {"S": "é" * 513},
}
STRINGS = dict.fromkeys(["PK", "SK", "G", "h1", "h2", "r1", "r2", "r3"], "S")
TABLE = KeySchema(("PK",), ("SK",), STRINGS)
HASH_ONLY = KeySchema(("G",), (), STRINGS, "Gix")
MULTI = KeySchema(("h1", "h2"), ("r1", "r2", "r3"), STRINGS, "Mix")
BINARY = KeySchema(("PK",), ("B",), {"PK": "S", "B": "B"}, "Lix")


def _reduce(text: str, schema: KeySchema) -> dict[str, KeyRange]:
    condition = compiled_key_condition(text)
    condition.check(VALUES)
    ranges = condition.reduce(VALUES, schema)
    assert reduce_key_condition(parse_key_condition(text, None, VALUES).node, schema) == ranges
    return ranges


P, Q = VALUES[":p"], VALUES[":q"]


@pytest.mark.parametrize(
    ("text", "schema", "expected"),
    [
        ("PK = :p", TABLE, {"PK": KeyRange("=", (P,))}),
        (":p = PK", TABLE, {"PK": KeyRange("=", (P,))}),
        ("SK = :q AND PK = :p", TABLE, {"PK": KeyRange("=", (P,)), "SK": KeyRange("=", (Q,))}),
        ("(PK = :p) AND (SK < :q)", TABLE, {"PK": KeyRange("=", (P,)), "SK": KeyRange("<", (Q,))}),
        ("PK = :p AND SK <= :q", TABLE, {"PK": KeyRange("=", (P,)), "SK": KeyRange("<=", (Q,))}),
        ("PK = :p AND SK > :q", TABLE, {"PK": KeyRange("=", (P,)), "SK": KeyRange(">", (Q,))}),
        ("PK = :p AND SK >= :q", TABLE, {"PK": KeyRange("=", (P,)), "SK": KeyRange(">=", (Q,))}),
        ("PK = :p AND :q > SK", TABLE, {"PK": KeyRange("=", (P,)), "SK": KeyRange("<", (Q,))}),
        ("PK = :p AND :q <= SK", TABLE, {"PK": KeyRange("=", (P,)), "SK": KeyRange(">=", (Q,))}),
        ("PK = :p AND SK BETWEEN :p AND :q", TABLE, {"PK": KeyRange("=", (P,)), "SK": KeyRange("BETWEEN", (P, Q))}),
        ("PK = :p AND begins_with(SK, :q)", TABLE, {"PK": KeyRange("=", (P,)), "SK": KeyRange("begins_with", (Q,))}),
        ("G = :p", HASH_ONLY, {"G": KeyRange("=", (P,))}),
        ("PK = :p AND begins_with(B, :b)", BINARY, None),
        ("h2 = :q AND h1 = :p", MULTI, {"h1": KeyRange("=", (P,)), "h2": KeyRange("=", (Q,))}),
        ("h1 = :p AND h2 = :p AND r1 > :p", MULTI, None),
        ("h1 = :p AND h2 = :p AND r2 > :q AND r1 = :p", MULTI, None),
        ("h1 = :p AND h2 = :p AND r1 = :p AND r2 = :p AND r3 BETWEEN :p AND :p", MULTI, None),
        ("h1 = :p AND h2 = :p AND r1 = :p AND begins_with(r2, :p)", MULTI, None),
    ],
)
def test_accepted(text: str, schema: KeySchema, expected: dict[str, KeyRange] | None) -> None:
    ranges = _reduce(text, schema)
    if expected is not None:
        assert ranges == expected
    assert list(ranges) == [name for name in schema.names if name in text]


_TYPE = "One or more parameter values were invalid: Condition parameter type does not match schema type"
_LONG = "One or more parameter values were invalid: Aggregated size of all range keys has exceeded the size limit of 1024 bytes"
_HASH = "HASH key attributes {} must have equality conditions specified in the query"
_RANGE = (
    "RANGE key attributes {} must have equality conditions specified in the query because a condition is present on "
    "key attribute {}"
)
_EMPTY = "The AttributeValue for a key attribute cannot contain an empty {} value."
_INDEX_EMPTY = (
    "One or more parameter values are not valid. A value specified for a secondary index key is not supported. "
    + _EMPTY
    + " IndexName: {}, IndexKey: {}"
)
_SCALAR = "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: {}: {}"


@pytest.mark.parametrize(
    ("text", "schema", "message"),
    [
        ("SK = :p", TABLE, "Query condition missed key schema element: PK"),
        ("PK = :p AND a = :p", TABLE, "Query condition missed key schema element: SK"),
        ("PK = :p AND SK = :p AND a = :p", TABLE, "Conditions can be of length 1 or 2 only"),
        ("PK > :p", TABLE, "Query key condition not supported"),
        ("PK > :p AND SK = :n", TABLE, "Query key condition not supported"),
        ("PK > :n", TABLE, _TYPE),
        ("PK = :p AND SK = :n", TABLE, _TYPE),
        ("PK = :p AND begins_with(SK, :b)", TABLE, _TYPE),
        ("PK = :p AND SK > :long", TABLE, _LONG),
        ("PK = :p AND B > :long", BINARY, _LONG),
        ("PK = :n AND SK > :long", TABLE, _TYPE),
        ("G = :p AND a = :p", HASH_ONLY, "Query key condition not supported"),
        ("a = :p", HASH_ONLY, "Query condition missed key schema element: G"),
        ("G > :p", HASH_ONLY, "Query key condition not supported"),
        ("PK = :p OR SK = :p", TABLE, "Invalid operator used in KeyConditionExpression: OR"),
        ("NOT PK = :p", TABLE, "Invalid operator used in KeyConditionExpression: NOT"),
        ("PK = :p AND PK = :p", TABLE, "KeyConditionExpressions must only contain one condition per key"),
        ("PK.a = :p", TABLE, _SCALAR.format("Key", "PK")),
        ("SK <> :p AND PK.a = :p", TABLE, _SCALAR.format("Key", "PK")),
        ("h1 = :p AND h2.b = :p", MULTI, _SCALAR.format("IndexKey", "h2")),
        ("a.b = :p", TABLE, "KeyConditionExpressions cannot have conditions on nested attributes"),
        ("PK = :e", TABLE, f"One or more parameter values are not valid. {_EMPTY.format('string')} Key: PK"),
        (
            "PK = :p AND begins_with(SK, :e)",
            TABLE,
            f"One or more parameter values are not valid. {_EMPTY.format('string')} Key: SK",
        ),
        ("G = :e", HASH_ONLY, _INDEX_EMPTY.format("string", "Gix", "G")),
        ("PK = :p AND B = :eb", BINARY, _INDEX_EMPTY.format("binary", "Lix", "B")),
        ("h1 = :p", MULTI, _HASH.format("h2")),
        ("h1 > :p AND h2 > :p", MULTI, _HASH.format("h1, h2")),
        ("PK = :p", MULTI, _HASH.format("h1, h2")),
        ("h1 = :p AND begins_with(h2, :p)", MULTI, _HASH.format("h2")),
        ("h1 = :p AND h2 = :p AND r2 = :p", MULTI, _RANGE.format("r1", "r2")),
        ("h1 = :p AND h2 = :p AND r3 = :p", MULTI, _RANGE.format("r1, r2", "r3")),
        ("h1 = :p AND h2 = :p AND r1 > :p AND r2 = :p", MULTI, _RANGE.format("r1", "r2")),
        ("h1 = :p AND h2 = :p AND r1 = :p AND r3 > :p", MULTI, _RANGE.format("r2", "r3")),
        ("h1 = :p AND h2 = :p AND r1 = :p AND r2 > :p AND r3 = :p", MULTI, _RANGE.format("r2", "r3")),
        ("h1 = :p AND h2 = :p AND r1 > :p AND r2 > :p AND r3 = :p", MULTI, _RANGE.format("r1, r2", "r3")),
        ("h1 = :p AND h2 = :p AND r1 > :p AND r3 = :p", MULTI, _RANGE.format("r2", "r3")),
        ("h1 = :p AND h2 = :p AND r2 > :p AND r3 = :p", MULTI, _RANGE.format("r1", "r2")),
        ("h1 = :p AND h2 = :p AND a = :p", MULTI, "Query condition missed key schema element: r1"),
        ("h1 = :p AND h2 = :p AND a = :p AND r2 = :p", MULTI, _RANGE.format("r1", "r2")),
        (
            "h1 = :p AND h2 = :p AND r1 = :p AND r2 = :p AND r3 = :p AND a = :p",
            MULTI,
            "Query key condition not supported",
        ),
        ("h1 = :p AND h2 = :n", MULTI, _TYPE),
        ("h1 = :p AND h2 = :p AND r1 = :n", MULTI, _TYPE),
        ("h1 = :e AND h2 = :p", MULTI, _INDEX_EMPTY.format("string", "Mix", "h1")),
    ],
)
def test_refused(text: str, schema: KeySchema, message: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        _reduce(text, schema)
    assert caught.value.message == message


def test_a_schema_without_types_leaves_types_alone() -> None:
    assert _reduce("PK = :n", KeySchema(("PK",))) == {"PK": KeyRange("=", (VALUES[":n"],))}


@pytest.mark.parametrize(
    ("text", "schema", "name"),
    [
        ("PK = :p", TABLE, "PK"),
        ("SK > :p AND PK = :p", TABLE, "PK"),
        ("a = :p OR NOT contains(SK, :p)", TABLE, "SK"),
        ("size(PK) = :n", TABLE, "PK"),
        ("a IN (:p, SK)", TABLE, "SK"),
        ("attribute_exists(r3)", MULTI, "r3"),
    ],
)
def test_filters_on_keys_are_refused(text: str, schema: KeySchema, name: str) -> None:
    message = f"Filter Expression can only contain non-primary key attributes: Primary key attribute: {name}"
    with pytest.raises(ExpressionError) as caught:
        compiled_condition(text, None, "FilterExpression").check_filter_keys(schema)
    assert caught.value.message == message
    with pytest.raises(ExpressionError, match=name):
        check_filter_keys(parse_condition(text, None, VALUES, "FilterExpression").node, schema)


def test_filters_on_other_attributes_pass() -> None:
    condition = compiled_condition("a.PK = :p AND b = :p", None, "FilterExpression")
    condition.check_filter_keys(TABLE)
    assert ("PK",) not in condition.paths


def test_paths_into_keys_are_refused() -> None:
    check_scalar_keys([("PK",), ("a", "PK")], ["PK"])
    with pytest.raises(ExpressionError) as caught:
        check_scalar_keys([("a",), ("PK", 0)], ["PK"], "IndexKey")
    assert caught.value.message == _SCALAR.format("IndexKey", "PK")
