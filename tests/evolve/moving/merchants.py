"""Merchants and reviews: two legacy tables, the model that takes their place, the mapping, and data."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from tablewright import GSI, Entity, Get, Keys, Query, Table, get, query
from tablewright.evolve.moving import LegacyGet, LegacyQuery, Move, Moving, Parent, Read

START = datetime(2026, 5, 1, tzinfo=UTC)

market = Table("Market", indexes=[GSI("GSI1")])


class Merchant(Entity, table=market):
    keys = Keys(
        "MERCHANT#{merchant_id}", "MERCHANT#{merchant_id}", GSI1=("CATEGORY#{category_id}", "MERCHANT#{merchant_id}")
    )
    merchant_id: str
    name: str
    category_id: str
    rating: Decimal | None = None


class Review(Entity, table=market):
    keys = Keys("MERCHANT#{merchant_id}", "REVIEW#{written_at}#{review_id}")
    merchant_id: str
    review_id: str
    written_at: datetime
    stars: int
    text: str = ""


@market.pattern
def merchant(merchant_id: str) -> Get[Merchant]:
    """One merchant."""
    return get(Merchant, Merchant.merchant_id == merchant_id)


@market.pattern
def merchants_in(category_id: str) -> Query[Merchant]:
    """The merchants of a category."""
    return query(Merchant, Merchant.category_id == category_id)


@market.pattern
def reviews_of(merchant_id: str) -> Query[Review]:
    """What people wrote about a merchant, the newest first."""
    return query(Review, Review.merchant_id == merchant_id).newest_first()


def written_at(item: dict[str, Any]) -> datetime:
    return datetime.fromisoformat(item["ts"])


def _merchant_back(entity: Merchant) -> dict[str, Any]:
    told: dict[str, Any] = {"merchantId": entity.merchant_id, "name": entity.name, "category": entity.category_id}
    return told if entity.rating is None else told | {"rating": entity.rating}


def _review_back(entity: Review) -> dict[str, Any]:
    return {
        "merchantId": entity.merchant_id,
        "reviewId": entity.review_id,
        "ts": entity.written_at.isoformat(),
        "stars": entity.stars,
        "body": entity.text,
    }


def merchants_moving(prefix: str = "", **options: Any) -> Moving:
    return Moving(
        "market",
        table=market,
        moves=[
            Move(
                table=f"{prefix}MerchantsTable",
                key=("merchantId",),
                entity=Merchant,
                fields={"merchant_id": "merchantId", "name": "name", "category_id": "category", "rating": "rating"},
                dropped=("Type", "legacyFlag"),
                back=_merchant_back,
            ),
            Move(
                table=f"{prefix}ReviewsTable",
                key=("merchantId", "reviewId"),
                entity=Review,
                fields={
                    "merchant_id": "merchantId",
                    "review_id": "reviewId",
                    "written_at": written_at,
                    "stars": "stars",
                    "text": "body",
                },
                uses=("ts",),
                back=_review_back,
            ),
        ],
        parents=[Parent(Review, Merchant, {"merchant_id": "merchant_id"})],
        **options,
    )


ONE = Read(Merchant, lambda merchant_id: LegacyGet("MerchantsTable", {"merchantId": merchant_id}), merchant)
IN_CATEGORY = Read(
    Merchant,
    lambda category_id: LegacyQuery("MerchantsTable", {"category": category_id}, index="CategoryIndex"),
    merchants_in,
    ordered=False,
)
REVIEWS = Read(
    Review, lambda merchant_id: LegacyQuery("ReviewsTable", {"merchantId": merchant_id}), reviews_of, ordered=False
)


def legacy_definitions(prefix: str = "") -> list[dict[str, Any]]:
    """The CreateTable requests of the legacy application."""
    return [
        {
            "TableName": f"{prefix}MerchantsTable",
            "AttributeDefinitions": [
                {"AttributeName": "merchantId", "AttributeType": "S"},
                {"AttributeName": "category", "AttributeType": "S"},
            ],
            "KeySchema": [{"AttributeName": "merchantId", "KeyType": "HASH"}],
            "GlobalSecondaryIndexes": [
                {
                    "IndexName": "CategoryIndex",
                    "KeySchema": [{"AttributeName": "category", "KeyType": "HASH"}],
                    "Projection": {"ProjectionType": "ALL"},
                }
            ],
            "BillingMode": "PAY_PER_REQUEST",
        },
        {
            "TableName": f"{prefix}ReviewsTable",
            "AttributeDefinitions": [
                {"AttributeName": "merchantId", "AttributeType": "S"},
                {"AttributeName": "reviewId", "AttributeType": "S"},
            ],
            "KeySchema": [
                {"AttributeName": "merchantId", "KeyType": "HASH"},
                {"AttributeName": "reviewId", "KeyType": "RANGE"},
            ],
            "BillingMode": "PAY_PER_REQUEST",
        },
    ]


def a_merchant(number: int, **more: Any) -> dict[str, Any]:
    # The legacy type says something else than the model's, and must not win.
    item = {
        "merchantId": f"m{number}",
        "name": f"Shop {number}",
        "category": f"c{number % 3}",
        "Type": "LegacyMerchant",
    }
    return item | more


def a_review(merchant_number: int, number: int, **more: Any) -> dict[str, Any]:
    ts = (START + timedelta(minutes=number)).isoformat()
    item = {
        "merchantId": f"m{merchant_number}",
        "reviewId": f"r{number}",
        "ts": ts,
        "stars": number % 5 + 1,
        "body": "fine",
    }
    return item | more


class Clock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now

    def pass_(self, **span: float) -> None:
        self.now += timedelta(**span)


def tokens() -> Callable[[], str]:
    counter = itertools.count()
    return lambda: f"token-{next(counter)}"
