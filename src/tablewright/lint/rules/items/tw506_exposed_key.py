"""TW506: an entity has a field for a key."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tablewright.compiler.keys import NativeKey
from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.keyfacts import whole
from tablewright.lint.rule import Rule

_KEY = re.compile(r"(gsi|lsi)?_?\d*_?(pk|sk)(_?\d+)?|(partition|sort|hash|range)_?key", re.IGNORECASE).fullmatch


class ExposedKey(Rule):
    """An entity has a field for a key.

    Entities hold what the domain knows. Keys are added on the way out and taken off on the way in; a field called PK,
    or one that holds the text of a key, can only contradict them. Adopted tables whose key is a plain field are not
    meant.

    Bad:

    ```python
    from tablewright import Entity, Keys, Table

    shop = Table("Shop")


    class Customer(Entity, table=shop):
        keys = Keys("CUSTOMER#{customer_id}", "PROFILE")
        customer_id: str
        gsi1_pk: str = ""
    ```

    Good:

    ```python
    from tablewright import Entity, Keys, Table

    shop = Table("Shop")


    class Customer(Entity, table=shop):
        keys = Keys("CUSTOMER#{customer_id}", "PROFILE")
        customer_id: str
        email: str = ""
    ```
    """

    code = "TW506"
    name = "exposed-key"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        for plan in design.entities:
            attributes = {
                key.attribute.name for path in design.paths(plan) for key in whole(path) if isinstance(key, NativeKey)
            }
            for name, field in plan.fields.items():
                if field.path[-1] not in attributes and (_KEY(name) or _KEY(field.path[-1])):
                    yield Found(
                        design.about_field(plan, name),
                        f"{plan.name}.{name} is called like a key attribute.",
                        "Leave it out: keys are made from the fields by the templates in Keys(...).",
                    )
