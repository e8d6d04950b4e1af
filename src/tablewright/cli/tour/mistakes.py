"""The chapter about mistakes: what is said, and when."""

from __future__ import annotations

import inspect
from decimal import Decimal

from rich.text import Text

from tablewright.cli.tour.look import Look
from tablewright.cli.tour.shop import model
from tablewright.client.session import Session
from tablewright.errors import TablewrightError
from tablewright.model.operations import Query, query

Order = model.Order


def show(look: Look, db: Session) -> None:
    """One mistake in a model, one in a call."""
    look.chapter("When something is wrong")
    look.say("A pattern that no key can serve is refused where it is written, not in production:")
    look.code(f"@shop.pattern\n{inspect.getsource(orders_above).strip()}")
    try:
        model.shop.pattern(orders_above)
    except TablewrightError as error:
        _show(look, error)
    look.say("An email address that somebody has, however it is typed:")
    look.code(
        'db.create(Customer(username="mallory", name="Mallory",\n                   email="ALICE.MARTIN@example.com"))'
    )
    try:
        db.create(model.Customer(username="mallory", email="ALICE.MARTIN@example.com", name="Mallory"))
    except TablewrightError as error:
        _show(look, error)


def orders_above(total: Decimal) -> Query[Order]:
    return query(Order, Order.total >= total)


def _show(look: Look, error: TablewrightError) -> None:
    text = Text.assemble(error.message, (f"\n{error.hint}", "dim") if error.hint else "")
    look.show(look.panel(text, title=type(error).__name__, style="red"))
