"""Query: ranges, order, pages, projections and what may not be asked."""

from itertools import product
from typing import Any

import pytest

INVALID = "One or more parameter values were invalid: "


def fill(table: Any, partition: str = "a") -> None:
    for number in (-10, -2, 0, 1, 2, 10):
        table.put(
            pk={"S": partition},
            sk={"N": str(number)},
            g={"S": "g"},
            r={"S": f"r{number % 3}"},
            h={"N": "1"},
            l={"S": f"l{number:+d}"},
            inc={"S": "inc"},
            v={"S": "v" * 10},
        )


def by_key(condition: str, **values: Any) -> dict[str, Any]:
    return {
        "KeyConditionExpression": condition,
        "ExpressionAttributeValues": {f":{name}": value for name, value in values.items()},
    }


def sorts(response: dict[str, Any]) -> list[int]:
    return [int(item["sk"]["N"]) for item in response["Items"]]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("", [-10, -2, 0, 1, 2, 10]),
        (" AND sk = :s", [1]),
        (" AND sk < :s", [-10, -2, 0]),
        (" AND sk <= :s", [-10, -2, 0, 1]),
        (" AND sk > :s", [2, 10]),
        (" AND sk >= :s", [1, 2, 10]),
        (" AND sk BETWEEN :s AND :t", [1, 2]),
    ],
)
def test_ranges_in_both_directions(table: Any, condition: str, expected: list[int]) -> None:
    fill(table)
    fill(table, "other")
    values = {name: value for name, value in {"s": {"N": "1.0"}, "t": {"N": "2"}}.items() if f":{name}" in condition}
    request = by_key(f"pk = :p{condition}", p={"S": "a"}, **values)
    assert sorts(table("Query", **request)) == expected
    assert sorts(table("Query", **request, ScanIndexForward=False)) == expected[::-1]


def test_strings_are_ordered_by_their_bytes(call: Any) -> None:
    call(
        "CreateTable",
        TableName="Strings",
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": n, "AttributeType": t} for n, t in (("pk", "B"), ("sk", "S"))],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
    )
    texts = ["a", "a\x00", "a#", "aa", "b", "z", "é", "\uffff", "\U00010000"]
    for text in reversed(texts):
        call("PutItem", TableName="Strings", Item={"pk": {"B": "AP8="}, "sk": {"S": text}})
    found = call("Query", TableName="Strings", **by_key("pk = :p", p={"B": "AP8="}))
    assert [item["sk"]["S"] for item in found["Items"]] == texts
    prefixed = call(
        "Query", TableName="Strings", **by_key("pk = :p AND begins_with(sk, :s)", p={"B": "AP8="}, s={"S": "a"})
    )
    assert [item["sk"]["S"] for item in prefixed["Items"]] == ["a", "a\x00", "a#", "aa"]


@pytest.mark.parametrize("forward", [True, False])
@pytest.mark.parametrize(
    "request_",
    [
        by_key("pk = :p", p={"S": "a"}),
        by_key("pk = :p AND sk > :s", p={"S": "a"}, s={"N": "-5"}),
        {"IndexName": "ByGroup", **by_key("g = :p", p={"S": "g"})},
        {"IndexName": "ByGroup", **by_key("g = :p AND r >= :s", p={"S": "g"}, s={"S": "r1"})},
        {"IndexName": "ByGroup", **by_key("g = :p AND r = :s", p={"S": "g"}, s={"S": "r1"})},
        {"IndexName": "ByFour", **by_key("g = :p AND h = :h", p={"S": "g"}, h={"N": "1"})},
        {"IndexName": "ByFour", **by_key("g = :p AND h = :h AND r = :s", p={"S": "g"}, h={"N": "1"}, s={"S": "r1"})},
        {"IndexName": "ByLocal", **by_key("pk = :p", p={"S": "a"})},
        {"IndexName": "ByLocalKeys", **by_key("pk = :p AND begins_with(r, :s)", p={"S": "a"}, s={"S": "r"})},
    ],
)
def test_pages_add_up_to_the_whole(table: Any, request_: dict[str, Any], forward: bool) -> None:
    fill(table)
    fill(table, "other")
    request = {**request_, "ScanIndexForward": forward}
    whole = table("Query", **request)["Items"]
    assert whole
    for limit in (1, 2, 5):
        paged: list[Any] = []
        more: dict[str, Any] = {}
        while True:
            page = table("Query", **request, **more, Limit=limit)
            assert len(page["Items"]) <= limit
            paged += page["Items"]
            if "LastEvaluatedKey" not in page:
                break
            more = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
        assert paged == whole


def test_a_page_can_start_at_an_item_that_is_gone(table: Any) -> None:
    fill(table)
    request = by_key("pk = :p", p={"S": "a"})
    page = table("Query", **request, Limit=3)
    assert page["LastEvaluatedKey"] == {"pk": {"S": "a"}, "sk": {"N": "0"}}
    table("DeleteItem", Key=page["LastEvaluatedKey"])
    assert sorts(table("Query", **request, ExclusiveStartKey=page["LastEvaluatedKey"])) == [1, 2, 10]


def test_the_last_key_holds_table_and_index_keys(table: Any) -> None:
    fill(table)
    request = {"IndexName": "ByFour", **by_key("g = :p AND h = :h", p={"S": "g"}, h={"N": "1"})}
    assert table("Query", **request, Limit=1)["LastEvaluatedKey"].keys() == {"pk", "sk", "g", "h", "r"}


def test_a_reached_limit_gives_a_last_key_even_at_the_end(table: Any) -> None:
    fill(table)
    request = by_key("pk = :p", p={"S": "a"})
    assert "LastEvaluatedKey" in table("Query", **request, Limit=6)
    assert "LastEvaluatedKey" not in table("Query", **request, Limit=7)
    bounded = by_key("pk = :p AND sk <= :s", p={"S": "a"}, s={"N": "10"})
    assert "LastEvaluatedKey" not in table("Query", **bounded, Limit=6)


@pytest.mark.parametrize("limit", [None, 40])
def test_a_page_ends_at_one_megabyte(table: Any, limit: int | None) -> None:
    for number in range(12):
        table.put(pk={"S": "big"}, sk={"N": str(number)}, v={"S": "x" * 100_000})
    more = {} if limit is None else {"Limit": limit}
    request = by_key("pk = :p", p={"S": "big"})
    first = table("Query", **request, **more, ReturnConsumedCapacity="TOTAL")
    assert first["Count"] == 11
    assert first["ConsumedCapacity"]["CapacityUnits"] == 134.5
    rest = table("Query", **request, **more, ExclusiveStartKey=first["LastEvaluatedKey"])
    assert (rest["Count"], "LastEvaluatedKey" in rest) == (1, False)


def test_a_page_of_many_small_items_comes_in_portions(table: Any) -> None:
    for start in range(0, 300, 25):
        puts = [
            {"PutRequest": {"Item": {"pk": {"S": "a"}, "sk": {"N": str(n)}, "l": {"S": f"{n % 7}"}}}}
            for n in range(start, start + 25)
        ]
        table.engine.execute("BatchWriteItem", {"RequestItems": {"App": puts}})
    request = by_key("pk = :p", p={"S": "a"})
    assert sorts(table("Query", **request)) == list(range(300))
    assert sorts(table("Query", **request, ScanIndexForward=False)) == list(range(300))[::-1]
    by_local = table("Query", IndexName="ByLocal", **request)
    assert sorts(by_local) == sorted(range(300), key=lambda n: (str(n % 7), n))
    assert "LastEvaluatedKey" not in by_local


def test_filters_work_after_the_limit(table: Any) -> None:
    fill(table)
    response = table(
        "Query",
        KeyConditionExpression="pk = :p",
        FilterExpression="r = :r",
        ExpressionAttributeValues={":p": {"S": "a"}, ":r": {"S": "r1"}},
        Limit=3,
    )
    assert (response["Count"], response["ScannedCount"]) == (1, 3)
    assert response["LastEvaluatedKey"]["sk"] == {"N": "0"}


def test_projections_of_indexes(table: Any) -> None:
    fill(table)
    group = {"IndexName": "ByGroup", **by_key("g = :p", p={"S": "g"})}
    assert table("Query", **group)["Items"][0].keys() == {"pk", "sk", "g", "r", "inc"}
    assert table("Query", **group, ProjectionExpression="inc")["Items"][0].keys() == {"inc"}
    assert table("Query", **group, Select="ALL_PROJECTED_ATTRIBUTES")["Items"][0].keys() == {
        "pk",
        "sk",
        "g",
        "r",
        "inc",
    }
    keys = {"IndexName": "ByLocalKeys", **by_key("pk = :p", p={"S": "a"})}
    assert table("Query", **keys)["Items"][0].keys() == {"pk", "sk", "r"}
    assert "v" in table("Query", **keys, Select="ALL_ATTRIBUTES")["Items"][0]
    assert table("Query", **keys, ProjectionExpression="v")["Items"][0] == {"v": {"S": "v" * 10}}
    assert "Items" not in table("Query", **keys, Select="COUNT")


def test_a_local_index_that_fetches_pays_for_each_item(table: Any) -> None:
    fill(table)
    keys = {"IndexName": "ByLocalKeys", **by_key("pk = :p", p={"S": "a"})}
    report = table("Query", **keys, Select="ALL_ATTRIBUTES", ReturnConsumedCapacity="INDEXES")["ConsumedCapacity"]
    assert report["Table"] == {"CapacityUnits": 3.0}
    assert report["LocalSecondaryIndexes"] == {"ByLocalKeys": {"CapacityUnits": 0.5}}
    assert report["CapacityUnits"] == 3.5


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({}, "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request."),
        (by_key("sk = :s", s={"N": "1"}), "Query condition missed key schema element: pk"),
        (by_key("pk > :p", p={"S": "a"}), "Query key condition not supported"),
        (by_key("pk = :p", p={"N": "1"}), f"{INVALID}Condition parameter type does not match schema type"),
        ({"IndexName": "Nope", **by_key("g = :p", p={"S": "a"})}, "The table does not have the specified index: Nope"),
        (
            {"IndexName": "ByGroup", "ConsistentRead": True, **by_key("g = :p", p={"S": "a"})},
            "Consistent reads are not supported on global secondary indexes",
        ),
        (
            {"IndexName": "ByGroup", "Select": "ALL_ATTRIBUTES", **by_key("g = :p", p={"S": "a"})},
            f"{INVALID}Select type ALL_ATTRIBUTES is not supported for global secondary index ByGroup because its "
            "projection type is not ALL",
        ),
        (
            {"IndexName": "ByGroup", "ProjectionExpression": "v, w, inc", **by_key("g = :p", p={"S": "a"})},
            f"{INVALID}Global secondary index ByGroup does not project [v, w]",
        ),
        (
            {"IndexName": "ByGroup", "FilterExpression": "v = :p", **by_key("g = :p", p={"S": "a"})},
            f"{INVALID}Secondary index ByGroup does not project one or more filter attributes: [v]",
        ),
        (
            {"IndexName": "ByFour", **by_key("g = :p", p={"S": "a"})},
            "HASH key attributes h must have equality conditions specified in the query",
        ),
        (
            {"IndexName": "ByFour", **by_key("g = :p AND h = :h AND sk > :h", p={"S": "a"}, h={"N": "1"})},
            "RANGE key attributes r must have equality conditions specified in the query because a condition is "
            "present on key attribute sk",
        ),
        (
            {"FilterExpression": "sk = :p", **by_key("pk = :p", p={"S": "a"})},
            "Filter Expression can only contain non-primary key attributes: Primary key attribute: sk",
        ),
        (
            {"Select": "ALL_PROJECTED_ATTRIBUTES", **by_key("pk = :p", p={"S": "a"})},
            "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName",
        ),
        (
            {"Select": "COUNT", "ProjectionExpression": "pk", **by_key("pk = :p", p={"S": "a"})},
            "Cannot specify the ProjectionExpression when choosing to get only the Count",
        ),
        (
            {"Select": "SPECIFIC_ATTRIBUTES", **by_key("pk = :p", p={"S": "a"})},
            "1 validation error detected: Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES",
        ),
        (
            {"Limit": 0, **by_key("pk = :p", p={"S": "a"})},
            "1 validation error detected: Value at 'Limit' failed to satisfy constraint: "
            "Member must have value greater than or equal to 1",
        ),
    ],
)
def test_what_may_not_be_asked(table: Any, request_: dict[str, Any], message: str) -> None:
    assert table.refused("Query", **request_) == ("ValidationException", message)


@pytest.mark.parametrize(
    ("start", "message"),
    [
        ({"pk": {"S": "a"}}, "The provided starting key is invalid"),
        ({"pk": {"S": "a"}, "x": {"N": "1"}}, "The provided starting key is invalid"),
        (
            {"pk": {"S": "a"}, "sk": {"S": "1"}},
            "The provided starting key is invalid: The provided key element does not match the schema",
        ),
        ({"pk": {"S": "b"}, "sk": {"N": "1"}}, "The query can return at most one row and cannot be restarted"),
        ({"pk": {"S": "a"}, "sk": {"N": "0"}}, "The provided starting key does not match the range key predicate"),
        (
            {"pk": {"S": "a"}, "sk": {}},
            "The provided starting key is invalid: "
            "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes",
        ),
    ],
)
def test_starting_keys_must_belong_to_the_query(table: Any, start: dict[str, Any], message: str) -> None:
    request = by_key("pk = :p AND sk > :s", p={"S": "a"}, s={"N": "0"})
    assert table.refused("Query", **request, ExclusiveStartKey=start) == ("ValidationException", message)


@pytest.mark.parametrize(
    ("condition", "start", "forward"),
    [
        ("sk BETWEEN :a AND :b", "4", True),
        ("sk <= :b", "4", True),
        ("sk BETWEEN :a AND :b", "2", False),
        ("sk >= :a", "2", False),
    ],
)
def test_nothing_follows_the_last_bound(table: Any, condition: str, start: str, forward: bool) -> None:
    values = {name: value for name, value in (("a", {"N": "2"}), ("b", {"N": "4"})) if f":{name}" in condition}
    request = by_key(f"pk = :p AND {condition}", p={"S": "a"}, **values) | {"ScanIndexForward": forward}
    behind, before = ({"pk": {"S": "a"}, "sk": {"N": n}} for n in (start, "3"))
    assert table.refused("Query", **request, ExclusiveStartKey=behind) == (
        "ValidationException",
        "The provided starting key does not match the range key predicate",
    )
    table("Query", **request, ExclusiveStartKey=before)
    table("Query", **request | {"ScanIndexForward": not forward}, ExclusiveStartKey=behind)


def test_a_starting_key_of_another_partition(table: Any) -> None:
    request = {**by_key("pk = :p", p={"S": "a"}), "ExclusiveStartKey": {"pk": {"S": "b"}, "sk": {"N": "1"}}}
    assert table.refused("Query", **request) == (
        "ValidationException",
        "The provided starting key is outside query boundaries based on provided conditions",
    )


def test_a_table_without_sort_key(call: Any) -> None:
    call(
        "CreateTable",
        TableName="Plain",
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": n, "AttributeType": "S"} for n in ("id", "g")],
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        GlobalSecondaryIndexes=[
            {
                "IndexName": "ByGroup",
                "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "ALL"},
            }
        ],
    )
    for name in "abc":
        call("PutItem", TableName="Plain", Item={"id": {"S": name}, "g": {"S": "g"}})
    one = call("Query", TableName="Plain", **by_key("id = :p", p={"S": "a"}), Limit=1)
    assert (one["Count"], one["LastEvaluatedKey"]) == (1, {"id": {"S": "a"}})
    again = call(
        "Query", TableName="Plain", **by_key("id = :p", p={"S": "a"}), ExclusiveStartKey=one["LastEvaluatedKey"]
    )
    assert again["Count"] == 0
    assert "LastEvaluatedKey" not in again
    for start, message in (
        ({"id": {"S": "b"}}, "The provided starting key is outside query boundaries based on provided conditions"),
        ({}, "The provided starting key is invalid"),
        ({"id": {"S": "a"}, "g": {"S": "g"}}, "The provided starting key is invalid"),
        (
            {"id": {"N": "1"}},
            "The provided starting key is invalid: The provided key element does not match the schema",
        ),
    ):
        request = {"TableName": "Plain", **by_key("id = :p", p={"S": "a"}), "ExclusiveStartKey": start}
        assert call.refused("Query", **request) == ("ValidationException", message)
    first = call("Query", TableName="Plain", IndexName="ByGroup", **by_key("g = :p", p={"S": "g"}), Limit=2)
    rest = call(
        "Query",
        TableName="Plain",
        IndexName="ByGroup",
        **by_key("g = :p", p={"S": "g"}),
        ExclusiveStartKey=first["LastEvaluatedKey"],
    )
    assert sorted(item["id"]["S"] for item in first["Items"] + rest["Items"]) == ["a", "b", "c"]


def test_items_looked_up_in_the_table_fill_a_page_too(table: Any) -> None:
    for sk in range(24):
        table.put(pk={"S": "a"}, sk={"N": str(sk)}, r={"S": f"r{sk:02}"}, v={"S": "x" * 100_000})
    request = {**by_key("pk = :p", p={"S": "a"}), "IndexName": "ByLocalKeys"}
    assert table("Query", **request)["Count"] == 24
    counts: list[int] = []
    while True:
        page = table("Query", **request, Select="ALL_ATTRIBUTES")
        counts.append(page["Count"])
        if "LastEvaluatedKey" not in page:
            break
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]
    assert counts == [11, 11, 2]


# ------------------------------------------------------------------------------------------ indexes of many attributes

HASHES, RANGES = ("h1", "h2", "h3", "h4"), ("r1", "r2", "r3", "r4")
TAGS = dict(zip((*HASHES, *RANGES), "SNBSNSBN", strict=True))


@pytest.fixture
def widest(call: Any) -> list[dict[str, Any]]:
    """A table whose index has four and four key attributes, and what it holds of one partition, in order."""
    roles = [("HASH", name) for name in HASHES] + [("RANGE", name) for name in RANGES]
    call(
        "CreateTable",
        TableName="Wide",
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": n, "AttributeType": t} for n, t in {"pk": "S", **TAGS}.items()],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        GlobalSecondaryIndexes=[
            {
                "IndexName": "Widest",
                "KeySchema": [{"AttributeName": name, "KeyType": role} for role, name in roles],
                "Projection": {"ProjectionType": "ALL"},
            }
        ],
    )
    values = {"S": ("a", "b"), "N": ("-1", "10"), "B": ("AA==", "/w==")}
    partition = {name: {TAGS[name]: values[TAGS[name]][0]} for name in HASHES}
    held: list[dict[str, Any]] = []
    for number, chosen in enumerate(product((0, 1), repeat=4)):
        sorts = {name: {TAGS[name]: values[TAGS[name]][one]} for name, one in zip(RANGES, chosen, strict=True)}
        held.append({"pk": {"S": f"in{number}"}, **partition, **sorts})
    for item in reversed(held):
        call("PutItem", TableName="Wide", Item=item)
        # Beside it: another partition by each of the attributes, and an item that lacks one and is not in the index.
        for name in HASHES:
            other = {name: {TAGS[name]: values[TAGS[name]][1]}}
            call("PutItem", TableName="Wide", Item={**item, "pk": {"S": f"{name} {item['pk']['S']}"}, **other})
        lacking = {name: value for name, value in item.items() if name != "r4"}
        call("PutItem", TableName="Wide", Item={**lacking, "pk": {"S": f"out {item['pk']['S']}"}})
    return held


@pytest.mark.parametrize("forward", [True, False])
@pytest.mark.parametrize("given", range(5))
def test_an_index_of_four_and_four_attributes(
    call: Any, widest: list[dict[str, Any]], given: int, forward: bool
) -> None:
    """Equality on all of the partition, on sort attributes from the left, and one range behind them."""
    first = widest[5]
    equal = (*HASHES, *RANGES[:given])
    condition = " AND ".join(f"{name} = :{name}" for name in equal)
    values = {f":{name}": first[name] for name in equal}
    expected = [item for item in widest if all(item[name] == first[name] for name in equal)]
    conditions = [(condition, values, expected)]
    if given < 4:
        name = RANGES[given]
        greater = [item for item in expected if item[name] != widest[0][name]]
        conditions.append((f"{condition} AND {name} > :low", {**values, ":low": widest[0][name]}, greater))
    for text, bound, wanted in conditions:
        request = {
            "TableName": "Wide",
            "IndexName": "Widest",
            "KeyConditionExpression": text,
            "ExpressionAttributeValues": bound,
            "ScanIndexForward": forward,
            "Limit": 3,
        }
        found: list[dict[str, Any]] = []
        while True:
            page = call("Query", **request)
            found += page["Items"]
            if "LastEvaluatedKey" not in page:
                break
            assert page["LastEvaluatedKey"].keys() == {"pk", *HASHES, *RANGES}
            request["ExclusiveStartKey"] = page["LastEvaluatedKey"]
        assert found == (wanted if forward else wanted[::-1])


def test_an_item_moves_in_an_index_of_many_attributes(call: Any, widest: list[dict[str, Any]]) -> None:
    key = {"TableName": "Wide", "Key": {"pk": widest[0]["pk"]}}
    request = {
        "TableName": "Wide",
        "IndexName": "Widest",
        "KeyConditionExpression": " AND ".join(f"{name} = :{name}" for name in HASHES),
        "ExpressionAttributeValues": {f":{name}": widest[0][name] for name in HASHES},
    }

    def order() -> list[str]:
        return [item["pk"]["S"] for item in call("Query", **request)["Items"]]

    names = [item["pk"]["S"] for item in widest]
    last = {":v": {"N": "99"}}
    call("UpdateItem", **key, UpdateExpression="SET r1 = :v", ExpressionAttributeValues=last)
    assert order() == [*names[1:], names[0]]
    call("UpdateItem", **key, UpdateExpression="REMOVE h3")
    assert order() == names[1:]
    call("UpdateItem", **key, UpdateExpression="SET h3 = :v", ExpressionAttributeValues={":v": widest[0]["h3"]})
    assert order() == [*names[1:], names[0]]
