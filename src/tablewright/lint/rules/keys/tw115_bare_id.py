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
    and a dump of the table tells nothing. The same holds for the partitions of an index. Tables that were adopted keep theirs.

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
        if not design.table.key_style.strict:
            return
        for path in design.every_path():
            plan, key = path.plan, path.pk[0]
            # The parts of a multi-attribute key have names of their own, and a shared attribute is told of where it is made.
            shared = path.binding is not None and (path.binding.index.multi or key not in path.binding.made)
            if shared or not isinstance(key, TemplateKey) or literals(key):
                continue
            name = fields(key)[0] if fields(key) else "id"
            where = f" on {path.index_name}" if path.index_name else ""
            label = plan.name if path.index_name is None else name.removesuffix("_id")
            yield Found(
                design.about_entity(plan),
                f"The partition key of {plan.name}{where} is {key}, without a prefix that says what it is.",
                f'Write "{label.upper()}#{{{name}}}".',
                also=(path.index_name,) if path.index_name else (),
            )
