"""A year of a coffee shop's business. `python -m examples.shop.seed shop.db` writes it; running it again restores it."""

from argparse import ArgumentParser
from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal

from tablewright import Entity, Session

from .catalogue import product_words as words_of_product
from .model import (
    Address,
    CartItem,
    Category,
    CountedOrder,
    Customer,
    DailySales,
    Order,
    OrderItem,
    OrderLine,
    OrderStatus,
    Payment,
    Product,
    ProductSales,
    ProductWord,
    Review,
    shop,
)
from .orders import order_items as items_of_order

_CUSTOMERS = [
    ("alice", "Alice.Martin@example.com", "Alice Martin", [("12 Harbour Street", "Bristol"), ("4 Mill Lane", "Bath")]),
    ("bruno", "bruno@example.org", "Bruno Keller", [("Lindenweg 8", "Bern")]),
    ("carla", "carla.rossi@example.net", "Carla Rossi", [("Via Roma 21", "Torino")]),
    ("deniz", "deniz@example.com", "Deniz Aydin", []),
    ("emil", "emil.larsen@example.org", "Emil Larsen", [("Havnegade 3", "Aarhus")]),
    ("zoe", "zoe@example.net", "Zoë Dubois", [("9 rue des Lilas", "Lyon")]),
]

_CATEGORIES = {"beans": "Coffee beans", "brewing": "Brewing", "grinders": "Grinders", "cups": "Cups and glasses"}

_PRODUCTS = {
    "beans": [
        ("espresso-roma", "Espresso Roma, 1 kg", "24.90"),
        ("ethiopia-sidamo", "Ethiopia Sidamo, 500 g", "15.50"),
        ("house-blend", "House Blend, 1 kg", "19.90"),
        ("kenya-aa", "Kenya AA, 500 g", "17.20"),
        ("swiss-decaf", "Swiss Water Decaf, 500 g", "14.80"),
    ],
    "brewing": [
        ("aeropress", "AeroPress", "34.95"),
        ("chemex-6", "Chemex, 6 cups", "46.00"),
        ("french-press", "French press, 1 l", "29.00"),
        ("moka-pot", "Moka pot, 3 cups", "27.50"),
        ("v60-dripper", "V60 dripper", "12.90"),
    ],
    "cups": [
        ("cappuccino-cup", "Cappuccino cup", "9.50"),
        ("espresso-cup", "Espresso cup", "7.50"),
        ("glass-mug", "Double-walled glass", "11.90"),
        ("latte-bowl", "Latte bowl", "13.40"),
        ("travel-mug", "Travel mug, 350 ml", "22.00"),
    ],
    "grinders": [
        ("burr-electric", "Electric burr grinder", "149.00"),
        ("cleaning-brush", "Grinder brush", "5.90"),
        ("hand-grinder", "Hand grinder", "79.00"),
        ("single-dose", "Single-dose grinder", "389.00"),
        ("travel-grinder", "Travel grinder", "54.50"),
    ],
}

_ORDERS: list[tuple[str, str, str, OrderStatus, dict[str, int]]] = [
    ("o1001", "alice", "2025-01-08T09:12", "DELIVERED", {"espresso-roma": 2, "moka-pot": 1}),
    ("o1002", "bruno", "2025-01-21T18:40", "DELIVERED", {"hand-grinder": 1}),
    ("o1003", "carla", "2025-02-02T11:05", "DELIVERED", {"espresso-cup": 6}),
    ("o1004", "alice", "2025-02-14T08:30", "DELIVERED", {"cappuccino-cup": 2, "kenya-aa": 1}),
    ("o1005", "emil", "2025-02-27T20:15", "DELIVERED", {"v60-dripper": 1, "ethiopia-sidamo": 2}),
    ("o1006", "zoe", "2025-03-09T15:47", "DELIVERED", {"chemex-6": 1}),
    ("o1007", "bruno", "2025-03-18T07:55", "DELIVERED", {"house-blend": 3}),
    ("o1008", "alice", "2025-03-30T12:20", "DELIVERED", {"espresso-roma": 2}),
    ("o1009", "carla", "2025-04-11T16:02", "DELIVERED", {"burr-electric": 1, "cleaning-brush": 1}),
    ("o1010", "deniz", "2025-04-22T10:44", "DELIVERED", {"aeropress": 1, "swiss-decaf": 1}),
    ("o1011", "alice", "2025-05-05T09:33", "DELIVERED", {"espresso-roma": 2, "glass-mug": 2}),
    ("o1012", "emil", "2025-05-16T21:18", "DELIVERED", {"kenya-aa": 2}),
    ("o1013", "zoe", "2025-05-28T13:09", "DELIVERED", {"latte-bowl": 4, "house-blend": 1}),
    ("o1014", "bruno", "2025-06-06T17:51", "DELIVERED", {"travel-mug": 1, "travel-grinder": 1}),
    ("o1015", "alice", "2025-06-19T08:08", "DELIVERED", {"ethiopia-sidamo": 3}),
    ("o1016", "carla", "2025-07-01T19:26", "DELIVERED", {"french-press": 1}),
    ("o1017", "deniz", "2025-07-13T14:37", "DELIVERED", {"swiss-decaf": 2}),
    ("o1018", "alice", "2025-07-29T10:50", "DELIVERED", {"espresso-roma": 2, "cleaning-brush": 1}),
    ("o1019", "emil", "2025-08-10T22:03", "DELIVERED", {"single-dose": 1}),
    ("o1020", "zoe", "2025-08-23T12:59", "DELIVERED", {"ethiopia-sidamo": 1, "kenya-aa": 1}),
    ("o1021", "bruno", "2025-09-04T06:45", "DELIVERED", {"house-blend": 3}),
    ("o1022", "alice", "2025-09-17T11:31", "DELIVERED", {"espresso-roma": 2, "espresso-cup": 2}),
    ("o1023", "carla", "2025-10-03T15:14", "DELIVERED", {"moka-pot": 1, "espresso-roma": 1}),
    ("o1024", "deniz", "2025-10-20T09:58", "DELIVERED", {"hand-grinder": 1}),
    ("o1025", "alice", "2025-11-24T18:22", "SHIPPED", {"espresso-roma": 3}),
    ("o1026", "emil", "2025-12-01T20:41", "SHIPPED", {"kenya-aa": 2, "v60-dripper": 1}),
    ("o1027", "bruno", "2025-12-09T07:19", "PENDING", {"house-blend": 3, "glass-mug": 4}),
    ("o1028", "zoe", "2025-12-12T16:55", "PENDING", {"aeropress": 1}),
    ("o1029", "alice", "2025-12-15T10:07", "PENDING", {"espresso-roma": 2, "travel-mug": 1}),
    ("o1030", "carla", "2025-12-18T13:48", "PENDING", {"burr-electric": 1}),
]

_REVIEWS = [
    ("r01", "espresso-roma", "2025-01-20T19:00", "alice", 5, "Dark, sweet, never bitter."),
    ("r02", "moka-pot", "2025-01-25T08:10", "alice", 4, "Small, but it does what it should."),
    ("r03", "hand-grinder", "2025-02-03T21:30", "bruno", 5, "Even grounds, quiet enough for six in the morning."),
    ("r04", "espresso-cup", "2025-02-11T12:00", "carla", 4, "Thick walls keep it warm."),
    ("r05", "kenya-aa", "2025-02-25T09:45", "alice", 3, "Too bright for me."),
    ("r06", "v60-dripper", "2025-03-10T18:20", "emil", 5, ""),
    ("r07", "chemex-6", "2025-03-22T10:15", "zoe", 5, "Beautiful on the table."),
    ("r08", "house-blend", "2025-04-01T07:05", "bruno", 4, "Our office runs on it."),
    ("r09", "burr-electric", "2025-04-29T20:50", "carla", 4, "Fast. A little loud."),
    ("r10", "aeropress", "2025-05-06T11:11", "deniz", 5, "Ten years on, still the best cup on a train."),
    ("r11", "espresso-roma", "2025-05-15T08:00", "carla", 5, "Like at my grandmother's."),
    ("r12", "glass-mug", "2025-05-21T17:35", "alice", 2, "One arrived with a chip."),
    ("r13", "kenya-aa", "2025-06-02T19:19", "emil", 5, "Blackcurrant!"),
    ("r14", "latte-bowl", "2025-06-09T09:09", "zoe", 4, "Made for Sunday."),
    ("r15", "travel-grinder", "2025-06-25T22:40", "bruno", 3, "Slow, but it fits the AeroPress."),
    ("r16", "ethiopia-sidamo", "2025-07-03T08:28", "alice", 5, "Jasmine and lemon."),
    ("r17", "french-press", "2025-07-19T16:00", "carla", 4, ""),
    ("r18", "swiss-decaf", "2025-08-02T21:00", "deniz", 4, "Nobody noticed."),
    ("r19", "single-dose", "2025-08-30T13:13", "emil", 5, "The last grinder I will buy."),
    ("r20", "espresso-roma", "2025-09-29T07:40", "alice", 5, "The fifth bag."),
    ("r21", "espresso-cup", "2025-10-01T10:30", "alice", 5, ""),
    ("r22", "hand-grinder", "2025-11-05T18:45", "deniz", 4, "Sturdy. Arms get a workout."),
    ("r23", "espresso-roma", "2025-11-12T06:58", "zoe", 3, "Good, a bit too dark for filter."),
    ("r24", "house-blend", "2025-11-30T12:12", "zoe", 4, "Honest everyday coffee."),
]


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def customers() -> list[Customer]:
    """Six customers."""
    return [
        Customer(username=u, email=e, name=n, addresses=[Address(street=s, city=c) for s, c in a])
        for u, e, n, a in _CUSTOMERS
    ]


def categories() -> list[Category]:
    """Four categories."""
    return [Category(category_id=i, name=n) for i, n in _CATEGORIES.items()]


def products() -> list[Product]:
    """Twenty products, five in each category."""
    return [
        Product(product_id=i, category_id=c, name=n, price=Decimal(p), stock=40)
        for c, listed in _PRODUCTS.items()
        for i, n, p in listed
    ]


def orders() -> list[Order]:
    """Thirty orders of one year: four pending, two on their way, the rest delivered."""
    prices = {p.product_id: p.price for p in products()}
    made = []
    for order_id, username, placed_at, status, basket in _ORDERS:
        lines = [OrderLine(product_id=p, quantity=n, price=prices[p]) for p, n in basket.items()]
        made.append(
            Order(
                username=username,
                order_id=order_id,
                placed_at=_time(placed_at),
                status=status,
                total=sum((line.price * line.quantity for line in lines), Decimal()),
                lines=lines,
                tracking=None if status == "PENDING" else f"TW{order_id[1:]}",
                payments=0 if status == "PENDING" else 1,
            )
        )
    return made


def reviews() -> list[Review]:
    """Two dozen reviews."""
    return [
        Review(review_id=r, product_id=p, written_at=_time(t), username=u, stars=s, text=x)
        for r, p, t, u, s, x in _REVIEWS
    ]


def order_items() -> list[OrderItem]:
    """The lines of all orders, each as an item."""
    return [item for placed in orders() for item in items_of_order(placed)]


def payments() -> list[Payment]:
    """What was paid: orders that left the house, by one payment each."""
    return [
        Payment(
            username=o.username, order_id=o.order_id, payment_id=f"p{o.order_id[1:]}", amount=o.total, status="CAPTURED"
        )
        for o in orders()
        if o.status != "PENDING"
    ]


def cart_items() -> list[CartItem]:
    """What two customers think of buying."""
    later = _time("2099-01-01T00:00")
    wanted = [("alice", "chemex-6", 1), ("alice", "kenya-aa", 2), ("emil", "latte-bowl", 4)]
    return [CartItem(username=u, product_id=p, quantity=n, forgotten_at=later) for u, p, n in wanted]


def product_words() -> list[ProductWord]:
    """The words in the names of products."""
    return [word for item in products() for word in words_of_product(item)]


def product_sales() -> list[ProductSales]:
    """How much of each product was sold in the year."""
    sold: dict[str, int] = {}
    for item in order_items():
        sold[item.product_id] = sold.get(item.product_id, 0) + item.quantity
    return [ProductSales(product_id=p, year=2025, sold=n) for p, n in sold.items()]


def daily_sales() -> list[DailySales]:
    """What was sold on each day; no day has two orders."""
    return [DailySales(day=o.placed_at.date(), orders=1, total=o.total) for o in orders()]


def counted_orders() -> list[CountedOrder]:
    """That all orders are in these sums."""
    return [CountedOrder(order_id=o.order_id) for o in orders()]


def seed(db: Session) -> int:
    """Writes everything, over what was there under the same keys; returns how many entities that are."""
    people = customers()
    for person in people:  # unique email addresses need conditions, and a batch has none
        db.put(person)
    rest: Sequence[Entity] = [
        *categories(),
        *products(),
        *product_words(),
        *orders(),
        *order_items(),
        *payments(),
        *reviews(),
        *cart_items(),
        *product_sales(),
        *daily_sales(),
        *counted_orders(),
    ]
    with db.batch() as batch:
        for entity in rest:
            batch.put(entity)
    return len(people) + len(rest)


if __name__ == "__main__":
    arguments = ArgumentParser(prog="python -m examples.shop.seed")
    arguments.add_argument("file", help="where the table is kept, such as shop.db")
    with shop.open(arguments.parse_args().file) as opened:
        print(f"{seed(opened)} entities written.")
