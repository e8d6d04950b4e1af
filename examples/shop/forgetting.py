"""What the shop holds of a customer, to be taken along or to be erased."""

from collections.abc import Iterator
from typing import Any

from tablewright import Deleted, Entity, Page
from tablewright.errors import ConditionalCheckError, NotFoundError

from .customers import ERASED
from .errors import in_our_words
from .model import Customer, Order, Payment, customer, everything_of, leave, orders_of
from .orders import Orders
from .payments import SETTLED

LEAVING = Customer.leaving == True  # noqa: E712 - a condition, not a comparison


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

    @in_our_words()
    def erase(self, username: str, *, limit: int | None = None) -> Deleted:
        """Erases a customer: the profile with its addresses, the cart, all reviews, and the claim to name and email address.

        Orders and payments stay for the books with what was bought, when, and for how much, but nameless: each order under a
        name of its own, so that not even those of one customer are known to be of one. Their tracking numbers go. What is
        still waiting to be shipped is cancelled as `cancel_order` does it. Streams and backups of the table forget later,
        as they forget everything.

        First the customer is marked, and from then on nothing is written for them; the profile goes last. So it can be done in
        steps of `limit` items (an order and its payments go together), be stopped or killed at any moment, and be called
        again until it is `done`. Each step is for the customer who was marked: who registers under the same name as soon as
        another worker is done is somebody new, and loses nothing. It looks although the profile is gone, as reviews are found
        through an index, which may have shown them too late."""
        if limit is not None and limit < 1:
            raise ValueError("An erasure takes steps of at least one item.")
        try:
            self._db.apply_only(leave, customer(username))
            marked = True
        except NotFoundError:
            marked = False
        moved, erased = 0, [0]
        try:
            for placed in self._db.execute(orders_of(username).consistent()):
                if limit is not None and moved >= limit:
                    return Deleted(moved, False)
                if not marked and self._db.get(customer(username), consistent=True) is not None:
                    break  # the profile was gone, and this is the order of somebody new
                moved += self._anew(placed, lambda order: self._make_nameless(order, marked=marked)) or 0
            if limit is not None and moved >= limit:
                return Deleted(moved, False)
            left = None if limit is None else limit - moved
            rest = self._db.erase(everything_of(username), when=LEAVING, limit=left, progress=erased.append)
        except ConditionalCheckError as error:
            if error.entity != "Customer":
                raise
            return Deleted(moved + erased[-1], True)  # another worker was done first, and there may be somebody new
        return Deleted(moved + rest.items, rest.done)

    def _make_nameless(self, placed: Order, *, marked: bool) -> int:
        """Moves an order with all its payments to a name of its own; how many items that are."""
        paid = self._paid(placed)
        nobody = f"{ERASED}{placed.order_id}"
        waits = placed.status == "PENDING"
        status = "CANCELLED" if waits else placed.status
        with self._db.transaction() as tx:
            if marked:
                tx.check(customer(placed.username), LEAVING)
            tx.delete(placed, when=[Order.status == placed.status, Order.payments == len(paid)])
            tx.create(placed.model_copy(update={"username": nobody, "tracking": None, "status": status}))
            for payment in paid:
                settled = SETTLED.get(payment.status, payment.status) if waits else payment.status
                tx.delete(payment, when=Payment.status == payment.status)
                tx.create(payment.model_copy(update={"username": nobody, "status": settled}))
            if waits:
                self._put_back(tx, placed)
        return 1 + len(paid)
