"""Merchants are found by category and shown with their reviews, whose sums they carry."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from examples.small.merchants import (
    Merchant,
    MerchantPage,
    market,
    merchant,
    merchant_page,
    merchants_in,
    write_review,
)
from tablewright import Session
from tablewright.errors import NotFoundError

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
MERCHANTS = [
    Merchant(merchant_id=name, category_id=category, title=name)
    for name, category in (("m1", "food"), ("m10", "food"), ("m2", "foods"), ("m1#REVIEW", "food"))
]


@pytest.fixture
def db(opened: Callable[..., Session]) -> Session:
    session = opened(market)
    for each in MERCHANTS:
        session.create(each)
    return session


def test_merchants_are_found_by_id_and_by_category(db: Session, asked: Callable[..., Any]) -> None:
    with db.measure() as meter:
        assert db.run(merchant, "m1") == MERCHANTS[0]
        assert [each.merchant_id for each in db.run(merchants_in, "food")] == ["m1", "m1#REVIEW", "m10"]
    assert asked(meter) == [("GetItem", None), ("Query", "GSI1")]
    assert meter.capacity.read == 1.0
    assert db.run(merchant, "m") is None


def test_a_page_is_one_request_and_newest_first(db: Session, asked: Callable[..., Any]) -> None:
    written = [write_review(db, "m1", stars, at=NOON + timedelta(hours=stars)) for stars in (2, 5, 4)]
    write_review(db, "m10", 1, at=NOON)
    with db.measure() as meter:
        page = db.run(merchant_page, "m1")
    assert page == MerchantPage(
        MERCHANTS[0].model_copy(update={"reviews": 3, "stars": 11}),
        sorted(written, key=lambda review: review.written_at, reverse=True),
    )
    assert (asked(meter), meter.capacity.read) == ([("Query", None)], 0.5)
    assert db.run(merchant_page, "m2").reviews == []


def test_a_review_is_counted_with_the_merchant_whoever_else_writes(db: Session, asked: Callable[..., Any]) -> None:
    with db.measure() as meter:
        write_review(db, "m1", 3)
    assert asked(meter) == [("TransactWriteItems", None)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: write_review(db, "m1", 5), range(9)))
    page = db.run(merchant_page, "m1")
    assert page.merchant is not None
    assert (page.merchant.reviews, page.merchant.stars, page.merchant.rating()) == (10, 48, 4.8)
    assert len(page.reviews) == 10
    (listed,) = [each for each in db.run(merchants_in, "food") if each.merchant_id == "m1"]
    assert listed.rating() == 4.8
    assert MERCHANTS[0].rating() is None


def test_nobody_can_be_reviewed_who_is_not_there(db: Session) -> None:
    with pytest.raises(NotFoundError):
        write_review(db, "nobody", 5)
    assert db.run(merchant_page, "nobody") == MerchantPage(None, [])


def test_a_merchant_moves_to_another_category(db: Session) -> None:
    db.update(merchant("m10"), set={"category_id": "foods"})
    assert [each.merchant_id for each in db.run(merchants_in, "food")] == ["m1", "m1#REVIEW"]
    assert [each.merchant_id for each in db.run(merchants_in, "foods")] == ["m10", "m2"]
