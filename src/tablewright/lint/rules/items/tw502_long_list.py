"""TW502: a list inside an item may be long."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.rule import Rule
from tablewright.lint.shapes import collections, depth
from tablewright.model.relationships import MAX_EMBEDDED


class LongList(Rule):
    """A list inside an item may be long.

    Twenty and more members are read, written and paid for together, and two writers of different members get in each
    other's way. As items of their own, in the same partition, they can be paged, changed one by one and read with the
    parent all the same. Of short texts and numbers this is only noted.

    Bad:

    ```python
    from pydantic import Field

    from tablewright import Entity, Keys, Table

    shop = Table("Shop")


    class Customer(Entity, table=shop):
        keys = Keys("CUSTOMER#{customer_id}", "PROFILE")
        customer_id: str
        addresses: list[dict[str, str]] = Field(default_factory=list, max_length=50)
    ```

    Good:

    ```python
    from pydantic import Field

    from tablewright import Entity, Keys, Table

    shop = Table("Shop")


    class Customer(Entity, table=shop):
        keys = Keys("CUSTOMER#{customer_id}", "PROFILE")
        customer_id: str
        addresses: list[dict[str, str]] = Field(default_factory=list, max_length=19)
    ```
    """

    code = "TW502"
    name = "long-list"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        for plan in design.entities:
            for name, held in collections(plan):
                if held.most is not None and held.most >= MAX_EMBEDDED:
                    yield Found(
                        design.about_field(plan, name),
                        f"{plan.name}.{held.path} may hold {held.most} members.",
                        f"Keep it below {MAX_EMBEDDED}, or make its members items of their own.",
                        None if depth(held.member) else "info",
                    )
