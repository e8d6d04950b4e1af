"""Entities that are larger, smaller, or written more often than declared, and items near the limit."""

from tablewright import Table
from tablewright.observe.drift import Drift, compare
from tablewright.observe.snapshot import Minute, Snapshot

KB = 1024


def of(drift: Drift) -> list[tuple[str, str]]:
    return [(one.kind, one.text) for one in drift.departures]


def sized(day: Snapshot, number: int, size: int) -> None:
    for one in day.traffic:
        one.sized, one.size = 0, 0
    day.traffic[0].sized, day.traffic[0].size = number, number * size


def test_larger(shop: Table, day: Snapshot) -> None:
    sized(day, 500, 3000)
    drift = compare(shop.plan, day)
    (use,) = drift.entities
    assert (use.name, use.measured, use.size, use.declared_size) == ("Order", 500, 3000.0, 1000)
    assert of(drift) == [
        ("entity-larger", "A usual Order has 2.9 KB, by 500 items that were measured; declared are 1,000 bytes.")
    ]


def test_smaller(shop: Table, day: Snapshot) -> None:
    sized(day, 500, 300)
    assert of(compare(shop.plan, day)) == [
        (
            "entity-smaller",
            "A usual Order has 300 bytes, by 500 items that were measured, less than the 1,000 bytes that are declared.",
        )
    ]


def test_within_what_is_usual(shop: Table, day: Snapshot) -> None:
    sized(day, 500, 1400)
    assert of(compare(shop.plan, day)) == []


def test_too_few_were_measured(shop: Table, day: Snapshot) -> None:
    sized(day, 29, 9000)
    assert of(compare(shop.plan, day)) == []


def test_the_largest_is_larger_than_declared(shop: Table, day: Snapshot) -> None:
    day.traffic[1].largest = 50 * KB
    assert of(compare(shop.plan, day)) == [
        ("entity-larger", "Order has 50 KB at the largest; declared are 19.5 KB at most.")
    ]


def test_near_the_limit_of_items(shop: Table, day: Snapshot) -> None:
    day.traffic[-1].largest = 350 * KB
    assert [kind for kind, _ in of(compare(shop.plan, day))] == ["entity-larger", "item-near-limit"]
    assert of(compare(shop.plan, day))[1][1] == (
        "Order has items of 350 KB: 88% of the 400 KB beyond which writes are refused."
    )


def test_more_writes(shop: Table, day: Snapshot) -> None:
    day.traffic[-1].requests = 2_000_000
    assert of(compare(shop.plan, day)) == [
        ("entity-more-writes", "Order is written 23.15 times a second on average; declared are 10 at the peak.")
    ]


def test_fewer_writes_than_the_busiest_second_allows(shop: Table, day: Snapshot) -> None:
    day.minutes = {1: Minute(peak_requests=4)}
    assert (
        "entity-fewer-writes",
        "Order is declared with 10 writes a second at the peak, but the busiest second of the whole table had 4 requests, in 1 day.",
    ) in of(compare(shop.plan, day))
