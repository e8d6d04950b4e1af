"""TW603: a relationship is split to save storage."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.rule import Rule

_STORAGE = re.compile(
    r"\b(storage|space|disk|stored twice|smaller table|duplicat\w*|redundan\w*|third normal form|3nf)\b", re.IGNORECASE
).search


class NormalisedForStorage(Rule):
    """A relationship is split to save storage.

    Separate requests on every read are paid for ever; storage costs a quarter of a dollar for a gigabyte and month. To
    normalise is right where the other side changes often and is read seldom, or must be read as it is now. It should
    not be done to store less, nor without a reason.

    Bad:

    ```python
    from tablewright import Entity, Keys, Relationship, Table

    shop = Table("Shop")


    class Customer(Entity, table=shop):
        keys = Keys("CUSTOMER#{username}", "CUSTOMER#{username}")
        username: str


    class Order(Entity, table=shop):
        keys = Keys("CUSTOMER#{username}", "ORDER#{order_id}")
        username: str
        order_id: str


    shop.relate(Relationship(Customer, Order, "1:N", "normalised", reason="saves space"))
    ```

    Good:

    ```python
    from tablewright import Entity, Keys, Relationship, Table

    shop = Table("Shop")


    class Customer(Entity, table=shop):
        keys = Keys("CUSTOMER#{username}", "CUSTOMER#{username}")
        username: str


    class Order(Entity, table=shop):
        keys = Keys("CUSTOMER#{username}", "ORDER#{order_id}")
        username: str
        order_id: str


    shop.relate(
        Relationship(Customer, Order, "1:N", "normalised", reason="orders are read without the customer, who changes often")
    )
    ```
    """

    code = "TW603"
    name = "normalised-for-storage"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        for relationship in design.table.relationships:
            if relationship.strategy != "normalised":
                continue
            if not relationship.reason.strip():
                yield Found(
                    design.about_relationship(relationship),
                    f"{relationship} is normalised, and does not say why.",
                    "Give the reason: reason=...",
                    "info",
                )
            elif _STORAGE(relationship.reason):
                yield Found(
                    design.about_relationship(relationship),
                    f"{relationship} is normalised to store less.",
                    "Keep together what is read together; storage is cheaper than requests.",
                )
