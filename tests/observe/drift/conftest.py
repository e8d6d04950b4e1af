"""A shop of which much is declared, and a day that went as declared."""

from datetime import datetime
from typing import Annotated

import pytest
from pydantic import Field

from tablewright import GSI, LSI, Entity, Get, Keys, Query, Table, get, query
from tablewright.observe.sketches.quantiles import Quantiles
from tablewright.observe.snapshot import Minute, Place, Snapshot, Traffic

DAY = 86_400.0


@pytest.fixture(scope="session")
def shop() -> Table:
    table = Table("Shop", indexes=[GSI("GSI1"), LSI("LSI1")])

    class Order(Entity, table=table):
        keys = Keys(
            "CUSTOMER#{username}",
            "ORDER#{order_id}",
            GSI1=("STATUS#{status}", "{order_id}"),
            LSI1="{placed_at}",
        )
        username: str
        order_id: str
        status: str
        placed_at: datetime
        note: Annotated[str, Field(max_length=400_000)] = ""

    @table.pattern
    def order(username: str, order_id: str) -> Get[Order]:
        return get(Order, Order.username == username, Order.order_id == order_id)

    @table.pattern
    def orders_of(username: str) -> Query[Order]:
        return query(Order, Order.username == username)

    @table.pattern
    def with_status(status: str) -> Query[Order]:
        return query(Order, Order.status == status)

    @table.pattern
    def since(username: str, moment: datetime) -> Query[Order]:
        return query(Order, Order.username == username, Order.placed_at >= moment)

    table.expect(Order, items=100_000, size=1000, max_size=20_000, writes=10)
    table.expect(Order.username, distinct=1000)
    table.expect(Order.status, distinct=4)
    table.expect(order, rate=20, latency_ms=10)
    table.expect(orders_of, rate=10, results=20)
    table.expect(with_status, rate=1, results=40)
    table.expect(since, rate=1, results=4)
    return table


@pytest.fixture
def day() -> Snapshot:
    """A day as it was declared: 100,000 gets, 40,000 queries, 5,000 and 1,000 on indexes, 20,000 writes."""
    minutes = {number: Minute(requests=120, peak_requests=40) for number in range(1440)}
    table, index, local = Place(last_used=DAY), Place(last_used=DAY), Place(last_used=DAY)
    table.partitions.add(f"CUSTOMER#{n}" for n in range(950))
    local.partitions.add(f"CUSTOMER#{n}" for n in range(400))
    index.partitions.add(f"STATUS#{n}" for n in range(4))
    return Snapshot(
        table="Shop",
        spans=[(0.0, DAY)],
        minutes=minutes,
        places={"": table, "GSI1": index, "LSI1": local},
        traffic=[
            made("GetItem", "order", 100_000, units=0.5, returned=1),
            made("Query", "orders_of", 40_000, units=2.5, returned=20),
            made("Query", "with_status", 5000, units=5.0, returned=40, index="GSI1"),
            made("Query", "since", 1000, units=0.5, returned=4, index="LSI1"),
            made("PutItem", None, 20_000),
        ],
    )


def made(
    operation: str,
    pattern: str | None,
    requests: int,
    *,
    units: float = 0.0,
    returned: int = 0,
    index: str | None = None,
    seconds: float = 0.004,
    entity: str | None = "Order",
) -> Traffic:
    latency = Quantiles()
    latency.add([seconds] * 200)
    return Traffic(
        operation=operation,
        pattern=pattern,
        index=index,
        entity=entity,
        requests=requests,
        read_units=units * requests,
        returned=returned * requests,
        latency=latency,
        sized=200,
        size=200 * 1000,
    )
