"""The shop in its own words: what its pages and its warehouse call. Nothing above this file knows that there is a table."""

from .carts import Cart, CartLine, Carts
from .catalogue import Catalogue, Found
from .customers import Customers
from .errors import (
    AddressBookFull,
    BelowNothing,
    CartChanged,
    CustomerLeaves,
    NotAsItStands,
    NothingToOrder,
    OrderRefused,
    OutOfStock,
    Overtaken,
    PriceChanged,
    ReservedName,
    Taken,
    TooManyLines,
    TooManyPieces,
    UnknownCategory,
    UnknownCustomer,
    UnknownOrder,
    UnknownPayment,
    UnknownProduct,
)
from .forgetting import Forgetting
from .orders import Orders
from .payments import Payments
from .sales import Bestseller, Sales

__all__ = [
    "AddressBookFull",
    "BelowNothing",
    "Bestseller",
    "Cart",
    "CartChanged",
    "CartLine",
    "CustomerLeaves",
    "Found",
    "NotAsItStands",
    "NothingToOrder",
    "OrderRefused",
    "OutOfStock",
    "Overtaken",
    "PriceChanged",
    "ReservedName",
    "Shop",
    "Taken",
    "TooManyLines",
    "TooManyPieces",
    "UnknownCategory",
    "UnknownCustomer",
    "UnknownOrder",
    "UnknownPayment",
    "UnknownProduct",
]


class Shop(Customers, Catalogue, Carts, Forgetting, Orders, Payments, Sales):
    """Everything the application does, on an open session: each part in a file of its own."""
