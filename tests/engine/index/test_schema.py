"""What an index holds of an item, and under which key."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tablewright.engine.index import IndexSchema
from tablewright.engine.schema import TableSchema, compile_table

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5)


@pytest.fixture
def schema(table_definition: Any) -> TableSchema:
    definition = table_definition("App")
    names = [i["IndexName"] for m in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes") for i in definition[m]]
    return compile_table("App", 1, {**definition, "IndexNumbers": {name: n for n, name in enumerate(names)}})


def item(**attributes: Any) -> dict[str, Any]:
    return {"pk": {"S": "a"}, "sk": {"N": "1"}, **attributes}


def test_an_item_without_all_keys_is_not_in_the_index(schema: TableSchema) -> None:
    by_four = schema.index["ByFour"]
    whole = item(g={"S": "g"}, h={"N": "1"}, r={"S": "r"})
    assert by_four.entry(whole, b"pk") is not None
    for name in ("g", "h", "r"):
        assert by_four.entry({k: v for k, v in whole.items() if k != name}, b"pk") is None
        assert by_four.entry({**whole, name: {"BOOL": True}}, b"pk") is None
    assert by_four.entry({**whole, "g": {"S": ""}}, b"pk") is None


def test_a_local_index_lies_in_the_table_s_partition(schema: TableSchema) -> None:
    assert schema.index["ByLocal"].entry(item(l={"S": "l"}), b"pk") == (b"pk", b"l")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(one=st.tuples(TEXTS, st.integers(-50, 50), TEXTS), two=st.tuples(TEXTS, st.integers(-50, 50), TEXTS))
def test_entries_sort_as_their_attributes_do(schema: TableSchema, one: Any, two: Any) -> None:
    index: IndexSchema = schema.index["ByFour"]

    def entry(values: tuple[str, int, str]) -> Any:
        text, number, group = values
        found = index.entry(
            {"pk": {"S": "a"}, "sk": {"N": str(number)}, "g": {"S": group}, "h": {"N": "1"}, "r": {"S": text}}, b"pk"
        )
        assert found is not None
        return found

    left, right = entry(one), entry(two)
    assert (left[0] == right[0]) == (one[2] == two[2])
    assert (left[1:] < right[1:]) == (one[:2] < two[:2])


def test_moves_looks_at_key_attributes_only(schema: TableSchema) -> None:
    by_group = schema.index["ByGroup"]
    old = item(g={"S": "g"}, r={"S": "r"})
    assert not by_group.moves(old, {**old, "v": {"S": "x"}})
    assert by_group.moves(old, {**old, "r": {"S": "s"}})
    assert by_group.moves(old, item(g={"S": "g"}))


def test_projections(schema: TableSchema) -> None:
    whole = item(g={"S": "g"}, r={"S": "r"}, inc={"S": "i"}, l={"S": "l"}, v={"S": "v"})
    assert schema.index["ByGroup"].project(whole).keys() == {"pk", "sk", "g", "r", "inc"}
    assert schema.index["ByLocalKeys"].project(whole).keys() == {"pk", "sk", "r"}
    assert schema.index["ByLocal"].project(whole) == whole
