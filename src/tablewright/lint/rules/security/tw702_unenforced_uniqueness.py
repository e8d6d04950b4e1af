"""TW702: one item is expected where several may be."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.compiler.reads import GetPlan
from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.keyfacts import fields, is_id, whole
from tablewright.lint.rule import Rule


class UnenforcedUniqueness(Rule):
    """One item is expected where several may be.

    A pattern gets one item by a field through an index, and nothing keeps two items from having the same value: an
    index does not. Whoever comes second can then be taken for the first, at the sign-in for instance. `unique=[...]`
    keeps the rule with a marker item in the same transaction. Ids that somebody makes, such as `order_id`, are taken to
    be unique.

    Bad:

    ```python
    from tablewright import GSI, Entity, Get, Keys, NaturalKey, Table, get

    shop = Table("Shop", indexes=[GSI("GSI1")])


    class Customer(Entity, table=shop):
        keys = Keys("CUSTOMER#{customer_id}", "PROFILE", GSI1=("EMAIL#{email}", "EMAIL#{email}"))
        customer_id: str
        email: NaturalKey


    @shop.pattern
    def customer_by_email(email: str) -> Get[Customer]:
        return get(Customer, Customer.email == email)
    ```

    Good:

    ```python
    from tablewright import GSI, Entity, Get, Keys, NaturalKey, Table, get

    shop = Table("Shop", indexes=[GSI("GSI1")])


    class Customer(Entity, table=shop):
        keys = Keys("CUSTOMER#{customer_id}", "PROFILE", GSI1=("EMAIL#{email}", "EMAIL#{email}"), unique=["email"])
        customer_id: str
        email: NaturalKey


    @shop.pattern
    def customer_by_email(email: str) -> Get[Customer]:
        return get(Customer, Customer.email == email)
    ```
    """

    code = "TW702"
    name = "unenforced-uniqueness"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        for read in design.reads:
            if not isinstance(read.one, GetPlan) or read.path.index is None:
                continue
            plan, held = read.plan, set(fields(whole(read.path)))
            if plan.key_fields <= held or any(unique.fields <= held for unique in plan.uniques):
                continue
            if not any(is_id(plan, name) and name in plan.key_fields for name in held):
                names = ", ".join(sorted(held))
                yield Found(
                    design.about_pattern(read.pattern),
                    f"The pattern {read.pattern.name}() gets one {plan.name} by {names}, and nothing keeps two from having the same.",
                    f"Add unique={sorted(held)!r} to its keys."
                    if len(held) == 1
                    else f"Add unique=[Unique({names})] to its keys.",
                    also=(plan.entity,),
                )
