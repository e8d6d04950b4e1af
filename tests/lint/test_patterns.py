"""What the rules about access patterns leave alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Codes = Callable[[str], set[str]]
ORDER = """
    app = Table("App", indexes=[GSI("GSI1")])
    class Order(Entity, table=app):
        keys = Keys("CUSTOMER#{username}", "ORDER#{order_id}", GSI1=GSI1_KEYS)
        username: str
        order_id: str
        placed_at: datetime
        status: Literal["open", "done"] = "open"
    """
ALL = '("ORDERS", "{placed_at}#{order_id}")'
OPEN = 'sparse("OPEN", "{placed_at}#{order_id}", when=attr("status") == "open")'


def model(keys: str, pattern: str, *more: str) -> str:
    return ORDER.replace("GSI1_KEYS", keys) + pattern + "".join(f"\n    {line}" for line in more)


LIST_ALL = """
    @app.pattern
    def orders() -> Query[Order]:
        "All."
        return query(Order)
    """
SINCE = """
    @app.pattern
    def orders_since(since: datetime) -> Query[Order]:
        "Those since a time."
        return query(Order, Order.placed_at >= since)
    """
LIST_OPEN = """
    @app.pattern
    def open_orders() -> Query[Order]:
        "What is to be done."
        return query(Order, Order.status == "open")
    """


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (model(ALL, LIST_ALL), {"TW401", "TW403"}),
        (model(ALL, LIST_ALL, "app.expect(Order, items=200)"), {"TW403"}),
        (model(ALL, LIST_ALL, "app.expect(orders, results=200)"), {"TW403"}),
        (model(ALL, SINCE), set()),
        (model(OPEN, LIST_OPEN), set()),
    ],
    ids=["all", "few items", "few results", "a range", "a list of work"],
)
def test_reading_everything(codes: Codes, text: str, expected: set[str]) -> None:
    assert codes(text) & {"TW401", "TW403"} == expected


def test_a_filter_over_few_items_is_fine(codes: Codes) -> None:
    pattern = """
    @app.pattern
    def open_orders(username: str) -> Query[Order]:
        "Open ones."
        return query(Order, Order.username == username).filter(Order.status == "open")
    """
    assert "TW402" in codes(model(ALL, pattern))
    assert "TW402" in codes(model(ALL, pattern, 'app.expect(Order, per={"username": 101})'))
    assert "TW402" not in codes(model(ALL, pattern, 'app.expect(Order, per={"username": 100})'))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        *(("get_data", True), ("query_items", True), ("find", True), ("list_all", True), ("data", True)),
        *(("get_order", True), ("orders_of", False), ("get_orders_of_customer", False), ("find_by_name", False)),
        *(("order", False), ("getaways", False), ("listing", False), ("one", True)),
    ],
)
def test_vague_names(codes: Codes, name: str, expected: bool) -> None:
    pattern = f"""
    @app.pattern
    def {name}(username: str) -> Query[Order]:
        return query(Order, Order.username == username)
    """
    assert ("TW404" in codes(model(ALL, pattern))) is expected


def test_a_sentence_says_by_what(codes: Codes) -> None:
    pattern = """
    @app.pattern
    def get_order(username: str, order_id: str) -> Get[Order]:
        "An order, by customer and number."
        return get(Order, Order.username == username, Order.order_id == order_id)
    """
    assert not codes(model(ALL, pattern)) & {"TW404", "TW405"}
    assert "TW405" in codes(model(ALL, pattern.replace('"An order, by customer and number."', "")))


PAGE = """
    class Customer(Entity, table=app):
        keys = Keys("CUSTOMER#{username}", "CUSTOMER")
        username: str
    @app.pattern
    def customer(username: str) -> Get[Customer]:
        return get(Customer, Customer.username == username)
    @app.pattern
    def orders_of(username: str) -> Query[Order]:
        return query(Order, Order.username == username)
    app.expect(customer, source="account")
    app.expect(orders_of, source="account")
    """
BOTH = """
    @dataclass
    class Account:
        customer: Customer | None
        orders: list[Order]
    @app.pattern
    def account(username: str) -> Collection[Account]:
        return collect(
            Account,
            customer=one(query(Customer, Customer.username == username)),
            orders=many(query(Order, Order.username == username)),
        )
    """


def test_one_screen_with_two_requests(codes: Codes) -> None:
    assert "TW406" in codes(model(ALL, PAGE))
    assert "TW406" not in codes(model(ALL, PAGE.replace('orders_of, source="account"', 'orders_of, source="orders"')))
    assert "TW406" not in codes(model(ALL, PAGE, *BOTH.replace("\n    ", "\n").splitlines()))


def test_a_collection_without_strangers_between_is_fine(codes: Codes) -> None:
    assert "TW407" not in codes(model(ALL, PAGE, *BOTH.replace("\n    ", "\n").splitlines()))


RECORD = """
    app = Table("App")
    class Pet(Entity, table=app):
        keys = Keys("PET#{pet_id}", "PET")
        pet_id: str
    class Visit(Entity, table=app):
        keys = Keys("PET#{pet_id}", "VISIT#{visit_id}")
        pet_id: str
        visit_id: str
    @dataclass
    class Record:
        pet: Pet | None
        visits: list[Visit]
    @app.pattern
    def record(pet_id: str) -> Collection[Record]:
        return collect(
            Record,
            pet=one(query(Pet, Pet.pet_id == pet_id)),
            visits=many(query(Visit, Visit.pet_id == pet_id)),
        )
    @app.pattern
    def visits(pet_id: str) -> Query[Visit]:
        return query(Visit, Visit.pet_id == pet_id)
    """


@pytest.mark.parametrize(
    ("expected", "told_of"),
    [
        (["Visit, size=6_000, per={'pet_id': 200}", "record, latency_ms=50"], ["record()"]),
        (["Visit, size=6_000, per={'pet_id': 200}", "record, rate=50"], []),
        (["Visit, size=5_000, per={'pet_id': 200}", "record, latency_ms=50"], []),
        (["Visit, size=6_000, per={'pet_id': 200}", "record, latency_ms=50, results=30"], []),
        (["Visit, size=6_000", "record, latency_ms=50, results=300"], ["record()"]),
        (["Visit, size=6_000", "record, latency_ms=50"], []),
        (["Visit, size=6_000, per={'pet_id': 200}", "visits, latency_ms=50"], ["visits()"]),
        (["Visit, size=6_000, per={'pet_id': 200}", "visits, latency_ms=50, results=20"], []),
    ],
    ids=["large", "no hurry", "just one", "few", "many results", "nobody knows", "query", "page"],
)
def test_what_is_in_a_hurry_reads_one_megabyte(told: Any, expected: list[str], told_of: list[str]) -> None:
    text = RECORD + "".join(f"\n    app.expect({line})" for line in expected)
    assert [one.subject for one in told(text) if one.code == "TW409"] == told_of


@pytest.mark.parametrize(("order", "expected"), [("", True), (".sorted_by(Invoice.number)", False)])
def test_the_last_of_a_named_order_is_not_meant_as_the_newest(codes: Codes, order: str, expected: bool) -> None:
    model = f"""
        app = Table("App")
        class Invoice(Entity, table=app):
            keys = Keys("CUSTOMER#{{customer}}", "INVOICE#{{number:8}}")
            customer: str
            number: int
            due: date
        @app.pattern
        def invoices_of(customer: str) -> Query[Invoice]:
            return query(Invoice, Invoice.customer == customer){order}.newest_first()
        """
    assert ("TW408" in codes(model)) is expected
