"""Facets of products: one index of several attributes answers by type and brand, then price range, rating, availability.

`python -m examples.small.facets` shows it.
"""

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field

from tablewright import GSI, Entity, Get, Keys, Query, Table, get, number, query

catalogue = Table(
    "Catalogue",
    indexes=[
        GSI(
            "FacetIndex",
            pk=["product_type", "brand_id"],
            sk=["price_range", number("rating"), "availability"],
            projection="ALL",
        )
    ],
)

Id = Annotated[str, Field(min_length=1, max_length=40)]
PriceRange = Literal["budget", "middle", "premium"]
Availability = Literal["in_stock", "to_order"]
Rating = Annotated[Decimal, Field(ge=0, le=5, max_digits=2, decimal_places=1)]


class Product(Entity, table=catalogue):
    """Something to buy. The price range is worked out, so that a new price moves the product in the index."""

    keys = Keys(
        "PRODUCT#{product_id}",
        "PRODUCT#{product_id}",
        FacetIndex=(("{product_type}", "{brand_id}"), ("{price_range}", "{rating}", "{availability}")),
    )
    product_id: Id
    product_type: Id
    brand_id: Id
    price: Annotated[Decimal, Field(ge=0, max_digits=12, decimal_places=2)]
    rating: Rating = Decimal(0)
    availability: Availability = "in_stock"
    price_range: PriceRange = "budget"

    def model_post_init(self, context: object) -> None:
        """Below 50, below 200, and above."""
        self.price_range = "budget" if self.price < 50 else "middle" if self.price < 200 else "premium"


@catalogue.pattern
def product(product_id: str) -> Get[Product]:
    "A product by id."
    return get(Product, Product.product_id == product_id)


@catalogue.pattern
def products(
    product_type: str,
    brand_id: str,
    price_range: PriceRange | None = None,
    rating: Decimal | None = None,
    availability: Availability | None = None,
) -> Query[Product]:
    "A brand's products of a type; of a price range, with a rating, in stock or not. A facet needs those before it."
    found = query(Product, Product.product_type == product_type, Product.brand_id == brand_id)
    found = found.when(price_range, lambda p: Product.price_range == p)
    found = found.when(rating, lambda r: Product.rating == r, after=price_range)
    return found.when(availability, lambda a: Product.availability == a, after=rating).per_page(50)


@catalogue.pattern
def well_rated(product_type: str, brand_id: str, price_range: PriceRange, at_least: Decimal) -> Query[Product]:
    "The best of a price range first. Nothing can follow a range, so availability is not asked."
    found = query(
        Product,
        Product.product_type == product_type,
        Product.brand_id == brand_id,
        Product.price_range == price_range,
        Product.rating >= at_least,
    )
    return found.newest_first().per_page(50)


def main() -> None:
    """Three drills, by facets; one of them gets cheaper."""
    with catalogue.open("memory:") as db:
        for product_id, price, rating in (("d1", 149, "4.5"), ("d2", 99, "3.9"), ("d3", 249, "4.8")):
            db.create(
                Product(
                    product_id=product_id,
                    product_type="drill",
                    brand_id="acme",
                    price=Decimal(price),
                    rating=Decimal(rating),
                )
            )
        print([p.product_id for p in db.run(products, "drill", "acme", "middle")])
        print([p.product_id for p in db.run(well_rated, "drill", "acme", "middle", Decimal(4))])
        db.update(product("d3"), set={"price": Decimal(199)})
        print([p.product_id for p in db.run(well_rated, "drill", "acme", "middle", Decimal(4))])


if __name__ == "__main__":
    main()
