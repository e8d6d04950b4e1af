"""Random sequences of requests give the same answers here and on AWS's own DynamoDB Local.

In the full run these are some 20,000 requests. Where Local differs from the service, `known_differences.py` says so.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tablewright.engine import Engine, open_engine
from tablewright.errors import ServiceError, TablewrightError, TransactionCanceled
from tablewright.expressions import compiled_update
from tests.engine.drawn_requests import ANY_REQUESTS, NAME, Request
from tests.engine.known_differences import ITEM_FAULTS, NARROW_INDEXES, only_locals, only_mine, same_words, spelled_out
from tests.engine.two_faults import has_two_faults

Reference = Callable[[str, dict[str, Any]], tuple[str, dict[str, Any]]]
SPARE = f"Spare{NAME}"
ANY_KEY = {"S": {"S": "k"}, "N": {"N": "1"}, "B": {"B": "AAEC"}}


# Items with the same key in an index have no order of their own; these are the sort keys.
SORTS = {"ByGroup": "r", "ByFour": "r", "ByLocal": "l", "ByLocalKeys": "r"}


class Apart(Exception):
    """The two sides hold different items from here on, for a reason that is known."""


def settled(value: Any) -> Any:
    """Sets have no order, and DynamoDB Local returns a sum as 3.0 where the service returns 3."""
    if isinstance(value, dict):
        if isinstance(value.get("N"), str):
            return {"N": f"{Decimal(value['N']).normalize():f}"}
        return {k: sorted(map(_member, v)) if k in ("SS", "NS", "BS") else settled(v) for k, v in value.items()}
    return [settled(v) for v in value] if isinstance(value, list) else value


def _member(text: str) -> str:
    try:
        return f"{Decimal(text).normalize():f}"
    except ArithmeticError:
        return text


def drop_overcharge(mine: dict[str, Any], theirs: dict[str, Any]) -> None:
    """DynamoDB Local charges global indexes for items that lack one of their keys, another before than after."""
    report = theirs.get("ConsumedCapacity", {})
    charged = report.get("GlobalSecondaryIndexes", {})
    for name in charged.keys() - mine.get("ConsumedCapacity", {}).get("GlobalSecondaryIndexes", {}).keys():
        report["CapacityUnits"] -= charged.pop(name)["CapacityUnits"]
        if not charged:
            del report["GlobalSecondaryIndexes"]


def answer(engine: Engine, operation: str, request: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    try:
        return "", engine.execute(operation, request)
    except TransactionCanceled as error:
        reasons = [{"Code": reason.code, "Message": reason.message} for reason in error.reasons]
        return error.wire_name, {"message": error.message, "CancellationReasons": reasons}
    except ServiceError as error:
        return error.wire_name, {"message": error.message}


def words_of(name: str, body: dict[str, Any]) -> str:
    return str(body.get("message", body.get("Message", ""))) if name else ""


class Pair:
    """The engine and DynamoDB Local, with a spare table where requests can be tried without consequences."""

    def __init__(self, engine: Engine, reference: Reference, table: str = NAME) -> None:
        self.engine = engine
        self.reference: Reference = lambda operation, request: reference(operation, spelled_out(request))
        self.table = table
        self.right: dict[str, Any] = {}

    def same_words(self, operation: str, request: dict[str, Any], mine: str, theirs: str) -> bool:
        """Whether both tell the same, or each another one of two faults, in words that the other has too."""

        def alike(one: str, other: str) -> bool:
            return same_words(operation, one, other)

        if alike(mine, theirs):
            return True

        def here(edited: dict[str, Any]) -> str:
            self._put_spare(self._execute, request)
            return words_of(*answer(self.engine, operation, self._elsewhere(edited)))

        def there(edited: dict[str, Any]) -> str:
            self._put_spare(self.reference, request)
            return words_of(*self.reference(operation, self._elsewhere(edited)))

        self._make_spare()
        right = {name: value for name, value in self.right.items() if name != "KeyConditions" or operation == "Query"}
        return has_two_faults(request, right, (mine, theirs), (here, there), alike)

    def _execute(self, operation: str, request: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        return answer(self.engine, operation, request)

    def _make_spare(self) -> None:
        if self.right:
            return
        definition = self.engine.execute("DescribeTable", {"TableName": self.table})["Table"]
        kept = ("KeySchema", "AttributeDefinitions")
        request = {"TableName": SPARE, "BillingMode": "PAY_PER_REQUEST", **{name: definition[name] for name in kept}}
        for member in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
            found = [
                {name: index[name] for name in ("IndexName", "KeySchema", "Projection")}
                for index in definition.get(member, ())
            ]
            if found:
                request[member] = found
        self.reference("DeleteTable", {"TableName": SPARE})
        assert self.reference("CreateTable", request)[0] == ""
        self.engine.execute("CreateTable", request)
        types = {one["AttributeName"]: one["AttributeType"] for one in definition["AttributeDefinitions"]}
        key = {one["AttributeName"]: ANY_KEY[types[one["AttributeName"]]] for one in definition["KeySchema"]}
        first = next(iter(key))
        conditions = {first: {"ComparisonOperator": "EQ", "AttributeValueList": [key[first]]}}
        choices = {"ConditionalOperator": "OR", "ReturnValues": "NONE", "Select": "COUNT"}
        self.right = {"Key": key, "Item": key, "KeyConditions": conditions, **choices}

    def _put_spare(self, send: Reference, request: dict[str, Any]) -> None:
        """The item that an update is about, as it is now."""
        if isinstance(request.get("Key"), dict) and request.get("UpdateExpression") is not None:
            asked = {"TableName": self.table, "Key": request["Key"]}
            found = answer(self.engine, "GetItem", asked)[1].get("Item")
            if found is not None:
                send("PutItem", {"TableName": SPARE, "Item": found})
            else:
                send("DeleteItem", {**asked, "TableName": SPARE})

    def _elsewhere(self, part: Any) -> Any:
        """The same request for the spare table."""
        if isinstance(part, dict):
            return {
                (SPARE if name == self.table else name): SPARE if value == self.table else self._elsewhere(value)
                for name, value in part.items()
            }
        return [self._elsewhere(value) for value in part] if isinstance(part, list) else part


def refused_alike(
    pair: Pair, operation: str, request: dict[str, Any], mine: tuple[str, Any], theirs: tuple[str, Any]
) -> bool:
    """Whether one side refuses; if so, both do with the same words, or for a reason that is known."""
    (name, body), (expected, told) = mine, theirs
    if not name and not expected:
        return False
    message, words = words_of(name, body) if name else "", words_of(expected, told) if expected else ""
    if name and name != expected and only_mine(message):
        if not expected and operation not in ("GetItem", "BatchGetItem", "TransactGetItems", "Query", "Scan"):
            raise Apart
        return True
    if name == "TransactionCanceledException":
        compare_reasons(pair, operation, request, body["CancellationReasons"], theirs)
        return True
    if not name and only_locals(request, words):
        raise Apart
    # Local fails where the service finds words.
    assert name == expected or (name and expected == "InternalFailure"), (operation, request, mine, theirs)
    if expected != "InternalFailure":
        assert pair.same_words(operation, request, message, words), (operation, request, message, words)
    return True


def alike_in_reasons(operation: str, reason: dict[str, Any], words: str) -> bool:
    message = str(reason["Message"])
    return same_words(operation, message, words) or {message, words} <= ITEM_FAULTS


def compare_reasons(
    pair: Pair, operation: str, request: dict[str, Any], mine: list[dict[str, Any]], theirs: tuple[str, Any]
) -> None:
    """The same reasons, with the same words where Local has some."""
    expected, told = theirs
    wrong = [reason for reason in mine if reason["Code"] == "ValidationError"]
    if expected == "ValidationException":
        # [api] What an item does not allow cancels a transaction; Local refuses the request.
        words = words_of(expected, told)
        assert any(alike_in_reasons(operation, reason, words) for reason in wrong), (request, mine, theirs)
        return
    assert expected == "TransactionCanceledException", (request, mine, theirs)
    reasons = told["CancellationReasons"]
    if wrong:
        # Local stops at the first of these, and evaluates a condition before it looks at what is to be written.
        codes = {reason["Code"] for reason in reasons}
        assert "ValidationError" in codes or "ConditionalCheckFailed" in codes, (request, mine, theirs)
        for reason in reasons:
            if reason["Code"] == "ValidationError" and reason.get("Message"):
                found = [alike_in_reasons(operation, one, reason["Message"]) for one in wrong]
                assert any(found), (request, mine, theirs)
        return
    assert [reason["Code"] for reason in mine] == [reason["Code"] for reason in reasons], (request, mine, theirs)
    for one, other in zip(mine, reasons, strict=True):
        if other.get("Message"):
            assert same_words(operation, str(one["Message"]), other["Message"]), (request, mine, theirs)


def all_pages(send: Reference, operation: str, request: dict[str, Any]) -> tuple[str, Any]:
    pages: list[dict[str, Any]] = []
    while True:
        name, page = send(operation, request)
        if name:
            return name, page
        pages.append(page)
        if "LastEvaluatedKey" not in page:
            return "", pages
        request = {**request, "ExclusiveStartKey": page["LastEvaluatedKey"]}


def in_order(pages: list[dict[str, Any]]) -> list[str]:
    return sorted(json.dumps(settled(item), sort_keys=True) for page in pages for item in page.get("Items", []))


def compare_pages(pair: Pair, operation: str, request: dict[str, Any]) -> None:
    """Same pages where the order is settled; where the service's order is its own secret, same items in all."""
    here = all_pages(lambda o, r: answer(pair.engine, o, r), operation, request)
    there = all_pages(pair.reference, operation, request)
    if refused_alike(pair, operation, request, here, there):
        return
    sorts = SORTS.get(str(request.get("IndexName")))
    if (
        operation == "Scan"
        and request.get("IndexName") in NARROW_INDEXES
        and {"FilterExpression", "ScanFilter"} & request.keys()
    ):
        assert sum(page["ScannedCount"] for page in here[1]) == sum(page["ScannedCount"] for page in there[1])
        return
    if operation == "Scan" or sorts is not None:
        assert in_order(here[1]) == in_order(there[1])
        assert sum(page["Count"] for page in here[1]) == sum(page["Count"] for page in there[1])
        if operation == "Query":
            mine, theirs = (
                [item.get(sorts) for page in pages for item in page.get("Items", [])] for _, pages in (here, there)
            )
            assert mine == theirs
        return
    assert len(here[1]) == len(there[1])
    for mine, theirs in zip(here[1], there[1], strict=True):
        # The service charges its smallest unit for reading nothing; DynamoDB Local charges nothing.
        if not theirs["ScannedCount"]:
            mine.pop("ConsumedCapacity")
            theirs.pop("ConsumedCapacity")
        assert settled(mine) == settled(theirs)


def made_by_local_alone(engine: Engine, operation: str, request: dict[str, Any]) -> list[dict[str, Any]]:
    """Requests that take from Local the items that it makes for updates which only take something away.

    [api] Where there is no item such an update causes nothing to happen.
    """
    updates = [request] if operation == "UpdateItem" else []
    if operation == "TransactWriteItems":
        updates = [action["Update"] for action in request.get("TransactItems") or () if "Update" in action]
    made: list[dict[str, Any]] = []
    for update in updates:
        asked = {name: update.get(name) for name in ("TableName", "Key")}
        if _only_takes_away(update) and "Item" not in answer(engine, "GetItem", asked)[1]:
            made.append(asked)
    return made


def _only_takes_away(update: dict[str, Any]) -> bool:
    text, names, old = (
        update.get(name) for name in ("UpdateExpression", "ExpressionAttributeNames", "AttributeUpdates")
    )
    if isinstance(text, str):
        # Whoever names attributes by something else than text is refused anyway.
        if names is not None and not (isinstance(names, dict) and all(isinstance(n, str) for n in names.values())):
            return False
        with suppress(TablewrightError):
            return compiled_update(text, names).only_removes
        return False
    actions = (
        [one.get("Action") if isinstance(one, dict) else None for one in old.values()] if isinstance(old, dict) else []
    )
    return bool(actions) and set(actions) == {"DELETE"}


def compare(pair: Pair, operation: str, request: dict[str, Any]) -> None:
    if operation in ("Query", "Scan"):
        compare_pages(pair, operation, request)
        return
    made = made_by_local_alone(pair.engine, operation, request)
    name, mine = answer(pair.engine, operation, request)
    expected, theirs = pair.reference(operation, request)
    if made and not name:
        if expected and operation != "UpdateItem":
            raise Apart
        for asked in made:
            pair.reference("DeleteItem", asked)
        return
    if refused_alike(pair, operation, request, (name, mine), (expected, theirs)):
        return
    if operation == "BatchGetItem":
        assert in_order([{"Items": mine["Responses"][NAME]}]) == in_order([{"Items": theirs["Responses"][NAME]}])
        return
    drop_overcharge(mine, theirs)
    assert settled(mine) == settled(theirs), (operation, request)


def run(reference: Reference, definition: dict[str, Any], requests: list[Request]) -> None:
    reference("DeleteTable", {"TableName": NAME})
    assert reference("CreateTable", definition)[0] == ""
    with open_engine("memory:") as engine:
        engine.execute("CreateTable", definition)
        pair = Pair(engine, reference)
        try:
            for operation, request in requests:
                compare(pair, operation, request)
        except Apart:
            return
        finally:
            assert engine.verify() == []
        compare_pages(pair, "Scan", {"TableName": NAME})


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(requests=st.lists(ANY_REQUESTS, min_size=5, max_size=40))
def test_sequences_of_requests(
    reference: Reference, table_definition: Callable[[str], dict[str, Any]], requests: list[Request]
) -> None:
    run(reference, table_definition(NAME), requests)


def test_an_update_without_an_action_is_a_put(
    reference: Reference, table_definition: Callable[[str], dict[str, Any]]
) -> None:
    update = {"TableName": NAME, "Key": {"pk": {"S": "a"}, "sk": {"N": "-10"}}, "ReturnValues": "ALL_NEW"}
    requests = [
        ("UpdateItem", {**update, "AttributeUpdates": {"v": {"Value": {"S": "x"}}}}),
        ("UpdateItem", {**update, "AttributeUpdates": {"v": {"Value": {"SS": ["x"]}}, "w": {"Action": "DELETE"}}}),
        ("UpdateItem", {**update, "AttributeUpdates": {"v": {}}}),
    ]
    run(reference, table_definition(NAME), requests)
