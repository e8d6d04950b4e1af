"""Indexes of several attributes: each level finds what lies below it and nothing of others, gaps are refused, 0 counts."""

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples.small.locations import Site, WorkOrder, service, sites_of, work_orders
from tablewright import Session
from tablewright.errors import ArgumentError

PLACES = [("DE", "BE", "Berlin"), ("DE", "BY", "Hof"), ("DE", "B", "Hof"), ("D", "BE", "Berlin"), ("DE", "BE", "Ber")]


def sites() -> list[Site]:
    return [
        Site(tenant_id=t, customer_id=c, site_id=f"{c}-{n}", country=country, state=state, city=city)
        for t, c in product(("t1", "t2"), ("c1", "c2"))
        for n, (country, state, city) in enumerate(PLACES)
    ]


@pytest.fixture
def db(opened: Callable[..., Session]) -> Session:
    session = opened(service)
    with session.batch() as batch:
        for site in sites():
            batch.put(site)
    return session


@pytest.mark.parametrize("levels", [PLACES[0][:count] for count in range(4)], ids=lambda p: "-".join(p) or "all")
def test_a_level_finds_what_lies_below_it(db: Session, asked: Callable[..., Any], levels: tuple[str, ...]) -> None:
    with db.measure() as meter:
        found = db.run(sites_of, "t1", "c1", *levels).all()
    mine = [s for s in sites() if (s.tenant_id, s.customer_id) == ("t1", "c1")]
    expected = [s for s in mine if (s.country, s.state, s.city)[: len(levels)] == levels]
    assert found == sorted(expected, key=lambda s: (s.country, s.state, s.city))
    assert (asked(meter), meter.capacity.read) == ([("Query", "LocationIndex")], 0.5)


@pytest.mark.parametrize("given_", [{"state": "BE"}, {"city": "Berlin"}, {"country": "DE", "city": "Berlin"}], ids=str)
def test_a_gap_is_refused_and_nothing_slides_into_it(db: Session, given_: dict[str, str]) -> None:
    with db.measure() as meter, pytest.raises(ArgumentError, match="without the one that it comes after"):
        db.run(sites_of, "t1", "c1", **given_)
    assert meter.requests == []


def test_priorities_are_numbers_and_nothing_is_a_priority(
    opened: Callable[..., Session], asked: Callable[..., Any]
) -> None:
    db = opened(service)
    for n, priority in enumerate((9, 10, 0, 100)):
        for tenant_id in ("t1", "t2"):
            db.create(WorkOrder(tenant_id=tenant_id, order_id=f"w{n}", department_id="d", priority=priority))
    db.create(WorkOrder(tenant_id="t1", order_id="done", department_id="d", status="done", priority=50))
    with db.measure() as meter:
        assert [w.priority for w in db.run(work_orders, "t1", "d", "open")] == [100, 10, 9, 0]
        assert [w.priority for w in db.run(work_orders, "t1", "d", "open", at_least=10)] == [100, 10]
        assert [w.priority for w in db.run(work_orders, "t1", "d", "open", at_least=0)] == [100, 10, 9, 0]
        assert [w.order_id for w in db.run(work_orders, "t1", "d", "done")] == ["done"]
    assert asked(meter) == [("Query", "OrderStatusIndex")] * 4
    assert meter.capacity.read == 2.0
    (request, _) = service.explain(work_orders)
    assert "priority >= {at_least}" in request.key, "nothing that is given is left out, 0 neither"


WORDS = st.text("ab#$%é", min_size=1, max_size=3)


@settings(max_examples=12)
@given(st.lists(st.tuples(WORDS, WORDS, WORDS, WORDS, WORDS), min_size=1, max_size=8, unique=True))
def test_tenants_customers_and_places_never_mix(rows: list[tuple[str, str, str, str, str]]) -> None:
    with service.open("memory:") as db:
        for n, (tenant, customer, country, state, city) in enumerate(rows):
            db.create(
                Site(tenant_id=tenant, customer_id=customer, site_id=f"{n}", country=country, state=state, city=city)
            )
        for row in rows:
            for count in range(2, 6):
                found = {int(site.site_id) for site in db.run(sites_of, *row[:count])}
                assert found == {n for n, other in enumerate(rows) if other[:count] == row[:count]}
