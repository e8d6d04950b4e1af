"""Orders: from a cart or a basket to the parcel's arrival, or to their end before it.

An order is one transaction: the customer exists, each product still costs what was shown and there is enough of it, and
then the order, its items, its payment and the emptied cart are written. With nineteen lines these are sixty actions.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal

from tablewright import Key, Page, Transaction, key, ulid
from tablewright.errors import ConditionalCheckError

from .carts import Cart
from .errors import (
    CartChanged,
    NotAsItStands,
    NothingToOrder,
    OutOfStock,
    PriceChanged,
    TooManyLines,
    UnknownOrder,
    UnknownProduct,
    in_our_words,
)
from .model import (
    CartItem,
    Order,
    OrderItem,
    OrderLine,
    OrderStatus,
    Payment,
    Product,
    cancel,
    deliver,
    items_of,
    large_orders_of,
    order,
    orders_between,
    orders_of,
    orders_with,
    orders_with_status,
    ship,
)
from .payments import SETTLED, Payments

MOST_LINES = 19


class Orders(Payments):
    """Everything about orders."""

    # ------------------------------------------------------------------------------------------------ placing

    @in_our_words()
    def checkout(self, cart: Cart, payment_id: str | None = None) -> Order:
        """Orders what a cart showed, for the price that it showed, and empties it. The payment is authorised with it.

        Refused, with nothing written, if a price, the stock or the cart changed since: OrderRefused says which. The same
        cart again returns the order that it has become."""
        lines = [OrderLine(product_id=n.product_id, quantity=n.quantity, price=n.price) for n in cart.lines]
        placed = self._order(cart.username, cart.order_id, lines, self._now())
        placed.payments = 1
        payment = Payment(
            username=cart.username,
            order_id=placed.order_id,
            payment_id=payment_id or ulid(),
            amount=placed.total,
        )
        try:
            self._write(placed, payment=payment, from_cart=True)
        except ConditionalCheckError as error:
            done = self._placed(cart.username, cart.order_id)
            if done is None:
                self._refuse(placed, error, from_cart=True)
                raise
            return done
        return placed

    @in_our_words()
    def place_order(self, username: str, basket: Mapping[str, int], *, at: datetime | None = None) -> Order:
        """An order past the cart, at today's prices, to be paid by invoice."""
        placed = self._order(username, ulid(), self._priced(basket), at or self._now())
        try:
            self._write(placed)
        except ConditionalCheckError as error:
            self._refuse(placed, error)
            raise
        return placed

    def _order(self, username: str, order_id: str, lines: list[OrderLine], at: datetime) -> Order:
        if not lines:
            raise NothingToOrder("There is nothing to order.")
        if len(lines) > MOST_LINES:
            raise TooManyLines(f"An order has at most {MOST_LINES} lines.")
        total = sum((line.price * line.quantity for line in lines), Decimal())
        return Order(username=username, order_id=order_id, placed_at=at, total=total, lines=lines)

    def _write(self, placed: Order, *, payment: Payment | None = None, from_cart: bool = False) -> None:
        with self._db.transaction() as tx:
            self._for(tx, placed.username)
            tx.create(placed)
            for item in order_items(placed):  # the first of them can be created once, whatever the order's time
                tx.create(item)
            for line in placed.lines:
                as_shown = Product.price == line.price
                tx.update(_product(line), add={"stock": -line.quantity}, when=as_shown)
                if from_cart:
                    tx.delete(_in_cart(placed, line), when=CartItem.quantity == line.quantity)
            if payment is not None:
                tx.create(payment)

    def _placed(self, username: str, order_id: str) -> Order | None:
        """An order that is there already, read past the index, which may lag."""
        first = self._db.get(key(OrderItem, order_id=order_id, line=1), consistent=True)
        if first is None:
            return None
        known = key(Order, username=username, placed_at=first.placed_at, order_id=order_id)
        return self._db.get(known, consistent=True)

    def _refuse(self, placed: Order, error: ConditionalCheckError, *, from_cart: bool = False) -> None:
        """Says in the shop's words why an order was refused; what is about the customer is left to the error itself."""
        products = self._db.get_many([_product(line) for line in placed.lines], consistent=True)
        things = self._db.get_many([_in_cart(placed, line) for line in placed.lines], consistent=True)
        for line, product, thing in zip(placed.lines, products, things, strict=True):
            if product is None:
                raise UnknownProduct(line.product_id) from error
            if product.price != line.price:
                was = f"{line.product_id} costs {product.price} now, not {line.price}."
                raise PriceChanged(was, line.product_id) from error
            if product.stock < line.quantity:
                raise OutOfStock(f"{product.stock} of {line.product_id} are left.", line.product_id) from error
            if from_cart and (thing is None or thing.quantity != line.quantity):
                changed = f"The cart has another number of {line.product_id} now."
                raise CartChanged(changed, line.product_id) from error

    def _priced(self, basket: Mapping[str, int]) -> list[OrderLine]:
        found = self._db.get_many([key(Product, product_id=product_id) for product_id in basket])
        lines = []
        for (product_id, quantity), product in zip(basket.items(), found, strict=True):
            if product is None:
                raise UnknownProduct(product_id)
            lines.append(OrderLine(product_id=product_id, quantity=quantity, price=product.price))
        return lines

    # ------------------------------------------------------------------------------------------------ finding

    def order(self, order_id: str) -> Order | None:
        """An order by its number."""
        return self._db.run(order, order_id)

    def history(self, username: str, cursor: str | None = None) -> Page[Order]:
        """A customer's orders, newest first, twenty a page."""
        return self._db.run(orders_of, username).page(cursor=cursor)

    def large_orders(self, username: str, amount: Decimal) -> list[Order]:
        """A customer's orders from an amount on, newest first."""
        return self._db.run(large_orders_of, username, amount).all()

    def items(self, order_id: str) -> list[OrderItem]:
        """The lines of an order, in order."""
        return self._db.run(items_of, order_id).all()

    def orders_with_product(self, product_id: str, cursor: str | None = None) -> Page[OrderItem]:
        """The lines in which a product was ordered, newest first, twenty a page."""
        return self._db.run(orders_with, product_id).page(cursor=cursor)

    def orders_between(self, status: OrderStatus, start: datetime, end: datetime) -> list[Order]:
        """Orders in one status that were placed from a moment to another, both included, oldest first."""
        return self._db.run(orders_between, status, start, end).all()

    # --------------------------------------------------------------------------------------------- dispatching

    def to_be_shipped(self) -> list[Order]:
        """What waits in the warehouse, longest wait first."""
        return self._db.run(orders_with_status, "PENDING").all()

    @in_our_words()
    def ship_order(self, order_id: str, tracking: str) -> Order:
        """The parcel leaves, and the order the list of those that wait. Fails if the order is not pending."""
        return self._db.apply(ship, order(order_id), tracking=tracking)

    @in_our_words()
    def confirm_delivery(self, order_id: str) -> Order:
        """The parcel has arrived. Fails if the order was not shipped."""
        return self._db.apply(deliver, order(order_id))

    @in_our_words()
    def cancel_order(self, order_id: str) -> Order:
        """Gives up an order that has not been shipped; its pieces go back on the shelf, and its money to the customer: what was
        authorised is void, what was taken is given back. Fails if it is not pending."""
        placed = self._db.get(order(order_id))
        if placed is None:
            raise UnknownOrder(order_id)
        cancelled = self._anew(placed, self._cancel)
        if cancelled is None:  # erased in between, and cancelled with that
            raise UnknownOrder(order_id)
        return cancelled

    def _cancel(self, placed: Order) -> Order:
        if placed.status != "PENDING":
            raise NotAsItStands(f"The order is {placed.status}.")
        paid = self._paid(placed)
        with self._db.transaction() as tx:
            tx.apply(cancel, placed, payments=len(paid))
            self._put_back(tx, placed)
            for payment in paid:
                if payment.status in SETTLED:
                    settled = {"status": SETTLED[payment.status]}
                    tx.update(payment, set=settled, when=Payment.status == payment.status)
        # A transaction returns nothing. It held only for an order as it was read, so this is what is stored.
        return placed.model_copy(update={"status": "CANCELLED"})

    def _put_back(self, tx: Transaction, placed: Order) -> None:
        """The pieces of an order, as far as the shop still has such products."""
        products = self._db.get_many([_product(line) for line in placed.lines], consistent=True)
        for line, product in zip(placed.lines, products, strict=True):
            if product is not None:
                tx.update(_product(line), add={"stock": line.quantity})


def order_items(placed: Order) -> Sequence[OrderItem]:
    """The lines of an order as items of their own."""
    return [
        OrderItem(
            order_id=placed.order_id,
            line=number,
            product_id=line.product_id,
            placed_at=placed.placed_at,
            quantity=line.quantity,
        )
        for number, line in enumerate(placed.lines, 1)
    ]


def _product(line: OrderLine) -> Key[Product]:
    return key(Product, product_id=line.product_id)


def _in_cart(placed: Order, line: OrderLine) -> Key[CartItem]:
    return key(CartItem, username=placed.username, product_id=line.product_id)
