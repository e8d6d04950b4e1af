"""What each method takes, exactly: its requests, the index that each reads, and its units."""

from collections.abc import Callable
from datetime import datetime
from decimal import Decimal

import pytest

from examples.orders.model import main_table
from examples.orders.seed import TODAY, seed
from examples.orders.store import Store
from examples.places import CURSOR_KEYS
from examples.trial import methods_of, taken
from tablewright import stored


def modified(store: Store) -> datetime:
    """When Ada's settings were last written."""
    known = stored(store.settings("u-ada"))
    assert known is not None
    assert known.updated_at is not None
    return known.updated_at


METHODS: dict[str, tuple[Callable[[Store], object], str]] = {
    "active_users": (lambda s: s.active_users(), "Query/gsi2 0.5, Query/gsi2 0.5, Query/gsi2 0.5, Query/gsi2 0.5"),
    "activity_summary": (lambda s: s.activity_summary("u-ada"), "Query 0.5, Query 0.5"),
    "app_settings": (lambda s: s.app_settings(), "GetItem 0.5"),
    "cancel": (lambda s: s.cancel("o-0111"), "Query/gsi1 0.5, UpdateItem 4"),
    "change_settings": (
        lambda s: s.change_settings("u-ada", {"language": "fr"}, last_modified=modified(s)),
        "GetItem 0.5, UpdateItem 1",
    ),
    "configure": (lambda s: s.configure(s.app_settings()), "GetItem 0.5, UpdateItem 1"),
    "features": (lambda s: s.features(), "GetItem 0.5"),
    "offer": (lambda s: s.offer("rasp", "hand-tools", "Rasp", Decimal("9.90")), "UpdateItem 2"),
    "order": (lambda s: s.order("o-0105"), "Query/gsi1 0.5"),
    "orders": (lambda s: s.orders("u-ada"), "Query 0.5"),
    "orders_with_status": (
        lambda s: s.orders_with_status("paid"),
        "Query/gsi2 0.5, Query/gsi2 0.5, Query/gsi2 0.5, Query/gsi2 0.5",
    ),
    "pay": (lambda s: s.pay("o-0111"), "Query/gsi1 0.5, UpdateItem 4"),
    "place_order": (
        lambda s: s.place_order("u-ada", {"jigsaw": 1, "wood-glue": 2}),
        "BatchGetItem 1, TransactWriteItems 14",
    ),
    "product_page": (lambda s: s.product_page("claw-hammer"), "Query 0.5"),
    "products_in": (lambda s: s.products_in("hand-tools"), "Query/gsi3 0.5"),
    "recent_orders": (lambda s: s.recent_orders("u-ada"), "Query 0.5"),
    "record": (lambda s: s.record("u-ada", "login"), "TransactWriteItems 4"),
    "register": (lambda s: s.register("gus@example.com", "Gus"), "TransactWriteItems 6"),
    "reinstate": (lambda s: s.reinstate("u-cleo"), "GetItem 1, UpdateItem 3"),
    "review": (lambda s: s.review("jigsaw", "u-ada", 4), "TransactWriteItems 6"),
    "save_user": (lambda s: s.save_user(s.users(["u-ada"])["u-ada"]), "GetItem 0.5, GetItem 1, UpdateItem 3"),
    "set_up": (lambda s: s.set_up("u-dan"), "TransactWriteItems 4"),
    "settings": (lambda s: s.settings("u-ada"), "GetItem 0.5"),
    "sign_in": (lambda s: s.sign_in("u-ada"), "UpdateItem 3"),
    "store_away": (lambda s: s.store_away("jigsaw", "south", 2), "UpdateItem 1"),
    "subscribe": (lambda s: s.subscribe("u-ben", "workshop", TODAY), "TransactWriteItems 4"),
    "subscriptions": (lambda s: s.subscriptions("u-ada"), "Query 0.5"),
    "suspend": (lambda s: s.suspend("u-ada"), "GetItem 1, UpdateItem 3"),
    "switch": (lambda s: s.switch("search", on=False), "GetItem 1, UpdateItem 1"),
    "take_out": (lambda s: s.take_out("jigsaw", "south", 1), "UpdateItem 1"),
    "user": (lambda s: s.user("u-ada"), "GetItem 0.5"),
    "user_with_email": (lambda s: s.user_with_email("ben@example.org"), "Query/gsi1 0.5"),
    "users": (lambda s: s.users(["u-ada", "u-ben"]), "BatchGetItem 1"),
}


@pytest.mark.parametrize("name", METHODS)
def test_a_method_takes_what_it_should(name: str) -> None:
    call, expected = METHODS[name]
    with main_table.open("memory:", cursor_keys=CURSOR_KEYS) as db:
        seed(db)
        store = Store(db, clock=lambda: TODAY)
        assert taken(db, lambda: call(store)) == expected


def test_every_method_is_measured() -> None:
    assert {name.split("-")[0] for name in METHODS} == methods_of(Store)
