"""TW702: one item is expected where several may be."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tablewright.compiler.reads import GetPlan
from tablewright.lint.design import Design, Read
from tablewright.lint.findings import Found
from tablewright.lint.keyfacts import annotation, fields, is_id, snake, whole
from tablewright.lint.rule import Rule
from tablewright.model.annotations import constraint

_NATURAL = re.compile(r"(.*_)?(e?_?mail(_?address)?|user_?name|login|handle|phone(_?number)?|slug|domain)").fullmatch


class UnenforcedUniqueness(Rule):
    """One item is expected where several may be.

    A pattern gets one item by a field through an index, and nothing keeps two items from having the same value: an
    index does not. Whoever comes second can then be taken for the first, at the sign-in for instance. `unique=[...]`
    keeps the rule with a marker item in the same transaction. Ids that somebody makes, such as `order_id`, are taken to
    be unique. A query means one item too where the index key is an address or a name of somebody, on both sides.

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
            plan, held = read.plan, set(fields(whole(read.path)))
            if read.path.index is None or not (isinstance(read.one, GetPlan) or _means_one(read)):
                continue
            if plan.key_fields <= held or any(unique.fields <= held for unique in plan.uniques):
                continue
            if not any(is_id(plan, name) and name in plan.key_fields for name in held):
                names = ", ".join(sorted(held))
                gets = "gets one" if isinstance(read.one, GetPlan) else "asks for the"
                yield Found(
                    design.about_pattern(read.pattern),
                    f"The pattern {read.pattern.name}() {gets} {plan.name} by {names}, and nothing keeps two from having the same.",
                    f"Add unique={sorted(held)!r} to its keys."
                    if len(held) == 1
                    else f"Add unique=[Unique({', '.join(map(repr, sorted(held)))})] to its keys.",
                    also=(plan.entity,),
                )


def _means_one(read: Read) -> bool:
    """Whether a query means one item: both sides of the index key are nothing but what a person is known by."""
    pk, sk = fields(read.path.pk), fields(read.path.sk)
    if not read.one.served.complete or not sk or set(pk) != set(sk):
        return False
    plan = read.plan
    return all(_NATURAL(snake(name)) or constraint(annotation(plan, name), "to_lower") for name in pk) and not any(
        is_id(plan, name) for name in pk
    )
