"""The shop's own words do what they say, and the seed data can be written again and again."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from examples.shop import seed
from examples.shop.model import Customer, Order, Product, Review, orders_of
from examples.shop.store import Shop, UnknownProduct
from tablewright import Session
from tablewright.errors import ConditionalCheckError, NotFoundError, UniqueViolationError

SEEDED = 84 + 36 + 45 + 26 + 3 + 20 + 30
"""Customers, categories, products, orders and reviews; words, items, payments, carts and sales."""
NOON = datetime(2025, 12, 24, 12, tzinfo=UTC)


@pytest.fixture
def store(db: Session) -> Shop:
    seed.seed(db)
    return Shop(db)


def test_a_customer_signs_in_moves_and_leaves(store: Shop) -> None:
    new = store.register("finn", "Finn@example.com", "Finn")
    assert store.sign_in("finn@EXAMPLE.com") == new
    with pytest.raises(UniqueViolationError):
        store.change_email("finn", "bruno@example.org")
    assert store.change_email("finn", "finn@example.org").username == "finn"
    assert store.sign_in("finn@example.com") is None
    store.close_account("finn")
    assert store.sign_in("finn@example.org") is None
    store.register("fiona", "finn@example.org", "Fiona")


def test_an_order_is_placed_shipped_and_delivered(store: Shop) -> None:
    placed = store.place_order("deniz", {"kenya-aa": 2, "moka-pot": 1}, at=NOON)
    assert placed.total == Decimal("61.90")
    assert [o.order_id for o in store.to_be_shipped()] == ["o1027", "o1028", "o1029", "o1030", placed.order_id]
    store.ship_order(placed.order_id, "T1")
    assert [o.order_id for o in store.to_be_shipped()] == ["o1027", "o1028", "o1029", "o1030"]
    assert store.confirm_delivery(placed.order_id).status == "DELIVERED"
    assert [o.order_id for o in store.history("deniz")] == [placed.order_id, "o1024", "o1017", "o1010"]
    with pytest.raises(ConditionalCheckError):
        store.ship_order(placed.order_id, "T2")


def test_an_order_needs_a_customer_and_products(store: Shop, db: Session) -> None:
    with pytest.raises(NotFoundError):
        store.place_order("nobody", {"kenya-aa": 1})
    assert db.run(orders_of, "nobody").all() == []
    with pytest.raises(UnknownProduct, match="kenya-bb"):
        store.place_order("alice", {"kenya-aa": 1, "kenya-bb": 1})


def test_a_product_has_a_page(store: Shop) -> None:
    page = store.page_of("kenya-aa")
    assert page is not None
    assert page.product is not None
    assert (page.product.name, [r.stars for r in page.reviews]) == ("Kenya AA, 500 g", [5, 3])
    assert store.page_of("nothing") is None


def test_the_seed_is_a_year_of_business() -> None:
    orders, products = seed.orders(), seed.products()
    assert (len(seed.customers()), len(orders), len(products), len(seed.categories())) == (6, 30, 20, 4)
    assert len({o.placed_at.strftime("%Y-%m") for o in orders}) == 12
    assert {p.category_id for p in products} == {c.category_id for c in seed.categories()}
    assert {o.username for o in orders} == {c.username for c in seed.customers()}
    assert {r.product_id for r in seed.reviews()} <= {p.product_id for p in products}


def test_seeding_again_restores_everything(db: Session) -> None:
    def everything() -> tuple[list[list[str]], int]:
        entities = [sorted(map(repr, db.scan_for_maintenance(kind))) for kind in (Customer, Order, Product, Review)]
        return entities, db.send("Scan", {"TableName": db.table_name})["Count"]

    assert seed.seed(db) == SEEDED
    before = everything()
    store = Shop(db)
    store.ship_order("o1029", "T1")
    store.change_email("alice", "somewhere@example.com")
    assert everything() != before
    assert seed.seed(db) == SEEDED
    assert everything() == before
