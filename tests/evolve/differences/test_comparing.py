"""Every change of a model is found, in its class; a model does not differ from itself."""

from __future__ import annotations

import pytest

from tablewright.evolve.differences.changes import Change
from tablewright.evolve.differences.comparing import Differences, compare_models
from tablewright.evolve.differences.showing import shown
from tests.evolve.differences import models
from tests.evolve.differences.models import described

MODEL = """
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Annotated, Literal
from pydantic import BaseModel, Field
from tablewright import (
    GSI, LSI, AttributeNames, Entity, Epoch, Get, Keys, KeyStyle, Query, Shard, SoftDelete, Table, Unique, attr, get,
    query, sparse,
)

shop = Table("Shop", indexes=[GSI("GSI1"), GSI("GSI2"), GSI("GSI3", projection="KEYS_ONLY"), LSI("LSI1")])

class Address(BaseModel):
    street: str
    zip: str | None = None

class Customer(Entity, table=shop):
    keys = Keys("CUSTOMER#{name}", "CUSTOMER", GSI1=("EMAIL#{email}", "CUSTOMER"), unique=["email"])
    name: str
    email: str
    address: Address | None = None
    nick: str = "none"

class Order(Entity, table=shop, schema_version=2, version=True, ttl="expires"):
    keys = Keys(
        "CUSTOMER#{name}",
        "ORDER#{placed}#{number}",
        GSI1=("ORDER#{number}", "ORDER"),
        GSI2=sparse("OPEN#{shard}", "{placed}", when=attr("status") == "open"),
        LSI1="STATUS#{status}",
        derive={"shard": Shard("number", of=4)},
    )
    name: str
    number: str
    placed: datetime
    status: Literal["open", "done"] = "open"
    total: Decimal
    note: Annotated[str, Field(max_length=100)] = ""
    count: int = 1
    expires: Annotated[datetime, Epoch("s")] | None = None

@shop.pattern
def customer_by_email(email: str) -> Get[Customer]:
    return get(Customer, Customer.email == email)

@shop.pattern
def orders_of(name: str, since: datetime | None = None) -> Query[Order]:
    return query(Order, Order.name == name).when(since, lambda t: Order.placed >= t)

@shop.pattern
def open_orders() -> Query[Order]:
    return query(Order, Order.status == "open").via("GSI2")

@shop.change
def close(order: Order) -> None:
    order.status = "done"
"""
CASES: dict[str, tuple[list[tuple[str, str]], dict[str, str]]] = {
    "optional field": ([("    nick: str", "    age: int | None = None\n    nick: str")], {"field-added": "additive"}),
    "required field": ([("    nick: str", "    age: int\n    nick: str")], {"field-added-required": "backfill"}),
    "field gone": ([('    nick: str = "none"\n', "")], {"field-removed": "breaking"}),
    "field renamed in code": (
        [
            ("(Entity, table=shop):", '(Entity, table=shop, stored={"mail": "email"}):'),
            ("    email: str", "    mail: str"),
            ("EMAIL#{email}", "EMAIL#{mail}"),
            ('unique=["email"]', 'unique=[Unique("mail", key="UNIQUE#Customer#email#{mail}")]'),
            ("Customer.email", "Customer.mail"),
        ],
        {"field-renamed": "additive"},
    ),
    "stored name": (
        [("(Entity, table=shop):", '(Entity, table=shop, stored={"nick": "n"}):')],
        {"stored-name-changed": "breaking"},
    ),
    "type": ([("    count: int = 1", '    count: str = "1"')], {"field-type-changed": "breaking"}),
    "wider number": ([("    count: int = 1", "    count: Decimal = Decimal(1)")], {"field-widened": "breaking"}),
    "narrower number": ([("    total: Decimal", "    total: int")], {"field-narrowed": "backfill"}),
    "choice added": ([('"open", "done"', '"open", "done", "lost"')], {"field-widened": "breaking"}),
    "choice gone": ([('"open", "done"]', '"open"]'), ('order.status = "done"', "order.note = ''")], {"field-narrowed": "backfill", "change-does-otherwise": "breaking"}),
    "choice to text": ([('Literal["open", "done"]', "str")], {"field-widened": "breaking"}),
    "longer": ([("max_length=100", "max_length=200")], {"field-widened": "breaking"}),
    "shorter": ([("max_length=100", "max_length=50")], {"field-narrowed": "backfill"}),
    "epoch unit": ([('Epoch("s")] | None = None', 'Epoch("ms")] | None = None'), (', ttl="expires"', "")], {"field-type-changed": "breaking", "ttl-removed": "breaking"}),
    "became required": ([('nick: str = "none"', "nick: str")], {"field-became-required": "backfill"}),
    "became optional": ([("    total: Decimal", "    total: Decimal = Decimal(0)")], {"field-became-optional": "additive"}),
    "other default": ([('nick: str = "none"', 'nick: str = ""')], {"default-changed": "breaking"}),
    "nested, optional": ([("    zip: str", "    town: str = ''\n    zip: str")], {"field-widened": "breaking"}),
    "nested, required": ([("    zip: str", "    town: str\n    zip: str")], {"field-narrowed": "backfill", "field-widened": "breaking"}),
    "nested, gone": ([("    zip: str | None = None\n", "")], {"field-type-changed": "breaking"}),
    "primary key": ([('"CUSTOMER#{name}", "CUSTOMER"', '"BUYER#{name}", "CUSTOMER"')], {"key-changed": "breaking"}),
    "entity added": ([("@shop.change", 'class Shelf(Entity, table=shop):\n    keys = Keys("SHELF#{id}", "SHELF")\n    id: str\n\n@shop.change')], {"entity-added": "additive"}),
    "stored type": ([("(Entity, table=shop):", '(Entity, table=shop, type="C"):'), ('unique=["email"]', 'unique=[Unique("email", key="UNIQUE#Customer#email#{email}")]')], {"type-changed": "breaking", "pattern-misses-items": "breaking"}),
    "class renamed": (
        [("class Customer(Entity, table=shop)", 'class Buyer(Entity, table=shop, type="Customer")'), ("Get[Customer]", "Get[Buyer]"), ("get(Customer, Customer.", "get(Buyer, Buyer.")],
        {"entity-renamed": "additive", "pattern-result-changed": "breaking"},
    ),
    "index keys added": ([('unique=["email"]', 'GSI3=("NICK#{nick}", "{name}"), unique=["email"]')], {"index-keys-added": "backfill"}),
    "index keys changed": ([('GSI1=("ORDER#{number}", "ORDER")', 'GSI1=("ORDER#{number}", "ORDER#{placed}")')], {"index-keys-changed": "breaking"}),
    "index keys gone": ([('        GSI1=("ORDER#{number}", "ORDER"),\n', "")], {"index-keys-removed": "breaking"}),
    "shards": ([("of=4", "of=8")], {"index-keys-changed": "breaking", "pattern-misses-items": "breaking"}),
    "sparse condition": ([('when=attr("status") == "open"', 'when=attr("status") != "done"'), ("@shop.pattern\ndef open_orders", "def open_orders")], {"sparse-condition-changed": "breaking", "pattern-removed": "breaking"}),
    "unique added": ([('unique=["email"]', 'unique=["email", "nick"]')], {"unique-added": "backfill"}),
    "unique gone": ([(', unique=["email"]', "")], {"unique-removed": "additive", "pattern-no-longer-certain": "breaking"}),
    "unique key": ([('unique=["email"]', 'unique=[Unique("email", key="MAIL#{email}")]')], {"unique-key-changed": "breaking"}),
    "index added": ([('GSI("GSI2")', 'GSI("GSI2"), GSI("GSI4")')], {"index-added": "additive"}),
    "index added with keys": (
        [('GSI("GSI2")', 'GSI("GSI2"), GSI("GSI4")'), ('unique=["email"]', 'GSI4=("NICK#{nick}", "{name}"), unique=["email"]')],
        {"index-added": "backfill", "index-keys-added": "backfill"},
    ),
    "index gone, unused": ([(', GSI("GSI3", projection="KEYS_ONLY")', "")], {"index-removed": "additive"}),
    "projection": ([('projection="KEYS_ONLY"', 'projection=["note"]')], {"index-changed": "breaking"}),
    "index attributes": ([('GSI("GSI3", projection', 'GSI("GSI3", pk="other", projection')], {"index-changed": "breaking"}),
    "local index gone": ([(', LSI("LSI1")', ""), ('        LSI1="STATUS#{status}",\n', "")], {"index-removed": "breaking"}),
    "local index added": ([('LSI("LSI1")', 'LSI("LSI1"), LSI("LSI2")')], {"index-added": "breaking"}),
    "pattern added": ([("@shop.change", "@shop.pattern\ndef all_of(name: str) -> Query[Order]:\n    return query(Order, Order.name == name)\n\n@shop.change")], {"pattern-added": "additive"}),
    "pattern gone": ([('@shop.pattern\ndef open_orders', 'def open_orders')], {"pattern-removed": "breaking"}),
    "parameter added": ([("def orders_of(name: str, since: datetime | None = None)", "def orders_of(name: str, since: datetime | None = None, before: datetime | None = None)"), ("lambda t: Order.placed >= t)", "lambda t: Order.placed >= t).when(before, lambda t: Order.placed < t)")], {"pattern-parameters-added": "additive", "pattern-served-otherwise": "additive"}),
    "parameter required": ([("since: datetime | None = None", "since: datetime"), (".when(since, lambda t: Order.placed >= t)", ".filter(Order.placed >= since)")], {"pattern-parameters-changed": "breaking", "pattern-served-otherwise": "breaking"}),
    "result": ([("Get[Customer]:\n    return get(", "Query[Customer]:\n    return query(")], {"pattern-result-changed": "breaking", "pattern-served-otherwise": "breaking"}),
    "ttl gone": ([(', ttl="expires"', "")], {"ttl-removed": "breaking"}),
    "version gone": ([(", version=True", "")], {"version-removed": "breaking"}),
    "version added": ([("(Entity, table=shop):", "(Entity, table=shop, version=True):")], {"version-added": "backfill"}),
    "schema raised": ([("schema_version=2", "schema_version=3")], {"schema-version-changed": "backfill"}),
    "schema raised, with an upcast": (
        [("schema_version=2", "schema_version=3"), ("    total: Decimal", "    region: str\n    total: Decimal"), ("@shop.change", "@shop.upcast(Order, 2)\ndef north(item):\n    return {**item, 'region': 'north'}\n\n@shop.change")],
        {"field-added": "additive", "schema-version-changed": "backfill"},
    ),
    "schema lowered": ([("schema_version=2", "schema_version=1")], {"schema-version-changed": "breaking"}),
    "tombstones": ([("(Entity, table=shop):", "(Entity, table=shop, soft_delete=SoftDelete()):")], {"soft-delete-added": "breaking"}),
    "no stamps": ([("(Entity, table=shop):", "(Entity, table=shop, timestamps=False):")], {"timestamps-removed": "breaking"}),
    "table renamed": ([('Table("Shop"', 'Table("Shop2"')], {"table-renamed": "breaking"}),
    "stream": ([('LSI("LSI1")]', 'LSI("LSI1")], stream="NEW_IMAGE"')], {"stream-changed": "additive"}),
    "attribute names": ([('LSI("LSI1")]', 'LSI("LSI1")], names=AttributeNames(type="Kind")')], {"setting-changed": "breaking"}),
    "change gone": ([("@shop.change\n", "")], {"change-removed": "breaking"}),
}  # fmt: skip


def compared(*replacements: tuple[str, str]) -> Differences:
    return models.compared(MODEL, list(replacements))


def find(differences: Differences, kind: str) -> Change:
    (found,) = [change for change in differences.changes if change.kind == kind]
    return found


def test_a_model_does_not_differ_from_itself() -> None:
    found = compare_models(described(MODEL), described(MODEL))
    assert (found.changes, found.steps, found.impact) == ((), (), None)
    assert shown(found) == "Shop: nothing differs."


@pytest.mark.parametrize("case", CASES)
def test_every_change_is_found_in_its_class(case: str) -> None:
    replacements, expected = CASES[case]
    found = compared(*replacements)
    assert {change.kind: change.impact for change in found.changes} == expected
    assert found.impact == max(expected.values(), key=["additive", "backfill", "breaking"].index)
    assert [c.impact for c in found.changes] == sorted((c.impact for c in found.changes), reverse=True)


def test_an_argument_that_needs_another_one_is_refused_without_it() -> None:
    period = """
@shop.pattern
def orders_in(name: str, since: datetime | None = None, before: datetime | None = None) -> Query[Order]:
    found = query(Order, Order.name == name).when(since, lambda t: Order.placed >= t)
    return found.when(before, lambda t: Order.placed < t)
"""
    free, bound = "Order.placed < t)", "Order.placed < t, after=since)"
    refused, _ = models.compared(MODEL + period, [(free, bound)]).changes  # the other: it is served by fewer requests
    assert (refused.kind, refused.impact) == ("pattern-arguments-refused", "breaking")
    assert refused.text == "can no longer be called with before, name"
    taken, _ = models.compared(MODEL + period.replace(free, bound), [(bound, free)]).changes
    assert (taken.kind, taken.impact) == ("pattern-arguments-taken", "additive")


def test_an_entity_that_is_gone() -> None:
    text = MODEL[: MODEL.index("class Customer")] + MODEL[MODEL.index("class Order") : MODEL.index("@shop.pattern")]
    found = compare_models(described(MODEL), described(text))
    gone = find(found, "entity-removed")
    assert (gone.impact, gone.entities, gone.patterns) == ("breaking", ("Customer",), ("customer_by_email",))


def test_a_move_to_another_index_goes_in_a_safe_order() -> None:
    found = compared(
        ('GSI("GSI1")', 'GSI("GSI5"), GSI("GSI6")'),
        ('        GSI1=("ORDER#{number}", "ORDER"),\n', '        GSI6=("ORDER#{number}", "ORDER"),\n'),
        ("GSI1=", "GSI5="),
    )
    assert [(step.action, step.subject) for step in found.steps] == [
        ("create-index", "GSI5"),
        ("create-index", "GSI6"),
        ("deploy-both", "Shop"),
        ("backfill", "Customer"),
        ("backfill", "Order"),
        ("switch-readers", "customer_by_email"),
        ("deploy-new", "Shop"),
        ("drop-index", "GSI1"),
        ("remove-attributes", "Customer"),
        ("remove-attributes", "Order"),
    ]
    served = find(found, "pattern-served-otherwise")
    assert (served.impact, served.remedy) == ("backfill", "Switch readers when GSI5 is filled.")
    removed = find(found, "index-removed")
    assert (removed.entities, removed.patterns) == (("Customer", "Order"), ("customer_by_email",))


def test_a_new_pattern_waits_for_its_index() -> None:
    found = compared(
        ('GSI("GSI2")', 'GSI("GSI2"), GSI("GSI4")'),
        ('unique=["email"]', 'GSI4=("NICK#{nick}", "{name}"), unique=["email"]'),
        (
            "@shop.change",
            "@shop.pattern\ndef by_nick(nick: str) -> Query[Customer]:\n    return query(Customer, Customer.nick == nick)\n\n@shop.change",
        ),
    )
    pattern = find(found, "pattern-added")
    assert (pattern.impact, pattern.entities) == ("backfill", ("Customer",))
    text = shown(found)
    assert "by_nick() is new, and misses items until GSI4 is filled: Query GSI4: GSI4PK = NICK#{nick}" in text
    assert "  1. GSI4: Make the index GSI4 and wait until it is active." in text


def test_additions_need_nothing() -> None:
    text = shown(compared(("    nick: str", "    age: int | None = None\n    nick: str")))
    assert text.splitlines() == [
        "Additive:",
        "  Customer.age is new, and may be missing. [field-added]",
        "",
        "Nothing has to be done for the items that are there.",
    ]
