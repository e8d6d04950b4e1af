"""Each facet narrows what the ones before it found; a new price or rating moves a product by itself."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from examples.small.facets import Product, catalogue, product, products, well_rated
from tablewright import Session
from tablewright.errors import ArgumentError


def made(product_id: str, price: str, rating: str, **more: Any) -> Product:
    told = {"product_type": "drill", "brand_id": "acme", **more}
    return Product.model_validate({"product_id": product_id, "price": price, "rating": rating, **told})


ALL = [
    made("p1", "49.99", "4.5"),
    made("p2", "50", "3.9"),
    made("p3", "50.01", "10e-1"),
    made("p4", "199.99", "4.5", availability="to_order"),
    made("p5", "200", "4.5"),
    made("p6", "150", "4.5"),
    made("p7", "150", "5", brand_id="acme2"),
    made("p8", "150", "5", product_type="drills"),
]


@pytest.fixture
def db(opened: Callable[..., Session]) -> Session:
    session = opened(catalogue)
    for each in ALL:
        session.create(each)
    return session


def test_prices_have_ranges() -> None:
    assert [each.price_range for each in ALL[:5]] == ["budget", "middle", "middle", "middle", "premium"]


@pytest.mark.parametrize(
    ("facets", "expected"),
    [
        ((), ["p1", "p3", "p2", "p6", "p4", "p5"]),
        (("middle",), ["p3", "p2", "p6", "p4"]),
        (("middle", Decimal("4.5")), ["p6", "p4"]),
        (("middle", Decimal("4.50"), "to_order"), ["p4"]),
        (("premium", Decimal("4.5"), "to_order"), []),
    ],
    ids=["all", "range", "rating", "availability", "nothing"],
)
def test_facets_narrow_from_the_left(
    db: Session, place: str, asked: Callable[..., Any], facets: tuple[Any, ...], expected: list[str]
) -> None:
    with db.measure() as meter:
        found = [each.product_id for each in db.run(products, "drill", "acme", *facets)]
    assert found == expected
    assert asked(meter) == [("Query", "FacetIndex")]
    if place == "memory":  # DynamoDB Local takes nothing for a query that finds nothing; DynamoDB does
        assert meter.capacity.read == 0.5


def test_a_facet_needs_those_before_it(db: Session) -> None:
    with pytest.raises(ArgumentError, match="without the one that it comes after"):
        db.run(products, "drill", "acme", rating=Decimal(4))
    with pytest.raises(ArgumentError, match="without the one that it comes after"):
        db.run(products, "drill", "acme", "middle", availability="in_stock")


def test_ratings_are_numbers_best_first(db: Session, asked: Callable[..., Any]) -> None:
    with db.measure() as meter:
        found = db.run(well_rated, "drill", "acme", "middle", Decimal("3.9")).all()
    assert [each.rating for each in found] == [Decimal("4.5"), Decimal("4.5"), Decimal("3.9")]
    assert (asked(meter), meter.capacity.read) == ([("Query", "FacetIndex")], 0.5)
    assert len(db.run(well_rated, "drill", "acme", "middle", Decimal(0)).all()) == 4


def test_a_new_price_moves_a_product_to_its_range(db: Session) -> None:
    assert db.update(product("p5"), set={"price": Decimal(199)}).price_range == "middle"
    assert [each.product_id for each in db.run(products, "drill", "acme", "premium")] == []
    assert "p5" in [each.product_id for each in db.run(products, "drill", "acme", "middle", Decimal("4.5"))]
    assert db.run(product, "p5") == made("p5", "199", "4.5")
    assert db.run(product, "p") is None
