"""TW001: a definition that the compiler refuses."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.lint.design import Design
from tablewright.lint.findings import Found, Place, Subject
from tablewright.lint.rule import Rule


class RefusedDefinition(Rule):
    """A definition is refused by the compiler.

    The model cannot be imported as it stands. The message is the compiler's own; what was refused only because something
    else was refused before is not told again.

    Bad:

    ```python
    from tablewright import Entity, Keys, Table

    shop = Table("Shop")


    class Customer(Entity, table=shop):
        keys = Keys("CUSTOMER#{customer_id}", "CUSTOMER#{customer_id}")
        customer_id: str


    class Supplier(Entity, table=shop):
        keys = Keys("CUSTOMER#{supplier_id}", "CUSTOMER#{supplier_id}")
        supplier_id: str
    ```

    Good:

    ```python
    from tablewright import Entity, Keys, Table

    shop = Table("Shop")


    class Customer(Entity, table=shop):
        keys = Keys("CUSTOMER#{customer_id}", "CUSTOMER#{customer_id}")
        customer_id: str


    class Supplier(Entity, table=shop):
        keys = Keys("SUPPLIER#{supplier_id}", "SUPPLIER#{supplier_id}")
        supplier_id: str
    ```
    """

    code = "TW001"
    name = "refused-definition"
    severity = "error"

    def check(self, design: Design) -> Iterator[Found]:
        for one in design.refused:
            if one.kind != "pattern" and not one.follows:
                place = None if one.line is None else Place(*one.line)
                message = one.error.message.removeprefix(f"{place}: ")
                yield Found(Subject(one.name, one.subject), message, one.error.hint or "", place=place)
