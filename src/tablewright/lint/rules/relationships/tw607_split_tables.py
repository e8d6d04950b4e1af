"""TW607: related entities are in different tables."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.keyfacts import is_id
from tablewright.lint.rule import Rule


class SplitTables(Rule):
    """Related entities are in different tables.

    Items of one table can be read together, and lie in one stream and one backup. An entity that holds the id of one in
    another table needs two requests for what could be one collection. Tables apart are right for data of different
    lives: other access, other backups, other owners.

    Bad:

    ```python
    from tablewright import Entity, Keys, Table

    customers = Table("Customers")
    orders = Table("Orders")


    class Customer(Entity, table=customers):
        keys = Keys("CUSTOMER#{customer_id}", "CUSTOMER#{customer_id}")
        customer_id: str


    class Order(Entity, table=orders):
        keys = Keys("ORDER#{order_id}", "ORDER#{order_id}")
        order_id: str
        customer_id: str
    ```

    Good:

    ```python
    from tablewright import Entity, Keys, Table

    shop = Table("Shop")


    class Customer(Entity, table=shop):
        keys = Keys("CUSTOMER#{customer_id}", "CUSTOMER#{customer_id}")
        customer_id: str


    class Order(Entity, table=shop):
        keys = Keys("ORDER#{order_id}", "ORDER#{order_id}")
        order_id: str
        customer_id: str
    ```
    """

    code = "TW607"
    name = "split-tables"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        own = {name for plan in design.entities for name in plan.key_fields if len(plan.key_fields) == 1}
        for other in design.beside:
            for root in other.entities.values():
                name = next(iter(root.key_fields), "") if len(root.key_fields) == 1 else ""
                for plan in design.entities:
                    if name in plan.fields and name not in own and name != "id" and is_id(plan, name):
                        yield Found(
                            design.about_entity(plan),
                            f"{plan.name} holds the {name!r} of {root.name}, which is in the table {other.table.label}.",
                            "Put them into one table, unless their data live apart on purpose.",
                        )
