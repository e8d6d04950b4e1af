"""The chapter that runs every access pattern."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from rich.console import Group
from rich.table import Table as Grid
from rich.text import Text

from tablewright.cli.tour.look import Look
from tablewright.cli.tour.shop import model
from tablewright.client.session import Session
from tablewright.model.annotations import describe


def show(look: Look, db: Session) -> None:
    """A table of calls and results, then one result as it is."""
    look.chapter("Every pattern, run")
    look.say(
        "Results are your own classes. Each pattern is one request, and one for each shard where a list is spread; units "
        "are what DynamoDB would charge."
    )
    grid = look.grid(f"Call {look.arrow} result", "Request", "Read units", right="Read units")

    def row(call: str, run: Callable[[], str]) -> None:
        with db.measure() as meter:
            result = run()
        requests = "\n".join(f"{sent.operation} {sent.index or ''}".strip() for sent in meter.requests)
        answer = Grid.grid(padding=(0, 1))
        answer.add_row(f" {look.arrow}", result)
        grid.add_row(Group(Text(call, "bold"), answer), requests, f"{meter.capacity.read:g}")

    row('customer("alice")', lambda: _one(db.run(model.customer, "alice")))
    row(
        'customer_by_email("CARLA.Rossi@example.net")',
        lambda: _one(db.run(model.customer_by_email, "CARLA.Rossi@example.net")),
    )
    row('orders_of("alice")', lambda: _many(db.run(model.orders_of, "alice").all()))
    row('orders_of("alice").page(4)', lambda: _page(db.run(model.orders_of, "alice").page(4)))
    row('order("o1029")', lambda: _one(db.run(model.order, "o1029")))
    row('products_in("beans")', lambda: _many(db.run(model.products_in, "beans").all()))
    row('product("kenya-aa")', lambda: _one(db.run(model.product, "kenya-aa")))
    row('reviews_of("espresso-roma")', lambda: _many(db.run(model.reviews_of, "espresso-roma").all()))
    row('reviews_by("zoe")', lambda: _many(db.run(model.reviews_by, "zoe").all()))
    row('product_page("espresso-roma")', lambda: _product_page(db.run(model.product_page, "espresso-roma")))
    row('orders_with_status("PENDING")', lambda: _many(db.run(model.orders_with_status, "PENDING").all()))
    june, july = datetime(2025, 6, 1, tzinfo=UTC), datetime(2025, 7, 1, tzinfo=UTC)
    row(
        'orders_between("DELIVERED", june, july)',
        lambda: _many(db.run(model.orders_between, "DELIVERED", june, july).all()),
    )
    row('large_orders_of("alice", 60)', lambda: _many(db.run(model.large_orders_of, "alice", Decimal(60)).all()))
    row('cart_of("alice")', lambda: _many(db.run(model.cart_of, "alice").all()))
    row('payments_for("alice", "o1025")', lambda: _many(db.run(model.payments_for, "alice", "o1025").all()))
    row('payments_of("alice")', lambda: _many(db.run(model.payments_of, "alice").all()))
    row('items_of("o1029")', lambda: _many(db.run(model.items_of, "o1029").all()))
    row('orders_with("kenya-aa")', lambda: _many(db.run(model.orders_with, "kenya-aa").all()))
    row("all_customers()", lambda: _many(db.run(model.all_customers).all()))
    row('products_named("espresso")', lambda: _many(db.run(model.products_named, "espresso").all()))
    row("bestsellers(2025)", lambda: _many(db.run(model.bestsellers, 2025).all()))
    row("sales(june, july)", lambda: _many(db.run(model.sales, june.date(), july.date()).all()))
    look.show(grid)
    look.say(('order("o1029")', "bold"), ", field by field: exact decimals, real datetimes, your own nested models.")
    look.show(_fields(look, db.run(model.order, "o1029")))


def _fields(look: Look, found: model.Order | None) -> Grid:
    grid = look.grid("Field", "Value", "Type")
    for name, value in found or ():
        shown = "\n".join(map(_value, value)) if isinstance(value, list) else _value(value)
        grid.add_row(Text(name, "bold"), shown, _kind(model.Order.model_fields[name].annotation))
    return grid


def _value(value: object) -> str:
    match value:
        case BaseModel():
            return f"{type(value).__name__}({', '.join(f'{name}={_value(part)}' for name, part in value)})"
        case Decimal():
            return f"{value:.2f}"
    return str(value)


def _kind(annotation: Any) -> str:
    """The type as the model declares it; a Literal's values would fill the column."""
    if get_origin(annotation) is Literal:
        return "Literal[...]"
    if get_origin(annotation) is list:
        return f"list[{describe(get_args(annotation)[0])}]"
    return describe(annotation)


def _one(entity: object) -> str:
    match entity:
        case model.Customer():
            return f"Customer: {entity.name}, {entity.email}"
        case model.Order():
            return f"Order: {entity.placed_at:%Y-%m-%d}, {entity.status}, {entity.total:.2f}"
        case model.Product():
            return f"Product: {entity.name}, {entity.price:.2f}"
    return "None"


def _many(found: list[Any]) -> str:
    match found:
        case [model.Order() as first, *_, model.Order() as last]:
            early, late = sorted((first.placed_at, last.placed_at))
            order = "newest first" if first.placed_at == late else "oldest first"
            return f"{len(found)} Orders, {order}, {early:%Y-%m-%d} to {late:%Y-%m-%d}"
        case [model.Product() as first, *_, model.Product() as last]:
            return f"{len(found)} Products, {first.product_id} to {last.product_id}"
        case [model.Review() as first, *_]:
            return f"{len(found)} Reviews, the newest: {first.stars} stars, {first.text!r}"
        case [model.ProductSales() as first, *_]:
            return f"{len(found)} ProductSales, the most: {first.sold} of {first.product_id}"
        case [first, *others]:
            return f"{len(found)} {type(first).__name__}{'s' if others else ''}"
    return "nothing"


def _page(page: Any) -> str:
    return f"{len(page)} Orders and a signed cursor for the next page"


def _product_page(page: Any) -> str:
    return f"ProductPage: a Product and {len(page.reviews)} Reviews, read together"
