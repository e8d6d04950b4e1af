"""TW114: a natural key is stored as it was typed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.keyfacts import fields, kinds, whole
from tablewright.lint.rule import Rule
from tablewright.model.annotations import constraint, marks

_NATURAL = re.compile(r"(.*_)?e?_?mail(_?address)?|domain(_name)?|host_?name", re.IGNORECASE).fullmatch


class RawNaturalKey(Rule):
    """A natural key is stored as it was typed.

    People write an email address in capitals today and in small letters tomorrow. As a key, these are two; as a unique
    value, both are free. `NaturalKey` trims and lower-cases before anything is stored or looked up. A validator of your
    own does as well.

    Bad:

    ```python
    from tablewright import GSI, Entity, Keys, Table

    shop = Table("Shop", indexes=[GSI("GSI1")])


    class Customer(Entity, table=shop):
        keys = Keys("CUSTOMER#{customer_id}", "CUSTOMER#{customer_id}", GSI1=("EMAIL#{email}", "EMAIL#{email}"))
        customer_id: str
        email: str
    ```

    Good:

    ```python
    from tablewright import GSI, Entity, Keys, NaturalKey, Table

    shop = Table("Shop", indexes=[GSI("GSI1")])


    class Customer(Entity, table=shop):
        keys = Keys("CUSTOMER#{customer_id}", "CUSTOMER#{customer_id}", GSI1=("EMAIL#{email}", "EMAIL#{email}"))
        customer_id: str
        email: NaturalKey
    ```
    """

    code = "TW114"
    name = "raw-natural-key"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        for plan in design.entities:
            used = {name for path in design.paths(plan) for name in fields(whole(path))} | plan.unique_fields
            for name in sorted(used & plan.fields.keys()):
                if _NATURAL(name) and kinds(plan, name) == {str} and not _normalised(plan, name):
                    yield Found(
                        design.about_field(plan, name),
                        f"{plan.name}.{name} is part of a key, and two spellings of it are two keys.",
                        f"Declare it as {name}: NaturalKey.",
                    )


def _normalised(plan: EntityPlan, name: str) -> bool:
    declared = plan.fields[name].annotation
    if (
        constraint(declared, "to_lower")
        or constraint(declared, "to_upper")
        or plan.entity.model_config.get("str_to_lower")
    ):
        return True
    own = plan.entity.__pydantic_decorators__.field_validators.values()
    return any(name in one.info.fields for one in own) or any(hasattr(mark, "func") for mark in marks(declared))
