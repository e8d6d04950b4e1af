"""The seed data is a year of business, and can be written again and again."""

import subprocess
import sys
from pathlib import Path

import pytest

from examples.shop import seed
from examples.shop.model import Customer, Order, Product, Review
from examples.shop.sales import SalesCounter
from examples.shop.store import Shop
from tablewright import Session

SEEDED = 6 + 4 + 20 + 51 + 30 + 45 + 26 + 24 + 3 + 20 + 30 + 30
"""Customers, categories, products, words, orders, items, payments, reviews, things in carts, sales by product and by day,
and that all orders are counted."""


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


def test_what_is_seeded_is_counted_already(filled: Session) -> None:
    assert SalesCounter(filled).recount() == 0


@pytest.mark.parametrize("module", ["examples.shop.seed", "examples.shop.sales"])
def test_a_command_without_a_file_says_how_it_is_used(module: str) -> None:
    root = Path(seed.__file__).parents[2]
    ended = subprocess.run([sys.executable, "-m", module], cwd=root, capture_output=True, text=True, check=False)  # noqa: S603 - our own module
    assert ended.returncode == 2
    assert ended.stderr.startswith(f"usage: python -m {module} [-h] file\n")
