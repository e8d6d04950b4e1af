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
from tests.engine.known_differences import only_mine, same_words

Reference = Callable[[str, dict[str, Any]], tuple[str, dict[str, Any]]]


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
        return error.wire_name, {"codes": [reason.code for reason in error.reasons]}
    except ServiceError as error:
        return error.wire_name, {"message": error.message}


def refused_alike(operation: str, request: dict[str, Any], mine: tuple[str, Any], theirs: tuple[str, Any]) -> bool:
    """Whether one side refuses; if so, both do with the same words, or for a reason that is known."""
    (name, body), (expected, answer) = mine, theirs
    if not name and not expected:
        return False
    message = str(body["message"]) if name and "message" in body else ""
    told = str(answer.get("message", answer.get("Message", ""))) if expected else ""
    if name and name != expected and only_mine(message):
        if not expected and operation not in ("GetItem", "BatchGetItem", "TransactGetItems", "Query", "Scan"):
            raise Apart
        return True
    if name == "TransactionCanceledException" and expected in (name, "ValidationException"):
        # [api] What an item does not allow cancels a transaction; Local refuses the request, or finds it later.
        return "ValidationError" in body["codes"]
    # Local fails where the service finds words.
    assert name == expected or (name and expected == "InternalFailure"), (operation, request, mine, theirs)
    if "codes" not in body and expected != "InternalFailure":
        assert same_words(message, told), (operation, request, message, told)
    return "codes" not in body


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


def compare_pages(engine: Engine, reference: Reference, operation: str, request: dict[str, Any]) -> None:
    """Same pages where the order is settled; where the service's order is its own secret, same items in all."""
    here = all_pages(lambda o, r: answer(engine, o, r), operation, request)
    there = all_pages(reference, operation, request)
    if refused_alike(operation, request, here, there):
        return
    sorts = SORTS.get(str(request.get("IndexName")))
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
        updates = [action["Update"] for action in request["TransactItems"] if "Update" in action]
    made: list[dict[str, Any]] = []
    for update in updates:
        asked = {name: update.get(name) for name in ("TableName", "Key")}
        old = update.get("AttributeUpdates") or {}
        takes = bool(old) and all(one.get("Action") == "DELETE" for one in old.values())
        with suppress(TablewrightError):
            if update.get("UpdateExpression") is not None:
                names = update.get("ExpressionAttributeNames")
                takes = compiled_update(update["UpdateExpression"], names).only_removes
            if takes and "Item" not in engine.execute("GetItem", asked):
                made.append(asked)
    return made


def compare(engine: Engine, reference: Reference, operation: str, request: dict[str, Any]) -> None:
    if operation in ("Query", "Scan"):
        compare_pages(engine, reference, operation, request)
        return
    made = made_by_local_alone(engine, operation, request)
    name, mine = answer(engine, operation, request)
    expected, theirs = reference(operation, request)
    if made and not name:
        if expected and operation != "UpdateItem":
            raise Apart
        for asked in made:
            reference("DeleteItem", asked)
        return
    if refused_alike(operation, request, (name, mine), (expected, theirs)):
        return
    if name == "TransactionCanceledException":
        theirs = {"codes": [reason["Code"] for reason in theirs["CancellationReasons"]]}
        if "ValidationError" in theirs["codes"]:
            # DynamoDB Local stops at the first of these and leaves the other reasons out.
            assert "ValidationError" in mine["codes"]
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
        try:
            for operation, request in requests:
                compare(engine, reference, operation, request)
        except Apart:
            return
        finally:
            assert engine.verify() == []
        compare_pages(engine, reference, "Scan", {"TableName": NAME})


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(requests=st.lists(ANY_REQUESTS, min_size=5, max_size=40))
def test_sequences_of_requests(
    reference: Reference, table_definition: Callable[[str], dict[str, Any]], requests: list[Request]
) -> None:
    run(reference, table_definition(NAME), requests)
