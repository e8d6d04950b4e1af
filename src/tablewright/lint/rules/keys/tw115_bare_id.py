"""TW115: a partition key is an id without a prefix."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.compiler.keys import TemplateKey
from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.keyfacts import fields, literals
from tablewright.lint.rule import Rule


class BareId(Rule):
    """A partition key is an id without a prefix.

    In a table of many entities a key says what it is the key of: CUSTOMER#42, not 42. A bare id can be any entity's,
    and a dump of the table tells nothing. Tables that were adopted keep theirs.

    Bad:

    ```python
    from tablewright import Entity, Keys, Table

    shop = Table("Shop")


    class Customer(Entity, table=shop):
        keys = Keys("{customer_id}", "PROFILE")
        customer_id: str
    ```

    Good:

    ```python
    from tablewright import Entity, Keys, Table

    shop = Table("Shop")


    class Customer(Entity, table=shop):
        keys = Keys("CUSTOMER#{customer_id}", "PROFILE")
        customer_id: str
    ```
    """

    code = "TW115"
    name = "bare-id"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        for plan in design.entities:
            if design.table.key_style.strict and isinstance(plan.pk, TemplateKey) and not literals(plan.pk):
                name = fields(plan.pk)[0] if fields(plan.pk) else "id"
                yield Found(
                    design.about_entity(plan),
                    f"The partition key of {plan.name} is {plan.pk}, without a prefix that says what it is.",
                    f'Write "{plan.name.upper()}#{{{name}}}".',
                )
