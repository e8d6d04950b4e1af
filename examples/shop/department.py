"""What every part of the shop stands on: an open session, a clock, and the customer for whom something is written."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeVar

from tablewright import Entity, Session, Transaction
from tablewright.errors import ConcurrentModificationError, ConditionalCheckError

from .model import Customer, customer

ATTEMPTS = 10
"""How often something is worked out anew when others were faster."""

E = TypeVar("E", bound=Entity)
R = TypeVar("R")


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

    def _anew(self, thing: E, do: Callable[[E], R]) -> R | None:
        """Does something that needs a thing as it is, with the thing read anew whenever somebody else was faster. None if it
        is gone."""
        for _ in range(ATTEMPTS):
            try:
                return do(thing)
            except ConditionalCheckError as error:
                if error.entity == "Customer":
                    raise
                now = self._db.get(thing, consistent=True)
                if now is None:
                    return None
                thing = now
        raise ConcurrentModificationError("What is to be changed was changed by others all the time.")
