"""TW204: an item would need several keys in one index."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.keyfacts import kinds
from tablewright.lint.rule import Rule
from tablewright.model.conditions import Contains


class SeveralValues(Rule):
    """An item would need several keys in one index.

    A pattern looks for a member of a list with a filter. In an index an item has one key, not one for each member, so
    no index can serve this. Make each member an item of its own, such as an order line or a link, with a key that can
    be asked for.

    Bad:

    ```python
    from typing import Annotated

    from pydantic import Field

    from tablewright import Entity, Keys, Query, Table, contains, query

    shop = Table("Shop")


    class Order(Entity, table=shop):
        keys = Keys("CUSTOMER#{username}", "ORDER#{order_id}")
        username: str
        order_id: str
        product_ids: Annotated[list[str], Field(max_length=10)] = []


    @shop.pattern
    def orders_with(username: str, product_id: str) -> Query[Order]:
        return query(Order, Order.username == username).filter(contains(Order.product_ids, product_id))
    ```

    Good:

    ```python
    from tablewright import GSI, Entity, Keys, Query, Table, query

    shop = Table("Shop", indexes=[GSI("GSI1")])


    class OrderLine(Entity, table=shop):
        keys = Keys("ORDER#{order_id}", "LINE#{product_id}", GSI1=("PRODUCT#{product_id}", "ORDER#{order_id}"))
        order_id: str
        product_id: str


    @shop.pattern
    def orders_with(product_id: str) -> Query[OrderLine]:
        return query(OrderLine, OrderLine.product_id == product_id)
    ```
    """

    code = "TW204"
    name = "several-values-in-one-index"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        for read in design.reads:
            for leaf in (leaf for condition in getattr(read.one, "filters", ()) for leaf in condition.leaves()):
                if isinstance(leaf, Contains) and not kinds(read.plan, leaf.field) <= {str}:
                    yield Found(
                        design.about_pattern(read.pattern),
                        f"The pattern {read.pattern.name}() looks for a member of {read.plan.name}.{leaf.field}, which no index can have a "
                        "key for.",
                        "Make each member an item of its own, with a key on an index.",
                        also=(read.plan.entity,),
                    )
