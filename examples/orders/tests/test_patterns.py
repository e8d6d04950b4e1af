"""Every access pattern on the seed data: exactly what it finds, with which request, and what that costs."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from examples.orders import seed
from examples.orders.model import (
    AppSettings,
    FeatureFlags,
    ProductPage,
    WholeOrder,
    active_users,
    activity_of,
    app_settings,
    feature_flags,
    main_table,
    order,
    orders_of,
    orders_with_status,
    product,
    product_page,
    products_in,
    reviews_of,
    settings,
    stock_of,
    subscriptions_of,
    user,
    user_by_email,
    whole_order,
)
from tablewright import Results, Session
from tablewright.model.pattern import Pattern

JUNE = datetime(2026, 6, 1, tzinfo=UTC)
Requests = list[tuple[str, str | None, float]]
"""Operation, index and read units of each."""
GET: Requests = [("GetItem", None, 0.5)]
QUERY: Requests = [("Query", None, 0.5)]
GSI1: Requests = [("Query", "gsi1", 0.5)]
GSI2: Requests = [("Query", "gsi2", 0.5)] * 4
"""One for each shard."""
GSI3: Requests = [("Query", "gsi3", 0.5)]


def of(things: list[Any], **wanted: Any) -> list[Any]:
    return [each for each in things if all(getattr(each, name) == value for name, value in wanted.items())]


CASES: list[tuple[Pattern[..., Any], tuple[Any, ...], Callable[[], Any], Requests]] = [
    (user, ("u-ada",), lambda: of(seed.users(), user_id="u-ada")[0], GET),
    (user, ("u-a",), lambda: None, GET),
    (user_by_email, (" ADA.byron@example.com",), lambda: of(seed.users(), user_id="u-ada"), GSI1),
    (active_users, (), lambda: list(reversed(of(seed.users(), status="active"))), GSI2),
    (settings, ("u-ben",), lambda: seed.belongings()[1], GET),
    (subscriptions_of, ("u-ada",), lambda: seed.belongings()[2:], QUERY),
    (orders_of, ("u-ada",), lambda: list(reversed(of(seed.orders(), user_id="u-ada"))), QUERY),
    (
        orders_of,
        ("u-ada", JUNE),
        lambda: [o for o in reversed(of(seed.orders(), user_id="u-ada")) if o.placed_at >= JUNE],
        QUERY,
    ),
    (orders_with_status, ("shipped",), lambda: of(seed.orders(), status="shipped"), GSI2),
    (
        orders_with_status,
        ("cancelled", JUNE),
        lambda: of(seed.orders(), order_id="o-0109"),
        GSI2,
    ),
    (order, ("o-0105",), lambda: of(seed.orders(), order_id="o-0105")[0], GSI1),
    (
        whole_order,
        ("o-0105",),
        lambda: WholeOrder(of(seed.orders(), order_id="o-0105")[0], of(seed.lines(), order_id="o-0105")),
        GSI1,
    ),
    (whole_order, ("o-01",), lambda: WholeOrder(None, []), GSI1),
    (
        activity_of,
        ("u-ada", JUNE),
        lambda: [a for a in of(seed.activities(), user_id="u-ada") if a.at >= JUNE],
        QUERY,
    ),
    (product, ("jigsaw",), lambda: of(seed.products(), product_id="jigsaw")[0], GET),
    (
        products_in,
        ("hand-tools",),
        lambda: sorted(of(seed.products(), category="hand-tools"), key=lambda p: p.product_id),
        GSI3,
    ),
    (stock_of, ("claw-hammer",), lambda: of(seed.inventories(), product_id="claw-hammer"), QUERY),
    (reviews_of, ("claw-hammer",), lambda: of(seed.reviews(), product_id="claw-hammer"), QUERY),
    (
        product_page,
        ("claw-hammer",),
        lambda: ProductPage(
            of(seed.products(), product_id="claw-hammer")[0],
            of(seed.inventories(), product_id="claw-hammer"),
            of(seed.reviews(), product_id="claw-hammer"),
        ),
        QUERY,
    ),
    (app_settings, (), lambda: AppSettings(page_size=25), GET),
    (feature_flags, (), lambda: FeatureFlags(enabled={"reviews", "search"}), GET),
]


@pytest.mark.parametrize(
    ("pattern", "arguments", "expected", "requests"),
    CASES,
    ids=[f"{case[0].name}-{'-'.join(map(str, case[1]))}" for case in CASES],
)
def test_a_pattern_finds_exactly_this_with_these_requests(
    seeded: Session,
    place: str,
    pattern: Pattern[..., Any],
    arguments: tuple[Any, ...],
    expected: Callable[[], Any],
    requests: Requests,
) -> None:
    with seeded.measure() as meter:
        found = seeded.run(pattern, *arguments)
        if isinstance(found, Results):
            found = found.all()
    assert found == expected()
    assert [(sent.operation, sent.index) for sent in meter.requests] == [request[:2] for request in requests]
    if place == "memory":  # DynamoDB Local takes nothing for a query that finds nothing; DynamoDB does
        assert [sent.capacity.read for sent in meter.requests] == [units for *_, units in requests]
    assert {sent.pattern for sent in meter.requests} == {pattern.name}


def test_every_pattern_is_asked() -> None:
    assert {case[0].name for case in CASES} == set(main_table.patterns)
