"""What the shop refuses, in its own words, so that whoever calls it needs none of the library's.

`in_our_words` stands on everything that writes. Values that no field takes, and cursors that are not the shop's, are
mistakes of the caller: these are told as the library tells them.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from tablewright.errors import (
    AlreadyExistsError,
    ConcurrentModificationError,
    ConditionalCheckError,
    ContentionError,
    NotFoundError,
    UniqueViolationError,
)


class UnknownCustomer(LookupError):
    """The shop does not have this customer."""


class CustomerLeaves(UnknownCustomer):
    """The customer is being erased: nothing is written for them any more."""


class UnknownProduct(LookupError):
    """The shop does not have this product."""


class UnknownCategory(LookupError):
    """The shop does not have this category."""


class UnknownOrder(LookupError):
    """The shop has no order with this number."""


class UnknownPayment(LookupError):
    """There is no such payment."""


class Taken(ValueError):
    """There is one already with this name, number or email address."""


class BelowNothing(ValueError):
    """There are not so many pieces on the shelf."""


class Overtaken(RuntimeError):
    """Others changed the same thing all the time. Nothing was written; it can be tried again."""


class NotAsItStands(ValueError):
    """An order or a payment is not in a state for this, such as one that is to be cancelled and was shipped."""


class AddressBookFull(ValueError):
    """A customer has five addresses already."""


class ReservedName(ValueError):
    """A user name that the shop keeps for itself."""


class TooManyPieces(ValueError):
    """A cart would hold more of a product than an order takes. Nothing was added."""


class OrderRefused(ValueError):
    """Nothing was ordered, and nothing was written. `product_id` says what it is about, where it is one product."""

    def __init__(self, message: str, product_id: str | None = None) -> None:
        super().__init__(message)
        self.product_id = product_id


class NothingToOrder(OrderRefused):
    """The cart or basket is empty."""


class TooManyLines(OrderRefused):
    """An order has at most nineteen lines."""


class PriceChanged(OrderRefused):
    """A product costs something else than the customer was shown."""


class OutOfStock(OrderRefused):
    """There is less of a product than the customer wants."""


class CartChanged(OrderRefused):
    """The cart no longer holds what the customer was shown, such as when another window changed it."""


_UNKNOWN: dict[str | None, type[LookupError]] = {
    "Customer": UnknownCustomer,
    "Product": UnknownProduct,
    "Category": UnknownCategory,
    "Order": UnknownOrder,
    "Payment": UnknownPayment,
}


@contextmanager
def in_our_words() -> Iterator[None]:
    """Tells in the shop's words what the table refused."""
    try:
        yield
    except (AlreadyExistsError, UniqueViolationError) as error:
        raise Taken(f"There is such a {error.entity} already.") from error
    except (ConcurrentModificationError, ContentionError) as error:
        raise Overtaken("Others were faster all the time.") from error
    except NotFoundError as error:
        if error.entity not in _UNKNOWN:
            raise
        raise _UNKNOWN[error.entity](f"There is no such {error.entity}.") from error
    except ConditionalCheckError as error:
        if error.entity == "Customer":
            raise CustomerLeaves("Nothing is written for this customer any more.") from error
        if error.entity in ("Order", "Payment"):
            raise NotAsItStands(f"The {error.entity} is not in a state for this.") from error
        raise Overtaken("Something changed in between, and back.") from error
