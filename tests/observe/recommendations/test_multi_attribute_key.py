"""multi-attribute-key: only for an index that one entity has for itself, with keys that compile."""

from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest

from tablewright import GSI, LSI, Bucket, Entity, Keys, Query, Table, query
from tablewright.model.indexes import binary, number
from tablewright.observe.snapshot import TABLE, Place, Traffic
from tests.observe.observations import asked, observed, told

shop = Table("Shop", indexes=[GSI("GSI1"), GSI("GSI2"), GSI("GSI3"), GSI("GSI4"), LSI("LSI1")])


class Order(Entity, table=shop):
    keys = Keys(
        "ORDER#{order_id}",
        "ORDER",
        GSI1=("TENANT#{tenant}#CUSTOMER#{customer}", "{total:8.2}#{order_id}"),
        GSI2=("TENANT#{tenant}", "CUSTOMER#{customer}#{order_id}"),
        GSI3=("{day}", "{placed_at}#{order_id}"),
        GSI4=("CUSTOMER#{customer}", "{order_id}"),
        LSI1="{placed_at}#{order_id}",
        derive={"day": Bucket("placed_at", "day")},
    )
    order_id: str
    tenant: str
    customer: str
    total: Decimal
    placed_at: datetime


class Invoice(Entity, table=shop):
    keys = Keys("INVOICE#{number}", "INVOICE", GSI2=("TENANT#{tenant}", "INVOICE#{number}"))
    number: str
    tenant: str


@shop.pattern
def orders_of(tenant: str, customer: str) -> Query[Order]:
    return query(Order, Order.tenant == tenant, Order.customer == customer).via("GSI1")


def queries(index: str, requests: int = 100) -> Traffic:
    return Traffic(operation="Query", index=index, requests=requests)


def test_a_key_that_puts_fields_together_could_be_a_list_of_them() -> None:
    (found,) = told(
        "multi-attribute-key", observed(queries("GSI1"), Traffic(operation="PutItem", requests=300), table=shop)
    )
    assert (found.severity, found.category) == ("info", "best-practice")
    assert found.message == (
        "GSI1 holds nothing but Order, and puts tenant and customer together in its partition key and total and order_id "
        "together in its sort key."
    )
    assert found.details.startswith("100 requests asked it. GSI1PK and GSI1SK are written for it")
    assert found.code == (
        'GSI("ByTenantCustomer", pk=["tenant", "customer"], sk=[number("total"), "order_id"])\n'
        "# and in the keys of Order\n"
        'ByTenantCustomer=(("{tenant}", "{customer}"), ("{total}", "{order_id}"))'
    )
    assert found.affected == ("orders_of()",)
    assert found.impact == pytest.approx(0.25)


def test_what_it_suggests_compiles_and_serves_the_pattern() -> None:
    (found,) = told("multi-attribute-key", observed(queries("GSI1"), table=shop))
    assert found.code is not None
    index, _, keys = found.code.split("\n")
    made: dict[str, Any] = {"GSI": GSI, "number": number, "binary": binary}
    table = Table("Shop", indexes=[eval(index, made)])
    exec(keys, made)

    class Order(Entity, table=table):
        keys = Keys("ORDER#{order_id}", "ORDER", ByTenantCustomer=made["ByTenantCustomer"])
        order_id: str
        tenant: str
        customer: str
        total: Decimal

    @table.pattern
    def orders_of(tenant: str, customer: str) -> Query[Order]:
        return query(Order, Order.tenant == tenant, Order.customer == customer)

    (request,) = table.explain(orders_of)
    assert request.index == "ByTenantCustomer"


@pytest.mark.parametrize("index", ["GSI2", "GSI3", "GSI4", "LSI1"])
def test_shared_indexes_buckets_single_fields_and_local_indexes_stay(index: str) -> None:
    assert told("multi-attribute-key", observed(queries(index), table=shop)) == []


def test_nothing_is_said_of_few_requests_or_without_a_model() -> None:
    assert told("multi-attribute-key", observed(queries("GSI1", 99), table=shop)) == []
    assert told("multi-attribute-key", observed(queries("GSI1"))) == []


def keys_of(form: str, number: int = 40) -> dict[str, float]:
    return {form.format(n // 5, n): 3.0 for n in range(number)}


def test_keys_of_two_names_are_seen_without_a_model() -> None:
    places = {"GSI1": asked(keys_of("TENANT#t{}#CUSTOMER#c{}"))}
    (found,) = told("multi-attribute-key", observed(queries("GSI1", 120), places=places))
    assert found.severity == "info"
    assert found.message == (
        "All that is asked of GSI1 has a partition key TENANT#*#CUSTOMER#*, which puts TENANT and CUSTOMER together."
    )
    assert found.code == (
        '{"IndexName": "ByTenantAndCustomer", "KeySchema": [{"AttributeName": "tenant", "KeyType": "HASH"}, '
        '{"AttributeName": "customer", "KeyType": "HASH"}, ...]}'
    )


@pytest.mark.parametrize(
    "places",
    [
        {"GSI1": asked(keys_of("CUSTOMER#{1}"))},
        {"GSI1": asked(keys_of("TENANT#only#CUSTOMER#c{1}"))},
        {"GSI1": asked(keys_of("TENANT#t{0}#CUSTOMER#c{1}", 19))},
        {"GSI1": asked(keys_of("TENANT#t{0}#CUSTOMER#c{1}") | {"STATUS#open": 1.0})},
        {"GSI1": asked(keys_of("TENANT#t{0}#CUSTOMER#c{1}") | {"TENANT#t1": 1.0})},
        {"GSI1": asked(keys_of("{0}#t#{1}#c"))},
        {"GSI1": asked(keys_of("A#{0}#B#{1}#C#{0}#D#{1}#E#{1}"))},
        {TABLE: asked(keys_of("TENANT#t{0}#CUSTOMER#c{1}"))},
        {"GSI1": asked({})},
    ],
    ids=["one", "constant", "few keys", "others", "shorter", "values first", "too many", "the table", "none"],
)
def test_other_keys_are_not_without_a_model(places: dict[str, Place]) -> None:
    assert told("multi-attribute-key", observed(queries("GSI1", 120), places=places)) == []


def test_an_index_that_is_seldom_asked_is_not_without_a_model() -> None:
    places = {"GSI1": asked(keys_of("TENANT#t{}#CUSTOMER#c{}"))}
    assert told("multi-attribute-key", observed(queries("GSI1", 99), places=places)) == []
