"""Shards follow one another every four hours, and what is older than a day is gone."""

from __future__ import annotations

from typing import Any

import pytest

HOUR = 3600.0


def keys(records: list[dict[str, Any]]) -> list[str]:
    return [record["dynamodb"]["Keys"]["sk"]["N"] for record in records]


def test_shards_follow_one_another(lab: Any) -> None:
    arn = lab.create()
    for number in range(5):
        lab.put("a", number)
        lab.clock.move(3 * HOUR)
    # Twelve hours with writes, three without.
    shards = lab.shards(arn)
    assert len(shards) == 4
    assert [shard.get("ParentShardId") for shard in shards] == [None, *(shard["ShardId"] for shard in shards[:3])]
    assert ["EndingSequenceNumber" in shard["SequenceNumberRange"] for shard in shards] == [True, True, True, False]
    by_shard = []
    for shard in shards:
        page = lab("GetRecords", ShardIterator=lab.iterator(arn, shard["ShardId"]))
        by_shard.append(keys(page["Records"]))
        assert ("NextShardIterator" in page) == (shard is shards[-1])
        numbers = [record["dynamodb"]["SequenceNumber"] for record in page["Records"]]
        ends = shard["SequenceNumberRange"]
        assert all(ends["StartingSequenceNumber"] < number for number in numbers)
        assert ends.get("EndingSequenceNumber", numbers[-1]) == numbers[-1]
    assert by_shard == [["0", "1"], ["2"], ["3"], ["4"]]
    assert keys(lab.records(arn)) == [*"01234"]


def test_a_reader_goes_from_a_closed_shard_to_the_next(lab: Any) -> None:
    arn = lab.create()
    iterator = lab.iterator(arn)
    lab.put("a", 0)
    lab.clock.move(600)
    iterator = lab("GetRecords", ShardIterator=iterator)["NextShardIterator"]
    lab.clock.move(4 * HOUR - 700)
    iterator = lab.iterator(arn, lab.shards(arn)[0]["ShardId"], "LATEST")
    lab.put("a", 1)
    lab.clock.move(200)
    lab.put("a", 2)
    page = lab("GetRecords", ShardIterator=iterator)
    assert keys(page["Records"]) == ["1"]
    assert "NextShardIterator" not in page
    first, second = lab.shards(arn)
    assert second["ParentShardId"] == first["ShardId"]
    assert keys(lab("GetRecords", ShardIterator=lab.iterator(arn, second["ShardId"]))["Records"]) == ["2"]


@pytest.mark.parametrize("trimmed", [False, True], ids=["stored", "trimmed"])
def test_the_end_of_a_closed_shard_stays_when_its_records_are_gone(lab: Any, trimmed: bool) -> None:
    arn = lab.create()
    for number in range(3):
        lab.put("a", number)
    lab.clock.move(4.5 * HOUR)  # this shard has records, the next one never gets any
    lab.clock.move(4 * HOUR)
    ranges = {shard["ShardId"]: shard["SequenceNumberRange"] for shard in lab.shards(arn)[:2]}
    lab.clock.move(15.6 * HOUR)  # the records are older than a day, their shard is not
    if trimmed:
        for number in range(3, 64):
            lab.put("b", number)
    told = {shard["ShardId"]: shard["SequenceNumberRange"] for shard in lab.shards(arn)}
    assert {name: told[name] for name in ranges} == ranges
    assert all(one["EndingSequenceNumber"] >= one["StartingSequenceNumber"] for one in ranges.values())
    lab.clock.move(3.5 * HOUR)
    (_, empty) = ranges
    assert {shard["ShardId"]: shard["SequenceNumberRange"] for shard in lab.shards(arn)}[empty] == ranges[empty]


def test_shards_are_described_page_by_page(lab: Any) -> None:
    arn = lab.create()
    lab.clock.move(18 * HOUR)
    whole = lab.shards(arn)
    assert len(whole) == 5
    seen: list[dict[str, Any]] = []
    request: dict[str, Any] = {"StreamArn": arn, "Limit": 2}
    while True:
        described = lab("DescribeStream", **request)["StreamDescription"]
        seen += described["Shards"]
        if "LastEvaluatedShardId" not in described:
            break
        request["ExclusiveStartShardId"] = described["LastEvaluatedShardId"]
    assert seen == whole


def test_records_and_shards_are_gone_after_a_day(lab: Any) -> None:
    arn = lab.create()
    for number in range(30):
        lab.put("a", number)
        lab.clock.move(HOUR)
    assert keys(lab.records(arn)) == [str(number) for number in range(6, 30)]
    shards = lab.shards(arn)
    assert len(shards) <= 7
    # The first shard that is left lost its beginning, and says so to readers who remember that.
    start = shards[0]["SequenceNumberRange"]["StartingSequenceNumber"]
    for number in (start, start[:-2] + "05"):
        assert lab.refused(
            "GetShardIterator",
            StreamArn=arn,
            ShardId=shards[0]["ShardId"],
            ShardIteratorType="AT_SEQUENCE_NUMBER",
            SequenceNumber=number,
        ) == (
            "TrimmedDataAccessException",
            "The operation attempted to read past the oldest stream record in a shard.",
        )


def test_an_iterator_whose_record_is_gone(lab: Any) -> None:
    arn = lab.create()
    lab.put("a", 0)
    lab.clock.move(24 * HOUR - 60)
    iterator = lab.iterator(arn, lab.shards(arn)[0]["ShardId"])
    lab.clock.move(120)
    assert lab.refused("GetRecords", ShardIterator=iterator)[0] == "TrimmedDataAccessException"


def test_a_stream_that_is_always_written_to_stays_small(lab: Any) -> None:
    arn = lab.create("KEYS_ONLY")
    log = lab.engine._database.catalogue.tables["App"].capture.log
    for number in range(1_500):
        lab.put("a", number % 7, v={"N": str(number)})
        lab.clock.move(HOUR / 4)
    with lab.engine._database.reading() as connection:
        (kept,) = connection.execute(f"SELECT count(*) FROM {log.name}").fetchone()
    # A day of records, and those that wait to be trimmed with others.
    assert kept <= 96 + 64
    assert len(lab.records(arn)) == 96
    lab.clock.move(25 * HOUR)
    lab.engine.sweep()
    lab.put("b")
    assert len(lab.records(arn)) == 1
    assert lab.records(arn)[0]["dynamodb"]["SequenceNumber"].endswith("1501")


def test_a_clock_that_is_set_back_does_not_disturb_the_order(lab: Any) -> None:
    arn = lab.create()
    lab.clock.move(9 * HOUR)
    lab.put("a", 0)
    lab.clock.move(-8 * HOUR)
    lab.put("a", 1)
    lab.clock.move(9 * HOUR)
    lab.put("a", 2)
    records = lab.records(arn)
    assert keys(records) == [*"012"]
    numbers = [record["dynamodb"]["SequenceNumber"] for record in records]
    assert numbers == sorted(numbers)
    times = [record["dynamodb"]["ApproximateCreationDateTime"] for record in records]
    assert times == sorted(times)


def test_a_clock_before_the_stream(lab: Any) -> None:
    arn = lab.create()
    lab.clock.move(-10 * HOUR)
    lab.put("a", 0)
    assert keys(lab.records(arn)) == ["0"]


def test_the_children_of_a_shard(lab: Any) -> None:
    arn = lab.create()
    lab.clock.move(9 * HOUR)
    first, second, third = lab.shards(arn)

    def children(shard: str) -> list[dict[str, Any]]:
        wanted = {"Type": "CHILD_SHARDS", "ShardId": shard}
        found: list[dict[str, Any]] = lab("DescribeStream", StreamArn=arn, ShardFilter=wanted)["StreamDescription"][
            "Shards"
        ]
        return found

    assert children(first["ShardId"]) == [second]
    assert children(second["ShardId"]) == [third]
    assert children(third["ShardId"]) == []
    wrong = {"Type": "PARENTS", "ShardId": first["ShardId"]}
    assert lab.refused("DescribeStream", StreamArn=arn, ShardFilter=wrong)[0] == "ValidationException"
