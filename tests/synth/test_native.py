"""Indexes of an entity's own attributes: where they do, what they look like, and why others stay composed."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from tablewright import Table
from tablewright.synth.proposal import Proposal, propose_for
from tablewright.synth.running import run

DESIGN = """
from datetime import datetime
from decimal import Decimal
from typing import Literal
from pydantic import Field
from tablewright import Design, Entity, Get, Query, get, query

shop = Design("Shop")


class Order(Entity, table=shop, identity=["order_id"]):
    order_id: str
    customer: str
    country: str = ""
    rank: int = Field(default=0, ge=0, le=99)
    placed_at: datetime
    status: Literal["open", "sent"] = "open"
    paid: bool = False


@shop.pattern
def order(order_id: str) -> Get[Order]:
    return get(Order, Order.order_id == order_id)
"""
OF = """
@shop.pattern
def ranked(customer: str, country: str) -> Query[Order]:
    return query(Order, Order.customer == customer, Order.country == country).sorted_by(Order.rank).newest_first()
"""
OPEN = """
@shop.pattern
def still_open() -> Query[Order]:
    return query(Order, Order.status == "open")
"""
LATEST = """
@shop.pattern
def latest() -> Query[Order]:
    return query(Order).sorted_by(Order.placed_at)
"""
PAID = """
@shop.pattern
def paid(customer: str, paid: bool) -> Query[Order]:
    return query(Order, Order.customer == customer, Order.paid == paid)
"""
DEEP = """
@shop.pattern
def deep(a: str, b: str, c: int, d: datetime, e: Literal["open", "sent"]) -> Query[Order]:
    return query(Order, Order.customer == a, Order.country == b, Order.rank == c, Order.placed_at == d, Order.status == e)
"""
FILTERED = """
@shop.pattern
def of(customer: str) -> Query[Order]:
    return query(Order, Order.customer == customer).sorted_by(Order.rank)


@shop.pattern
def highly_ranked(customer: str) -> Query[Order]:
    return query(Order, Order.customer == customer).filter(Order.rank > 3)
"""
OTHER = """
class Return(Entity, table=shop, identity=["return_id"]):
    return_id: str
    order_id: str
    customer: str
    country: str
    rank: int
"""
SHARING = """
class Gift(Entity, table=shop, identity=["gift_id"]):
    gift_id: str
    giver: str


@shop.pattern
def gifts(giver: str) -> Query[Gift]:
    return query(Gift, Gift.giver == giver)


@shop.pattern
def gift(gift_id: str) -> Get[Gift]:
    return get(Gift, Gift.gift_id == gift_id)
"""


def proposed(*more: str, multi_attribute: bool = True) -> Proposal:
    text = DESIGN + "\n".join(dedent(part) for part in more)
    design = vars(run(text, Path(__file__)))["shop"]
    return propose_for(design, text, Path(__file__), multi_attribute=multi_attribute)


def test_own_attributes_take_the_place_of_composed_keys() -> None:
    found = proposed(OF)
    assert 'GSI("GSI1", pk=["customer", "country"], sk=[number("rank"), "order_id"], projection="ALL")' in found.code
    assert 'GSI1=(("{customer}", "{country}"), ("{rank}", "{order_id}"))' in found.code
    assert found.proof.patterns[1].requests[0].key_condition == "customer = {customer} AND country = {country}"
    assert not any("own attributes" in line for line in (*found.explained.rejected, *found.explained.alternatives))


def test_they_answer_on_the_engine() -> None:
    found = proposed(OF)
    assert isinstance(found.model, Table)
    order: Any = found.model.entities["Order"]
    with found.model.open("memory:") as db:
        at = datetime(2026, 1, 1, tzinfo=UTC)
        for number, rank in enumerate([2, 10, 1]):
            db.put(order(order_id=f"o{number}", customer="c", country="DE", rank=rank, placed_at=at))
        db.put(order(order_id="o9", customer="c", country="FR", placed_at=at))
        answer = db.run(found.model.patterns["ranked"], customer="c", country="DE").all()
    assert [one.rank for one in answer] == [10, 2, 1]


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (OPEN, "it holds some Order only"),
        (LATEST, "its partition is a constant"),
        (LATEST + "\nshop.expect(Order, writes=5000)\n", "spread over shards"),
        (PAID, "paid is not stored as a text, a number or bytes"),
        (DEEP, "DynamoDB takes 4 attributes on each side"),
        (FILTERED, "filters by 'rank', a key attribute of GSI1"),
        (OF + OTHER, "Return.order_id is stored as 'order_id', a key attribute of index 'GSI1'"),
        (OF + SHARING, "it is shared by Order and Gift, which only composed keys tell apart"),
    ],
    ids=["sparse", "constant", "shards", "a truth value", "five fields", "a filter", "somebody else's", "shared"],
)
def test_what_cannot_be_made_of_them_stays_composed_and_says_why(more: str, why: str) -> None:
    found = proposed(more)
    assert any(why in line for line in found.explained.rejected)
    assert found.code == proposed(more, multi_attribute=False).code


def test_without_being_asked_for_they_are_an_alternative() -> None:
    found = proposed(OF, multi_attribute=False)
    assert 'GSI1=("CUSTOMER#{customer}#COUNTRY#{country}"' in found.code
    assert any("see --multi-attribute" in line for line in found.explained.alternatives)
