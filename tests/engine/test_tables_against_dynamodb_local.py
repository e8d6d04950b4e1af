"""Random definitions and changes of tables: the engine takes and refuses what DynamoDB Local takes and refuses.

Of these only the fact of a refusal is compared; `test_table_words_against_dynamodb_local.py` compares the words.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any
from uuid import uuid4

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tablewright.engine import Engine, open_engine
from tablewright.errors import ServiceError

Reference = Callable[[str, dict[str, Any]], tuple[str, dict[str, Any]]]

NAMES = st.sampled_from(["a", "b", "c", "d"])
UNITS = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}
MANY = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


def key_schemas(most: int) -> st.SearchStrategy[list[dict[str, str]]]:
    """Mostly a hash key, perhaps with a range key; now and then anything."""
    element = st.builds(lambda n, k: {"AttributeName": n, "KeyType": k}, NAMES, st.sampled_from(["HASH", "RANGE"]))
    good = st.lists(NAMES, min_size=1, max_size=2, unique=True).map(
        lambda names: [
            {"AttributeName": name, "KeyType": role} for name, role in zip(names, ("HASH", "RANGE"), strict=False)
        ]
    )
    return st.one_of(good, good, good, st.lists(element, min_size=0, max_size=most))


PROJECTIONS = st.sampled_from(
    [
        {"ProjectionType": "ALL"},
        {"ProjectionType": "KEYS_ONLY"},
        {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["x", "y"]},
        {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["x", "x"]},
        {"ProjectionType": "INCLUDE"},
        {"ProjectionType": "ALL", "NonKeyAttributes": ["x"]},
        {"ProjectionType": "SOME"},
    ]
)
INDEX_NAMES = st.sampled_from(["One", "Two", "Three", "no", "not good"])


@st.composite
def indexes(draw: st.DrawFn, most: int, *, provisioned: bool) -> dict[str, Any]:
    """One index; `provisioned` ones usually have units."""
    index = {"IndexName": draw(INDEX_NAMES), "KeySchema": draw(key_schemas(most)), "Projection": draw(PROJECTIONS)}
    if provisioned:
        index["ProvisionedThroughput"] = UNITS
    return index


@st.composite
def creations(draw: st.DrawFn) -> dict[str, Any]:
    """A CreateTable request, right or wrong, whose definitions are usually those it needs."""
    provisioned = draw(st.booleans())
    request: dict[str, Any] = {"KeySchema": draw(key_schemas(3))}
    request.update({"ProvisionedThroughput": UNITS} if provisioned else {"BillingMode": "PAY_PER_REQUEST"})
    if draw(st.booleans()):
        request["GlobalSecondaryIndexes"] = draw(st.lists(indexes(5, provisioned=provisioned), max_size=3))
    if draw(st.booleans()):
        request["LocalSecondaryIndexes"] = draw(st.lists(indexes(3, provisioned=False), max_size=2))
    used = {key["AttributeName"] for key in request["KeySchema"]}
    for member in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        used |= {key["AttributeName"] for index in request.get(member, ()) for key in index["KeySchema"]}
    defined = draw(st.one_of(st.just(sorted(used)), st.just(sorted(used)), st.lists(NAMES, max_size=4)))
    request["AttributeDefinitions"] = [
        {"AttributeName": name, "AttributeType": draw(st.sampled_from(["S", "N", "B"]))} for name in defined
    ]
    return request


# The service refuses these, as its documentation or its own words show; Local lets them pass.
LAX = (
    "List of LocalSecondaryIndexes is empty",
    "List of GlobalSecondaryIndexes is empty",
    # In a change: keys of a new index that the table has defined before, and the request has not.
    "Some index key attributes are not defined in AttributeDefinitions",
    "You cannot create or delete index while updating table IOPS",
)


def attempt(engine: Engine, operation: str, request: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    try:
        return "", engine.execute(operation, request)
    except ServiceError as error:
        return error.wire_name, {"message": error.message}


def is_lax(theirs: str, answer: dict[str, Any]) -> bool:
    """Whether Local took what the engine is known to refuse with reason."""
    return not theirs and any(words in answer.get("message", "") for words in LAX)


def shown(described: dict[str, Any]) -> dict[str, Any]:
    """What both must agree about."""
    known: dict[str, Any] = {"KeySchema": described["KeySchema"]}
    known["AttributeDefinitions"] = sorted(described["AttributeDefinitions"], key=repr)
    known["Billing"] = described.get("BillingModeSummary", {}).get("BillingMode", "PROVISIONED")
    for unit in UNITS:
        known[unit] = described["ProvisionedThroughput"][unit]
    for member in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        known[member] = {
            index["IndexName"]: (index["KeySchema"], index["Projection"]) for index in described.get(member, ())
        }
    return known


@MANY
@given(request=creations())
def test_tables_are_created_and_refused_alike(reference: Reference, request: dict[str, Any]) -> None:
    name = f"Random{uuid4().hex}"
    theirs, told = reference("CreateTable", {"TableName": name, **request})
    with open_engine("memory:") as engine:
        ours, answer = attempt(engine, "CreateTable", {"TableName": name, **request})
        if not is_lax(theirs, answer):
            assert ours == theirs, (answer, told)
        if not ours:
            mine = engine.execute("DescribeTable", {"TableName": name})["Table"]
            assert shown(mine) == shown(reference("DescribeTable", {"TableName": name})[1]["Table"])
            assert shown(answer["TableDescription"]) == shown(mine)
    if not theirs:
        reference("DeleteTable", {"TableName": name})


BASE: dict[str, Any] = {
    "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}],
    "AttributeDefinitions": [
        {"AttributeName": "a", "AttributeType": "S"},
        {"AttributeName": "b", "AttributeType": "N"},
    ],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "One",
            "KeySchema": [{"AttributeName": "b", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
}


@st.composite
def changes(draw: st.DrawFn, *, provisioned: bool) -> dict[str, Any]:
    """An UpdateTable request, right or wrong."""
    request: dict[str, Any] = {}
    if draw(st.booleans()):
        request["AttributeDefinitions"] = [
            {"AttributeName": name, "AttributeType": "N" if name == "b" else "S"}
            for name in draw(st.lists(NAMES, unique=True, min_size=1))
        ]
    kinds = {
        "Create": indexes(5, provisioned=provisioned),
        "Delete": st.builds(lambda name: {"IndexName": name}, INDEX_NAMES),
    }
    updates = draw(st.lists(st.sampled_from(sorted(kinds)), max_size=2))
    if updates:
        request["GlobalSecondaryIndexUpdates"] = [{kind: draw(kinds[kind])} for kind in updates]
    if provisioned and draw(st.booleans()):
        request["ProvisionedThroughput"] = {**UNITS, "ReadCapacityUnits": draw(st.sampled_from([1, 5, 9]))}
    return request


@MANY
@given(data=st.data(), provisioned=st.booleans())
def test_tables_are_changed_and_refused_alike(reference: Reference, data: st.DataObject, provisioned: bool) -> None:
    change = data.draw(changes(provisioned=provisioned))
    name = f"Random{uuid4().hex}"
    request = copy.deepcopy({"TableName": name, **BASE})
    request.update({"ProvisionedThroughput": UNITS} if provisioned else {"BillingMode": "PAY_PER_REQUEST"})
    if provisioned:
        request["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"] = UNITS
    assert reference("CreateTable", request)[0] == ""
    theirs, told = reference("UpdateTable", {"TableName": name, **change})
    with open_engine("memory:") as engine:
        engine.execute("CreateTable", request)
        ours, answer = attempt(engine, "UpdateTable", {"TableName": name, **change})
        # Of two faults in one request each may tell another first.
        if not is_lax(theirs, answer):
            assert bool(ours) == bool(theirs), (answer, told)
        if not ours and not theirs:
            mine, other = answer["TableDescription"], told["TableDescription"]
            assert {i["IndexName"]: i["IndexStatus"] for i in mine.get("GlobalSecondaryIndexes", ())} == {
                i["IndexName"]: i["IndexStatus"] for i in other.get("GlobalSecondaryIndexes", ())
            }
    reference("DeleteTable", {"TableName": name})
