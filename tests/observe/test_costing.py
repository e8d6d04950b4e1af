"""What was observed against what was declared: real requests on the engine, and their figures in a snapshot."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright import Session, Table
from tablewright.cost.entities import TABLE
from tablewright.cost.estimating import estimate
from tablewright.cost.modes import compare_modes
from tablewright.cost.observed import observed_loads, shown_observed
from tablewright.cost.prices import MONTH
from tablewright.errors import ArgumentError
from tablewright.observe.costing import estimate_observed, observed_use
from tablewright.observe.snapshot import Minute, Snapshot, Traffic

NOON = 1_767_268_800.0
HOUR = 3600

MODEL = """
from tablewright import GSI, Entity, Get, Keys, Query, Table, get, query

shop = Table("Shop", indexes=[GSI("GSI1")])


class Order(Entity, table=shop):
    keys = Keys("CUSTOMER#{customer}", "ORDER#{order}", GSI1=("ORDER#{order}", "ORDER"))
    customer: str
    order: str
    notes: str = ""


@shop.pattern
def order(order: str) -> Get[Order]:
    return get(Order, Order.order == order)


@shop.pattern
def orders_of(customer: str) -> Query[Order]:
    return query(Order, Order.customer == customer)


shop.expect(Order, items=1_000, size=1_500, writes=10)
shop.expect(order, rate=5)
shop.expect(orders_of, rate=1, results=8)
"""


class Shop:
    def __init__(self) -> None:
        made: dict[str, Any] = {"__name__": "observed_shop"}
        exec(compile(MODEL, "observed_shop", "exec"), made)
        self.table: Table = made["shop"]
        self.Order, self.order, self.orders_of = made["Order"], made["order"], made["orders_of"]


def watched(shop: Shop, seconds: float = HOUR) -> Snapshot:
    """Ten orders of 1,500 bytes, and each of them read; what the engine says of each request is what is noted."""
    seen = Snapshot(table="Shop", spans=[(NOON, NOON + seconds)])
    put = Traffic(operation="PutItem", entity="Order")
    one = Traffic(operation="Query", index="GSI1", pattern="order", entity="Order")
    several = Traffic(operation="Query", pattern="orders_of", entity="Order")
    scan = Traffic(operation="Scan")
    with shop.table.open("memory:") as db:
        for number in range(8):
            item = shop.Order(customer="c" * 24, order=f"{number:024}", notes="n" * 1_150)
            _count(db, put, lambda item=item: db.create(item))
            put.sized, put.size = put.sized + 1, put.size + 1_450
            put.index_units["GSI1"] = put.index_units.get("GSI1", 0.0) + 2
        for number in range(8):
            _count(db, one, lambda number=number: db.run(shop.order, f"{number:024}"))
        _count(db, several, lambda: list(db.run(shop.orders_of, "c" * 24)))
        found = db.send("Scan", {"TableName": "Shop", "ReturnConsumedCapacity": "TOTAL"})
        scan.requests, scan.read_units = 1, found["ConsumedCapacity"]["CapacityUnits"]
    seen.traffic = [put, one, several, scan]
    for t in seen.traffic:
        minute = seen.minutes.setdefault(int(NOON // 60) + 5, Minute())
        minute.merge(Minute(t.requests, t.read_units, t.write_units))
    return seen


def _count(db: Session, traffic: Traffic, send: Any) -> None:
    with db.measure() as meter:
        send()
    traffic.requests += 1
    traffic.read_units += meter.capacity.read
    traffic.write_units += meter.capacity.write


def test_each_pattern_and_entity_stands_beside_what_was_declared() -> None:
    shop = Shop()
    found = estimate_observed(shop.table, watched(shop))
    declared = estimate(shop.table)
    rows = {row.name: row for row in (*found.patterns, *found.entities)}
    order, orders, entity = rows["order()"], rows["orders_of()"], rows["Order"]
    # Items are as large as was said, so that a request costs what the estimate says.
    assert (order.observed_units, orders.observed_units, entity.observed_units) == (0.5, 1.5, 4.0)
    assert [order.declared_units, orders.declared_units, entity.declared_units] == [0.5, 1.5, 4.0]
    assert order.observed_rate == pytest.approx(8 / HOUR)
    assert (order.declared_rate, entity.declared_rate) == (5, 10)
    assert order.observed_month == pytest.approx(8 / HOUR * 0.5 * MONTH / 1e6 * 0.125)
    assert entity.observed_month == pytest.approx(8 / HOUR * 4 * MONTH / 1e6 * 0.625)
    assert sum(row.declared_month for row in found.patterns) == pytest.approx(declared.bill().reads)
    assert sum(row.declared_month for row in found.entities) == pytest.approx(declared.bill().writes)
    assert (entity.size, entity.observed_size) == (1_500, 1_450)
    assert entity.departs
    (scan,) = found.undeclared
    assert (scan.name, scan.declared_rate, scan.declared_month) == ("Scan", None, 0)
    every = (*found.patterns, *found.entities, *found.undeclared)
    assert found.observed.reads + found.observed.writes == pytest.approx(sum(row.observed_month for row in every))
    assert (found.observed.storage, found.observed.recovery) == (declared.bill().storage, declared.bill().recovery)


def test_what_was_looked_at_is_told() -> None:
    shop = Shop()
    seen = watched(shop)
    seen.traffic = [t for t in seen.traffic if t.pattern != "order"]
    text = shown_observed(estimate_observed(shop.table, seen))
    assert "Observed for 60 minutes between 2026-01-01 12:00 and 2026-01-01 13:00 UTC" in text
    assert "A week shows more" in text
    assert "Never ran while somebody looked: order()." in text
    assert "Not in the model:\n  Scan: 0.00 declared" in text
    assert "1,500 bytes declared, 1,450 observed) <- departs" in text


def test_answers_without_units_are_made_up_for() -> None:
    shop = Shop()
    seen = watched(shop)
    put = seen.traffic[0]
    put.unmetered, put.write_units = 4, put.write_units / 2
    put.index_units["GSI1"] /= 2
    found = estimate_observed(shop.table, seen)
    assert {row.name: row for row in found.entities}["Order"].observed_units == 4.0
    assert any(note.startswith("4 answers did not tell") for note in found.notes)


def test_a_model_that_changed_still_shows_what_ran() -> None:
    shop = Shop()
    seen = watched(shop)
    seen.traffic[1].pattern, seen.traffic[0].entity = "order_once", "Purchase"
    found = estimate_observed(shop.table, seen)
    assert {row.name for row in found.undeclared} == {"Scan", "order_once()", "Purchase"}


def test_minutes_make_a_load_for_each_place() -> None:
    shop = Shop()
    seen = watched(shop)
    use = observed_use(seen)
    assert len(use.minutes) == 59  # those that were seen whole
    loads = observed_loads(shop.table, use)
    units = sum(t.read_units for t in seen.traffic), sum(t.write_units for t in seen.traffic)
    assert sum(sum(load.reads) for load in loads.values()) * 60 == pytest.approx(units[0])
    assert sum(sum(load.writes) for load in loads.values()) * 60 == pytest.approx(units[1])
    assert sum(loads["GSI1"].reads) * 60 == pytest.approx(4.0)  # eight orders by their id
    assert sum(loads["GSI1"].writes) * 60 == pytest.approx(16.0)
    compared = compare_modes(shop.table, loads)
    assert [place.place for place in compared.places] == [TABLE, "GSI1"]
    assert compared.months["on-demand"] == pytest.approx(
        (units[0] * 0.125 + units[1] * 0.625) / (59 * 60) * MONTH / 1e6
    )


def test_nothing_cannot_be_compared() -> None:
    shop = Shop()
    with pytest.raises(ArgumentError, match="Nothing was observed"):
        estimate_observed(shop.table, Snapshot(table="Shop"))
    with pytest.raises(ArgumentError, match="No minutes were observed"):
        observed_loads(shop.table, observed_use(Snapshot(table="Shop")))
