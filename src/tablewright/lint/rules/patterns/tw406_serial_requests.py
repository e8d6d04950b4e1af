"""TW406: one screen takes several requests, where one would do."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.compiler.reads import CollectionPlan, shown_partition
from tablewright.lint.design import Design, Read
from tablewright.lint.findings import Found
from tablewright.lint.rule import Rule


class SerialRequests(Rule):
    """One screen takes several requests, where one would do.

    Two patterns serve the same place, by what expect(source=...) says, and are asked by the same parameter. Items that
    are read together belong into one item collection, and `collect(...)` reads them with one request. If they lie in
    different partitions already, that is worth a thought before there is data.

    Bad:

    ```python
    from tablewright import Entity, Get, Keys, Query, Table, get, query

    shop = Table("Shop")


    class Customer(Entity, table=shop):
        keys = Keys("CUSTOMER#{username}", "CUSTOMER#{username}")
        username: str


    class Order(Entity, table=shop):
        keys = Keys("CUSTOMER#{username}", "ORDER#{order_id}")
        username: str
        order_id: str


    @shop.pattern
    def customer(username: str) -> Get[Customer]:
        return get(Customer, Customer.username == username)


    @shop.pattern
    def orders_of(username: str) -> Query[Order]:
        return query(Order, Order.username == username)


    shop.expect(customer, source="account page")
    shop.expect(orders_of, source="account page")
    ```

    Good:

    ```python
    from dataclasses import dataclass

    from tablewright import Collection, Entity, Keys, Table, collect, many, one, query

    shop = Table("Shop")


    class Customer(Entity, table=shop):
        keys = Keys("CUSTOMER#{username}", "CUSTOMER#{username}")
        username: str


    class Order(Entity, table=shop):
        keys = Keys("CUSTOMER#{username}", "ORDER#{order_id}")
        username: str
        order_id: str


    @dataclass
    class Account:
        customer: Customer | None
        orders: list[Order]


    @shop.pattern
    def account(username: str) -> Collection[Account]:
        return collect(
            Account,
            customer=one(query(Customer, Customer.username == username)),
            orders=many(query(Order, Order.username == username)),
        )


    shop.expect(account, source="account page")
    ```
    """

    code = "TW406"
    name = "serial-requests"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        """What is found."""
        served: dict[str, list[Read]] = {}
        for read in design.reads:
            source = design.expectations.of_pattern(read.pattern.name).source
            if source and not isinstance(read.whole, CollectionPlan):
                served.setdefault(source, []).append(read)
        for source, reads in served.items():
            told: set[frozenset[str]] = set()
            for position, read in enumerate(reads):
                for other in reads[:position]:
                    pair = frozenset((read.pattern.name, other.pattern.name))
                    shared = set(read.pattern.parameters.names) & set(other.pattern.parameters.names)
                    if len(pair) < 2 or pair in told or not shared or read.plan.entity is other.plan.entity:
                        continue
                    told.add(pair)
                    together = read.path.index_name == other.path.index_name and shown_partition(
                        read.one.served
                    ) == shown_partition(other.one.served)
                    yield Found(
                        design.about_pattern(read.pattern),
                        f"{source!r} takes a request for {other.pattern.name}() and one for {read.pattern.name}(), both by "
                        f"{', '.join(sorted(shared))}.",
                        "They lie in one partition: read them with one pattern that returns collect(...)."
                        if together
                        else f"Put {read.plan.name} and {other.plan.name} into one partition, and read them with collect(...).",
                        also=(other.pattern,),
                    )
