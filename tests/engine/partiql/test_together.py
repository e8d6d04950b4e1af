"""BatchExecuteStatement and ExecuteTransaction: several statements in one request."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright.errors import IdempotentParameterMismatch, RequestRefused, TransactionCanceled

Sql = Any


def s(text: str) -> dict[str, str]:
    return {"S": text}


def n(number: object) -> dict[str, str]:
    return {"N": str(number)}


READ = "SELECT pk, sk FROM App WHERE pk = '{}' AND sk = {}"
NO_KEY = "Select statements within BatchExecuteStatement must specify the primary key in the where clause."


def error(code: str, message: str, table: str | None = None) -> dict[str, Any]:
    fault: dict[str, Any] = {"Error": {"Code": code, "Message": message}}
    return fault if table is None else {**fault, "TableName": table}


def refused(operation: Any, *statements: Any, **more: Any) -> str:
    with pytest.raises(RequestRefused) as caught:
        operation(*statements, **more)
    assert caught.value.wire_name == "ValidationException"
    return caught.value.message


# ------------------------------------------------------------------------------------------------------- batches


def test_a_batch_of_reads(sql: Sql) -> None:
    answer = sql.batch(READ.format("a", 1), READ.format("none", 1), "SELECT v FROM App WHERE pk IN ['b'] AND sk = 2")
    assert answer == {
        "Responses": [
            {"TableName": "App", "Item": {"pk": s("a"), "sk": n(1)}},
            {"TableName": "App"},
            {"TableName": "App", "Item": {"v": n(20)}},
        ]
    }


def test_statements_of_a_batch_fail_alone(sql: Sql) -> None:
    answer = sql.batch(
        "INSERT INTO App VALUE {'pk': 'a', 'sk': 1}",
        "UPDATE App SET x = 1 WHERE pk = 'a' AND sk = 2 AND t = 'zz'",
        "UPDATE App SET x = 1 WHERE pk = 'a'",
        "DELETE FROM Nope WHERE pk = 'a'",
        "UPDATE App SET x = nope WHERE pk = 'a' AND sk = 3",
        "SLECT * FROM App",
        "DELETE FROM App WHERE pk = 'b' AND sk = 1 RETURNING ALL NEW *",
        "DELETE FROM App WHERE pk = 'b' AND sk = 2 RETURNING ALL OLD *",
        "UPDATE App REMOVE v WHERE pk = 'b' AND sk = 3 RETURNING MODIFIED NEW *",
        {"Statement": "INSERT INTO App VALUE {'pk': 'new', 'sk': ?}", "Parameters": [n(5)]},
        {"Statement": "INSERT INTO App VALUE {'pk': 'new', 'sk': ?}", "Parameters": [{"SS": []}]},
    )
    responses = answer["Responses"]
    assert responses[:7] == [
        error("DuplicateItem", "Duplicate primary key exists in table", "App"),
        error("ConditionalCheckFailed", "The conditional request failed", "App"),
        error("ValidationError", "Where clause does not contain a mandatory equality on all key attributes"),
        error("ResourceNotFound", "Requested resource not found", "Nope"),
        error(
            "ValidationError", "The provided expression refers to an attribute that does not exist in the item", "App"
        ),
        error("ValidationError", "Statement wasn't well formed, can't be processed: Expected data manipulation"),
        error(
            "ValidationError",
            "Invalid returning clause: RETURNING ALL NEW *. Only RETURNING ALL OLD * is allowed in DELETE statements.",
        ),
    ]
    assert responses[7]["Item"]["v"] == n(20)
    assert responses[8] == {"TableName": "App"}
    assert responses[9] == {"TableName": "App"}
    assert responses[10] == error(
        "ValidationError", "One or more parameter values were invalid: An string set  may not be empty"
    )
    assert sql.get("new", 5) is not None
    assert sql.get("b", 2) is None


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM App WHERE pk = 'a'",
        "SELECT * FROM App WHERE v = 10",
        "SELECT * FROM App",
        "SELECT * FROM App WHERE pk = 'a' AND sk = 1 AND v = 10",
        "SELECT * FROM App WHERE pk = 'a' AND sk = 1 AND pk = 'b'",
        "SELECT * FROM App WHERE pk IN ['a', 'b'] AND sk = 1",
        "SELECT * FROM App.ByLocal WHERE pk = 'a' AND l = 'l1'",
    ],
)
def test_reads_of_a_batch_name_one_item(sql: Sql, statement: str) -> None:
    assert sql.batch(statement)["Responses"] == [error("ValidationError", NO_KEY)]


def test_several_attributes_in_an_index_are_told_first(sql: Sql) -> None:
    (response,) = sql.batch("SELECT * FROM App.ByFour WHERE g = 'x'")["Responses"]
    assert "multi-attribute" in response["Error"]["Message"]


def test_batches_that_are_refused_whole(sql: Sql) -> None:
    mixed = "Read and write requests together in the same batch is not supported."
    assert refused(sql.batch, READ.format("a", 1), "DELETE FROM App WHERE pk = 'a' AND sk = 2", "SLECT") == mixed
    duplicates = "Provided list of item keys contains duplicates"
    assert refused(sql.batch, READ.format("a", 1), READ.format("a", "1.0")) == duplicates
    assert refused(sql.batch, *["INSERT INTO App VALUE {'pk': 'q', 'sk': 1}"] * 2) == duplicates
    assert refused(sql.batch).endswith("Member must have length greater than or equal to 1")
    assert refused(sql.batch, *[READ.format("a", 1)] * 26).endswith("Member must have length less than or equal to 25")
    assert sql.get("q", 1) is None
    (response,) = sql.batch("EXISTS(SELECT * FROM App WHERE pk = 'a' AND sk = 1 AND v = 1)")["Responses"]
    assert response["Error"]["Message"] == "EXISTS can only be used in ExecuteTransaction write requests."


def test_each_read_of_a_batch_is_consistent_or_not(sql: Sql) -> None:
    reads = [{"Statement": READ.format("a", 1), "ConsistentRead": True}, READ.format("b", 1)]
    answer = sql.batch(*reads, ReturnConsumedCapacity="TOTAL")
    assert answer["ConsumedCapacity"] == [{"TableName": "App", "CapacityUnits": 1.5}]


def test_failed_writes_of_a_batch_cost_something(sql: Sql) -> None:
    large = {"Statement": "INSERT INTO App VALUE {'pk': 'a', 'sk': 1, 'x': ?}", "Parameters": [s("x" * 2500)]}
    alone = sql.batch(large, ReturnConsumedCapacity="INDEXES")
    assert "ConsumedCapacity" not in alone
    beside = sql.batch(large, "INSERT INTO App VALUE {'pk': 'q', 'sk': 1}", ReturnConsumedCapacity="INDEXES")
    assert beside["ConsumedCapacity"] == [{"TableName": "App", "CapacityUnits": 4.0, "Table": {"CapacityUnits": 1.0}}]


# -------------------------------------------------------------------------------------------------- transactions


def test_a_transaction_of_reads(sql: Sql) -> None:
    answer = sql.transaction(READ.format("a", 1), READ.format("none", 1), ReturnConsumedCapacity="TOTAL")
    assert answer["Responses"] == [{"Item": {"pk": s("a"), "sk": n(1)}}, {}]
    assert answer["ConsumedCapacity"] == [{"TableName": "App", "CapacityUnits": 4.0, "ReadCapacityUnits": 4.0}]


def test_a_transaction_of_writes(sql: Sql) -> None:
    answer = sql.transaction(
        "INSERT INTO App VALUE {'pk': 'new', 'sk': 1}",
        {"Statement": "UPDATE App SET v = ? WHERE pk = 'a' AND sk = 1", "Parameters": [n(77)]},
        "FROM App WHERE pk = 'a' AND sk = 2 REMOVE v",
        "DELETE FROM App WHERE pk = 'a' AND sk = 3",
        "EXISTS(SELECT * FROM App WHERE pk = 'b' AND sk = 1 AND nope IS MISSING)",
        ReturnConsumedCapacity="TOTAL",
    )
    assert answer["Responses"] == []
    assert answer["ConsumedCapacity"][0]["WriteCapacityUnits"] >= 10
    assert sql.get("new", 1) is not None
    assert sql.get("a", 1)["v"] == n(77)
    assert "v" not in sql.get("a", 2)
    assert sql.get("a", 3) is None


def test_all_or_none(sql: Sql) -> None:
    insert = "INSERT INTO App VALUE {'pk': 'new', 'sk': 1}"
    failed = ("ConditionalCheckFailed", "The conditional request failed")
    passed = ("None", None)
    assert sql.cancelled(insert, "INSERT INTO App VALUE {'pk': 'a', 'sk': 1}") == [
        passed,
        ("DuplicateItem", "Duplicate primary key exists in table"),
    ]
    assert sql.cancelled(insert, "UPDATE App SET v = 1 WHERE pk = 'a' AND sk = 1 AND v = 5") == [passed, failed]
    assert sql.cancelled(insert, "UPDATE App SET v = 1 WHERE pk = 'none' AND sk = 1") == [passed, failed]
    assert sql.cancelled("EXISTS(SELECT * FROM App WHERE pk = 'a' AND sk = 1 AND v = 5)", insert) == [failed, passed]
    assert sql.cancelled("EXISTS(SELECT * FROM App WHERE pk = 'none' AND sk = 1 AND v IS MISSING)", insert) == [
        failed,
        passed,
    ]
    assert sql.cancelled(insert, "UPDATE App SET v = nope WHERE pk = 'a' AND sk = 1") == [
        passed,
        ("ValidationError", "The provided expression refers to an attribute that does not exist in the item"),
    ]
    assert sql.cancelled(insert, "DELETE FROM Nope WHERE pk = 'a'") == [
        passed,
        ("ResourceNotFound", "Requested resource not found"),
    ]
    assert sql.get("new", 1) is None


def test_keys_cancel_in_the_words_of_transactions(sql: Sql) -> None:
    mismatch = ("ValidationError", "The provided key element does not match the schema")
    update = "UPDATE App SET x = 1 WHERE "
    assert sql.cancelled(
        update + "pk = 'a'",
        update + "pk IN ['a'] AND sk = 1",
        update + "pk = 'a' AND sk = 'x'",
        "INSERT INTO App VALUE {'pk': 'new'}",
        update + "pk = 'a' AND sk = 1",
    ) == [
        mismatch,
        mismatch,
        mismatch,
        ("ValidationError", "One or more parameter values were invalid: Missing the key sk in the item"),
        ("None", None),
    ]
    assert sql.cancelled(READ.format("a", 1), READ.format("a", 1), READ.format("a", "'x'")) == [
        ("None", None),
        ("None", None),
        mismatch,
    ]
    assert sql.cancelled(READ.format("a", 1), READ.replace("App", "Nope").format("a", 1))[1][0] == "ResourceNotFound"


PART = "Validation failed in TransactStatements[{}]: "


@pytest.mark.parametrize(
    ("statements", "message"),
    [
        (
            ["SELECT * FROM App WHERE"],
            PART.format(0) + "Statement wasn't well formed, can't be processed: Unexpected term",
        ),
        (
            [READ.format("a", 1), "SELECT * FROM App WHERE pk = 'a'"],
            PART.format(1)
            + "Select statements within ExecuteTransaction must specify the primary key in the where clause.",
        ),
        (
            ["SELECT * FROM App WHERE pk = 'a' AND sk = 1 AND v = 1"],
            PART.format(0)
            + "Select statements within ExecuteTransaction must specify the primary key in the where clause.",
        ),
        (
            ["SELECT * FROM App WHERE pk IN ['a', 'a'] AND sk = 1"],
            PART.format(0) + "Overlapping conditions with range keys are not supported in where clause",
        ),
        (
            ["SELECT * FROM App.ByGroup WHERE g = 'x'"],
            PART.format(0) + "Reads on indices are not supported within transactions.",
        ),
        (
            ["UPDATE App SET x = 1 WHERE pk = 'a' AND sk = 1 RETURNING ALL NEW *"],
            PART.format(0) + "RETURNING clause is not supported in ExecuteTransaction.",
        ),
        (
            ["UPDATE App SET x = v + [1] WHERE pk = 'a' AND sk = 1"],
            PART.format(0)
            + "Incorrect operand type for operator or function; operator or function: +, operand type: L",
        ),
        (
            ["EXISTS(SELECT * FROM App WHERE pk = 'a' AND sk = 1)"],
            PART.format(0) + "EXISTS() must contain a single item read with additional condition",
        ),
        (
            ["EXISTS(SELECT * FROM App)"],
            PART.format(0) + "EXISTS() must contain a single item read with additional condition",
        ),
        (
            ["EXISTS(SELECT * FROM App WHERE pk IN ['a'] AND sk = 1 AND v = 1)"],
            PART.format(0) + "EXISTS() must contain a single item read with additional condition",
        ),
        (
            ["EXISTS(SELECT * FROM App.ByLocal WHERE pk = 'a' AND l = 'l1' AND v = 1)"],
            PART.format(0) + "Operations on indices are not supported in transactions",
        ),
        (["EXISTS(1)"], "Unsupported operation in transaction."),
        (["SLECT"], "Unsupported operation: VariableReference"),
        (
            [READ.format("a", 1), "DELETE FROM App WHERE pk = 'a' AND sk = 1"],
            "ExecuteTransaction API does not support both read and write operations in the same request.",
        ),
        (
            [READ.format("a", 1), "EXISTS(SELECT * FROM App WHERE pk = 'a' AND sk = 2 AND v = 1)"],
            "ExecuteTransaction API does not support both read and write operations in the same request.",
        ),
        ([READ.format("a", 1)] * 2, "Transaction request cannot include multiple operations on one item"),
        (
            ["UPDATE App SET x = 1 WHERE pk = 'a' AND sk = 1", "DELETE FROM App WHERE pk = 'a' AND sk = 1"],
            "Transaction request cannot include multiple operations on one item",
        ),
    ],
)
def test_transactions_that_are_refused(sql: Sql, statements: list[str], message: str) -> None:
    before = sql.get("a", 1)
    assert refused(sql.transaction, *statements) == message
    assert sql.get("a", 1) == before


def test_a_transaction_has_1_to_100_statements(sql: Sql) -> None:
    assert refused(sql.transaction).endswith("Member must have length greater than or equal to 1")
    many = [READ.format("many", number) for number in range(101)]
    assert refused(sql.transaction, *many).endswith("Member must have length less than or equal to 100")
    assert len(sql.transaction(*many[:100])["Responses"]) == 100


def test_parameters_of_all_statements_come_first(sql: Sql) -> None:
    part = {"Statement": "INSERT INTO App VALUE {'pk': 'x', 'sk': ?}", "Parameters": [{"SS": ["a", "a"]}]}
    message = "One or more parameter values were invalid: Input collection [a, a] contains duplicates."
    assert refused(sql.transaction, "SLECT * FROM App", part) == message


def test_a_token_is_used_once(sql: Sql) -> None:
    def add(amount: int) -> dict[str, Any]:
        answer: dict[str, Any] = sql.transaction(
            {"Statement": "UPDATE App SET v = v + ? WHERE pk = 'a' AND sk = 1", "Parameters": [n(amount)]},
            ClientRequestToken="once",
            ReturnConsumedCapacity="TOTAL",
        )
        return answer

    first, second = add(5), add(5)
    assert sql.get("a", 1)["v"] == n(15)
    assert first["Responses"] == second["Responses"] == []
    # Two for the item, one for the index that has all of it.
    assert first["ConsumedCapacity"][0]["WriteCapacityUnits"] == 3
    assert second["ConsumedCapacity"][0]["ReadCapacityUnits"] == 2
    with pytest.raises(IdempotentParameterMismatch):
        add(6)
    # The token of another operation is another token.
    sql.engine.execute(
        "TransactWriteItems",
        {
            "ClientRequestToken": "once",
            "TransactItems": [{"Delete": {"TableName": "App", "Key": {"pk": s("a"), "sk": n(1)}}}],
        },
    )
    assert sql.get("a", 1) is None


def test_the_failed_item_comes_back_in_its_reason(sql: Sql) -> None:
    part = {
        "Statement": "UPDATE App SET x = 1 WHERE pk = 'a' AND sk = 1 AND v = 5",
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }
    with pytest.raises(TransactionCanceled) as caught:
        sql.transaction(part)
    assert caught.value.reasons[0].item == sql.get("a", 1)
