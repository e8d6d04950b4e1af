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
        served: dict[str, list[Read]] = {}
        together: list[set[type]] = []
        for read in design.reads:
            source = design.expectations.of_pattern(read.pattern.name).source
            if isinstance(read.whole, CollectionPlan):
                together.append({part.query.served.path.plan.entity for part in read.whole.parts})
            elif source and not read.one.served.fan_out:
                served.setdefault(source, []).append(read)
        for source, reads in served.items():
            partitions: dict[tuple[object, ...], dict[type, Read]] = {}
            for read in reads:
                place = (read.path.index_name, shown_partition(read.one.served))
                partitions.setdefault(place, {}).setdefault(read.plan.entity, read)
            for known in partitions.values():
                if len(known) > 1 and not any(set(known) <= entities for entities in together):
                    last = list(known.values())[-1]
                    names = ", ".join(f"{read.pattern.name}()" for read in known.values())
                    yield Found(
                        design.about_pattern(last.pattern),
                        f"{source!r} takes a request for each of {names}, which read one partition.",
                        "Read them with one pattern that returns collect(...).",
                        also=tuple(read.pattern for read in known.values()),
                    )
            yield from _apart(design, source, [next(iter(known.values())) for known in partitions.values()])


def _apart(design: Design, source: str, reads: list[Read]) -> Iterator[Found]:
    """Patterns of one place that are asked by the same parameter and lie in different partitions."""
    first = reads[0]
    alike = [r for r in reads[1:] if set(r.pattern.parameters.names) & set(first.pattern.parameters.names)]
    others = [r for r in alike if r.plan.entity is not first.plan.entity]
    if others:
        names = ", ".join(dict.fromkeys(f"{read.pattern.name}()" for read in (first, *others)))
        yield Found(
            design.about_pattern(others[-1].pattern),
            f"{source!r} takes a request for each of {names}, whose items lie in different partitions.",
            "If they are always read together, one partition and collect(...) would make it one request.",
            "info",
            also=tuple(read.pattern for read in (first, *others)),
        )
