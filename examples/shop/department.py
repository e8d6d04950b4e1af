"""What every part of the shop stands on: an open session, a clock, and the customer for whom something is written."""

from collections.abc import Callable
from datetime import UTC, datetime

from tablewright import Session, Transaction

from .model import Customer, customer

ATTEMPTS = 10
"""How often something is worked out anew when others were faster."""


def _now() -> datetime:
    return datetime.now(UTC)


class Department:
    """A part of the shop, on an open session. Tests bring a clock of their own."""

    def __init__(self, db: Session, *, clock: Callable[[], datetime] = _now) -> None:
        self._db = db
        self._now = clock

    def _for(self, tx: Transaction, username: str) -> None:
        """Whatever is written for a customer is written only while there is that customer, who is not being erased: so
        nothing can arrive behind an erasure's back."""
        tx.check(customer(username), Customer.leaving == False)  # noqa: E712 - a condition, not a comparison
