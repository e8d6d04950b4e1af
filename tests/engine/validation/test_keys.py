"""Keys of items against table and indexes."""

from typing import Any

import pytest

from tablewright.engine.schema import TableSchema, compile_table
from tablewright.engine.validation.keys import KeyRefused, check_index_keys, checked_key, item_key
from tablewright.errors import RequestRefused


@pytest.fixture
def schema(table_definition: Any) -> TableSchema:
    definition = table_definition("App")
    names = [i["IndexName"] for m in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes") for i in definition[m]]
    return compile_table("App", 1, {**definition, "IndexNumbers": {name: n for n, name in enumerate(names)}})


def test_a_key_is_encoded_as_its_item_is(schema: TableSchema) -> None:
    key = {"pk": {"S": "é"}, "sk": {"N": "-1.5"}}
    assert checked_key(schema, key) == item_key(schema, {**key, "v": {"S": "x"}}) == schema.key(key)


def test_the_narrower_limit_counts_where_an_attribute_has_two_roles(schema: TableSchema) -> None:
    assert schema.index_keys.keys() == {"g", "r", "h", "l"}
    assert (schema.index_keys["g"].limit, schema.index_keys["r"].limit) == (2048, 1024)
    check_index_keys(schema, {"g": {"S": "x" * 2048}}, ["g"])
    with pytest.raises(RequestRefused, match="Actual Size: 2049 bytes Max Size: 2048 bytes IndexName: ByFour"):
        check_index_keys(schema, {"g": {"S": "x" * 2049}}, ["g"])


def test_attributes_together_may_not_pass_the_limit(schema: TableSchema) -> None:
    item = {"pk": {"S": "a"}, "sk": {"N": "1"}, "g": {"S": "x" * 2047}, "h": {"N": "1"}}
    with pytest.raises(RequestRefused) as caught:
        item_key(schema, item)
    assert caught.value.message == (
        "Aggregate size for HASH key attributes g, h of index ByFour has exceeded limit 2048 bytes, with actual size "
        "2049 bytes"
    )


def test_what_stood_there_before_the_index_does_not_count(schema: TableSchema) -> None:
    check_index_keys(schema, {"g": {"S": "x" * 2048}, "h": {"L": []}}, ["g"])


def test_wrong_types_are_told_apart_for_transactions(schema: TableSchema) -> None:
    key = {"pk": {"S": "a"}, "sk": {"N": "1"}}
    for item in ({**key, "pk": {"N": "1"}}, {**key, "h": {"S": "1"}}):
        with pytest.raises(KeyRefused):
            item_key(schema, item)
    with pytest.raises(RequestRefused) as caught:
        item_key(schema, {"pk": {"S": "a"}})
    assert not isinstance(caught.value, KeyRefused)
