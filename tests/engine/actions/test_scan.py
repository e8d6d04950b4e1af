"""Scan: everything once, in pages and in segments."""

from typing import Any

import pytest


def fill(table: Any, partitions: int = 30) -> set[tuple[str, int]]:
    keys = {(f"p{p}", n) for p in range(partitions) for n in range(3)}
    for pk, sk in keys:
        table.put(pk={"S": pk}, sk={"N": str(sk)}, l={"S": "l"}, **({"g": {"S": pk}, "r": {"S": "r"}} if sk else {}))
    return keys


def pages(table: Any, **request: Any) -> list[dict[str, Any]]:
    found = [table("Scan", **request)]
    while "LastEvaluatedKey" in found[-1]:
        found.append(table("Scan", **request, ExclusiveStartKey=found[-1]["LastEvaluatedKey"]))
    return found


def keys_of(found: list[dict[str, Any]]) -> list[tuple[str, int]]:
    return [(item["pk"]["S"], int(item["sk"]["N"])) for page in found for item in page["Items"]]


@pytest.mark.parametrize("limit", [1, 7, 1000])
def test_pages_show_every_item_once(table: Any, limit: int) -> None:
    expected = fill(table)
    found = keys_of(pages(table, Limit=limit))
    assert len(found) == len(expected)
    assert set(found) == expected


def test_partitions_stay_together_and_sorted(table: Any) -> None:
    fill(table)
    found = keys_of(pages(table))
    partitions = list(dict.fromkeys(pk for pk, _ in found))
    assert found == [(pk, sk) for pk in partitions for sk in range(3)]


@pytest.mark.parametrize("index", [None, "ByGroup", "ByLocal"])
@pytest.mark.parametrize("total", [1, 2, 7])
def test_segments_share_the_items(table: Any, total: int, index: str | None) -> None:
    expected = {key for key in fill(table) if index != "ByGroup" or key[1]}
    more = {} if index is None else {"IndexName": index}
    shares = [keys_of(pages(table, Segment=s, TotalSegments=total, Limit=4, **more)) for s in range(total)]
    assert sorted(key for share in shares for key in share) == sorted(expected)
    assert all(shares)


@pytest.mark.parametrize("total", [65_537, 1_000_000])
def test_there_may_be_more_segments_than_places_for_partitions(table: Any, total: int) -> None:
    fill(table)
    for segment in (total - 1, total - 2, total - total // 65_536):
        assert table("Scan", Segment=segment, TotalSegments=total)["Items"] == []


def test_a_filter_may_name_keys(table: Any) -> None:
    fill(table)
    response = table(
        "Scan", FilterExpression="pk = :p AND sk > :s", ExpressionAttributeValues={":p": {"S": "p3"}, ":s": {"N": "0"}}
    )
    assert (response["Count"], response["ScannedCount"]) == (2, 90)


def test_a_sparse_index_holds_only_items_with_its_keys(table: Any) -> None:
    fill(table)
    assert table("Scan", IndexName="ByGroup", Select="COUNT") == {"Count": 60, "ScannedCount": 60}
    assert table("Scan", IndexName="ByFour", Select="COUNT")["Count"] == 0


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (
            {"Segment": 1},
            "The TotalSegments parameter is required but was not present in the request when Segment parameter is "
            "present",
        ),
        (
            {"TotalSegments": 1},
            "The Segment parameter is required but was not present in the request when parameter TotalSegments is "
            "present",
        ),
        (
            {"Segment": 2, "TotalSegments": 2},
            "The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: 2 is not less "
            "than TotalSegments: 2",
        ),
        (
            {"ExclusiveStartKey": {"pk": {"S": "a"}}},
            "The provided starting key is invalid: The provided key element does not match the schema",
        ),
        ({"IndexName": "ByGroup", "ExclusiveStartKey": {"pk": {"S": "a"}}}, "The provided starting key is invalid"),
        (
            {
                "IndexName": "ByGroup",
                "ExclusiveStartKey": {"pk": {"S": "a"}, "sk": {"N": "1"}, "g": {"N": "1"}, "r": {"S": "r"}},
            },
            "The provided key element does not match the schema",
        ),
        (
            {"IndexName": "ByGroup", "ConsistentRead": True},
            "Consistent reads are not supported on global secondary indexes",
        ),
    ],
)
def test_what_may_not_be_asked(table: Any, request_: dict[str, Any], message: str) -> None:
    assert table.refused("Scan", **request_) == ("ValidationException", message)


def test_a_starting_key_must_lie_in_its_segment(table: Any) -> None:
    fill(table)
    start = {"pk": {"S": "p1"}, "sk": {"N": "1"}}
    outcomes: list[str] = []
    for segment in range(3):
        request = {"Segment": segment, "TotalSegments": 3, "ExclusiveStartKey": start}
        try:
            table("Scan", **request)
            outcomes.append("read")
        except Exception as error:
            outcomes.append(str(error))
    refused = [text for text in outcomes if text != "read"]
    assert len(refused) == 2
    assert all("Please use ExclusiveStartKey with correct Segment. TotalSegments: 3" in text for text in refused)


def test_capacity_of_a_partial_projection_counts_what_it_carries(table: Any) -> None:
    for number in range(10):
        table.put(pk={"S": "a"}, sk={"N": str(number)}, g={"S": "g"}, r={"S": "r"}, v={"S": "v" * 4000})
    report = table("Scan", IndexName="ByGroup", ReturnConsumedCapacity="INDEXES")["ConsumedCapacity"]
    assert report["GlobalSecondaryIndexes"] == {"ByGroup": {"CapacityUnits": 0.5}}
    assert table("Scan", ReturnConsumedCapacity="TOTAL")["ConsumedCapacity"]["CapacityUnits"] == 5.0


def test_capacity_is_that_of_all_that_was_read_together(table: Any) -> None:
    def units(**request: Any) -> float:
        return float(table("Scan", ReturnConsumedCapacity="TOTAL", **request)["ConsumedCapacity"]["CapacityUnits"])

    # Reading nothing costs the smallest unit there is.
    assert (units(), units(ConsistentRead=True)) == (0.5, 1.0)
    for number in range(10):
        table.put(pk={"S": "a"}, sk={"N": str(number)}, v={"S": "v" * 900})
    # Nine kilobytes are three units, not ten items of one unit each; what a filter or a count leaves out is read too.
    assert (units(), units(ConsistentRead=True)) == (1.5, 3.0)
    assert units(FilterExpression="attribute_exists(nothing)") == 1.5
    assert units(Select="COUNT", ConsistentRead=True) == 3.0
    assert units(ProjectionExpression="pk", Limit=1) == 0.5
    assert sum(units(Segment=segment, TotalSegments=2) for segment in (0, 1)) == 2.0
