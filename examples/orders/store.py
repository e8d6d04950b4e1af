"""Users, orders and products in their own words. Nothing above this file knows that there is a table."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import TypeVar

from tablewright import Entity, Key, Page, Session, key, ulid

from .model import (
    Activity,
    AppSettings,
    FeatureFlags,
    Inventory,
    Order,
    OrderLine,
    OrderStatus,
    Product,
    ProductPage,
    Review,
    Settings,
    Subscription,
    User,
    WholeOrder,
    active_users,
    activity_of,
    app_settings,
    cancel,
    feature_flags,
    logged_in,
    order,
    orders_of,
    orders_with_status,
    pay,
    product_page,
    products_in,
    reinstate,
    settings,
    subscriptions_of,
    suspend,
    user,
    user_by_email,
    whole_order,
)

MOST_LINES = 50
MONTH = timedelta(days=30)

T = TypeVar("T", bound=Entity)


class UnknownProduct(LookupError):
    """A basket names a product that there is not."""


class BadBasket(ValueError):
    """A basket is empty, or holds more kinds of products than an order can have."""


@dataclass(frozen=True)
class ActivitySummary:
    """What a user did in a period. Orders that were cancelled count as orders, and not as money spent."""

    since: datetime
    orders: int
    spent: Decimal
    activities: Mapping[str, int]
    """How often, by kind."""


class Store:
    """Everything the application does, on an open session. The clock says what "the last thirty days" are."""

    def __init__(self, db: Session, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._db = db
        self._clock = clock

    # -------------------------------------------------------------------------------------------------- users

    def register(self, email: str, name: str, *, user_id: str | None = None) -> User:
        """A new user. UniqueViolationError if somebody has this email address already."""
        made = User(user_id=user_id or ulid(), email=email, name=name, joined_at=self._clock())
        return self._db.create(made)

    def user(self, user_id: str) -> User | None:
        """Somebody's profile."""
        return self._db.run(user, user_id)

    def users(self, user_ids: Iterable[str]) -> dict[str, User]:
        """The profiles of these users by their ids, of those that exist. Any number, each read once."""
        found = self._db.get_many([key(User, user_id=user_id) for user_id in user_ids])
        return {each.user_id: each for each in found if each is not None}

    def user_with_email(self, email: str) -> User | None:
        """Whose email address this is, however it is typed."""
        return self._db.run(user_by_email, email).first()

    def save_user(self, changed: User) -> User:
        """Stores a profile that was read and changed. ConcurrentModificationError if somebody else did so meanwhile."""
        return self._db.save(changed)

    def sign_in(self, user_id: str) -> int:
        """Lets an active user in; how often that has been so far."""
        return self._db.apply(logged_in, user(user_id)).login_count

    def suspend(self, user_id: str) -> User:
        """An active user may no longer come in."""
        return self._db.apply(suspend, user(user_id))

    def reinstate(self, user_id: str) -> User:
        """A suspended user may come in again."""
        return self._db.apply(reinstate, user(user_id))

    def active_users(self, cursor: str | None = None) -> Page[User]:
        """Active users, newest first, fifty a page."""
        return self._db.run(active_users).page(cursor=cursor)

    # ------------------------------------------------------------------------------ what belongs to one user

    def settings(self, user_id: str) -> Settings:
        """What a user has set up; the usual, if that is nothing."""
        return self._db.run(settings, user_id) or Settings(user_id=user_id)

    def set_up(self, user_id: str, *, language: str = "en", time_zone: str = "UTC") -> Settings:
        """A user's first settings. AlreadyExistsError if there are some."""
        return self._create_for(user_id, Settings(user_id=user_id, language=language, time_zone=time_zone))

    def change_settings(self, user_id: str, changes: Mapping[str, str], *, last_modified: datetime) -> Settings:
        """Changes settings that were last modified when the caller says. ConcurrentModificationError if it was later."""
        return self._db.update(settings(user_id), set=changes, expected_version=last_modified)

    def subscribe(self, user_id: str, plan: str, renews_at: datetime) -> Subscription:
        """Something that a user gets regularly from now on."""
        made = Subscription(user_id=user_id, subscription_id=ulid(), plan=plan, renews_at=renews_at)
        return self._create_for(user_id, made)

    def subscriptions(self, user_id: str) -> list[Subscription]:
        """What a user gets regularly."""
        return self._db.run(subscriptions_of, user_id).all()

    def record(self, user_id: str, kind: str) -> Activity:
        """Notes that a user did something."""
        return self._create_for(user_id, self._activity(user_id, kind, self._clock()))

    def activity_summary(self, user_id: str, period: timedelta = MONTH) -> ActivitySummary:
        """What a user did and bought in the last thirty days: a range of orders, and one of activities."""
        since = self._clock() - period
        bought = self._db.run(orders_of, user_id, since).all()
        done = Counter(each.kind for each in self._db.run(activity_of, user_id, since))
        spent = sum((each.total_amount for each in bought if each.status != "cancelled"), Decimal())
        return ActivitySummary(since, len(bought), spent, dict(done))

    # ------------------------------------------------------------------------------------------------- orders

    def place_order(self, user_id: str, basket: Mapping[str, int]) -> WholeOrder:
        """An order with its lines at today's prices, all of it or nothing, and only for an active user."""
        if not 1 <= len(basket) <= MOST_LINES:
            raise BadBasket(f"an order has 1 to {MOST_LINES} lines, not {len(basket)}")
        order_id, now = ulid(), self._clock()
        lines = self._priced(user_id, order_id, basket)
        total = sum((line.price * line.quantity for line in lines), Decimal())
        placed = Order(user_id=user_id, order_id=order_id, placed_at=now, total_amount=total)
        with self._db.transaction() as tx:
            tx.check(user(user_id), User.status == "active")
            tx.create(placed)
            for line in lines:
                tx.create(line)
            tx.create(self._activity(user_id, "order", now))
        return WholeOrder(placed, lines)

    def order(self, order_id: str) -> WholeOrder | None:
        """An order with its lines, by its number alone; None if there is none."""
        found = self._db.run(whole_order, order_id)
        return found if found.order is not None else None

    def pay(self, order_id: str) -> Order:
        """A pending order is paid."""
        return self._db.apply(pay, order(order_id))

    def cancel(self, order_id: str) -> Order:
        """A pending order is given up."""
        return self._db.apply(cancel, order(order_id))

    def orders(self, user_id: str, cursor: str | None = None) -> Page[Order]:
        """A user's orders, newest first, twenty a page."""
        return self._db.run(orders_of, user_id).page(cursor=cursor)

    def recent_orders(self, user_id: str, period: timedelta = MONTH) -> list[Order]:
        """A user's orders of the last thirty days, newest first."""
        return self._db.run(orders_of, user_id, self._clock() - period).all()

    def orders_with_status(self, status: OrderStatus, since: datetime | None = None) -> list[Order]:
        """Everybody's orders in one status, oldest first."""
        return self._db.run(orders_with_status, status, since).all()

    # ----------------------------------------------------------------------------------------------- products

    def offer(self, product_id: str, category: str, name: str, price: Decimal) -> Product:
        """A product from now on, or with another category, name or price."""
        return self._db.put(Product(product_id=product_id, category=category, name=name, price=price))

    def products_in(self, category: str, cursor: str | None = None) -> Page[Product]:
        """The products of a category, twenty a page."""
        return self._db.run(products_in, category).page(cursor=cursor)

    def product_page(self, product_id: str) -> ProductPage | None:
        """A product with its stock everywhere and its reviews; None if there is no such product."""
        found = self._db.run(product_page, product_id)
        return found if found.product is not None else None

    def store_away(self, product_id: str, location: str, quantity: int) -> int:
        """Puts pieces of a product into a place; how many are there now."""
        pieces = Inventory(product_id=product_id, location=location, stock=quantity)
        return self._db.upsert(pieces, add={"stock": quantity}).stock

    def take_out(self, product_id: str, location: str, quantity: int) -> int:
        """Takes pieces out of a place; how many are left. ConditionalCheckError if there are fewer."""
        if quantity < 1:
            raise ValueError(f"{quantity} pieces cannot be taken out")
        place = key(Inventory, product_id=product_id, location=location)
        return self._db.increment(place, Inventory.stock, by=-quantity)

    def review(self, product_id: str, user_id: str, stars: int, text: str = "") -> Review:
        """What a user says of a product."""
        said = Review(product_id=product_id, review_id=ulid(), user_id=user_id, stars=stars, text=text)
        return self._create_for(user_id, said, key(Product, product_id=product_id))

    # ------------------------------------------------------------------------------------------ configuration

    def app_settings(self) -> AppSettings:
        """How the application runs; as usual, if nobody said otherwise."""
        return self._db.run(app_settings) or AppSettings()

    def configure(self, changed: AppSettings) -> AppSettings:
        """Says how the application runs."""
        return self._db.put(changed)

    def features(self) -> set[str]:
        """The features that are on."""
        return (self._db.run(feature_flags) or FeatureFlags()).enabled

    def switch(self, feature: str, *, on: bool) -> set[str]:
        """Switches a feature on or off, whatever others switch meanwhile; the features that are on then."""
        if on:
            return self._db.upsert(FeatureFlags(enabled={feature}), include={"enabled": [feature]}).enabled
        return self._db.upsert(FeatureFlags(), discard={"enabled": [feature]}).enabled

    # ------------------------------------------------------------------------------------------------ private

    def _create_for(self, user_id: str, made: T, *about: Key[Product]) -> T:
        """What belongs to a user, and perhaps is about a product: NotFoundError if one of these is not there."""
        with self._db.transaction() as tx:
            tx.check(user(user_id))
            for thing in about:
                tx.check(thing)
            tx.create(made)
        return made

    def _activity(self, user_id: str, kind: str, at: datetime) -> Activity:
        return Activity(user_id=user_id, at=at, activity_id=ulid(), kind=kind)

    def _priced(self, user_id: str, order_id: str, basket: Mapping[str, int]) -> list[OrderLine]:
        found = self._db.get_many([key(Product, product_id=product_id) for product_id in basket])
        lines = []
        for number, ((product_id, quantity), product) in enumerate(zip(basket.items(), found, strict=True), 1):
            if product is None:
                raise UnknownProduct(product_id)
            lines.append(
                OrderLine(
                    user_id=user_id,
                    order_id=order_id,
                    line=number,
                    product_id=product_id,
                    quantity=quantity,
                    price=product.price,
                )
            )
        return lines
