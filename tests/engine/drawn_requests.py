"""Requests drawn at random, right and wrong, for comparisons with DynamoDB Local."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from tests.engine.drawn_expressions import (
    attribute_updates,
    comparisons,
    condition_parts,
    expectations,
    n,
    projection_parts,
    s,
    update_parts,
)

Draw = Callable[[st.SearchStrategy[Any]], Any]
Request = tuple[str, dict[str, Any]]
NAME = "Compared"


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


def _to_get(names: list[str]) -> dict[str, Any]:
    return {"AttributesToGet": names} if names else {}


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
# ----------------------------------------------------------------------------------------- anything that can be said

NO_PART: st.SearchStrategy[dict[str, Any]] = st.just({})
WRITE_PARTS = st.one_of(NO_PART, condition_parts(), condition_parts(), expectations())
READ_PARTS = st.one_of(projection_parts(), st.lists(st.sampled_from(["v", "pk", "m", "q"]), max_size=2).map(_to_get))
KEY_CONDITIONS = st.builds(
    lambda pk, more: {"KeyConditions": {"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [pk]}, **more}},
    PARTITIONS,
    st.one_of(st.just({}), comparisons(st.just("sk")), comparisons(st.sampled_from(["sk", "v", "pk"]))),
)
FILTERS = st.one_of(
    NO_PART, condition_parts("FilterExpression"), comparisons().map(lambda found: {"QueryFilter": found})
)
FREE = st.one_of(
    st.builds(lambda item, part: ("PutItem", merge(COMMON, {"Item": item}, part)), ITEMS, WRITE_PARTS),
    st.builds(lambda key, part: ("DeleteItem", merge(COMMON, {"Key": key}, part)), KEYS, WRITE_PARTS),
    st.builds(
        lambda key, part, wanted: ("UpdateItem", merge(COMMON, {"Key": key, "ReturnValues": wanted}, part)),
        KEYS,
        st.one_of(
            update_parts(), update_parts(), st.builds(merge, attribute_updates(), st.one_of(NO_PART, expectations()))
        ),
        RETURN_VALUES,
    ),
    st.builds(lambda key, part: ("GetItem", merge(COMMON, {"Key": key}, part)), KEYS, READ_PARTS),
    st.builds(
        lambda keys, part, more: ("Query", merge(COMMON, keys, part, more)),
        KEY_CONDITIONS,
        FILTERS,
        st.sampled_from(
            [{}, {"Select": "COUNT"}, {"ConditionalOperator": "OR"}, {"AttributesToGet": ["v"]}, {"Limit": 2}]
        ),
    ),
    st.builds(
        lambda part, more: ("Scan", merge(COMMON, part, more)),
        st.one_of(condition_parts("FilterExpression"), comparisons().map(lambda found: {"ScanFilter": found})),
        st.sampled_from([{}, {"Select": "COUNT"}, {"ConditionalOperator": "OR"}, {"IndexName": "ByGroup"}]),
    ),
    st.builds(
        lambda key, part: (
            "TransactWriteItems",
            {"TransactItems": [{"Update": {"TableName": NAME, "Key": key, **part}}]},
        ),
        KEYS,
        update_parts(),
    ),
)

# -------------------------------------------------------------------------------------------------- deliberately wrong

WRONG: st.SearchStrategy[Any] = st.sampled_from(
    [
        None,
        {},
        "",
        "x",
        {"S": ""},
        {"S": "q" * 2049},
        {"N": "1"},
        {"N": "one"},
        {"N": "1E+126"},
        {"N": "1" * 39},
        {"SS": []},
        {"SS": ["a", "a"]},
        {"NS": ["1", "1.0"]},
        {"NULL": False},
        {"S": "a", "N": "1"},
        {"L": [{}]},
        {"M": {"": {"S": "a"}}},
        {"BOOL": True},
    ]
)


@st.composite
def wrong_requests(draw: Draw) -> Request:
    """A request in which one thing is taken away or is something else."""
    operation, request = draw(st.one_of(PUTS, DELETES, UPDATE_ITEMS, GETS, QUERIES, FREE))
    holder: Any = request
    for _ in range(draw(st.integers(0, 2))):
        inside = [
            value for name, value in sorted(holder.items()) if isinstance(value, dict) and value and name != "TableName"
        ]
        if not inside:
            break
        holder = draw(st.sampled_from(inside))
    names = sorted(name for name in holder if name not in ("TableName", "ReturnConsumedCapacity"))
    changed = dict(holder)
    if names:
        name = draw(st.sampled_from(names))
        if draw(st.booleans()):
            del changed[name]
        elif isinstance(changed[name], dict):
            changed[name] = draw(WRONG)
        elif isinstance(changed[name], str):
            changed[name] = draw(st.sampled_from(["", "x", "NONE", "ALL_OLD", "a = b"]))
    return operation, _replaced(request, holder, changed)


def _replaced(request: Any, holder: Any, changed: Any) -> Any:
    if request is holder:
        return changed
    if isinstance(request, dict):
        return {name: _replaced(value, holder, changed) for name, value in request.items()}
    return request


REQUESTS = st.one_of(
    PUTS, PUTS, PUTS, DELETES, UPDATE_ITEMS, UPDATE_ITEMS, GETS, QUERIES, QUERIES, SCANS, TRANSACTIONS, BATCHES
)
ANY_REQUESTS = st.one_of(REQUESTS, FREE, FREE, FREE, wrong_requests())
