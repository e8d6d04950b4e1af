"""Half a year of a tool shop. `python -m examples.orders.seed orders.db` writes it; running it again restores it."""

from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal

from tablewright import Entity, Session

from .model import (
    Activity,
    AppSettings,
    FeatureFlags,
    Inventory,
    Order,
    OrderLine,
    OrderStatus,
    Preferences,
    Product,
    Review,
    Settings,
    Subscription,
    User,
    UserStatus,
    main_table,
)

TODAY = datetime(2026, 6, 30, 12, tzinfo=UTC)
"""The day on which the data ends."""

_USERS: list[tuple[str, str, str, UserStatus, str]] = [
    ("u-ada", "Ada.Byron@example.com", "Ada Byron", "active", "2026-01-05T09:00"),
    ("u-ben", "ben@example.org", "Ben Okri", "active", "2026-01-19T17:30"),
    ("u-cleo", "cleo@example.com", "Cleo Lang", "suspended", "2026-02-02T08:15"),
    ("u-dan", "dan@example.net", "Dan Weber", "active", "2026-03-11T20:45"),
    ("u-eva", "eva@example.org", "Eva Sato", "closed", "2026-03-30T12:00"),
    ("u-fay", "fay@example.com", "Fay Moreau", "active", "2026-06-14T07:05"),
]
_PRODUCTS = [
    ("claw-hammer", "hand-tools", "Claw hammer", "24.90", {"north": 12, "south": 3}),
    ("bench-plane", "hand-tools", "Bench plane", "89.00", {"north": 2}),
    ("cordless-drill", "power-tools", "Cordless drill, 18 V", "149.00", {"north": 7, "south": 5}),
    ("jigsaw", "power-tools", "Jigsaw", "99.50", {"south": 4}),
    ("wood-screws", "supplies", "Wood screws, 4 × 40, 200", "11.20", {"north": 140, "south": 90}),
    ("wood-glue", "supplies", "Wood glue, 750 g", "8.75", {"north": 33}),
]
_ORDERS: list[tuple[str, str, str, OrderStatus, dict[str, int]]] = [
    ("o-0101", "u-ada", "2026-01-06T10:12", "shipped", {"claw-hammer": 1, "wood-screws": 2}),
    ("o-0102", "u-ben", "2026-01-20T18:02", "shipped", {"cordless-drill": 1}),
    ("o-0103", "u-ada", "2026-02-14T11:40", "shipped", {"bench-plane": 1, "wood-glue": 1}),
    ("o-0104", "u-cleo", "2026-02-20T09:09", "cancelled", {"jigsaw": 3}),
    ("o-0105", "u-dan", "2026-03-12T06:55", "shipped", {"wood-screws": 5, "wood-glue": 2, "claw-hammer": 2}),
    ("o-0106", "u-ben", "2026-04-02T14:20", "shipped", {"wood-glue": 4}),
    ("o-0107", "u-ada", "2026-05-30T16:33", "shipped", {"jigsaw": 1}),
    ("o-0108", "u-ada", "2026-06-02T08:08", "paid", {"wood-screws": 1}),
    ("o-0109", "u-dan", "2026-06-10T21:17", "cancelled", {"cordless-drill": 2}),
    ("o-0110", "u-fay", "2026-06-15T12:30", "paid", {"claw-hammer": 1, "wood-screws": 1, "wood-glue": 1}),
    ("o-0111", "u-ada", "2026-06-28T19:45", "pending", {"cordless-drill": 1, "wood-screws": 1}),
    ("o-0112", "u-ben", "2026-06-29T07:01", "pending", {"bench-plane": 1}),
]
_ACTIVITIES = [
    ("u-ada", "a-1", "2026-01-06T10:00", "login"),
    ("u-ada", "a-2", "2026-05-30T16:31", "login"),
    ("u-ada", "a-3", "2026-06-02T08:00", "login"),
    ("u-ada", "a-4", "2026-06-02T08:05", "search"),
    ("u-ada", "a-5", "2026-06-28T19:30", "login"),
    ("u-ben", "a-6", "2026-06-29T06:58", "login"),
    ("u-fay", "a-7", "2026-06-15T12:00", "login"),
]
_REVIEWS = [
    ("claw-hammer", "r-1", "u-ada", 5, "Well balanced."),
    ("claw-hammer", "r-2", "u-dan", 4, ""),
    ("cordless-drill", "r-3", "u-ben", 3, "The second battery costs extra."),
    ("bench-plane", "r-4", "u-ada", 5, "Shavings thin as paper."),
    ("wood-glue", "r-5", "u-ben", 4, "Holds."),
]


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def users() -> list[User]:
    """Six users: four active, one suspended, one closed."""
    return [
        User(user_id=u, email=e, name=n, status=s, joined_at=_time(t), preferences=Preferences(theme="dark"))
        for u, e, n, s, t in _USERS
    ]


def belongings() -> list[Settings | Subscription]:
    """What users set up and get regularly."""
    return [
        Settings(user_id="u-ada", language="en", time_zone="Europe/London"),
        Settings(user_id="u-ben", language="fr", time_zone="Europe/Paris"),
        Subscription(user_id="u-ada", subscription_id="s-1", plan="catalogue", renews_at=_time("2027-01-05T09:00")),
        Subscription(user_id="u-ada", subscription_id="s-2", plan="workshop", renews_at=_time("2026-07-01T00:00")),
    ]


def products() -> list[Product]:
    """Six products in three categories."""
    return [Product(product_id=i, category=c, name=n, price=Decimal(p)) for i, c, n, p, _ in _PRODUCTS]


def inventories() -> list[Inventory]:
    """Where they lie."""
    return [
        Inventory(product_id=p, location=place, stock=n) for p, *_, stock in _PRODUCTS for place, n in stock.items()
    ]


def lines() -> list[OrderLine]:
    """What was bought, at the prices of products()."""
    prices = {p.product_id: p.price for p in products()}
    return [
        OrderLine(user_id=u, order_id=o, line=number, product_id=p, quantity=n, price=prices[p])
        for o, u, _, _, basket in _ORDERS
        for number, (p, n) in enumerate(basket.items(), 1)
    ]


def orders() -> list[Order]:
    """Twelve orders, with the sums of their lines."""
    totals: dict[str, Decimal] = {}
    for line in lines():
        totals[line.order_id] = totals.get(line.order_id, Decimal()) + line.price * line.quantity
    return [
        Order(user_id=u, order_id=o, placed_at=_time(t), status=s, total_amount=totals[o]) for o, u, t, s, _ in _ORDERS
    ]


def activities() -> list[Activity]:
    """What users did."""
    return [Activity(user_id=u, activity_id=a, at=_time(t), kind=k) for u, a, t, k in _ACTIVITIES]


def reviews() -> list[Review]:
    """What users say of products."""
    return [Review(product_id=p, review_id=r, user_id=u, stars=s, text=t) for p, r, u, s, t in _REVIEWS]


def entities() -> Sequence[Entity]:
    """All of it."""
    return [
        *users(),
        *belongings(),
        *products(),
        *inventories(),
        *orders(),
        *lines(),
        *activities(),
        *reviews(),
        AppSettings(page_size=25),
        FeatureFlags(enabled={"reviews", "search"}),
    ]


def seed(db: Session) -> int:
    """Writes everything, over what was there under the same keys; returns how many entities that are."""
    everything = entities()
    with db.batch(transactional=True) as batch:  # users and settings have locks and unique fields
        for entity in everything:
            batch.put(entity)
    return len(everything)


if __name__ == "__main__":
    from examples.seeding import main  # here: whoever imports this file may not have the other examples

    main("orders", main_table.open, seed)
