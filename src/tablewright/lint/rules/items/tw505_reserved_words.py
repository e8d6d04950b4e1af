"""TW505: attributes are named with reserved words."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.rule import Rule


class ReservedWords(Rule):
    """Attributes are named with reserved words.

    DynamoDB refuses more than 500 words in expressions, `name`, `status` and `type` among them. The library names every
    attribute by a placeholder, so nothing fails here; whoever reads the table with another tool has to do the same.

    Bad:

    ```python
    from tablewright import Entity, Keys, Table

    shop = Table("Shop")


    class Customer(Entity, table=shop):
        keys = Keys("CUSTOMER#{customer_id}", "PROFILE")
        customer_id: str
        name: str
    ```

    Good:

    ```python
    from tablewright import Entity, Keys, Table

    shop = Table("Shop")


    class Customer(Entity, table=shop):
        keys = Keys("CUSTOMER#{customer_id}", "PROFILE")
        customer_id: str
        full_name: str
    ```
    """

    code = "TW505"
    name = "reserved-words"
    severity = "info"

    def check(self, design: Design) -> Iterator[Found]:
        own = {design.table.names.type, *design.table.names.own()}
        names = [name for name in design.plan.reserved_attributes if name not in own]
        if names:
            yield Found(
                design.about_table(),
                f"These attributes are reserved words: {', '.join(names)}.",
                "Nothing to do in this library. Other tools must write them as placeholders, such as #name.",
            )
