"""Models whose infrastructure is generated: a plain one, and one that has everything."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import pytest

from tablewright import (
    GSI,
    LSI,
    Alarms,
    Deployment,
    Entity,
    Epoch,
    Keys,
    KmsKey,
    Provisioned,
    Table,
    number,
)
from tablewright.generate.material import Material


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


MODELS = {"plain": plain, "full": full}


@pytest.fixture(params=list(MODELS))
def material(request: pytest.FixtureRequest) -> Material:
    return Material(MODELS[request.param]().plan)
