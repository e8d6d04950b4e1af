"""What the shop holds of a customer, to be taken along or to be erased."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeVar

from tablewright import Deleted, Entity, Page
from tablewright.errors import ConcurrentModificationError, ConditionalCheckError, NotFoundError

from .customers import ERASED
from .department import ATTEMPTS
from .model import Order, Payment, customer, everything_of, leave, orders_of, payments_of
from .orders import Orders

E = TypeVar("E", bound=Entity)


class Forgetting(Orders):
    """Everything of one customer at once."""

    def export(self, username: str) -> Iterator[dict[str, Any]]:
        """All that the shop holds of a customer, one thing after another as it is read: what it is, and its fields as JSON has
        them."""
        for thing in self._db.belongings(everything_of(username)):
            yield {"type": type(thing).__name__, **thing.model_dump(mode="json")}

    def export_page(self, username: str, cursor: str | None = None) -> Page[Entity]:
        """The same in pages, for whoever must be able to go on elsewhere."""
        return self._db.belongings(everything_of(username)).page(100, cursor)

    def erase(self, username: str, *, limit: int | None = None) -> Deleted:
        """Erases a customer: the profile with its addresses, the cart, all reviews, and the claim to name and email address.

        Orders and payments stay for the books with what was bought, when, and for how much, but nameless: each order under a
        name of its own, so that not even those of one customer are known to be of one. Their tracking numbers go. What is
        still waiting to be shipped is cancelled, and goes back on the shelf. Streams and backups of the table forget later,
        as they forget everything.

        First the customer is marked, and from then on nothing is written for them; the profile goes last. So it can be done in
        steps of `limit` items, be stopped or killed at any moment, and be called again until it is `done`."""
        try:
            self._db.apply_only(leave, customer(username))
        except NotFoundError:
            return Deleted(0, True)
        nameless = 0
        for make_nameless in self._kept_for_the_books(username):
            if nameless == limit:
                return Deleted(nameless, False)
            make_nameless()
            nameless += 1
        if nameless == limit:
            return Deleted(nameless, False)
        rest = self._db.erase(everything_of(username), limit=None if limit is None else limit - nameless)
        return Deleted(nameless + rest.items, rest.done)

    def _kept_for_the_books(self, username: str) -> Iterator[Callable[[], None]]:
        """What makes each payment and each order nameless."""
        for payment in self._db.execute(payments_of(username).consistent()):
            yield partial(self._move, payment, self._move_payment)
        for order in self._db.execute(orders_of(username).consistent()):
            yield partial(self._move, order, self._move_order)

    def _move(self, thing: E, move: Callable[[E], None]) -> None:
        for _ in range(ATTEMPTS):
            try:
                move(thing)
            except ConditionalCheckError:  # shipped, captured or moved by somebody else in between
                now = self._db.get(thing, consistent=True)
                if now is None:
                    return
                thing = now
            else:
                return
        raise ConcurrentModificationError("What is kept for the books was changed by others all the time.")

    def _move_order(self, order: Order) -> None:
        nameless = order.model_copy(update={"username": f"{ERASED}{order.order_id}", "tracking": None})
        with self._db.transaction() as tx:
            tx.delete(order, when=Order.status == order.status)
            if order.status == "PENDING":
                nameless.status = "CANCELLED"
                self._put_back(tx, order)
            tx.create(nameless)

    def _move_payment(self, payment: Payment) -> None:
        nameless = payment.model_copy(update={"username": f"{ERASED}{payment.order_id}"})
        with self._db.transaction() as tx:
            tx.delete(payment, when=Payment.status == payment.status)
            tx.create(nameless)
