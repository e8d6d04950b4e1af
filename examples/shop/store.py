"""The shop in its own words: what its pages and its warehouse call. Nothing above this file knows that there is a table."""

from .carts import Cart, CartLine, Carts
from .catalogue import Catalogue, Found
from .customers import Customers
from .errors import (
    AddressBookFull,
    CartChanged,
    NotAsItStands,
    NothingToOrder,
    OrderRefused,
    OutOfStock,
    PriceChanged,
    ReservedName,
    TooManyLines,
    UnknownCategory,
    UnknownOrder,
    UnknownProduct,
)
from .forgetting import Forgetting
from .orders import Orders
from .payments import Payments
from .sales import Bestseller, Sales

__all__ = [
    "AddressBookFull",
    "Bestseller",
    "Cart",
    "CartChanged",
    "CartLine",
    "Found",
    "NotAsItStands",
    "NothingToOrder",
    "OrderRefused",
    "OutOfStock",
    "PriceChanged",
    "ReservedName",
    "Shop",
    "TooManyLines",
    "UnknownCategory",
    "UnknownOrder",
    "UnknownProduct",
]


class Shop(Customers, Catalogue, Carts, Forgetting, Orders, Payments, Sales):
    """Everything the application does, on an open session: each part in a file of its own."""
