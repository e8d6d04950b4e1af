"""TW605: copied fields cannot be brought up to date."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.rule import Rule


class StaleCopies(Rule):
    """Copied fields cannot be brought up to date.

    A relationship says which fields repeat which, but not how the copies of an item are found. When the original
    changes, they stay as they were. `found_by` names the pattern that finds them; `refresh_copies` then brings them up
    to date. Copies that must not change, such as the price of the day, are kept on purpose: say so in `reason`.

    Bad:

    ```python
    from tablewright import GSI, Entity, Keys, Query, Relationship, Table, query

    shop = Table("Shop", indexes=[GSI("GSI1")])


    class Customer(Entity, table=shop):
        keys = Keys("CUSTOMER#{username}", "CUSTOMER#{username}")
        username: str
        name: str


    class Order(Entity, table=shop):
        keys = Keys("ORDER#{order_id}", "ORDER#{order_id}", GSI1=("CUSTOMER#{username}", "ORDER#{order_id}"))
        order_id: str
        username: str
        customer_name: str


    @shop.pattern
    def orders_of(username: str) -> Query[Order]:
        return query(Order, Order.username == username)


    shop.relate(Relationship(Order, Customer, "1:N", "shallow duplication", copies={"customer_name": "name"}))
    ```

    Good:

    ```python
    from tablewright import GSI, Entity, Keys, Query, Relationship, Table, query

    shop = Table("Shop", indexes=[GSI("GSI1")])


    class Customer(Entity, table=shop):
        keys = Keys("CUSTOMER#{username}", "CUSTOMER#{username}")
        username: str
        name: str


    class Order(Entity, table=shop):
        keys = Keys("ORDER#{order_id}", "ORDER#{order_id}", GSI1=("CUSTOMER#{username}", "ORDER#{order_id}"))
        order_id: str
        username: str
        customer_name: str


    @shop.pattern
    def orders_of(username: str) -> Query[Order]:
        return query(Order, Order.username == username)


    shop.relate(
        Relationship(Order, Customer, "1:N", "shallow duplication", copies={"customer_name": "name"}, found_by=orders_of)
    )
    ```
    """

    code = "TW605"
    name = "stale-copies"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        for relationship in design.table.relationships:
            if (
                relationship.strategy == "shallow duplication"
                and relationship.found_by is None
                and not relationship.reason.strip()
            ):
                yield Found(
                    design.about_relationship(relationship),
                    f"{relationship} copies {', '.join(relationship.copies)}, and nothing says how the copies are found when the original "
                    "changes.",
                    "Give found_by=, the pattern that finds them; or the reason why they stay as they are.",
                )
