"""TW503: items may pass the limit of 400 KB."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.rule import Rule
from tablewright.lint.shapes import endless, largest_item
from tablewright.values.sizes import MAX_ITEM_SIZE

_WARN = 300 * 1024


class LargeItem(Rule):
    """Items may pass the limit of 400 KB.

    DynamoDB refuses an item of more than 400 KB, names of attributes included. By what expect(max_size=...) or the
    declared lengths of its fields say, items of this entity may come there. Split them, compress or offload the large
    field. From 300 KB on it is a warning. Bytes, values of any kind and texts that are called like documents have no end
    unless a `max_length` or expect(max_size=...) says one, which is noted.

    Bad:

    ```python
    from pydantic import Field

    from tablewright import Entity, Keys, Table

    shop = Table("Shop")


    class Customer(Entity, table=shop):
        keys = Keys("CUSTOMER#{customer_id}", "PROFILE")
        customer_id: str
        history: list[str] = Field(default_factory=list, max_length=10)


    shop.expect(Customer, max_size=600_000)
    ```

    Good:

    ```python
    from pydantic import Field

    from tablewright import Entity, Keys, Table

    shop = Table("Shop")


    class Customer(Entity, table=shop):
        keys = Keys("CUSTOMER#{customer_id}", "PROFILE")
        customer_id: str
        history: list[str] = Field(default_factory=list, max_length=10)


    shop.expect(Customer, max_size=60_000)
    ```
    """

    code = "TW503"
    name = "large-item"
    severity = "error"

    def check(self, design: Design) -> Iterator[Found]:
        for plan in design.entities:
            expected = design.expectations.of(plan.entity).max_size
            size = expected if expected is not None else largest_item(plan)
            if size > _WARN:
                told = "by what is expected" if expected is not None else "by the declared lengths of its fields"
                yield Found(
                    design.about_entity(plan),
                    f"{plan.name} may take {size:,} bytes {told}; DynamoDB allows {MAX_ITEM_SIZE:,}.",
                    "Split it into several items, or keep the large field compressed or elsewhere: Compressed, Offloaded.",
                    None if size > MAX_ITEM_SIZE and expected is not None else "warning",
                )
            elif expected is None and (without := endless(plan)):
                yield Found(
                    design.about_entity(plan),
                    f"{plan.name} may take any number of bytes, since nothing bounds {', '.join(without)}; DynamoDB allows "
                    f"{MAX_ITEM_SIZE:,}.",
                    f"Declare Field(max_length=...), or say how large it becomes: expect({plan.name}, max_size=...).",
                    "info",
                )
