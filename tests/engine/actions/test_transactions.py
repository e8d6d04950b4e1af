"""TransactWriteItems and TransactGetItems: all or none, reasons, and tokens."""

from typing import Any

import pytest

from tablewright.engine import open_engine
from tablewright.errors import TransactionCanceled

T = {"TableName": "App"}


def key(sk: object) -> dict[str, Any]:
    return {"pk": {"S": "a"}, "sk": {"N": str(sk)}}


def put(sk: object, **more: Any) -> dict[str, Any]:
    condition = {k: more.pop(k) for k in list(more) if k[0].isupper()}
    return {"Put": {**T, "Item": {**key(sk), **more}, **condition}}


def test_all_actions_happen_together(table: Any, call: Any) -> None:
    table.put(**key(2))
    table.put(**key(3), v={"N": "1"})
    table.put(**key(4))
    response = call(
        "TransactWriteItems",
        TransactItems=[
            put(1, g={"S": "g"}, r={"S": "r"}),
            {"Delete": {**T, "Key": key(2)}},
            {
                "Update": {
                    **T,
                    "Key": key(3),
                    "UpdateExpression": "ADD v :v",
                    "ExpressionAttributeValues": {":v": {"N": "1"}},
                }
            },
            {"ConditionCheck": {**T, "Key": key(4), "ConditionExpression": "attribute_exists(pk)"}},
        ],
        ReturnConsumedCapacity="INDEXES",
    )
    (report,) = response["ConsumedCapacity"]
    assert report["Table"] == {"CapacityUnits": 8.0, "WriteCapacityUnits": 8.0}
    assert report["GlobalSecondaryIndexes"] == {"ByGroup": {"CapacityUnits": 1.0, "WriteCapacityUnits": 1.0}}
    assert table.get("a", 2) is None
    assert table.get("a", 3) == {**key(3), "v": {"N": "2"}}


def test_one_failed_condition_undoes_all_and_every_action_has_its_reason(table: Any, call: Any) -> None:
    table.put(**key(2), v={"S": "there"})
    error = call.error(
        "TransactWriteItems",
        TransactItems=[
            put(1),
            put(
                2,
                ConditionExpression="attribute_not_exists(pk)",
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            ),
            {"Update": {**T, "Key": key(3), "UpdateExpression": "SET v = absent"}},
        ],
    )
    assert isinstance(error, TransactionCanceled)
    assert error.message == (
        "Transaction cancelled, please refer cancellation reasons for specific reasons "
        "[None, ConditionalCheckFailed, ValidationError]"
    )
    none, condition, validation = error.reasons
    assert (none.code, none.message) == ("None", None)
    assert condition.item == {**key(2), "v": {"S": "there"}}
    assert condition.message == "The conditional request failed"
    assert validation.message == "The provided expression refers to an attribute that does not exist in the item"
    assert table("Scan")["Count"] == 1


def test_key_types_cancel_instead_of_refusing(table: Any, call: Any) -> None:
    error = call.error("TransactWriteItems", TransactItems=[put(1), put(2, g={"N": "1"})])
    assert [reason.code for reason in error.reasons] == ["None", "ValidationError"]
    # Of several only the first is told, and no condition is looked at.
    check = {"ConditionCheck": {**T, "Key": key(4), "ConditionExpression": "attribute_exists(pk)"}}
    error = call.error("TransactWriteItems", TransactItems=[put(2, g={"N": "1"}), put(3, g={"N": "1"}), check])
    assert [reason.code for reason in error.reasons] == ["ValidationError", "None", "None"]
    assert table("Scan")["Count"] == 0


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([put(1), put("1.0")], "Transaction request cannot include multiple operations on one item"),
        (
            [{**put(1), "Delete": {**T, "Key": key(2)}}],
            "TransactItems can only contain one of Check, Put, Update or Delete",
        ),
        (
            [{"Put": {**T, "Item": {"pk": {"S": "a"}}}}],
            "One or more parameter values were invalid: Missing the key sk in the item",
        ),
        (
            [put(n, v={"S": "x" * 400_000}) for n in range(11)],
            "Transaction payload size cannot exceed 4MB. Payload Size: 4400087",
        ),
        (
            [{"ConditionCheck": {**T, "Key": key(1)}}],
            "1 validation error detected: Value null at 'transactItems.1.member.conditionCheck.conditionExpression' "
            "failed to satisfy constraint: Member must not be null",
        ),
        *(
            (
                [put(1), {kind: {**T, **action, "ReturnValuesOnConditionCheckFailure": "SOME_OLD"}}],
                f"1 validation error detected: Value 'SOME_OLD' at 'transactItems.2.member.{path}."
                "returnValuesOnConditionCheckFailure' failed to satisfy constraint: Member must satisfy enum value set: "
                "[ALL_OLD, NONE]",
            )
            for kind, path, action in (
                ("Put", "put", {"Item": key(2)}),
                ("Delete", "delete", {"Key": key(2)}),
                ("Update", "update", {"Key": key(2), "UpdateExpression": "REMOVE v"}),
                ("ConditionCheck", "conditionCheck", {"Key": key(2), "ConditionExpression": "attribute_exists(pk)"}),
            )
        ),
        (
            [put(n) for n in range(101)],
            "1 validation error detected: Value '[101 members]' at 'transactItems' failed to satisfy constraint: "
            "Member must have length less than or equal to 100",
        ),
    ],
)
def test_requests_that_are_refused(table: Any, call: Any, actions: Any, message: str) -> None:
    assert call.refused("TransactWriteItems", TransactItems=actions) == ("ValidationException", message)
    assert table("Scan")["Count"] == 0


# ------------------------------------------------------------------------------------------------------- tokens


class Moment:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.time = 1_000_000.0

    def now(self) -> float:
        return self.time


ADD = {
    "Update": {**T, "Key": key(1), "UpdateExpression": "ADD v :one", "ExpressionAttributeValues": {":one": {"N": "1"}}}
}


@pytest.mark.parametrize("place", ["memory", "file"])
def test_a_token_applies_a_request_once_for_ten_minutes(table_definition: Any, tmp_path: Any, place: str) -> None:
    clock = Moment()
    target = "memory:" if place == "memory" else tmp_path / "tokens.db"
    with open_engine(target, clock=clock) as engine:
        engine.execute("CreateTable", table_definition("App"))

        def add(token: str) -> Any:
            request = {"TransactItems": [ADD], "ClientRequestToken": token, "ReturnConsumedCapacity": "TOTAL"}
            return engine.execute("TransactWriteItems", request)["ConsumedCapacity"]

        def value() -> str:
            return str(engine.execute("GetItem", {**T, "Key": key(1)})["Item"]["v"]["N"])

        assert add("t1") == [{"TableName": "App", "CapacityUnits": 2.0, "WriteCapacityUnits": 2.0}]
        assert add("t1") == [{"TableName": "App", "CapacityUnits": 2.0, "ReadCapacityUnits": 2.0}]
        assert value() == "1"
        add("t2")
        assert value() == "2"
        clock.time += 599
        add("t1")
        assert value() == "2"
        clock.time += 2
        add("t1")
        assert value() == "3"


def test_a_token_belongs_to_one_request(table: Any, call: Any) -> None:
    call("TransactWriteItems", TransactItems=[put(1)], ClientRequestToken="token")
    name, _ = call.refused("TransactWriteItems", TransactItems=[put(2)], ClientRequestToken="token")
    assert name == "IdempotentParameterMismatchException"
    same = {"Put": {"Item": dict(reversed(key(1).items())), **T}}
    assert call("TransactWriteItems", TransactItems=[same], ClientRequestToken="token") == {}
    assert table("Scan")["Count"] == 1


def test_a_cancelled_request_leaves_its_token_free(table: Any, call: Any) -> None:
    table.put(**key(1))
    failing = [put(1, ConditionExpression="attribute_not_exists(pk)")]
    assert call.refused("TransactWriteItems", TransactItems=failing, ClientRequestToken="token")[0] == (
        "TransactionCanceledException"
    )
    call("TransactWriteItems", TransactItems=[put(2)], ClientRequestToken="token")
    assert table.get("a", 2) is not None


def test_tokens_survive_reopening_the_file(table_definition: Any, tmp_path: Any) -> None:
    path = tmp_path / "tokens.db"
    request = {"TransactItems": [ADD], "ClientRequestToken": "token"}
    with open_engine(path) as engine:
        engine.execute("CreateTable", table_definition("App"))
        engine.execute("TransactWriteItems", request)
    with open_engine(path) as engine:
        engine.execute("TransactWriteItems", request)
        assert engine.execute("GetItem", {**T, "Key": key(1)})["Item"]["v"] == {"N": "1"}


# -------------------------------------------------------------------------------------------------------- reads


def test_gets_answer_in_order(table: Any, call: Any) -> None:
    table.put(**key(1), v={"S": "v"})
    table.put(**key(2), v={"S": "v"})
    gets = [
        {"Get": {**T, "Key": key(2), "ProjectionExpression": "sk"}},
        {"Get": {**T, "Key": key(3)}},
        {"Get": {**T, "Key": key(1)}},
    ]
    response = call("TransactGetItems", TransactItems=gets, ReturnConsumedCapacity="TOTAL")
    assert response == {
        "Responses": [{"Item": {"sk": {"N": "2"}}}, {}, {"Item": {**key(1), "v": {"S": "v"}}}],
        "ConsumedCapacity": [{"TableName": "App", "CapacityUnits": 6.0, "ReadCapacityUnits": 6.0}],
    }


def test_a_get_that_finds_nothing_of_what_it_asks_for_has_no_item(table: Any, call: Any) -> None:
    table.put(**key(1), v={"S": "v"})
    gets = [{"Get": {**T, "Key": key(1), "ProjectionExpression": "w"}}]
    assert call("TransactGetItems", TransactItems=gets) == {"Responses": [{}]}
    # Other reads have an empty one.
    assert table("GetItem", Key=key(1), ProjectionExpression="w") == {"Item": {}}


def test_a_get_whose_key_does_not_fit_cancels(table: Any, call: Any) -> None:
    gets = [{"Get": {**T, "Key": key(1)}}, {"Get": {**T, "Key": {"pk": {"S": "a"}}}}]
    error = call.error("TransactGetItems", TransactItems=gets)
    assert [(reason.code, reason.message) for reason in error.reasons] == [
        ("None", None),
        ("ValidationError", "The provided key element does not match the schema"),
    ]


def test_gets_that_are_refused(table: Any, call: Any) -> None:
    twice = [{"Get": {**T, "Key": key(1)}}, {"Get": {**T, "Key": key("1.0")}}]
    assert call.refused("TransactGetItems", TransactItems=twice)[1] == (
        "Transaction request cannot include multiple operations on one item"
    )
    assert call.refused("TransactGetItems", TransactItems=[])[0] == "ValidationException"
    assert call.refused("TransactGetItems", TransactItems=[{"Get": {"TableName": "Missing", "Key": key(1)}}])[0] == (
        "ResourceNotFoundException"
    )
