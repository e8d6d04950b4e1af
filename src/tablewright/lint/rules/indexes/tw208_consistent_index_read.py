"""TW208: a consistent read is asked of a global index."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from tablewright.compiler.read_planner import plan_read
from tablewright.errors import TablewrightError
from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.rule import Rule


class ConsistentIndexRead(Rule):
    """A consistent read is asked of a global index.

    Global indexes follow the table a moment later, and DynamoDB refuses consistent reads of them. Read by the table's
    own key where the last write must be seen, or do without.

    Bad:

    ```python
    from tablewright import GSI, Entity, Get, Keys, NaturalKey, Table, get

    shop = Table("Shop", indexes=[GSI("GSI1")])


    class Customer(Entity, table=shop):
        keys = Keys("CUSTOMER#{customer_id}", "CUSTOMER#{customer_id}", GSI1=("EMAIL#{email}", "EMAIL#{email}"))
        customer_id: str
        email: NaturalKey


    @shop.pattern
    def customer_by_email(email: str) -> Get[Customer]:
        return get(Customer, Customer.email == email).consistent()
    ```

    Good:

    ```python
    from tablewright import GSI, Entity, Get, Keys, NaturalKey, Table, get

    shop = Table("Shop", indexes=[GSI("GSI1")])


    class Customer(Entity, table=shop):
        keys = Keys("CUSTOMER#{customer_id}", "CUSTOMER#{customer_id}", GSI1=("EMAIL#{email}", "EMAIL#{email}"))
        customer_id: str
        email: NaturalKey


    @shop.pattern
    def customer_by_email(email: str) -> Get[Customer]:
        return get(Customer, Customer.email == email)
    ```
    """

    code = "TW208"
    name = "consistent-index-read"
    severity = "error"

    def check(self, design: Design) -> Iterator[Found]:
        for name, pattern in design.table.unserved.items():
            for operation in pattern.variants.values():
                if not getattr(operation, "strong", False):
                    continue
                try:
                    plan_read(name, replace(operation, strong=False), design.plan.entities)
                except TablewrightError:
                    continue
                yield Found(
                    design.about_pattern(pattern),
                    f"The pattern {name}() is a consistent read, and only a global index could serve it.",
                    "Leave .consistent() out, or read by the table's key.",
                )
