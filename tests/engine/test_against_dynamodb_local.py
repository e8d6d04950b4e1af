"""Random sequences of requests give the same answers here and on AWS's own DynamoDB Local."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tablewright.engine import Engine, open_engine
from tablewright.errors import ServiceError, TransactionCanceled

Request = tuple[str, dict[str, Any]]
Reference = Callable[[str, dict[str, Any]], tuple[str, dict[str, Any]]]
NAME = "Compared"


def s(text: str) -> dict[str, str]:
    return {"S": text}


def n(number: object) -> dict[str, str]:
    return {"N": str(number)}


# ------------------------------------------------------------------------------------------------ what is drawn

PARTITIONS = st.sampled_from(["a", "b"]).map(s)
SORTS = st.sampled_from([-10, 0, 1, 2, 10, "1.0", "0.5", "1E+1"]).map(n)
TEXTS = st.sampled_from(["x", "xy", "xyz", "y", "é", "\U0001f600"]).map(s)
GROUPS = st.sampled_from(["x", "y"]).map(s)
SMALL = st.sampled_from([1, 2]).map(n)
VALUES = st.one_of(
    TEXTS,
    SORTS,
    st.sampled_from([{"BOOL": True}, {"NULL": True}, {"SS": ["q", "p"]}, {"NS": ["2", "1.0"]}, {"B": "AAEC"}]),
    st.sampled_from([{"L": [s("one"), n(2)]}, {"M": {"in": n(1), "deep": {"M": {}}}}]),
)
LONG = st.sampled_from([0, 10, 500, 1500, 2500]).map(lambda size: s("z" * size))
KEYS = st.fixed_dictionaries({"pk": PARTITIONS, "sk": SORTS})
ITEMS = st.fixed_dictionaries(
    {"pk": PARTITIONS, "sk": SORTS},
    optional={"g": GROUPS, "h": SMALL, "r": TEXTS, "l": TEXTS, "inc": LONG, "v": VALUES, "w": VALUES},
)
# Sometimes an item that a key or index cannot hold.
BAD_ITEMS = st.builds(
    lambda item, fault: {**item, **fault},
    ITEMS,
    st.sampled_from(
        [{"g": n(1)}, {"g": s("")}, {"pk": n(1)}, {"sk": s("1")}, {"l": {"BOOL": True}}, {"r": s("q" * 1025)}]
    ),
)
CONDITIONS = st.sampled_from(
    [
        {},
        {},
        {"ConditionExpression": "attribute_not_exists(pk)"},
        {"ConditionExpression": "attribute_exists(pk)"},
        {"ConditionExpression": "v = :c", "ExpressionAttributeValues": {":c": s("x")}},
        {"ConditionExpression": "size(inc) > :c", "ExpressionAttributeValues": {":c": n(1500)}},
    ]
)
UPDATES = st.sampled_from(
    [
        ("SET v = :u", {":u": s("updated")}),
        ("SET g = :u, r = :u", {":u": s("x")}),
        ("SET g = :u REMOVE r", {":u": s("y")}),
        ("REMOVE g, l", {}),
        ("ADD cnt :u", {":u": n("1.5")}),
        ("SET cnt = if_not_exists(cnt, :u) + :u", {":u": n(2)}),
        ("SET l = :u, h = :n", {":u": s("xyz"), ":n": n(1)}),
        ("SET inc = :u", {":u": s("z" * 1200)}),
        ("SET v = w", {}),
        ("SET g = :u", {":u": n(3)}),
        ("SET h = :u", {":u": s("")}),
        ("ADD ss :u", {":u": {"SS": ["p", "q"]}}),
        ("DELETE ss :u", {":u": {"SS": ["p"]}}),
        ("SET m = :u", {":u": {"M": {"in": n(1)}}}),
        ("SET m.#in = :u REMOVE m.deep", {":u": n(7)}),
    ]
)
RETURN_VALUES = st.sampled_from(["NONE", "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"])


def merge(*parts: dict[str, Any]) -> dict[str, Any]:
    """One request of several parts, with their placeholder values together."""
    merged: dict[str, Any] = {}
    for part in parts:
        for name, value in part.items():
            merged[name] = (
                {**merged[name], **value} if name == "ExpressionAttributeValues" and name in merged else value
            )
    return merged


def update_part(update: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    text, values = update
    part: dict[str, Any] = {"UpdateExpression": text}
    if values:
        part["ExpressionAttributeValues"] = values
    if "#in" in text:
        part["ExpressionAttributeNames"] = {"#in": "in"}
    return part


def item_of(part: dict[str, Any]) -> tuple[str, Decimal]:
    """Which item a key or an action means."""
    key = part.get("Key") or part.get("Item") or part
    return key["pk"]["S"], Decimal(key["sk"]["N"])


COMMON = {"TableName": NAME, "ReturnConsumedCapacity": "INDEXES"}
PUTS = st.builds(
    lambda item, condition, old: ("PutItem", merge(COMMON, {"Item": item, "ReturnValues": old}, condition)),
    st.one_of(ITEMS, ITEMS, ITEMS, BAD_ITEMS),
    CONDITIONS,
    st.sampled_from(["NONE", "ALL_OLD"]),
)
DELETES = st.builds(
    lambda key, condition: ("DeleteItem", merge(COMMON, {"Key": key, "ReturnValues": "ALL_OLD"}, condition)),
    KEYS,
    CONDITIONS,
)
UPDATE_ITEMS = st.builds(
    lambda key, update, condition, wanted: (
        "UpdateItem",
        merge(COMMON, {"Key": key, "ReturnValues": wanted}, update_part(update), condition),
    ),
    KEYS,
    UPDATES,
    CONDITIONS,
    RETURN_VALUES,
)
GETS = st.builds(
    lambda key, more: ("GetItem", merge(COMMON, {"Key": key}, more)),
    KEYS,
    st.sampled_from([{}, {"ConsistentRead": True}, {"ProjectionExpression": "v, pk, m.deep"}]),
)

QUERY_KEYS = st.one_of(
    st.builds(
        lambda pk, sort: {
            "KeyConditionExpression": f"pk = :p{sort[0]}",
            "ExpressionAttributeValues": {":p": pk, **sort[1]},
        },
        PARTITIONS,
        st.sampled_from(
            [
                ("", {}),
                (" AND sk > :s", {":s": n(0)}),
                (" AND sk <= :s", {":s": n(1)}),
                (" AND sk BETWEEN :s AND :t", {":s": n(0), ":t": n(2)}),
                (" AND sk = :s", {":s": n(10)}),
            ]
        ),
    ),
    st.builds(
        lambda pk, sort, index: {
            "IndexName": index[0],
            "KeyConditionExpression": f"pk = :p{sort[0].replace('X', index[1])}",
            "ExpressionAttributeValues": {":p": pk, **sort[1]},
        },
        PARTITIONS,
        st.sampled_from([("", {}), (" AND begins_with(X, :s)", {":s": s("x")}), (" AND X >= :s", {":s": s("xy")})]),
        st.sampled_from([("ByLocal", "l"), ("ByLocalKeys", "r")]),
    ),
    st.builds(
        lambda group, sort: {
            "IndexName": "ByGroup",
            "KeyConditionExpression": f"g = :p{sort[0]}",
            "ExpressionAttributeValues": {":p": group, **sort[1]},
        },
        GROUPS,
        st.sampled_from([("", {}), (" AND begins_with(r, :s)", {":s": s("xy")}), (" AND r < :s", {":s": s("y")})]),
    ),
    st.builds(
        lambda group, small, sort: {
            "IndexName": "ByFour",
            "KeyConditionExpression": f"g = :p AND h = :h{sort[0]}",
            "ExpressionAttributeValues": {":p": group, ":h": small, **sort[1]},
        },
        GROUPS,
        SMALL,
        st.sampled_from(
            [
                ("", {}),
                (" AND r > :s", {":s": s("x")}),
                (" AND r = :s AND sk >= :t", {":s": s("x"), ":t": n(0)}),
                (" AND sk >= :t", {":t": n(0)}),
            ]
        ),
    ),
)
QUERIES = st.builds(
    lambda keys, more, forward, limit: (
        "Query",
        merge(COMMON, keys, more, {"ScanIndexForward": forward}, {"Limit": limit} if limit else {}),
    ),
    QUERY_KEYS,
    st.sampled_from(
        [
            {},
            {},
            {"FilterExpression": "attribute_exists(inc)"},
            {"FilterExpression": "v = :f", "ExpressionAttributeValues": {":f": s("x")}},
            {"ProjectionExpression": "pk, inc"},
            {"Select": "COUNT"},
            {"Select": "ALL_ATTRIBUTES"},
        ]
    ),
    st.booleans(),
    st.sampled_from([0, 0, 1, 2, 3]),
)
SCANS = st.builds(
    lambda more: ("Scan", merge(COMMON, more)),
    st.sampled_from(
        [
            {},
            {"FilterExpression": "attribute_exists(g)"},
            {"Limit": 2},
            {"IndexName": "ByGroup"},
            {"IndexName": "ByLocal", "Limit": 1},
        ]
    ),
)

ACTIONS = st.one_of(
    st.builds(lambda item, c: {"Put": merge({"TableName": NAME, "Item": item}, c)}, ITEMS, CONDITIONS),
    st.builds(lambda key, c: {"Delete": merge({"TableName": NAME, "Key": key}, c)}, KEYS, CONDITIONS),
    st.builds(
        lambda key, u, c: {"Update": merge({"TableName": NAME, "Key": key}, update_part(u), c)},
        KEYS,
        UPDATES.filter(lambda update: update[0].startswith(("SET g = :u,", "REMOVE", "SET l", "SET inc"))),
        CONDITIONS,
    ),
    st.builds(
        lambda key, c: {"ConditionCheck": merge({"TableName": NAME, "Key": key}, c)},
        KEYS,
        CONDITIONS.filter(bool),
    ),
)
TRANSACTIONS = st.builds(
    lambda actions: ("TransactWriteItems", {"TransactItems": actions}),
    st.lists(ACTIONS, min_size=1, max_size=4, unique_by=lambda action: item_of(next(iter(action.values())))),
)
BATCHES = st.one_of(
    st.builds(
        lambda items: ("BatchWriteItem", {"RequestItems": {NAME: [{"PutRequest": {"Item": item}} for item in items]}}),
        st.lists(ITEMS, min_size=1, max_size=4),
    ),
    st.builds(
        lambda keys: ("BatchGetItem", {"RequestItems": {NAME: {"Keys": keys, "ConsistentRead": True}}}),
        st.lists(KEYS, min_size=1, max_size=4, unique_by=item_of),
    ),
    st.builds(
        lambda keys: (
            "TransactGetItems",
            {"TransactItems": [{"Get": {"TableName": NAME, "Key": key}} for key in keys]},
        ),
        st.lists(KEYS, min_size=1, max_size=4),
    ),
)
REQUESTS = st.one_of(
    PUTS, PUTS, PUTS, DELETES, UPDATE_ITEMS, UPDATE_ITEMS, GETS, QUERIES, QUERIES, SCANS, TRANSACTIONS, BATCHES
)


# ------------------------------------------------------------------------------------------------ how it is compared


def settled(value: Any) -> Any:
    """Sets have no order, and DynamoDB Local returns a sum as 3.0 where the service returns 3."""
    if isinstance(value, dict):
        if isinstance(value.get("N"), str):
            return {"N": f"{Decimal(value['N']).normalize():f}"}
        return {k: sorted(v) if k in ("SS", "NS", "BS") else settled(v) for k, v in value.items()}
    return [settled(v) for v in value] if isinstance(value, list) else value


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
        return error.wire_name, {}


def all_pages(send: Reference, operation: str, request: dict[str, Any]) -> tuple[str, list[dict[str, Any]]]:
    pages: list[dict[str, Any]] = []
    while True:
        name, page = send(operation, request)
        if name:
            return name, []
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
    assert here[0] == there[0], (operation, request, there)
    index = request.get("IndexName")
    if operation == "Scan" or index in ("ByGroup", "ByFour"):
        assert in_order(here[1]) == in_order(there[1])
        assert sum(page["Count"] for page in here[1]) == sum(page["Count"] for page in there[1])
        if operation == "Query":
            sorts = [
                [item.get("r") for page in pages for item in page.get("Items", [])] for pages in (here[1], there[1])
            ]
            assert sorts[0] == sorts[1]
        return
    assert len(here[1]) == len(there[1])
    for mine, theirs in zip(here[1], there[1], strict=True):
        # The service charges its smallest unit for reading nothing; DynamoDB Local charges nothing.
        if not theirs["ScannedCount"]:
            mine.pop("ConsumedCapacity")
            theirs.pop("ConsumedCapacity")
        assert settled(mine) == settled(theirs)


def compare(engine: Engine, reference: Reference, operation: str, request: dict[str, Any]) -> None:
    if operation in ("Query", "Scan"):
        compare_pages(engine, reference, operation, request)
        return
    name, mine = answer(engine, operation, request)
    expected, theirs = reference(operation, request)
    assert name == expected, (operation, request, theirs)
    if name == "TransactionCanceledException":
        theirs = {"codes": [reason["Code"] for reason in theirs["CancellationReasons"]]}
        if "ValidationError" in theirs["codes"]:
            # DynamoDB Local stops at the first of these and leaves the other reasons out.
            assert "ValidationError" in mine["codes"]
            return
    elif name:
        return
    if operation == "BatchGetItem":
        assert in_order([{"Items": mine["Responses"][NAME]}]) == in_order([{"Items": theirs["Responses"][NAME]}])
        return
    drop_overcharge(mine, theirs)
    assert settled(mine) == settled(theirs), (operation, request)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(requests=st.lists(REQUESTS, min_size=5, max_size=40))
def test_sequences_of_requests(
    reference: Reference, table_definition: Callable[[str], dict[str, Any]], requests: list[Request]
) -> None:
    reference("DeleteTable", {"TableName": NAME})
    assert reference("CreateTable", table_definition(NAME))[0] == ""
    with open_engine("memory:") as engine:
        engine.execute("CreateTable", table_definition(NAME))
        for operation, request in requests:
            compare(engine, reference, operation, request)
        compare_pages(engine, reference, "Scan", {"TableName": NAME})
        assert engine.verify() == []
