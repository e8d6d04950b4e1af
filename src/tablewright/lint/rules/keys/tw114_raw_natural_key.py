"""TW114: a natural key is stored as it was typed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.served import Served
from tablewright.compiler.sortkeys import TemplateSort
from tablewright.lint.design import Design, Read
from tablewright.lint.findings import Found
from tablewright.lint.keyfacts import fields, kinds, whole
from tablewright.lint.rule import Rule
from tablewright.model.annotations import constraint, marks

_NATURAL = re.compile(r"(.*_)?e?_?mail(_?address)?|domain(_name)?|host_?name", re.IGNORECASE).fullmatch


_SHOWN = re.compile(
    r"(?!(.*_)?(user|file|path|host|domain|table|index|key|bucket|event|field)_name$)"
    r"(.+_)?(name|surname|title|city|town|village|street|company|brand|author|artist)",
    re.IGNORECASE,
).fullmatch
"""How texts are called that people read and search for; not those that programs give."""


class RawNaturalKey(Rule):
    """A natural key is stored as it was typed.

    People write an email address in capitals today and in small letters tomorrow. As a key, these are two; as a unique
    value, both are free. `NaturalKey` trims and lower-cases before anything is stored or looked up. A validator of your
    own does as well.

    The same holds for the name of a person or a place that is searched by its beginning: `mc` does not find McDonald.
    But a name is shown as its bearer writes it, so it is kept, and a folded copy beside it, `last_name_folded: NaturalKey`,
    stands in the key; a validator fills it.

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
                if _NATURAL(name) and _raw(plan, name):
                    yield Found(
                        design.about_field(plan, name),
                        f"{plan.name}.{name} is part of a key, and two spellings of it are two keys.",
                        f"Declare it as {name}: NaturalKey.",
                    )
        yield from self._searched(design)

    def _searched(self, design: Design) -> Iterator[Found]:
        searched: dict[tuple[type, str], Read] = {}
        for read in design.reads:
            name = _searched_field(read.one.served)
            if name is not None and _SHOWN(name) and not _NATURAL(name) and _raw(read.plan, name):
                searched.setdefault((read.plan.entity, name), read)
        for (_, name), read in searched.items():
            yield Found(
                design.about_field(read.plan, name),
                f"{read.plan.name}.{name} is searched by what people type, and a capital or small letter more finds nothing.",
                f"Keep {name} as it is shown, and put a folded copy of it into the key: {name}_folded: NaturalKey, which a "
                "validator fills.",
                also=(read.pattern,),
            )


def _searched_field(served: Served) -> str | None:
    """The field whose beginning a read asks for with a parameter."""
    sort = served.sort
    tests = sort.tests if isinstance(sort, TemplateSort) else [getattr(sort, "test", None)]
    ranged = getattr(sort, "ranged", None)
    asked = [t for t in tests if t is not None and t.operator == "begins_with" and t.operands[0].possible is None]
    if not asked or ranged is None:
        return None
    return ranged if isinstance(ranged, str) else str(ranged.field.name)


def _raw(plan: EntityPlan, name: str) -> bool:
    return name in plan.fields and kinds(plan, name) == {str} and not _normalised(plan, name)


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
