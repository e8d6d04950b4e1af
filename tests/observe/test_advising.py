"""Advice as a whole: in which order it comes, that nothing is said of nothing, and that no figures make a rule fail."""

import inspect
import re
from datetime import datetime
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import Struct

from tablewright import GSI, LSI, Entity, Get, Keys, Query, Table, get, query
from tablewright.cost.prices import load_prices
from tablewright.observe import advising
from tablewright.observe.recommendation import Observed, Recommendation, Rule
from tablewright.observe.sketches.quantiles import Quantiles
from tablewright.observe.snapshot import (
    TABLE,
    BillingMode,
    FieldUse,
    Minute,
    Peak,
    Place,
    ReadyUnits,
    Snapshot,
    Thresholds,
    Traffic,
)

shop = Table("Shop", indexes=[GSI("GSI1"), GSI("ByTenant", pk=["tenant", "customer"], sk="total"), LSI("LSI1")])


class Order(Entity, table=shop):
    keys = Keys(
        "USER#{customer}",
        "ORDER#{placed_at}#{order_id}",
        GSI1=("TENANT#{tenant}#{status}", "{placed_at}#{order_id}"),
        ByTenant=(("{tenant}", "{customer}"), "{total}"),
        LSI1="{total}",
    )
    order_id: str
    tenant: str
    customer: str
    placed_at: datetime
    total: str
    status: Literal["open", "done"] = "open"


@shop.pattern
def order(customer: str, placed_at: datetime, order_id: str) -> Get[Order]:
    return get(Order, Order.customer == customer, Order.placed_at == placed_at, Order.order_id == order_id)


@shop.pattern
def open_orders(tenant: str) -> Query[Order]:
    return query(Order, Order.tenant == tenant, Order.status == "open")


def one(rule: str, **more: Any) -> Recommendation:
    figures: dict[str, Any] = {"severity": "warning", "category": "cost", "subject": rule}
    return Recommendation(rule=rule, message="", details="", action="", **(figures | more))


def test_what_is_grave_comes_first_then_what_matters_then_what_is_frequent_then_what_is_easy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Says(Rule):
        """Says everything in the wrong order."""

        name = "says"

        def find(self, seen: Observed) -> Any:
            yield one("note", severity="info", impact=1.0, frequency=99, effort=1)
            yield one("hard", effort=3)
            yield one("easy", effort=1)
            yield one("frequent", frequency=5.0, effort=3)
            yield one("weighty", impact=0.5)
            yield one("weightier", impact=0.6)
            yield one("grave", severity="error")

    monkeypatch.setattr(advising, "all_rules", lambda: {"says": Says()})
    found = advising.advise(Observed(Snapshot(table="Shop")))
    assert [r.rule for r in found] == ["grave", "weightier", "weighty", "frequent", "easy", "hard", "note"]


def test_nothing_observed_is_nothing_to_say() -> None:
    for plan in (None, shop.plan):
        assert advising.advise(Observed(Snapshot(table="Shop"), plan)) == []


@pytest.mark.parametrize("rule", advising.all_rules())
def test_every_rule_says_what_it_is_when_it_fires_and_what_to_do(rule: str) -> None:
    told = inspect.cleandoc(type(advising.all_rules()[rule]).__doc__ or "")
    first, *rest = told.split("\n\n")
    assert first.endswith(".")
    assert len(rest) >= 3, "why, when, and what to do"
    assert "It fires" in told
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", rule)


# ------------------------------------------------------------------------------------------------------- odd figures

small = st.integers(0, 5_000)
large = st.sampled_from([0, 1, 50, 99, 100, 5_000, 400 * 1024, 10**12])
units = st.sampled_from([0.0, 0.5, 100.0, 1e4, 1e12])
indexes = st.sampled_from([None, "GSI1", "ByTenant", "LSI1", "GONE"])
partition_keys = st.sampled_from(["USER#1", "TENANT#a#open", "TENANT#a", "", "%", "é#\x00", "USER#" + "x" * 3_000])


def quantiles(values: list[float]) -> Quantiles:
    made = Quantiles()
    made.add(values)
    return made


def struct(kind: type[Struct], **given: Any) -> Any:
    return st.builds(kind, **given)


traffic = struct(
    Traffic,
    operation=st.sampled_from(["GetItem", "Query", "Scan", "PutItem", "TransactWriteItems", "ExecuteStatement", "?"]),
    index=indexes,
    pattern=st.sampled_from([None, "order", "open_orders", "gone"]),
    entity=st.sampled_from([None, "Order", "Gone"]),
    **dict.fromkeys(
        (
            *("requests", "retries", "unmetered", "returned", "scanned", "limited", "continued", "cut", "filtered"),
            *(
                "filtered_returned",
                "filtered_scanned",
                "projected",
                "consistent",
                "slow",
                "costly",
                "sized",
                "size",
                "largest",
            ),
        ),
        small | large,
    ),
    read_units=units,
    write_units=units,
    most_units=units,
    index_units=st.dictionaries(st.sampled_from(["GSI1", "GONE"]), units),
    latency=st.lists(st.sampled_from([0.0, 1e-12, 0.01, 1e9]), max_size=3).map(quantiles),
    last=st.sampled_from([0.0, 1e5, 1e9]),
)


@st.composite
def places(draw: st.DrawFn) -> Place:
    place = Place(last_used=draw(st.sampled_from([0.0, 1e6])))
    for heavy in (place.requests, place.reads, place.writes):
        heavy.add_all(draw(st.dictionaries(partition_keys, units, max_size=4)))
    place.partitions.add(map(str, range(draw(st.sampled_from([0, 1, 30, 500])))))
    place.peaks = draw(st.dictionaries(partition_keys, struct(Peak, reads=units, writes=units), max_size=2))
    return place


times = st.sampled_from([-1e9, 0.0, 60.0, 1e5, 1e6, 1.7e9])
snapshots = struct(
    Snapshot,
    table=st.sampled_from(["Shop", "", "?"]),
    spans=st.lists(st.tuples(times, times), max_size=3),
    processes=st.integers(1, 3),
    sample=st.sampled_from([0.0, 0.1, 1.0]),
    thresholds=struct(Thresholds, slow_ms=units, read_units=units, write_units=units),
    traffic=st.lists(traffic, max_size=4),
    places=st.dictionaries(st.sampled_from([TABLE, "GSI1", "ByTenant", "LSI1", "GONE"]), places(), max_size=3),
    minutes=st.dictionaries(st.integers(-10, 30_000), struct(Minute, read_units=units, write_units=units), max_size=3),
    billing=struct(
        BillingMode,
        mode=st.sampled_from(["unknown", "provisioned", "on-demand", "?"]),
        ready=st.dictionaries(st.sampled_from([TABLE, "GSI1"]), struct(ReadyUnits, reads=units, writes=units)),
    ),
    fields=st.dictionaries(
        st.sampled_from(["order", "gone"]),
        struct(FieldUse, fetched=small, used=st.dictionaries(st.text(max_size=3), small)),
    ),
)


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(snapshot=snapshots, model=st.booleans(), priced=st.booleans())
def test_no_figures_make_a_rule_fail(snapshot: Snapshot, model: bool, priced: bool) -> None:
    seen = Observed(snapshot, shop.plan if model else None, load_prices() if priced else None)
    for found in advising.advise(seen):
        assert found.rule in advising.all_rules()
        assert 0 <= found.impact <= 1
        assert found.saves is None or 0 <= found.saves <= 1
        assert not re.search(r"\b(nan|inf)\b", found.message + found.details)
