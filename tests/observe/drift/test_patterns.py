"""Patterns that run, or not, more often, dearer and slower than declared; and reads that are of no pattern."""

import pytest
from msgspec.structs import replace

from tablewright import Entity, Get, Keys, Query, Table, get, query
from tablewright.observe.drift import Drift, compare, shown
from tablewright.observe.sketches.quantiles import Quantiles
from tablewright.observe.snapshot import Minute, Snapshot, Traffic


def of(drift: Drift) -> list[tuple[str, str]]:
    return [(one.kind, one.text) for one in drift.departures]


def traffic_of(day: Snapshot, pattern: str) -> Traffic:
    (one,) = [t for t in day.traffic if t.pattern == pattern]
    return one


def test_a_day_as_declared(shop: Table, day: Snapshot) -> None:
    drift = compare(shop.plan, day)
    assert of(drift) == []
    order, orders_of, *_ = drift.patterns
    assert (order.name, order.requests, order.runs, order.units, order.expected_units) == (
        "order",
        100_000,
        100_000,
        0.5,
        0.5,
    )
    assert round(order.rate, 3) == 1.157
    assert (orders_of.results, orders_of.declared_results, orders_of.index) == (20.0, 20, None)
    assert orders_of.p99_ms == pytest.approx(4, rel=0.01)


def test_one_that_did_not_run(shop: Table, day: Snapshot) -> None:
    day.traffic.remove(traffic_of(day, "order"))
    ((kind, text),) = of(compare(shop.plan, day))
    assert (kind, text) == ("pattern-unseen", "order() did not run, in 1 day with 66,000 requests.")


def test_after_an_hour_nothing_is_missed(shop: Table, day: Snapshot) -> None:
    day.spans, day.traffic = [(0.0, 3600.0)], [traffic_of(day, "order")]
    day.traffic[0].requests, day.traffic[0].read_units = 10_000, 5000.0
    drift = compare(shop.plan, day)
    assert of(drift) == []
    assert drift.notes[0].startswith("It is too early to miss something, after 1 hour with 10,000 requests")


def test_more_often(shop: Table, day: Snapshot) -> None:
    one = traffic_of(day, "order")
    one.requests, one.read_units, one.returned = 3_000_000, 1_500_000.0, 3_000_000
    assert of(compare(shop.plan, day)) == [
        ("pattern-more-often", "order() runs 34.72 times a second on average; declared are 20 at the peak.")
    ]


def test_less_often_than_the_busiest_second_allows(shop: Table, day: Snapshot) -> None:
    day.minutes = {1: Minute(peak_requests=9)}
    assert ("pattern-less-often", "order()") in [(d.kind, d.subject) for d in compare(shop.plan, day).departures]
    assert (
        "pattern-less-often",
        "order() is declared with 20 calls a second at the peak, but the busiest second of the whole table had 9 requests, in 1 day.",
    ) in of(compare(shop.plan, day))
    day.minutes = {1: Minute(peak_requests=10)}
    assert of(compare(shop.plan, day)) == []


def test_dearer_with_more_results(shop: Table, day: Snapshot) -> None:
    one = traffic_of(day, "orders_of")
    one.read_units, one.returned = 40_000 * 6.5, 40_000 * 52
    assert of(compare(shop.plan, day)) == [
        ("pattern-dearer", "A call of orders_of() takes 6.5 read units; by what is declared it should be 2.5."),
        ("pattern-more-results", "orders_of() returns 52 items on average; declared are 20."),
    ]


def test_cheaper_with_fewer_results(shop: Table, day: Snapshot) -> None:
    one = traffic_of(day, "with_status")
    one.read_units, one.returned = 5000 * 1.0, 5000 * 8
    assert of(compare(shop.plan, day)) == [
        ("pattern-cheaper", "A call of with_status() takes 1 read unit, less than the 5 by what is declared."),
        ("pattern-fewer-results", "with_status() returns 8 items on average, of 40 that are declared."),
    ]


def test_further_pages_are_no_calls(shop: Table, day: Snapshot) -> None:
    one = traffic_of(day, "orders_of")
    one.requests, one.continued = 80_000, 40_000
    assert compare(shop.plan, day).patterns[1].runs == 40_000
    assert of(compare(shop.plan, day)) == []


def test_slower(shop: Table, day: Snapshot) -> None:
    latency = Quantiles()
    latency.add([0.004] * 950 + [0.030] * 50)
    traffic_of(day, "order").latency = latency
    assert of(compare(shop.plan, day)) == [
        ("pattern-slower", "order() is answered within 30 ms in 99 of 100 requests; declared are 10 ms.")
    ]


@pytest.mark.parametrize("calls", [10, 49])
def test_few_calls_say_nothing(shop: Table, day: Snapshot, calls: int) -> None:
    slow = Quantiles()
    slow.add([5.0] * calls)
    one = traffic_of(day, "orders_of")
    one.requests, one.read_units, one.returned, one.latency = calls, 100.0 * calls, 900 * calls, slow
    assert of(compare(shop.plan, day)) == []


def test_reads_that_no_pattern_declares(shop: Table, day: Snapshot) -> None:
    day.traffic += [
        Traffic(operation="Scan", entity="Order", requests=20_000, read_units=9000.0),
        Traffic(operation="Query", index="GSI1", pattern="renamed", requests=4000, read_units=50.0),
        Traffic(operation="GetItem", entity="Order", requests=100, read_units=50.0),
    ]
    drift = compare(shop.plan, day)
    assert [(u.operation, u.index, u.requests) for u in drift.undeclared] == [
        ("Scan", None, 20_000),
        ("Query", "GSI1", 4000),
        ("GetItem", None, 100),
    ]
    assert of(drift) == [
        (
            "undeclared-requests",
            "No pattern declares Scan of Order: 20,000 requests, 11% of all, for 9,000 read units.",
        ),
        (
            "undeclared-requests",
            "No pattern declares renamed() by GSI1: 4,000 requests, 2.1% of all, for 50 read units.",
        ),
    ]


def test_nothing_was_observed(shop: Table) -> None:
    drift = compare(shop.plan, Snapshot(table="Shop"))
    assert of(drift) == []
    assert [use.requests for use in drift.patterns] == [0, 0, 0, 0]
    assert replace(drift.patterns[0], units=1.0).rate == 0.0


def test_what_writes_read_themselves_is_no_pattern_that_is_missing(shop: Table, day: Snapshot) -> None:
    day.traffic.append(Traffic(operation="GetItem", entity="Order", write="close", requests=5_000, read_units=5_000.0))
    drift = compare(shop.plan, day)
    assert (of(drift), drift.undeclared) == ([], ())
    day.traffic[-1].write = None
    assert [kind for kind, _ in of(compare(shop.plan, day))] == ["undeclared-requests"]


def said(**expected: dict[str, int]) -> Drift:
    """A thousand calls that take more than would follow from types; what is expected of the entity and of each pattern."""
    table = Table("Unsaid")

    class Order(Entity, table=table):
        keys = Keys("C#{customer}", "O#{number}")
        customer: str
        number: str
        text: str = ""

    @table.pattern
    def one(customer: str, number: str) -> Get[Order]:
        return get(Order, Order.customer == customer, Order.number == number)

    @table.pattern
    def many(customer: str) -> Query[Order]:
        return query(Order, Order.customer == customer)

    for what in (Order, one, many):
        name = what.__name__ if isinstance(what, type) else what.name
        if name in expected:
            table.expect(what, **expected[name])
    seen = Snapshot(table="Unsaid", spans=[(0.0, 3600.0)])
    for operation, pattern in (("GetItem", "one"), ("Query", "many")):
        seen.traffic.append(Traffic(operation=operation, pattern=pattern, requests=1_000, read_units=7_500.0))
    return compare(table.plan, seen)


@pytest.mark.parametrize(
    ("expected", "departs"),
    [
        ({}, []),
        ({"one": {"rate": 1}, "Order": {"items": 1_000, "writes": 1}}, []),
        ({"Order": {"size": 200}}, ["one()"]),  # how many the other returns, nobody said
        ({"many": {"results": 5}}, ["many()"]),
        ({"Order": {"size": 200}, "many": {"results": 5}}, ["one()", "many()"]),
    ],
    ids=["nothing", "other figures", "a size", "a number", "both"],
)
def test_only_what_was_declared_can_be_departed_from(expected: dict[str, dict[str, int]], departs: list[str]) -> None:
    drift = said(**expected)
    assert [one.subject for one in drift.departures if one.kind == "pattern-dearer"] == departs
    assert shown(drift).count("(expected ") == len(departs)
