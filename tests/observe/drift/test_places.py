"""Indexes that nobody reads, and partitions: how many, how busy, how fast they grow."""

import pytest

from tablewright import Table
from tablewright.observe.drift import Drift, compare
from tablewright.observe.snapshot import Peak, Place, Snapshot

MB = 2**20


def of(drift: Drift) -> list[tuple[str, str]]:
    return [(one.kind, one.text) for one in drift.departures]


def test_an_index_that_nobody_reads(shop: Table, day: Snapshot) -> None:
    day.traffic = [t for t in day.traffic if t.index != "GSI1"]
    del day.places["GSI1"]
    assert of(compare(shop.plan, day)) == [
        ("pattern-unseen", "with_status() did not run, in 1 day with 161,000 requests."),
        ("index-unread", "Nobody read GSI1, in 1 day with 161,000 requests."),
    ]


def test_an_hour_is_too_short_for_that(shop: Table, day: Snapshot) -> None:
    day.spans = [(0.0, 80_000.0)]
    day.traffic = [t for t in day.traffic if t.index != "GSI1"]
    del day.places["GSI1"]
    assert of(compare(shop.plan, day)) == []


def test_more_partitions(shop: Table, day: Snapshot) -> None:
    day.places["GSI1"].partitions.add(f"STATUS#new-{n}" for n in range(300))
    ((kind, text),) = of(compare(shop.plan, day))
    assert kind == "partitions-more"
    assert text.startswith("GSI1 has some 30")
    assert text.endswith(" partition keys in use; by what is declared there are 4.")


def test_fewer_partitions(shop: Table, day: Snapshot) -> None:
    day.places[""] = Place(last_used=1.0)
    day.places[""].partitions.add(f"CUSTOMER#{n}" for n in range(12))
    assert of(compare(shop.plan, day)) == [
        ("partitions-fewer", "The table was asked for some 12 partition keys only, of 1,000 by what is declared.")
    ]


def test_fewer_partitions_after_few_requests(shop: Table, day: Snapshot) -> None:
    day.places[""] = Place(last_used=1.0)
    day.places[""].partitions.add(f"CUSTOMER#{n}" for n in range(12))
    for one in day.traffic:
        one.requests, one.read_units, one.returned = one.requests // 20, one.read_units / 20, one.returned // 20
    assert of(compare(shop.plan, day)) == []


@pytest.mark.parametrize(
    ("reads", "writes", "told"),
    [
        (3400.0, 0.0, "took 3,400 read units in its busiest second: more than the 3,000 that it bears."),
        (0.0, 850.0, "took 850 write units in its busiest second: close to the 1,000 that it bears."),
        (2399.0, 799.0, None),
    ],
    ids=["reads", "writes", "neither"],
)
def test_busy_partitions(shop: Table, day: Snapshot, reads: float, writes: float, told: str | None) -> None:
    day.places["GSI1"].peaks["STATUS#open"] = Peak(reads, writes)
    expected = [] if told is None else [("partition-too-busy", f"The partition 'STATUS#open' of GSI1 {told}")]
    assert of(compare(shop.plan, day)) == expected


def test_busy_in_several_processes_is_busy_at_most(shop: Table, day: Snapshot) -> None:
    day.processes = 4
    day.places[""].peaks["CUSTOMER#ada"] = Peak(0.0, 1200.0)
    ((_, text),) = of(compare(shop.plan, day))
    assert (
        "1,200 write units in its busiest second, if the busiest seconds of 4 processes were the same: more than"
        in text
    )


def test_a_partition_that_grows(shop: Table, day: Snapshot) -> None:
    day.places[""].writes.add("CUSTOMER#ada", 200 * MB / 1024)
    day.places[""].writes.add("CUSTOMER#bob", 90 * MB / 1024)
    ((kind, text),) = of(compare(shop.plan, day))
    assert kind == "partition-growing"
    assert text == (
        "Up to 200 MB were written to the partition 'CUSTOMER#ada' of the table in 1 day. If all of it is new, it may hold 10 GB in "
        "50.2 days; beyond 10 GB its writes are refused, since the table has local indexes."
    )


def test_a_partition_that_may_be_full(shop: Table, day: Snapshot) -> None:
    day.places["GSI1"].writes.add("STATUS#open", 11 * 1024 * MB / 1024)
    ((_, text),) = of(compare(shop.plan, day))
    assert "it may hold 10 GB already; beyond 10 GB it is split by its sort keys" in text


def test_what_was_let_go_of_the_sketch_is_not_counted_as_written(shop: Table, day: Snapshot) -> None:
    day.places[""].writes.add("CUSTOMER#ada", 90 * MB / 1024)
    day.places[""].writes.lost = 1e9
    assert of(compare(shop.plan, day)) == []
