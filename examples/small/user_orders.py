"""The set of patterns that most applications begin with: a user, the user's orders, and orders by status since a day.

`python -m examples.small.user_orders` shows it.
"""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field

from tablewright import GSI, Entity, Get, Keys, Query, Relationship, Shard, Table, get, key, query, require

app = Table("AppTable", indexes=[GSI("GSI1", projection="ALL")])

Id = Annotated[str, Field(min_length=1, max_length=40)]
Status = Literal["PENDING", "SHIPPED", "DELIVERED"]


class User(Entity, table=app):
    """Somebody."""

    keys = Keys("USER#{user_id}", "PROFILE")
    user_id: Id
    full_name: str = Field(max_length=100)


class Order(Entity, table=app):
    """What somebody ordered: with its user, and in GSI1 by its status and time, over two shards."""

    keys = Keys(
        "USER#{user_id}",
        "ORDER#{order_id}",
        GSI1=("STATUS#{status}#{shard}", "{placed_at}#{order_id}"),
        derive={"shard": Shard("order_id", of=2)},
    )
    user_id: Id
    order_id: Id
    placed_at: datetime
    status: Status = "PENDING"
    amount: Annotated[Decimal, Field(ge=0, max_digits=12, decimal_places=2)]


app.waive("TW505", reason="whoever uses the library writes no expressions, and needs no placeholders")
app.relate(Relationship(User, Order, "1:N", "item collection", reason="read by user"))


@app.pattern
def get_user_by_id(user_id: str) -> Get[User]:
    "A user by id."
    return get(User, User.user_id == user_id)


@app.pattern
def get_user_orders(user_id: str) -> Query[Order]:
    "A user's orders, by number."
    return query(Order, Order.user_id == user_id).per_page(20)


@app.pattern
def get_orders_by_status(status: Status, date_from: datetime | None = None) -> Query[Order]:
    "All orders of one status, oldest first; all of them, or those since a day."
    found = query(Order, Order.status == status).when(date_from, lambda day: Order.placed_at >= day)
    return found.per_page(50)


@app.change
def ship(order: Order) -> None:
    "A pending order leaves the house, and the list of pending ones."
    require(order.status == "PENDING")
    order.status = "SHIPPED"


def main() -> None:
    """A user with two orders, one of which is shipped."""
    with app.open("memory:") as db:
        db.create(User(user_id="123", full_name="Ann Lee"))
        for number, day in (("a1", 1), ("a2", 9)):
            placed_at = datetime(2026, 3, day, tzinfo=UTC)
            db.create(Order(user_id="123", order_id=number, placed_at=placed_at, amount=Decimal(10)))
        print([order.order_id for order in db.run(get_user_orders, "123")])
        print([order.order_id for order in db.run(get_orders_by_status, "PENDING", datetime(2026, 3, 5, tzinfo=UTC))])
        db.apply(ship, key(Order, user_id="123", order_id="a2"))
        print([order.order_id for order in db.run(get_orders_by_status, "PENDING")])


if __name__ == "__main__":
    main()
