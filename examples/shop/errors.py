"""What the shop refuses, in its own words. What is about a customer or an order alone is told by the library's errors."""


class UnknownProduct(LookupError):
    """The shop does not have this product."""


class UnknownCategory(LookupError):
    """The shop does not have this category."""


class UnknownOrder(LookupError):
    """The shop has no order with this number."""


class NotAsItStands(ValueError):
    """An order or a payment is not in a state for this, such as one that is to be cancelled and was shipped."""


class AddressBookFull(ValueError):
    """A customer has five addresses already."""


class ReservedName(ValueError):
    """A user name that the shop keeps for itself."""


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
