"""TW402: a filter does the selecting."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.rule import Rule

_FEW = 100


class FilterSelects(Rule):
    """A filter does the selecting.

    A filter drops items after they were read and paid for, and pages come back short or empty. What selects should be a
    key: put the field into a sort key or an index, sparse where only one value is asked for. Where what is read is
    known to be small, at most a hundred items by what expect(per=...) says, a filter is fine.

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
    def unpaid_orders(username: str) -> Query[Order]:
        return query(Order, Order.username == username).filter(Order.paid == False)
    ```

    Good:

    ```python
    from tablewright import GSI, Entity, Keys, Query, Table, attr, is_in, query, sparse

    shop = Table("Shop", indexes=[GSI("GSI1")])


    class Order(Entity, table=shop):
        keys = Keys(
            "CUSTOMER#{username}",
            "ORDER#{order_id}",
            GSI1=sparse("UNPAID#{username}", "{order_id}", when=is_in(attr("paid"), [False])),
        )
        username: str
        order_id: str
        paid: bool = False


    @shop.pattern
    def unpaid_orders(username: str) -> Query[Order]:
        return query(Order, Order.username == username, Order.paid == False)
    ```
    """

    code = "TW402"
    name = "filter-selects"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        for read in design.reads:
            filters = getattr(read.one, "filters", ())
            asked = [leaf.field for condition in filters for leaf in condition.leaves()]
            # Expired items are dropped by a filter, as they should be.
            names = ", ".join(dict.fromkeys(name for name in asked if name != read.plan.options.ttl))
            if not names:
                continue
            most = design.expectations.of(read.plan.entity).at_most(read.known, read.path.index_name)
            if most is None or most > _FEW:
                yield Found(
                    design.about_pattern(read.pattern),
                    f"The pattern {read.pattern.name}() reads {read.plan.name} and then drops what a filter on {names} does not want.",
                    f"Let a key select by {names}; or say with expect({read.plan.name}, per=...) that few are read.",
                    also=(read.plan.entity,),
                )
