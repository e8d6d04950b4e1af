"""TW501: a list inside an item has no maximum."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.rule import Rule
from tablewright.lint.shapes import collections


class UnboundedList(Rule):
    """A list inside an item has no maximum.

    An item may take 400 KB, and every read and every write of it pays for the whole. A list that grows without end ends
    there. Declare the most that it may hold, below 20; or make its members items of their own, in the same partition.

    Bad:

    ```python
    from tablewright import Entity, Keys, Table

    shop = Table("Shop")


    class Customer(Entity, table=shop):
        keys = Keys("CUSTOMER#{customer_id}", "PROFILE")
        customer_id: str
        addresses: list[str] = []
    ```

    Good:

    ```python
    from pydantic import Field

    from tablewright import Entity, Keys, Table

    shop = Table("Shop")


    class Customer(Entity, table=shop):
        keys = Keys("CUSTOMER#{customer_id}", "PROFILE")
        customer_id: str
        addresses: list[str] = Field(default_factory=list, max_length=5)
    ```
    """

    code = "TW501"
    name = "unbounded-list"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        for plan in design.entities:
            for name, held in collections(plan):
                if held.most is None:
                    yield Found(
                        design.about_field(plan, name),
                        f"{plan.name}.{held.path} is a {held.kind} without a maximum.",
                        "Declare Field(max_length=...) below 20, or make its members items of their own.",
                        "info" if held.kind == "dict" else None,
                    )
