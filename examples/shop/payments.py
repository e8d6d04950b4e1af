"""Payments: money for orders, authorised, taken and given back. For an order that is cancelled no money is taken.

A payment and its order are items of their own. Whatever changes one looks at the other in the same transaction: taking
money needs an order that is not cancelled, and cancelling needs to have seen every payment as it is.
"""

from collections.abc import Sequence
from decimal import Decimal

from tablewright import Key, key
from tablewright.errors import ConditionalCheckError

from .department import Department
from .errors import UnknownOrder, in_our_words
from .model import Order, OrderItem, Payment, PaymentStatus, capture, payments_for, refund

SETTLED: dict[PaymentStatus, PaymentStatus] = {"AUTHORISED": "VOIDED", "CAPTURED": "REFUNDED"}
"""What becomes of the payments of an order that is cancelled."""


class Payments(Department):
    """Everything about money."""

    @in_our_words()
    def pay(self, placed: Order, amount: Decimal, payment_id: str) -> Payment:
        """Money for an order beside that of its checkout, authorised. The same payment again changes nothing. Fails if the
        order is cancelled."""
        payment = Payment(username=placed.username, order_id=placed.order_id, payment_id=payment_id, amount=amount)
        try:
            with self._db.transaction() as tx:
                self._for(tx, placed.username)
                tx.update(_order(placed), add={"payments": 1}, when=Order.status != "CANCELLED")
                tx.create(payment)
        except ConditionalCheckError:
            known = self._db.get(payment, consistent=True)
            if known is None or known.amount != amount:
                raise
            return known
        return payment

    def payments(self, username: str, order_id: str) -> list[Payment]:
        """What was paid for an order."""
        return self._db.run(payments_for, username, order_id).all()

    @in_our_words()
    def capture_payment(self, payment: Payment) -> Payment:
        """Takes the money that was authorised. Fails if it was not, or if the order is cancelled."""
        first = self._db.get(key(OrderItem, order_id=payment.order_id, line=1), consistent=True)
        if first is None:
            raise UnknownOrder(payment.order_id)
        paid_for = key(Order, username=payment.username, placed_at=first.placed_at, order_id=payment.order_id)
        with self._db.transaction() as tx:
            tx.apply(capture, payment)
            tx.check(paid_for, Order.status != "CANCELLED")
        # A transaction returns nothing; only the status of a payment ever changes.
        return payment.model_copy(update={"status": "CAPTURED"})

    @in_our_words()
    def refund_payment(self, payment: Payment) -> Payment:
        """Gives the money back. Fails if it was not taken."""
        return self._db.apply(refund, payment)

    def _paid(self, placed: Order) -> Sequence[Payment]:
        """All payments for an order, as they are now."""
        return self._db.execute(payments_for(placed.username, placed.order_id).consistent()).all()


def _order(placed: Order) -> Key[Order]:
    return key(Order, username=placed.username, placed_at=placed.placed_at, order_id=placed.order_id)
