"""Carts: what customers think of buying. Each thing is an item, so that two windows add to one number."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from tablewright import key, ulid
from tablewright.errors import ConditionalCheckError

from .department import Department
from .errors import TooManyPieces, UnknownProduct, in_our_words
from .model import MOST_PIECES, CartItem, Product, cart_of, product

REMEMBERED = timedelta(days=30)
"""How long a thing stays in a cart that nobody touches."""


@dataclass(frozen=True)
class CartLine:
    """A thing in a cart, as the customer is shown it."""

    product_id: str
    name: str
    price: Decimal
    quantity: int
    available: bool


@dataclass(frozen=True)
class Cart:
    """A cart as the customer is shown it. Checking it out makes the order with this number, however often that is tried."""

    username: str
    order_id: str
    lines: tuple[CartLine, ...]

    @property
    def total(self) -> Decimal:
        """What all of it costs."""
        return sum((line.price * line.quantity for line in self.lines), Decimal())


class Carts(Department):
    """Everything about carts up to the checkout."""

    @in_our_words()
    def add_to_cart(self, username: str, product_id: str, quantity: int = 1) -> None:
        """So many more of a product. Two windows that add at once add up; what was forgotten is not added to. TooManyPieces if
        the cart would hold more of it than an order takes."""
        self._must_have(product_id)
        wanted = self._thing(username, product_id, quantity)
        # A session that hides what has expired hides it from reads; adding would still add to what is stored. So it goes
        # first: one request more for each thing, and two for one that was forgotten.
        forgotten = self._db.get(wanted, consistent=True)
        if forgotten is not None and forgotten.forgotten_at <= self._now():
            with suppress(ConditionalCheckError):  # another window, or the table itself, took it away
                self._db.delete(forgotten, when=CartItem.forgotten_at == forgotten.forgotten_at)
        try:
            with self._db.transaction() as tx:
                self._for(tx, username)
                tx.upsert(wanted, add={"quantity": quantity}, set={"forgotten_at": wanted.forgotten_at})
        except ConditionalCheckError as error:
            if error.entity != "CartItem":
                raise
            raise TooManyPieces(f"A cart holds at most {MOST_PIECES} of a product.") from error

    @in_our_words()
    def set_quantity(self, username: str, product_id: str, quantity: int) -> None:
        """So many of a product and no more; none at all takes it out."""
        if quantity == 0:
            self._db.delete(key(CartItem, username=username, product_id=product_id))
            return
        self._must_have(product_id)
        with self._db.transaction() as tx:
            self._for(tx, username)
            tx.put(self._thing(username, product_id, quantity))

    def cart(self, username: str) -> Cart:
        """The cart with today's names and prices. What was forgotten, or the shop no longer has, is not shown."""
        things = [thing for thing in self._db.run(cart_of, username) if thing.forgotten_at > self._now()]
        products = self._db.get_many([key(Product, product_id=thing.product_id) for thing in things])
        return Cart(
            username,
            ulid(),
            tuple(
                CartLine(found.product_id, found.name, found.price, thing.quantity, found.stock >= thing.quantity)
                for thing, found in zip(things, products, strict=True)
                if found is not None
            ),
        )

    def _must_have(self, product_id: str) -> None:
        """Looked at before the transaction, not in it: carts and checkouts of a bestseller would get in each other's way, and
        a product that goes a moment later is not shown anyway."""
        if self._db.get(product(product_id)) is None:
            raise UnknownProduct(product_id)

    def _thing(self, username: str, product_id: str, quantity: int) -> CartItem:
        until: datetime = self._now() + REMEMBERED
        return CartItem(username=username, product_id=product_id, quantity=quantity, forgotten_at=until)
