"""The shop in its own words: what its pages and its warehouse call. Nothing above this file knows that there is a table."""

from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal

from tablewright import Page, Session, key, ulid

from .model import (
    Customer,
    Order,
    OrderItem,
    OrderLine,
    Product,
    ProductPage,
    customer,
    customer_by_email,
    deliver,
    order,
    orders_of,
    orders_with_status,
    product_page,
    ship,
)


class UnknownProduct(LookupError):
    """A basket names a product that the shop does not have."""


class Shop:
    """Everything the application does, on an open session."""

    def __init__(self, db: Session) -> None:
        self._db = db

    # ---------------------------------------------------------------------------------------------- customers

    def register(self, username: str, email: str, name: str) -> Customer:
        """A new customer. Fails if the user name or the email address is taken."""
        return self._db.create(Customer(username=username, email=email, name=name))

    def sign_in(self, email: str) -> Customer | None:
        """The customer with this email address, however it is typed."""
        return self._db.run(customer_by_email, email)

    def change_email(self, username: str, email: str) -> Customer:
        """Moves the customer to another address; the old one is free at once."""
        return self._db.update(customer(username), set={"email": email})

    def close_account(self, username: str) -> None:
        """Forgets the customer and frees the email address. Orders stay, for the books."""
        self._db.delete(customer(username))

    # ------------------------------------------------------------------------------------------------- orders

    def place_order(self, username: str, basket: Mapping[str, int], *, at: datetime | None = None) -> Order:
        """An order at today's prices with its items, only if the customer still exists when it is written."""
        lines = self._priced(basket)
        placed = Order(
            username=username,
            order_id=ulid(),
            placed_at=at or datetime.now(UTC),
            total=sum((line.price * line.quantity for line in lines), Decimal()),
            lines=lines,
        )
        with self._db.transaction() as tx:
            tx.check(customer(username))
            tx.create(placed)
            for number, line in enumerate(lines, 1):
                tx.create(
                    OrderItem(
                        order_id=placed.order_id,
                        line=number,
                        product_id=line.product_id,
                        placed_at=placed.placed_at,
                        quantity=line.quantity,
                    )
                )
        return placed

    def ship_order(self, order_id: str, tracking: str) -> Order:
        """The parcel leaves. Fails if the order is not pending."""
        return self._db.apply(ship, order(order_id), tracking=tracking)

    def confirm_delivery(self, order_id: str) -> Order:
        """The parcel has arrived. Fails if the order was not shipped."""
        return self._db.apply(deliver, order(order_id))

    def history(self, username: str, cursor: str | None = None) -> Page[Order]:
        """A customer's orders, newest first, twenty a page."""
        return self._db.run(orders_of, username).page(cursor=cursor)

    def to_be_shipped(self) -> list[Order]:
        """What waits in the warehouse, longest wait first."""
        return self._db.run(orders_with_status, "PENDING").all()

    # ----------------------------------------------------------------------------------------------- products

    def page_of(self, product_id: str) -> ProductPage | None:
        """A product with its reviews; None if the shop does not have it."""
        page = self._db.run(product_page, product_id)
        return page if page.product is not None else None

    def _priced(self, basket: Mapping[str, int]) -> list[OrderLine]:
        found = self._db.get_many([key(Product, product_id=product_id) for product_id in basket])
        lines = []
        for (product_id, quantity), product in zip(basket.items(), found, strict=True):
            if product is None:
                raise UnknownProduct(product_id)
            lines.append(OrderLine(product_id=product_id, quantity=quantity, price=product.price))
        return lines
