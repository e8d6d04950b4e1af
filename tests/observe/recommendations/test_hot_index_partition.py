"""hot-index-partition: names what an attribute more in the key of an index would take from whom."""

from datetime import datetime

import pytest

from tablewright import GSI, LSI, Entity, Keys, Query, Table, query
from tablewright.observe.recommendation import Observed
from tablewright.observe.snapshot import Peak, Place, Traffic
from tests.observe.observations import asked, evenly, observed, told

HOT = {"TENANT#acme": 3_800, **evenly(310, 20, "TENANT#{}")}


def on(index: str, place: Place, table: Table | None = None) -> Observed:
    return observed(
        Traffic(operation="Query", index=index, requests=10_000),
        Traffic(operation="PutItem", requests=10_000),
        table=table,
        places={index: place},
    )


shop = Table("Shop", indexes=[GSI("GSI1"), GSI("GSI2"), GSI("ByTenant", pk="tenant", sk="customer"), LSI("LSI1")])


class Order(Entity, table=shop):
    keys = Keys(
        "ORDER#{order_id}",
        "ORDER",
        GSI1=("TENANT#{tenant}", "CUSTOMER#{customer}#{order_id}"),
        GSI2=("TENANT#{tenant}", "{placed_at}#{order_id}"),
        ByTenant=("{tenant}", "{customer}"),
    )
    order_id: str
    tenant: str
    customer: str
    placed_at: datetime


@shop.pattern
def orders_of(tenant: str, customer: str) -> Query[Order]:
    return query(Order, Order.tenant == tenant, Order.customer == customer).via("GSI1")


@shop.pattern
def orders_of_tenant(tenant: str) -> Query[Order]:
    return query(Order, Order.tenant == tenant).via("GSI1")


@shop.pattern
def newest_of_tenant(tenant: str, since: datetime) -> Query[Order]:
    return query(Order, Order.tenant == tenant, Order.placed_at >= since).via("GSI2")


@shop.pattern
def native_orders_of(tenant: str, customer: str) -> Query[Order]:
    return query(Order, Order.tenant == tenant, Order.customer == customer).via("ByTenant")


def test_an_attribute_that_a_pattern_knows_is_added_and_who_asks_for_all_of_a_tenant_is_named() -> None:
    (found,) = told("hot-index-partition", on("GSI1", asked(HOT), shop))
    assert found.severity == "error"
    assert found.message == "Partition key 'TENANT#acme' of GSI1 receives 38% of the requests to it."
    assert found.details.startswith("3,800 of 10,000 requests went to 'TENANT#acme'")
    assert found.action == (
        "Add customer to the partition key of GSI1: a partition then holds what has the same tenant and customer. "
        "orders_of_tenant() would lose its key, asking for all of one tenant: serve it by another index, or spread this one over "
        "4 shards instead."
    )
    assert found.breaks == ("orders_of_tenant()",)
    assert found.affected == ("Order", "orders_of()", "orders_of_tenant()")
    assert found.code is not None
    assert 'GSI1=("TENANT#{tenant}#{customer}", "CUSTOMER#{customer}#{order_id}"),' in found.code
    assert found.impact == pytest.approx(0.19)


def test_shards_are_suggested_where_no_pattern_knows_more_than_the_tenant() -> None:
    (found,) = told("hot-index-partition", on("GSI2", asked(HOT), shop))
    assert found.action.startswith("Spread GSI2 over 4 shards, chosen by order_id: no pattern knows more than tenant.")
    assert found.breaks == ("newest_of_tenant()",)
    assert found.code is not None
    assert 'GSI2=("TENANT#{tenant}#{shard}", "{placed_at}#{order_id}"),' in found.code
    assert 'derive={"shard": Shard("order_id", of=4)},' in found.code


def test_an_index_over_attributes_gets_one_more_of_them() -> None:
    weights = {"acme": 3_800, **evenly(310, 20, "tenant-{}")}
    (found,) = told("hot-index-partition", on("ByTenant", asked(weights), shop))
    assert found.code == 'GSI("ByTenant", pk=["tenant", "customer"], sk=None)'
    assert found.breaks == ()


def test_without_a_model_the_figures_are_told_all_the_same() -> None:
    (found,) = told("hot-index-partition", on("GSI1", asked({"TENANT#acme": 2_000, **evenly(400, 20)})))
    assert (found.severity, found.code, found.breaks) == ("warning", None, ())
    assert "receives 20%" in found.message


@pytest.mark.parametrize(
    "weights",
    [evenly(400, 20), evenly(15, 1_000), {"TENANT#acme": 300, **evenly(50, 10)}],
    ids=["even", "few keys", "few requests"],
)
def test_nothing_is_said_of_what_is_even_or_little(weights: dict[str, float]) -> None:
    assert told("hot-index-partition", on("GSI1", asked(weights), shop)) == []


def test_a_local_index_lies_in_the_partitions_of_the_table_and_is_told_there() -> None:
    assert told("hot-index-partition", on("LSI1", asked(HOT), shop)) == []


def test_the_table_itself_is_not_an_index() -> None:
    assert told("hot-index-partition", on("", asked(HOT), shop)) == []


def test_what_writes_put_into_an_index_is_not_told_as_a_figure() -> None:
    (found,) = told("hot-index-partition", on("GSI2", asked(HOT, peaks={"TENANT#acme": Peak(reads=3_090)}), shop))
    assert found.details.endswith(
        " In its busiest second it took 3,090 read units; a partition bears 3,000. What writes of the table put into it is not counted."
    )
    assert found.evidence["peak_reads"] == 3_090
    assert "peak_writes" not in found.evidence


def test_without_a_model_shards_are_not_said_to_spread_reads() -> None:
    (found,) = told("hot-index-partition", on("GSI2", asked(HOT)))
    assert found.action.startswith(
        "Add an attribute to the partition key of the index that its reads know, or read less"
    )
    assert "Shards spread what is written to it" in found.action
    assert found.code is None
