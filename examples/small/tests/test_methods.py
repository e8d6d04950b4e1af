"""What each pattern, change and function takes, exactly: its requests, the index that each reads, and its units."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from types import ModuleType

import pytest

from examples.places import CURSOR_KEYS
from examples.small import accounts, events, facets, locations, merchants, user_orders, verified
from examples.trial import taken
from tablewright import Entity, Session, Table, key

NOON = datetime(2096, 3, 3, 12, tzinfo=UTC)
"""Far enough ahead that nothing expires while it is tested."""
LEO = {"merchant_id": "leo", "category_id": "bakers", "title": "Leo"}

WORLDS: dict[ModuleType, tuple[Table, list[Entity]]] = {
    accounts: (
        accounts.bank,
        [
            accounts.Account(account_id="ann", balance=Decimal(100)),
            accounts.Account(account_id="bob"),
            accounts.Transfer(transfer_id="t1", payer="ann", payee="bob", amount=Decimal(1)),
        ],
    ),
    events: (
        events.log,
        [
            events.Event(
                device="door",
                event_id=f"e{days}",
                happened_at=NOON - timedelta(days=days),
                event_type="opened",
                expires_at=NOON + timedelta(days=90),
            )
            for days in range(3)
        ],
    ),
    facets: (
        facets.catalogue,
        [
            facets.Product(product_id=name, product_type="drill", brand_id="acme", price=Decimal(99), rating=Decimal(4))
            for name in ("d1", "d2")
        ],
    ),
    locations: (
        locations.service,
        [
            locations.Site(tenant_id="t", site_id="s", customer_id="c", country="DE", state="BE", city="Berlin"),
            locations.WorkOrder(tenant_id="t", order_id="w", department_id="d", priority=9),
        ],
    ),
    merchants: (
        merchants.market,
        [
            merchants.Merchant.model_validate(LEO),
            merchants.Review(merchant_id="leo", review_id="r", written_at=NOON, stars=4),
        ],
    ),
    user_orders: (
        user_orders.app,
        [
            user_orders.User(user_id="u", full_name="Ann Lee"),
            user_orders.Order(user_id="u", order_id="a1", placed_at=NOON, amount=Decimal(10)),
            user_orders.Order(user_id="u", order_id="a2", placed_at=NOON, amount=Decimal(10)),
        ],
    ),
    verified: (
        verified.people,
        [
            verified.User(user_id="ann", email="ann@example.com"),
            verified.User(user_id="bob", email="bob@example.com", email_verified=True),
        ],
    ),
}

CALLS: dict[ModuleType, dict[str, tuple[Callable[[Session], object], str]]] = {
    accounts: {
        "account": (lambda db: db.run(accounts.account, "ann"), "GetItem 0.5"),
        "transfer_made": (lambda db: db.run(accounts.transfer_made, "t1"), "GetItem 1"),
        "transfer": (lambda db: accounts.transfer(db, "t2", "ann", "bob", Decimal(5)), "TransactWriteItems 6"),
        "balances": (lambda db: accounts.balances(db, ["ann", "bob"]), "TransactGetItems 4"),
    },
    events: {
        "events_between": (
            lambda db: db.run(events.events_between, "door", NOON - timedelta(days=1), NOON).all(),
            "Query 0.5, Query 0.5",
        ),
        "record": (lambda db: events.record(db, "door", "closed", at=NOON), "PutItem 1"),
    },
    facets: {
        "product": (lambda db: db.run(facets.product, "d1"), "GetItem 0.5"),
        "products": (lambda db: db.run(facets.products, "drill", "acme", "middle").all(), "Query/FacetIndex 0.5"),
        "well_rated": (
            lambda db: db.run(facets.well_rated, "drill", "acme", "middle", Decimal(3)).all(),
            "Query/FacetIndex 0.5",
        ),
    },
    locations: {
        "sites_of": (lambda db: db.run(locations.sites_of, "t", "c", "DE").all(), "Query/LocationIndex 0.5"),
        "work_orders": (
            lambda db: db.run(locations.work_orders, "t", "d", "open", at_least=5).all(),
            "Query/OrderStatusIndex 0.5",
        ),
    },
    merchants: {
        "merchant": (lambda db: db.run(merchants.merchant, "leo"), "GetItem 0.5"),
        "merchants_in": (lambda db: db.run(merchants.merchants_in, "bakers").all(), "Query/GSI1 0.5"),
        "merchant_page": (lambda db: db.run(merchants.merchant_page, "leo"), "Query 0.5"),
        "write_review": (
            lambda db: merchants.write_review(db, "leo", 5, at=NOON + timedelta(days=1)),
            "TransactWriteItems 5",
        ),
    },
    user_orders: {
        "get_user_by_id": (lambda db: db.run(user_orders.get_user_by_id, "u"), "GetItem 0.5"),
        "get_user_orders": (lambda db: db.run(user_orders.get_user_orders, "u").all(), "Query 0.5"),
        "get_orders_by_status": (
            lambda db: db.run(user_orders.get_orders_by_status, "PENDING", NOON).all(),
            "Query/GSI1 0.5, Query/GSI1 0.5",
        ),
        "ship": (
            lambda db: db.apply(user_orders.ship, key(user_orders.Order, user_id="u", order_id="a1")),
            "GetItem 1, UpdateItem 3",
        ),
    },
    verified: {
        "user": (lambda db: db.run(verified.user, "ann"), "GetItem 0.5"),
        "verified_users": (lambda db: db.run(verified.verified_users).all(), "Query/GSI1 0.5, Query/GSI1 0.5"),
        "verify": (lambda db: db.apply(verified.verify, verified.user("ann"), email="ann@example.com"), "UpdateItem 2"),
        "move": (lambda db: db.apply(verified.move, verified.user("bob"), email="bob@example.org"), "UpdateItem 2"),
    },
}
EACH = [pytest.param(module, name, id=name) for module, calls in CALLS.items() for name in calls]


@pytest.mark.parametrize(("module", "name"), EACH)
def test_it_takes_what_it_should(module: ModuleType, name: str) -> None:
    table, items = WORLDS[module]
    call, expected = CALLS[module][name]
    with table.open("memory:", clock=lambda: NOON, cursor_keys=CURSOR_KEYS) as db:
        for item in items:
            db.create(item.model_copy())
        assert taken(db, lambda: call(db)) == expected


@pytest.mark.parametrize("module", WORLDS, ids=lambda module: str(module.__name__.rpartition(".")[2]))
def test_everything_is_measured(module: ModuleType) -> None:
    own = {
        name
        for name, value in vars(module).items()
        if callable(value) and not isinstance(value, type) and getattr(value, "__module__", "") == module.__name__
    }
    table, _ = WORLDS[module]
    changes = {name for name, value in vars(module).items() if type(value).__name__ == "Change"}
    assert set(CALLS[module]) == (own | set(table.patterns) | changes) - {"main"}
