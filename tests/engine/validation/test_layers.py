"""Two faults at once: which are told together, which alone, and by which of the service's two sets of checks."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright.engine.validation.layers import is_too_deep

ONE = "1 validation error detected: "
KEY = {"pk": {"S": "a"}, "sk": {"N": "1"}}
NESTING = (
    "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"
)
RULE = "failed to satisfy constraint: Member must"
ENUM = f"{RULE} satisfy enum value set: "
CONSUMED = f"Value 'x' at 'returnConsumedCapacity' {ENUM}[INDEXES, TOTAL, NONE]"
METRICS = f"Value 'y' at 'returnItemCollectionMetrics' {ENUM}[SIZE, NONE]"
VALUES = f"Value 'z' at 'returnValues' {ENUM}[ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]"
ALL_WRONG = {"ReturnConsumedCapacity": "x", "ReturnItemCollectionMetrics": "y", "ReturnValues": "z"}
WRITES = [("PutItem", "Item"), ("DeleteItem", "Key"), ("UpdateItem", "Key")]


def nested(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {"S": "bottom"}
    for _ in range(levels):
        value = {"M": {"d": value}}
    return value


def deep_condition(levels: int) -> dict[str, Any]:
    return {"ConditionExpression": "v = :v", "ExpressionAttributeValues": {":v": nested(levels)}}


@pytest.mark.parametrize(("operation", "member"), WRITES)
def test_a_table_without_a_name_is_told_alone(call: Any, operation: str, member: str) -> None:
    message = call.refused(operation, TableName="", **{member: KEY}, **ALL_WRONG)[1]
    assert message == f"{ONE}Value '' at 'tableName' {RULE} have length greater than or equal to 1"


@pytest.mark.parametrize(("operation", "member"), WRITES)
def test_all_wrong_choices_are_told(call: Any, operation: str, member: str) -> None:
    message = call.refused(operation, TableName="Nowhere", **{member: KEY}, **ALL_WRONG)[1]
    assert message == f"3 validation errors detected: {CONSUMED}; {VALUES}; {METRICS}"
    assert call.refused(operation, TableName="Nowhere", **{member: KEY}, ReturnValues="z")[1] == ONE + VALUES


def test_without_its_key_an_update_meets_the_older_checks(call: Any) -> None:
    no_key = f"Value null at 'key' {RULE} not be null"
    no_name = f"Value '' at 'tableName' {RULE} have length greater than or equal to 1"
    assert call.refused("UpdateItem", TableName="")[1] == f"2 validation errors detected: {no_name}; {no_key}"
    message = call.refused("UpdateItem", TableName="", **ALL_WRONG)[1]
    assert message == f"5 validation errors detected: {CONSUMED}; {no_name}; {METRICS}; {VALUES}; {no_key}"
    message = call.refused("UpdateItem", TableName="Nowhere", ConditionalOperator="NOR")[1]
    assert message == f"2 validation errors detected: Value 'NOR' at 'conditionalOperator' {ENUM}[OR, AND]; {no_key}"


@pytest.mark.parametrize(("operation", "member"), WRITES)
def test_what_joins_conditions_is_told_alone(call: Any, operation: str, member: str) -> None:
    expected = {"Expected": {"a": {"Exists": False}, "b": {"Exists": False}}, "ConditionalOperator": "NOR"}
    told = "Failed to satisfy constraint: Member must satisfy enum value set: [ALL, OR]"
    request = {"TableName": "Nowhere", member: KEY, "ReturnConsumedCapacity": "x", **expected}
    assert call.refused(operation, **request)[1] == ONE + told
    filters = {"QueryFilter": {"a": {"ComparisonOperator": "NULL"}}, "ConditionalOperator": "NOR", "Select": "x"}
    assert call.refused("Query", TableName="Nowhere", **filters)[1] == told


# --------------------------------------------------------------------------------------- batches, transactions, tables


@pytest.mark.parametrize(
    ("operation", "request_"),
    [
        ("BatchWriteItem", {"RequestItems": {"Nowhere": [{"DeleteRequest": {"Key": KEY}}]}}),
        ("TransactWriteItems", {"TransactItems": [{"Delete": {"TableName": "Nowhere", "Key": KEY}}]}),
    ],
)
def test_wrong_choices_are_told_together_before_a_missing_table(call: Any, operation: str, request_: Any) -> None:
    wrong = {"ReturnConsumedCapacity": "x", "ReturnItemCollectionMetrics": "y"}
    message = call.refused(operation, **request_, **wrong)[1]
    assert message == f"2 validation errors detected: {CONSUMED}; {METRICS}"


def test_a_long_token_comes_first(call: Any) -> None:
    actions = [{"Delete": {"TableName": "Nowhere", "Key": KEY}}]
    message = call.refused(
        "TransactWriteItems", TransactItems=actions, ClientRequestToken="t" * 37, ReturnConsumedCapacity="x"
    )[1]
    token = f"Value '{'t' * 37}' at 'clientRequestToken' {RULE} have length less than or equal to 36"
    assert message == f"2 validation errors detected: {token}; {CONSUMED}"


def test_names_of_tables_in_batches(call: Any) -> None:
    read = {"RequestItems": {"no!": {"Keys": [KEY]}}, "ReturnConsumedCapacity": "x"}
    message = call.refused("BatchGetItem", **read)[1]
    assert message.startswith('2 validation errors detected: Value \'{"no!":{')
    assert message.endswith(f"; {CONSUMED}")
    write = {"RequestItems": {"no!": [{"DeleteRequest": {"Key": KEY}}]}, "ReturnConsumedCapacity": "x"}
    assert call.refused("BatchWriteItem", **write)[1] == ONE + CONSUMED


def test_batches_of_nothing(call: Any) -> None:
    for operation in ("BatchGetItem", "BatchWriteItem"):
        message = call.refused(operation, RequestItems={})[1]
        assert message == f"The requestItems parameter is required for {operation}"
    wrong = {"RequestItems": {}, "ReturnConsumedCapacity": "x"}
    assert call.refused("BatchWriteItem", **wrong)[1] == ONE + CONSUMED


def test_names_of_global_indexes_come_before_those_of_local_ones(call: Any) -> None:
    every = {"Projection": {"ProjectionType": "ALL"}, "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]}
    message = call.refused(
        "CreateTable",
        TableName="New",
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        LocalSecondaryIndexes=[{"IndexName": "l", **every}],
        GlobalSecondaryIndexes=[{"IndexName": "g", **every}],
    )[1]
    short = f"{RULE} have length greater than or equal to 3"
    assert message == (
        f"2 validation errors detected: Value 'g' at 'globalSecondaryIndexes.1.member.indexName' {short}; "
        f"Value 'l' at 'localSecondaryIndexes.1.member.indexName' {short}"
    )


def test_an_action_that_does_nothing(call: Any) -> None:
    assert call.refused("TransactWriteItems", TransactItems=[{}])[1] == (
        "Invalid Request: TransactWriteRequest should contain Delete or Put or Update request"
    )


# ------------------------------------------------------------------------------------------------------------- depth


def test_how_deep_newer_checks_read() -> None:
    assert not is_too_deep({"Key": {"pk": nested(62)}})
    assert is_too_deep({"Key": {"pk": nested(63)}})
    assert is_too_deep({"Expected": {"a": {"AttributeValueList": [{"L": [nested(63)]}]}}})


def test_too_deep_a_value_is_counted_while_newer_checks_can_read_it(call: Any) -> None:
    request = {"TableName": "Nowhere", "Key": KEY}
    assert call.refused("DeleteItem", **request, **deep_condition(32))[1] == ONE + NESTING
    assert call.refused("DeleteItem", **request, **deep_condition(62))[1] == ONE + NESTING
    named = f"ExpressionAttributeValues contains invalid value: {NESTING} for key :v"
    assert call.refused("DeleteItem", **request, **deep_condition(63))[1] == named
    assert call.refused("PutItem", TableName="Nowhere", Item={**KEY, "v": nested(40)})[1] == ONE + NESTING
    assert call.refused("PutItem", TableName="Nowhere", Item={**KEY, "v": nested(100)})[1] == NESTING


def test_what_is_nested_too_deeply_for_newer_checks_meets_the_older(call: Any) -> None:
    request = {"TableName": "Nowhere", "Key": KEY}
    only_old = "ReturnValues can only be ALL_OLD or NONE"
    assert call.refused("DeleteItem", **request, **deep_condition(40), ReturnValues="ALL_NEW")[1] == ONE + only_old
    assert call.refused("DeleteItem", **request, **deep_condition(63), ReturnValues="ALL_NEW")[1] == only_old


def test_values_in_transactions_and_scans_may_nest_one_deeper_than_items(table: Any, call: Any) -> None:
    table.put(**KEY)
    named = f"ExpressionAttributeValues contains invalid value: {NESTING} for key :v"

    def reasons(**action: Any) -> list[tuple[str, str | None]]:
        return [(r.code, r.message) for r in call.error("TransactWriteItems", TransactItems=[action]).reasons]

    at = {"TableName": "App", "Key": KEY}
    assert reasons(ConditionCheck={**at, **deep_condition(32)})[0][0] == "ConditionalCheckFailed"
    values = {"ExpressionAttributeValues": {":v": nested(32)}}
    assert reasons(Update={**at, "UpdateExpression": "SET v = :v", **values}) == [("ValidationError", NESTING)]
    check = {"ConditionCheck": {**at, **deep_condition(33)}}
    assert call.refused("TransactWriteItems", TransactItems=[check])[1] == named
    assert table("Scan", FilterExpression="v = :v", **values)["Count"] == 0
    assert table.refused("Scan", FilterExpression="v = :v", ExpressionAttributeValues={":v": nested(33)})[1] == named


@pytest.mark.parametrize(
    ("action", "message"),
    [
        ({"Put": {"Item": {**KEY, "": {"S": "x"}, "v": nested(40)}}}, "Empty attribute name"),
        ({"Put": {"Item": {**KEY, "v": nested(40), "": {"S": "x"}}}}, "Empty attribute name"),
        ({"Put": {"Item": {**KEY, "m": {"M": {"": {"S": "x"}}}, "v": nested(40)}}}, NESTING),
        ({"Put": {"Item": {**KEY, "m": {"M": {"": {"S": "x"}}}, "v": nested(3)}}}, "Empty attribute name"),
        (
            {"Delete": {"Key": {"pk": nested(40)}, "ConditionExpression": "a = = b"}},
            'Invalid ConditionExpression: Syntax error; token: "=", near: "= = b"',
        ),
        ({"Delete": {"Key": {"pk": nested(40)}}}, NESTING),
    ],
    ids=["own-name", "own-name-after", "name-inside", "only-name", "expression", "key"],
)
def test_two_faults_in_one_action(call: Any, action: dict[str, Any], message: str) -> None:
    ((kind, rest),) = action.items()
    there = {kind: {"TableName": "Nowhere", **rest}}
    assert call.refused("TransactWriteItems", TransactItems=[there])[1] == message
    after = {"Delete": {"TableName": "Nowhere", "Key": {"": {"S": "x"}}}}
    assert call.refused("TransactWriteItems", TransactItems=[there, after])[1] == message


@pytest.mark.parametrize(
    "first", [{"Nowhere": KEY}, {"App": {"pk": {"N": "1"}, "sk": {"N": "1"}}}], ids=["table", "key"]
)
@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"v": {"SS": []}}, "One or more parameter values were invalid: An string set  may not be empty"),
        ({"v": {"S": "x" * 409_600}}, "Item size has exceeded the maximum allowed size"),
    ],
    ids=["set", "size"],
)
def test_all_of_a_batch_is_read_before_tables_and_keys_are_looked_at(
    table: Any, call: Any, first: dict[str, Any], attributes: dict[str, Any], message: str
) -> None:
    (name, item), second = next(iter(first.items())), {"pk": {"S": "b"}, "sk": {"N": "1"}, **attributes}
    requests = {name: [{"PutRequest": {"Item": item}}]}
    requests.setdefault("App", []).append({"PutRequest": {"Item": second}})
    assert call.refused("BatchWriteItem", RequestItems=requests)[1] == message
    requests["App"][-1] = {"PutRequest": {"Item": {**second, **{name: {"S": "x"} for name in attributes}}}}
    assert call.refused("BatchWriteItem", RequestItems=requests)[1] in (
        "Requested resource not found",
        "The provided key element does not match the schema",
    )


@pytest.mark.parametrize("first", [{"TableName": "Nowhere", "Key": KEY}, {"TableName": "App", "Key": {}}])
def test_all_gets_of_a_transaction_are_read_before_tables_and_keys_are_looked_at(
    table: Any, call: Any, first: dict[str, Any]
) -> None:
    second = {"TableName": "App", "Key": KEY, "ProjectionExpression": "a,"}
    gets = [{"Get": first}, {"Get": second}]
    assert call.refused("TransactGetItems", TransactItems=gets) == (
        "ValidationException",
        'Invalid ProjectionExpression: Syntax error; token: "<EOF>", near: ","',
    )


@pytest.mark.parametrize("operation", ["Query", "Scan"])
@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            {},
            "The provided starting key is invalid: Supplied AttributeValue is empty, must contain exactly one of the supported datatypes",
        ),
        ({"N": "x"}, "The parameter cannot be converted to a numeric value: x"),
    ],
    ids=["nothing", "number"],
)
def test_where_to_start_is_looked_at_before_expressions_and_tables(
    table: Any, call: Any, operation: str, value: dict[str, Any], message: str
) -> None:
    request = {"ExclusiveStartKey": {"pk": value, "sk": {"N": "1"}}, "TableName": "Nowhere"}
    for more in ({}, {"FilterExpression": "a = = b"}):
        assert call.refused(operation, **request, **more)[1] == message
    older = {"ComparisonOperator": "EQ", "AttributeValueList": []}
    filtered = call.refused(operation, **request, **{f"{operation}Filter": {"a": older}})[1]
    assert filtered.endswith("Invalid number of argument(s) for the EQ ComparisonOperator")


def test_expressions_have_an_order_of_their_own(call: Any) -> None:
    wrong = {"ProjectionExpression": "", "FilterExpression": "", "KeyConditionExpression": ""}
    for kind in ("KeyConditionExpression", "FilterExpression", "ProjectionExpression"):
        message = f"Invalid {kind}: The expression can not be empty;"
        assert call.refused("Query", TableName="Nowhere", **wrong)[1] == message
        if kind != "KeyConditionExpression":
            assert call.refused("Scan", TableName="Nowhere", **wrong)[1] == message
        del wrong[kind]
    update = {"UpdateExpression": "", "ConditionExpression": ""}
    assert call.refused("UpdateItem", TableName="Nowhere", Key=KEY, **update)[1] == (
        f"{ONE}Invalid UpdateExpression: The expression can not be empty;"
    )


@pytest.mark.parametrize(
    ("placeholders", "message"),
    [
        (
            {"ExpressionAttributeValues": {":v": {}, "v": {"S": "x"}}},
            'Values contains invalid key: Syntax error; key: "v"',
        ),
        ({"ExpressionAttributeNames": {"#n": "", "n": "x"}}, 'Names contains invalid key: Syntax error; key: "n"'),
        (
            {"ExpressionAttributeNames": {"#n": ""}, "ExpressionAttributeValues": {"v": {"S": "x"}}},
            "Names contains invalid value: Empty attribute name for key #n",
        ),
    ],
    ids=["values", "names", "names-first"],
)
def test_wrong_placeholders_are_told_before_what_they_stand_for(call: Any, placeholders: Any, message: str) -> None:
    request = {"FilterExpression": "#n = :v", **placeholders}
    assert call.refused("Scan", TableName="Nowhere", **request)[1] == f"ExpressionAttribute{message}"


def test_segments_are_looked_at_before_expressions(call: Any) -> None:
    wrong = {"TableName": "Nowhere", "FilterExpression": ""}
    for segment, total, beginning in (
        (1, None, "The TotalSegments parameter is required"),
        (None, 1, "The Segment parameter is required"),
        (1, 1, "The Segment parameter is zero-based"),
        (0, 1, "Invalid FilterExpression: The expression can not be empty;"),
    ):
        assert call.refused("Scan", Segment=segment, TotalSegments=total, **wrong)[1].startswith(beginning)


# ------------------------------------------------------------------------------------------------- numbers out of range


@pytest.mark.parametrize(
    ("text", "newer", "older"),
    [
        ("1e126", "Number overflow", "Number overflow"),
        ("1e2147483646", "Number overflow", "Number overflow"),
        ("1e2147483647", "Number overflow", "Number underflow"),
        ("0e2147483647", "Number overflow", "Number underflow"),
        ("1e2147483648", "Number overflow", "The parameter cannot be converted to a numeric value: 1e2147483648"),
        ("1e-2147483647", "Number underflow", "Number underflow"),
        (
            "1.5e-2147483647",
            "Number underflow",
            "The parameter cannot be converted to a numeric value: 1.5e-2147483647",
        ),
        ("1e-2147483648", "Number underflow", "The parameter cannot be converted to a numeric value: 1e-2147483648"),
    ],
)
def test_older_checks_read_numbers_with_small_exponents(
    table: Any, call: Any, text: str, newer: str, older: str
) -> None:
    item = {**KEY, "v": {"L": [{"N": text}]}}
    assert table.refused("PutItem", Item=item)[1].startswith(ONE + newer)
    assert call.refused("BatchWriteItem", RequestItems={"App": [{"PutRequest": {"Item": item}}]})[1].startswith(older)
    put = {"Put": {"TableName": "App", "Item": item}}
    assert call.refused("TransactWriteItems", TransactItems=[put])[1].startswith(older)
    filtered = {"FilterExpression": "v = :v", "ExpressionAttributeValues": {":v": {"NS": ["1", text]}}}
    named = f"ExpressionAttributeValues contains invalid value: {older}"
    assert table.refused("Scan", **filtered)[1].startswith(named)
    statement = {"Statement": 'SELECT * FROM "App" WHERE v = ?', "Parameters": [{"N": text}]}
    assert call.refused("ExecuteStatement", **statement)[1].startswith(older)
