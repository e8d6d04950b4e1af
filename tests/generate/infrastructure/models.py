"""Models whose infrastructure is generated: a plain one, one that has everything, and one with limits on demand."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from tablewright import (
    GSI,
    LSI,
    Alarms,
    Deployment,
    Entity,
    Epoch,
    Get,
    Keys,
    KmsKey,
    OnDemand,
    Provisioned,
    Query,
    Table,
    Warm,
    get,
    number,
    query,
)


def plain() -> Table:
    table = Table("AppTable", indexes=[GSI("GSI1")])

    class Order(Entity, table=table):
        keys = Keys("USER#{username}", "ORDER#{order_id}", GSI1=("STATUS#{status}", "{order_id}"))
        username: str
        order_id: str
        status: str

    return table


def full() -> Table:
    capacity = Provisioned(
        read=10,
        write=5,
        max_read=200,
        max_write=100,
        target=60,
        indexes={"by.place": Provisioned(read=2, write=5)},
    )
    table = Table(
        "app-{stage}-table",
        indexes=[
            GSI("GSI1", projection=["total"]),
            GSI("by.place", pk=["tenant", "country"], sk=["city", number("zip")]),
            GSI("by-place", pk="place", sk=None, projection="KEYS_ONLY"),
            LSI("LSI1", sk=number("total")),
        ],
        stream="NEW_AND_OLD_IMAGES",
        deployment=Deployment(
            billing=capacity,
            encryption=KmsKey("arn:aws:kms:eu-west-1:123456789012:key/0b1c2d3e-0000-4000-8000-1234567890ab"),
            table_class="STANDARD_INFREQUENT_ACCESS",
            contributor_insights=True,
            alarms=Alarms(user_errors=50, latency_ms=25, minutes=3, topic="arn:aws:sns:eu-west-1:123456789012:alarms"),
            tags={"team": "shop", "cost centre": "no: 7"},
        ),
    )

    class Order(Entity, table=table, ttl="gone"):
        keys = Keys(
            "TENANT#{tenant}",
            "ORDER#{order_id}",
            **{
                "GSI1": ("TENANT#{tenant}", "{order_id}"),
                "by.place": (("{tenant}", "{country}"), ("{city}", "{zip}")),
                "by-place": ("{place}",),
                "LSI1": "{total}",
            },
        )
        tenant: str
        order_id: str
        country: str
        city: str
        zip: int
        place: str
        total: int
        gone: Annotated[datetime, Epoch()] | None = None

    return table


def limited() -> Table:
    """On demand, with limits and warmth of its own on an index, and patterns that are in a hurry."""
    table = Table(
        "Limited",
        indexes=[GSI("GSI1"), GSI("GSI2")],
        deployment=Deployment(
            billing=OnDemand(max_read=500, max_write=200, indexes={"GSI2": OnDemand(max_write=50)}),
            warm=Warm(read=20_000, write=5_000, indexes={"GSI2": Warm(read=12_000, write=6_000)}),
            recovery=7,
            contributor_insights=True,
        ),
    )

    class Order(Entity, table=table):
        keys = Keys("ORDER#{order_id}", "ORDER", GSI1=("USER#{user}", "{order_id}"), GSI2=("DAY#{day}", "{order_id}"))
        order_id: str
        user: str
        day: str

    @table.pattern
    def order(order_id: str) -> Get[Order]:
        return get(Order, Order.order_id == order_id)

    @table.pattern
    def orders_of(user: str) -> Query[Order]:
        return query(Order, Order.user == user)

    @table.pattern
    def orders_on(day: str) -> Query[Order]:
        return query(Order, Order.day == day)

    table.expect(order, latency_ms=15)
    table.expect(orders_of, latency_ms=20)
    table.expect(orders_on, latency_ms=50.5)
    return table


MODELS = {"plain": plain, "full": full, "limited": limited}
