"""TW405: a pattern has no sentence that says what it is for."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.rule import Rule


class UndocumentedPattern(Rule):
    """A pattern has no sentence that says what it is for.

    The first line of a pattern's docstring stands in the table of access patterns, in `tablewright check` and in
    everything that is generated from the model. Write it for the one who has to decide, in two years, whether the
    pattern is still needed.

    Bad:

    ```python
    from tablewright import Entity, Keys, Query, Table, query

    shop = Table("Shop")


    class Order(Entity, table=shop):
        keys = Keys("CUSTOMER#{username}", "ORDER#{order_id}")
        username: str
        order_id: str
        paid: bool = False


    @shop.pattern
    def orders_of(username: str) -> Query[Order]:
        return query(Order, Order.username == username)
    ```

    Good:

    ```python
    from tablewright import Entity, Keys, Query, Table, query

    shop = Table("Shop")


    class Order(Entity, table=shop):
        keys = Keys("CUSTOMER#{username}", "ORDER#{order_id}")
        username: str
        order_id: str
        paid: bool = False


    @shop.pattern
    def orders_of(username: str) -> Query[Order]:
        "A customer's orders, by number."
        return query(Order, Order.username == username)
    ```
    """

    code = "TW405"
    name = "undocumented-pattern"
    severity = "info"

    def check(self, design: Design) -> Iterator[Found]:
        for pattern in design.table.patterns.values():
            if not pattern.doc:
                yield Found(
                    design.about_pattern(pattern),
                    f"The pattern {pattern.name}() has no docstring.",
                    "Write one sentence below its first line: what it gives, in which order, and for whom.",
                )
