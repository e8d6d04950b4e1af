"""TW507: an amount of money is a float."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.keyfacts import kinds
from tablewright.lint.rule import Rule

_MONEY = re.compile(
    r"(.*_)?(price|amount|total|cost|fee|balance|salary|revenue|tax|discount|payment)(_(eur|usd|gbp|net|gross))?",
    re.IGNORECASE,
).fullmatch


class FloatMoney(Rule):
    """An amount of money is a float.

    A float cannot hold 0.10 exactly, and sums drift. DynamoDB's numbers are decimal, with 38 digits, and `Decimal` is
    stored exactly; whole cents in an int are as well.

    Bad:

    ```python
    from tablewright import Entity, Keys, Table

    shop = Table("Shop")


    class Customer(Entity, table=shop):
        keys = Keys("CUSTOMER#{customer_id}", "PROFILE")
        customer_id: str
        balance: float = 0
    ```

    Good:

    ```python
    from decimal import Decimal

    from tablewright import Entity, Keys, Table

    shop = Table("Shop")


    class Customer(Entity, table=shop):
        keys = Keys("CUSTOMER#{customer_id}", "PROFILE")
        customer_id: str
        balance: Decimal = Decimal(0)
    ```
    """

    code = "TW507"
    name = "float-money"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        for plan in design.entities:
            for name in plan.fields:
                if float in kinds(plan, name) and _MONEY(name):
                    yield Found(
                        design.about_field(plan, name),
                        f"{plan.name}.{name} is a float, which does not hold amounts of money exactly.",
                        f"Declare it as {name}: Decimal, or count cents in an int.",
                    )
