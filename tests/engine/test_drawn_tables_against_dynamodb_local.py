"""Tables drawn at random, with keys and indexes of every kind, answer as they do on DynamoDB Local."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tablewright.engine import open_engine
from tests.engine.known_differences import only_mine
from tests.engine.test_against_dynamodb_local import (
    Apart,
    Pair,
    all_pages,
    answer,
    compare,
    in_order,
    refused_alike,
    settled,
)

Draw = Callable[[st.SearchStrategy[Any]], Any]
Reference = Callable[[str, dict[str, Any]], tuple[str, dict[str, Any]]]
NAME = "Drawn"
COMMON = {"TableName": NAME, "ReturnConsumedCapacity": "INDEXES"}
TYPES = ["S", "S", "N", "B"]
OF_TYPE = {
    "S": ["x", "xy", "é", "\U0001f600", "x#"],
    "N": ["1", "-1", "0", "1E+2", "0.05", "-0.5"],
    "B": ["AA==", "AAE=", "/w==", "AAH/"],
}
ODD = [{"S": ""}, {"B": ""}, {"BOOL": True}, {"S": "y"}, {"N": "7"}, {"L": []}]
PROJECTIONS = [
    {"ProjectionType": "ALL"},
    {"ProjectionType": "KEYS_ONLY"},
    {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["o"]},
]


@st.composite
def tables(draw: Draw) -> dict[str, Any]:
    """A CreateTable request; attributes a to e may be in the keys of indexes."""
    types = {name: draw(st.sampled_from(TYPES)) for name in ("pk", "sk", "a", "b", "c", "d", "e")}
    keys = [("pk", "HASH"), ("sk", "RANGE")][: draw(st.sampled_from([1, 2, 2]))]
    request: dict[str, Any] = {"TableName": NAME, "BillingMode": "PAY_PER_REQUEST", "KeySchema": _schema(keys)}
    used = [name for name, _ in keys]
    indexes: list[dict[str, Any]] = []
    for number in range(draw(st.integers(0, 2))):
        names = draw(st.permutations(["a", "b", "c", "d", "e", *used]))
        hashes, ranges = draw(st.integers(1, 3)), draw(st.integers(0, 3))
        key = [(name, "HASH") for name in names[:hashes]] + [
            (name, "RANGE") for name in names[hashes : hashes + ranges]
        ]
        indexes.append(_index(f"Global{number}", key, draw(st.sampled_from(PROJECTIONS))))
    if indexes:
        request["GlobalSecondaryIndexes"] = indexes
    if len(keys) == 2 and draw(st.booleans()):
        local = [("pk", "HASH"), (draw(st.sampled_from("abc")), "RANGE")]
        request["LocalSecondaryIndexes"] = [_index("Local0", local, draw(st.sampled_from(PROJECTIONS)))]
    everything = [*used, *(e["AttributeName"] for i in _indexes(request) for e in i["KeySchema"])]
    request["AttributeDefinitions"] = [
        {"AttributeName": name, "AttributeType": types[name]} for name in dict.fromkeys(everything)
    ]
    return request


def _schema(keys: list[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"AttributeName": name, "KeyType": role} for name, role in keys]


def _index(name: str, keys: list[tuple[str, str]], projection: dict[str, Any]) -> dict[str, Any]:
    return {"IndexName": name, "KeySchema": _schema(keys), "Projection": projection}


def _indexes(table: dict[str, Any]) -> list[dict[str, Any]]:
    return [*table.get("GlobalSecondaryIndexes", ()), *table.get("LocalSecondaryIndexes", ())]


def _names(schema: list[dict[str, str]], role: str) -> list[str]:
    return [element["AttributeName"] for element in schema if element["KeyType"] == role]


class Drawn:
    """Requests for one table."""

    def __init__(self, draw: Draw, table: dict[str, Any]) -> None:
        self.draw = draw
        self.table = table
        self.types = {d["AttributeName"]: d["AttributeType"] for d in table["AttributeDefinitions"]}
        self.keys = [element["AttributeName"] for element in table["KeySchema"]]

    def value(self, name: str) -> dict[str, Any]:
        tag = self.types.get(name, "S")
        return {tag: self.draw(st.sampled_from(OF_TYPE[tag]))}

    def key(self) -> dict[str, Any]:
        return {name: self.value(name) for name in self.keys}

    def item(self) -> dict[str, Any]:
        item = self.key()
        for name in [*self.types, "o"]:
            if name not in item and self.draw(st.integers(0, 3)):
                item[name] = self.value(name) if self.draw(st.integers(0, 25)) else self.draw(st.sampled_from(ODD))
        return item

    def condition(self, schema: list[dict[str, str]]) -> dict[str, Any]:
        """A key condition, now and then one that the key does not allow."""
        values: dict[str, Any] = {}

        def term(name: str, operator: str) -> str:
            one, other = f":{name}", f":{name}2"
            values[one] = self.value(name)
            if operator == "BETWEEN":
                values[other] = self.value(name)
                return f"{name} BETWEEN {one} AND {other}"
            return f"begins_with({name}, {one})" if operator == "begins_with" else f"{name} {operator} {one}"

        terms = [term(name, "=") for name in _names(schema, "HASH")]
        ranges = _names(schema, "RANGE")
        named = ranges[: self.draw(st.integers(0, len(ranges)))]
        if named and self.draw(st.integers(0, 9)) == 0:
            named = named[1:] or named
        for name in named[:-1]:
            terms.append(term(name, "=" if self.draw(st.integers(0, 9)) else "<"))
        if named:
            operators = ["=", "<", "<=", ">", ">=", "BETWEEN", "begins_with"]
            terms.append(term(named[-1], self.draw(st.sampled_from(operators))))
        if self.draw(st.integers(0, 14)) == 0:
            terms = terms[1:] or terms
            values = {name: value for name, value in values.items() if any(name in text for text in terms)}
        return {
            "KeyConditionExpression": " AND ".join(self.draw(st.permutations(terms))),
            "ExpressionAttributeValues": values,
        }

    def request(self) -> tuple[str, dict[str, Any]]:
        kind = self.draw(st.integers(0, 9))
        if kind < 4:
            return "PutItem", {**COMMON, "Item": self.item()}
        if kind == 4:
            return "DeleteItem", {**COMMON, "Key": self.key(), "ReturnValues": "ALL_OLD"}
        if kind == 5:
            name = self.draw(st.sampled_from([*(n for n in self.types if n not in self.keys), "o"]))
            update: dict[str, Any] = {"UpdateExpression": f"REMOVE {name}"}
            if self.draw(st.booleans()):
                update = {"UpdateExpression": f"SET {name} = :v", "ExpressionAttributeValues": {":v": self.value(name)}}
            return "UpdateItem", {**COMMON, "Key": self.key(), "ReturnValues": "ALL_NEW", **update}
        index = self.draw(st.sampled_from([None, *_indexes(self.table)]))
        where: dict[str, Any] = {} if index is None else {"IndexName": index["IndexName"]}
        more: dict[str, Any] = self.draw(st.sampled_from([{}, {"Limit": 1}, {"Limit": 3}, {"Select": "COUNT"}]))
        if kind == 6:
            return "Scan", {**COMMON, **where, **more}
        schema = self.table["KeySchema"] if index is None else index["KeySchema"]
        forward = {"ScanIndexForward": self.draw(st.booleans())}
        return "Query", {**COMMON, **where, **more, **forward, **self.condition(schema)}


@st.composite
def stories(draw: Draw) -> tuple[dict[str, Any], list[tuple[str, dict[str, Any]]]]:
    """A table and what is asked of it."""
    table = draw(tables())
    drawn = Drawn(draw, table)
    return table, [drawn.request() for _ in range(draw(st.integers(4, 25)))]


def compare_read(pair: Pair, table: dict[str, Any], operation: str, request: dict[str, Any]) -> None:
    here = all_pages(lambda o, r: answer(pair.engine, o, r), operation, request)
    there = all_pages(pair.reference, operation, request)
    if refused_alike(pair, operation, request, here, there):
        return
    assert in_order(here[1]) == in_order(there[1]), (table, request)
    assert sum(page["Count"] for page in here[1]) == sum(page["Count"] for page in there[1])
    if operation == "Query":
        index = next((i for i in _indexes(table) if i["IndexName"] == request.get("IndexName")), table)
        ranges = _names(index["KeySchema"], "RANGE")
        mine, theirs = (
            [[settled(item.get(name)) for name in ranges] for page in pages for item in page.get("Items", ())]
            for _, pages in (here, there)
        )
        assert mine == theirs, (table, request)


# A table is dear to make: half as many examples as elsewhere.
@settings(
    max_examples=settings().max_examples // 2,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(story=stories())
def test_drawn_tables(reference: Reference, story: tuple[dict[str, Any], list[tuple[str, dict[str, Any]]]]) -> None:
    table, requests = story
    reference("DeleteTable", {"TableName": NAME})
    with open_engine("memory:") as engine:
        name, body = answer(engine, "CreateTable", table)
        expected, theirs = reference("CreateTable", table)
        assert bool(name) == bool(expected) or only_mine(str(body.get("message"))), (table, body, theirs)
        if name:
            return
        pair = Pair(engine, reference, NAME)
        try:
            for operation, request in requests:
                if operation in ("Query", "Scan"):
                    compare_read(pair, table, operation, request)
                else:
                    compare(pair, operation, request)
        except Apart:
            return
        finally:
            assert engine.verify() == []
