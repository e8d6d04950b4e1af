"""SELECT: which keys are read from tables and indexes, in which order, in pages, and at what cost."""

from __future__ import annotations

from typing import Any

import pytest

Sql = Any


def s(text: str) -> dict[str, str]:
    return {"S": text}


def n(number: object) -> dict[str, str]:
    return {"N": str(number)}


ALL = ["a1", "a2", "a3", "b1", "b2", "b3"]
OVERLAP = "Overlapping conditions with range keys are not supported in where clause"

# ---------------------------------------------------------------------------------------------------------- keys


@pytest.mark.parametrize(
    ("condition", "keys"),
    [
        ("pk = 'a'", ["a1", "a2", "a3"]),
        ("'a' = pk AND 2 = sk", ["a2"]),
        ("pk = 'a' AND sk > 1", ["a2", "a3"]),
        ("pk = 'a' AND 2 >= sk", ["a1", "a2"]),
        ("pk = 'a' AND sk >= 1 AND sk < 3", ["a1", "a2"]),
        ("pk = 'a' AND sk BETWEEN 2 AND 3", ["a2", "a3"]),
        ("pk = 'a' AND sk IN [3, 1]", ["a1", "a3"]),
        ("pk = 'a' AND (sk = 3 OR sk = 1)", ["a1", "a3"]),
        ("pk = 'a' AND (sk < 2 OR sk > 2)", ["a1", "a3"]),
        ("pk = 'a' AND sk <> 2", ["a1", "a3"]),
        ("pk = 'a' AND NOT sk = 2", ["a1", "a3"]),
        ("pk = 'a' AND sk = 1 AND sk > 5", []),
        ("pk = 'a' AND pk = 'b'", []),
        ("pk = 'a' AND pk = 'a' AND sk = 1", ["a1"]),
        ("pk = 'a' AND pk > 'A' AND attribute_exists(pk)", ["a1", "a2", "a3"]),
        ("pk IN ['b', 'a']", ALL),
        ("pk IN ['b', 'a'] AND sk = 2", ["a2", "b2"]),
        ("pk = 'b' OR pk = 'a'", ALL),
        ("(pk = 'b' AND sk = 1) OR (pk = 'a' AND sk > 2)", ["a3", "b1"]),
        ("(pk = 'b' AND v = 10) OR (pk = 'a' AND v = 20)", ["a2", "b1"]),
        ("(pk = 'a' AND v = 10) OR pk = 'z'", ["a1"]),
    ],
)
def test_keys_are_read_in_order(sql: Sql, condition: str, keys: list[str]) -> None:
    assert sql.keys(f"SELECT pk, sk FROM App WHERE {condition}") == keys


def units(sql: Sql, condition: str, source: str = "App") -> float:
    answer = sql.answer(
        f"SELECT * FROM {source} WHERE {condition}", ReturnConsumedCapacity="TOTAL", ConsistentRead=True
    )
    cost: float = answer["ConsumedCapacity"]["CapacityUnits"]
    return cost


def test_keys_save_the_reading_of_the_rest(sql: Sql) -> None:
    for sk in range(10, 20):
        sql("INSERT INTO App VALUE {'pk': 'big', 'sk': ?, 'x': ?}", n(sk), s("x" * 4000))
    assert units(sql, "pk = 'big' AND sk = 10") == 1
    assert units(sql, "pk = 'big' AND sk IN [10, 12, 14]") == 3
    assert units(sql, "pk IN ['a', 'b', 'big'] AND sk = 10") == 3
    assert units(sql, "pk = 'big' AND sk >= 15") == 5
    assert units(sql, "pk = 'big'") == 10
    assert units(sql, "pk = 'a' AND v = 10") == 1
    assert units(sql, "v = 10") == 10


@pytest.mark.parametrize(
    "condition",
    [
        "pk IN ['a', 'a']",
        "pk = 'a' OR pk = 'a'",
        "pk = 'a' AND (sk > 0 OR sk < 5)",
        "pk = 'a' AND (sk = 1 OR t = 't2')",
        "(pk = 'a' AND t = 't1') OR (pk = 'a' AND t = 't2')",
        "pk = 'a' AND t <> 't1' OR pk = 'a' AND sk = 2",
        "pk = 'a' AND sk IN [1, 2, 2]",
    ],
)
def test_alternatives_must_not_overlap(sql: Sql, condition: str) -> None:
    assert sql.wrong(f"SELECT * FROM App WHERE {condition}") == OVERLAP


@pytest.mark.parametrize(
    ("condition", "keys"),
    [
        ("pk = 'a' AND NOT sk = 1 OR pk = 'a' AND sk = 2", ["a2", "a3"]),
        ("pk = 'a' AND sk <> 1 OR pk = 'a' AND sk = 2", ["a2", "a3"]),
        ("pk = 'a' AND NOT sk IN [1, 3] OR pk = 'a' AND sk = 2", ["a2"]),
        ("pk = 'a' OR pk = 'a' AND NOT sk = 1", ["a1", "a2", "a3"]),
        ("pk = 'a' OR sk = 1", ["a1", "a2", "a3", "b1"]),
    ],
)
def test_alternatives_that_turn_keys_down_may_overlap(sql: Sql, condition: str, keys: list[str]) -> None:
    assert sorted(sql.keys(f"SELECT pk, sk FROM App WHERE {condition}")) == keys


def in_list(count: int) -> str:
    return ", ".join(f"'v{number}'" for number in range(count))


def test_limits_on_alternatives(sql: Sql) -> None:
    too_many = "Too many decomposed read operations for a given query."
    assert sql(f"SELECT * FROM App WHERE pk IN [{in_list(50)}] AND t IN [{in_list(100)}]") == []
    assert sql(f"SELECT * FROM App WHERE pk IN [{in_list(51)}] OR t = 'none'") == []
    assert sql.wrong(f"SELECT * FROM App WHERE pk IN [{in_list(51)}]") == too_many
    assert sql.wrong(f"SELECT * FROM App WHERE pk IN [{in_list(26)}] AND sk IN [1, 2]") == too_many
    many = " AND ".join([f"pk IN [{in_list(40)}]"] * 5)
    assert sql.wrong(f"SELECT * FROM App WHERE {many}") == too_many
    operands = "The IN operator is provided with too many operands; number of operands: 101"
    assert sql.wrong(f"SELECT * FROM App WHERE pk = 'a' AND t IN [{in_list(101)}]") == operands


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("pk = 1", "Key attribute's data type should match its data type in table's schema: Key pk"),
        ("pk IN ['a', 1]", "Key attribute's data type should match its data type in table's schema: Key pk"),
        (
            "pk = 'a' AND sk IN [1, '2']",
            "Key attribute's data type should match its data type in table's schema: Key sk",
        ),
        ("pk = 1 OR pk = 'a'", "Key attribute's data type should match its data type in table's schema: Key pk"),
        (
            "pk = 'a' AND begins_with(sk, '1')",
            "Key attribute's data type should match its data type in table's schema: Key sk",
        ),
        ("pk = true", "Key value must be of type S, N, or B. Key name: pk, Key type: BOOL"),
        (
            "pk = ''",
            "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: pk",
        ),
    ],
)
def test_keys_of_another_type_are_refused(sql: Sql, condition: str, message: str) -> None:
    assert sql.wrong(f"SELECT * FROM App WHERE {condition}") == message


def test_a_filter_may_compare_a_key_with_anything(sql: Sql) -> None:
    assert sql("SELECT * FROM App WHERE pk > 1") == []


# ------------------------------------------------------------------------------------------------------- indexes


def test_indexes_are_read_like_tables(sql: Sql) -> None:
    sql("INSERT INTO App VALUE {'pk': 'out', 'sk': 1}")
    keys = sorted(sql.keys("SELECT pk, sk FROM App.ByGroup WHERE g = 'x' AND r IN ['r1', 'r3']"))
    assert keys == ["a1", "a3", "b1", "b3"]
    assert sql.keys("SELECT * FROM \"App\".\"ByLocal\" WHERE pk = 'a' AND l > 'l1'") == ["a2", "a1"]
    assert sorted(sql.keys("SELECT * FROM App.ByGroup")) == ALL
    assert sql("SELECT * FROM App.ByGroup WHERE g = 'x' AND r = 'r1'")[0].keys() == {"pk", "sk", "g", "r", "inc"}


def test_a_local_index_asks_the_table_for_columns(sql: Sql) -> None:
    assert sql("SELECT v FROM App.ByLocalKeys WHERE pk = 'a' AND r = 'r2'") == [{"v": n(20)}]
    assert sql("SELECT * FROM App.ByLocalKeys WHERE pk = 'a' AND r = 'r2'")[0].keys() == {"pk", "sk", "r"}


NOT_PROJECTED = "One or more parameter values were invalid: Secondary index ByGroup does not project one or more filter attributes: "


def test_what_an_index_does_not_have(sql: Sql) -> None:
    source = "SELECT pk, sk FROM App.ByGroup WHERE "
    assert (
        sql.wrong("SELECT v, t FROM App.ByGroup WHERE g = 'x'")
        == "One or more parameter values were invalid: Global secondary index ByGroup does not project [v, t]"
    )
    assert sql.wrong(source + "g = 'x' AND v = 10") == NOT_PROJECTED + "[v]"
    assert sql.wrong(source + "g IN ['x', 'y'] AND NOT v = 10") == NOT_PROJECTED + "[v]"
    assert sql.wrong(source + "(g = 'b' AND v = 1) OR (g = 'q' AND t = '1')") == NOT_PROJECTED + "[t]"
    assert len(sql(source + "g = 'x' AND inc = 'in'")) == 6
    # A scan looks at the index only, and finds nothing there.
    assert sql(source + "v = 10") == []
    assert len(sql(source + "NOT v = 10")) == 6
    assert len(sql(source + "(g = 'x' AND v = 10) OR g = 'y' OR inc = 'in'")) == 6


def test_indexes_have_no_consistent_reads_and_single_attributes_only(sql: Sql) -> None:
    refusal = "Strongly consistent read is not supported on Global Secondary Indexes"
    assert sql.wrong("SELECT * FROM App.ByGroup WHERE g = 'x'", ConsistentRead=True) == refusal
    assert len(sql("SELECT * FROM App.ByLocal WHERE pk = 'a'", ConsistentRead=True)) == 3
    for rest in ("", " WHERE g = 'x'", " WHERE g = 5", " WHERE g = 'x' AND h = 1 ORDER BY r"):
        assert sql.wrong(f"SELECT * FROM App.ByFour{rest}").startswith(
            "PartiQL statements cannot be executed on tables"
        )
    assert sql.wrong("SELECT COUNT(*) FROM App.ByFour").startswith("PartiQL statements cannot be executed on tables")
    assert "Unexpected term" in sql.wrong("SELECT * FROM App.ByFour WHERE")


# --------------------------------------------------------------------------------------------------------- order


@pytest.mark.parametrize(
    ("rest", "keys"),
    [
        ("pk = 'a' ORDER BY sk", ["a1", "a2", "a3"]),
        ("pk = 'a' ORDER BY sk DESC", ["a3", "a2", "a1"]),
        ("pk = 'a' AND v > 10 ORDER BY sk DESC", ["a3", "a2"]),
        ("pk = 'a' AND sk IN [1, 3] ORDER BY sk DESC", ["a3", "a1"]),
        ("pk IN ['a', 'b'] ORDER BY pk DESC, sk", ["b1", "b2", "b3", "a1", "a2", "a3"]),
        ("pk IN ['a', 'b'] ORDER BY sk DESC, pk", ["a3", "a2", "a1", "b3", "b2", "b1"]),
        # As on the service: the sort key runs backwards where it is not named.
        ("pk = 'a' ORDER BY pk", ["a3", "a2", "a1"]),
    ],
)
def test_order(sql: Sql, rest: str, keys: list[str]) -> None:
    assert sql.keys(f"SELECT pk, sk FROM App WHERE {rest}") == keys


def test_an_index_is_ordered_by_its_own_key(sql: Sql) -> None:
    assert sql.keys("SELECT pk, sk FROM App.ByLocal WHERE pk = 'a' ORDER BY l DESC") == ["a1", "a2", "a3"]
    refusal = "Attribute sk in ORDER BY clause must be part of the primary key"
    assert sql.wrong("SELECT pk, sk FROM App.ByLocal WHERE pk = 'a' ORDER BY sk") == refusal


@pytest.mark.parametrize(
    ("rest", "message"),
    [
        ("ORDER BY sk", "Must have WHERE clause in the statement when using ORDER BY clause."),
        (
            "WHERE pk > 'a' ORDER BY sk",
            "Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY clause.",
        ),
        (
            "WHERE pk = 'a' OR v = 1 ORDER BY sk",
            "Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY clause.",
        ),
        ("WHERE pk = 'a' ORDER BY v", "Attribute v in ORDER BY clause must be part of the primary key"),
        (
            "WHERE pk IN ['a', 'b'] ORDER BY sk",
            "Must have hash key in ORDER BY clause when more than one hash key condition specified in WHERE clause.",
        ),
        ("WHERE pk = 'a' ORDER BY m.a", "Argument to ORDER BY must be of type VariableReference. Type: PATH"),
        ("WHERE pk = 'a' ORDER BY 1", "Argument to ORDER BY must be of type VariableReference. Type: 1"),
    ],
)
def test_orders_that_cannot_be_had(sql: Sql, rest: str, message: str) -> None:
    assert sql.wrong(f"SELECT * FROM App {rest}") == message


# --------------------------------------------------------------------------------------------------------- pages


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT pk, sk FROM App",
        "SELECT pk, sk FROM App WHERE pk = 'a'",
        "SELECT pk, sk FROM App WHERE pk IN ['a', 'b', 'c']",
        "SELECT pk, sk FROM App WHERE pk IN ['a', 'b'] ORDER BY pk DESC, sk DESC",
        "SELECT pk, sk FROM App WHERE (pk = 'a' AND sk IN [1, 3]) OR (pk = 'b' AND sk > 1)",
        "SELECT pk, sk FROM App WHERE v <> 20",
        "SELECT pk, sk FROM App.ByGroup WHERE g = 'x'",
        "SELECT pk, sk FROM App.ByGroup",
        "SELECT pk, sk FROM App.ByLocal WHERE pk IN ['a', 'b'] AND l > 'l1'",
    ],
)
@pytest.mark.parametrize("limit", [1, 2, 5])
def test_pages_add_up(sql: Sql, statement: str, limit: int) -> None:
    whole = sql.keys(statement)
    found: list[str] = []
    more: dict[str, Any] = {}
    for _ in range(20):
        answer = sql.answer(statement, Limit=limit, **more)
        assert len(answer["Items"]) <= limit
        found += [item["pk"]["S"] + item["sk"]["N"] for item in answer["Items"]]
        if "NextToken" not in answer:
            break
        more = {"NextToken": answer["NextToken"]}
    assert found == whole


def test_a_page_ends_at_a_megabyte(sql: Sql) -> None:
    for pk in ("m1", "m2"):
        for sk in range(4):
            sql("INSERT INTO App VALUE {'pk': ?, 'sk': ?, 'x': ?}", s(pk), n(sk), s("x" * 300_000))
    answer = sql.answer("SELECT * FROM App WHERE pk IN ['m1', 'm2']")
    assert len(answer["Items"]) == 4
    rest = sql.answer("SELECT * FROM App WHERE pk IN ['m1', 'm2']", NextToken=answer["NextToken"])
    assert [item["pk"]["S"] for item in rest["Items"]] == ["m2"] * 4


def test_tokens_belong_to_their_statement(sql: Sql) -> None:
    statement, other = "SELECT * FROM App WHERE pk = ?", "NextToken does not match request"
    token = sql.answer(statement, s("a"), Limit=2)["NextToken"]
    assert sql.wrong(statement, s("b"), NextToken=token) == other
    assert sql.wrong("SELECT pk FROM App WHERE pk = ?", s("a"), NextToken=token) == other
    assert sql.wrong("SELECT * FROM App.ByLocal WHERE pk = ?", s("a"), NextToken=token) == other
    # The rest of the request may change.
    assert len(sql(statement, s("a"), NextToken=token, ConsistentRead=True)) == 1


def test_tokens_that_are_none(sql: Sql) -> None:
    statement = "SELECT * FROM App WHERE pk = 'a'"
    token = sql.answer(statement, Limit=2)["NextToken"]
    for wrong in (token[:-4] + "AAA=", token[8:], token * 2, token + "!", "x", "é" * 9, "AAAA" * 9):
        assert sql.wrong(statement, NextToken=wrong) == "Invalid NextToken"


def test_limits_of_a_request(sql: Sql) -> None:
    start = "1 validation error detected: Value "
    assert sql.wrong("").startswith(f"{start}'' at 'statement'")
    assert sql.wrong("x" * 8193).endswith("Member must have length less than or equal to 8192")
    assert sql.wrong("SELECT * FROM App", Limit=0).startswith(f"{start}'0' at 'limit'")
    assert sql.wrong("SELECT * FROM App", NextToken="").startswith(f"{start}'' at 'nextToken'")
    assert sql.wrong("SELECT * FROM App", ReturnConsumedCapacity="SOME").startswith(f"{start}'SOME'")
    assert len(sql("SELECT * FROM App" + " " * (8192 - 17))) == 6


# ---------------------------------------------------------------------------------------------------------- cost


def test_cost(sql: Sql) -> None:
    def cost(statement: str, **more: Any) -> Any:
        return sql.answer(statement, ReturnConsumedCapacity="INDEXES", **more)["ConsumedCapacity"]

    assert cost("SELECT pk FROM App WHERE pk = 'a' AND sk = 1") == {
        "TableName": "App",
        "CapacityUnits": 0.5,
        "Table": {"CapacityUnits": 0.5},
    }
    assert cost("SELECT * FROM App WHERE pk = 'zzz' AND sk = 1")["CapacityUnits"] == 0.5
    assert cost("SELECT * FROM App.ByGroup WHERE g = 'x'") == {
        "TableName": "App",
        "CapacityUnits": 0.5,
        "Table": {"CapacityUnits": 0.0},
        "GlobalSecondaryIndexes": {"ByGroup": {"CapacityUnits": 0.5}},
    }
    reached = cost("SELECT v FROM App.ByLocalKeys WHERE pk = 'a'")
    assert reached["Table"] == {"CapacityUnits": 1.5}
    assert reached["LocalSecondaryIndexes"] == {"ByLocalKeys": {"CapacityUnits": 0.5}}
    assert "ConsumedCapacity" not in sql.answer("SELECT * FROM App")
