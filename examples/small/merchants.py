"""Merchants with their reviews, found by category: two tables and an index of a relational mind, in one table.

`python -m examples.small.merchants` shows it.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated

from pydantic import Field

from tablewright import (
    GSI,
    Collection,
    Entity,
    Get,
    Keys,
    Query,
    Relationship,
    Session,
    Table,
    collect,
    get,
    many,
    one,
    query,
    ulid,
)

market = Table("Market", indexes=[GSI("GSI1", projection="ALL")])

Id = Annotated[str, Field(min_length=1, max_length=40)]


class Merchant(Entity, table=market):
    """Somebody who sells. The sums of the reviews are kept here, so that a list can show them without reading reviews."""

    keys = Keys(
        "MERCHANT#{merchant_id}",
        "MERCHANT#{merchant_id}",
        GSI1=("CATEGORY#{category_id}", "MERCHANT#{merchant_id}"),
    )
    merchant_id: Id
    category_id: Id
    title: str = Field(max_length=100)
    reviews: int = Field(default=0, ge=0)
    stars: int = Field(default=0, ge=0)

    def rating(self) -> float | None:
        """How many stars on the average; None without a review."""
        return round(self.stars / self.reviews, 1) if self.reviews else None


class Review(Entity, table=market):
    """What somebody says of a merchant; it lies with the merchant, by time."""

    keys = Keys("MERCHANT#{merchant_id}", "REVIEW#{written_at}#{review_id}")
    merchant_id: Id
    review_id: Id
    written_at: datetime
    stars: int = Field(ge=1, le=5)
    words: str = Field(default="", max_length=2_000)


market.relate(Relationship(Merchant, Review, "1:N", "item collection", reason="a merchant's page shows both"))


@dataclass
class MerchantPage:
    """What the page of one merchant shows."""

    merchant: Merchant | None
    reviews: list[Review]


@market.pattern
def merchant(merchant_id: str) -> Get[Merchant]:
    "A merchant by id."
    return get(Merchant, Merchant.merchant_id == merchant_id)


@market.pattern
def merchants_in(category_id: str) -> Query[Merchant]:
    "The merchants of a category, by id."
    return query(Merchant, Merchant.category_id == category_id).per_page(20)


@market.pattern
def merchant_page(merchant_id: str) -> Collection[MerchantPage]:
    "A merchant with all reviews, newest first, in one request."
    return collect(
        MerchantPage,
        merchant=one(query(Merchant, Merchant.merchant_id == merchant_id).newest_first()),
        reviews=many(query(Review, Review.merchant_id == merchant_id).newest_first()),
    )


def write_review(db: Session, merchant_id: str, stars: int, words: str = "", *, at: datetime | None = None) -> Review:
    """A review, and the merchant's sums with it. NotFoundError if there is no such merchant."""
    review = Review(
        merchant_id=merchant_id, review_id=ulid(), written_at=at or datetime.now(UTC), stars=stars, words=words
    )
    with db.transaction() as tx:
        tx.create(review)
        tx.update(merchant(merchant_id), add={"reviews": 1, "stars": stars})
    return review


def main() -> None:
    """Three merchants, some reviews, a category and a page."""
    with market.open("memory:") as db:
        for name, category in (("leo", "bakers"), ("mia", "bakers"), ("ned", "tailors")):
            db.create(Merchant(merchant_id=name, category_id=category, title=name.title()))
        write_review(db, "mia", 4, "Good rye.", at=datetime(2026, 3, 1, tzinfo=UTC))
        write_review(db, "mia", 5, "Better rye.", at=datetime(2026, 3, 2, tzinfo=UTC))
        print([(each.title, each.rating()) for each in db.run(merchants_in, "bakers")])
        print([review.words for review in db.run(merchant_page, "mia").reviews])


if __name__ == "__main__":
    main()
