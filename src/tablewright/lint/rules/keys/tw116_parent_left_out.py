"""TW116: the key of a child does not name its parent."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.keyfacts import fields, is_id
from tablewright.lint.rule import Rule


class ParentLeftOut(Rule):
    """The key of a child does not name its parent.

    A child lies in the collection of its grandparent under its own id alone. If ids are unique only within a parent, as
    copies of a template are, the same id under two parents is one item, and the second replaces the first. Where ids
    are unique everywhere this is fine: waive it.

    Bad:

    ```python
    from tablewright import Entity, Keys, Table

    table = Table("Surveys")


    class Section(Entity, table=table):
        keys = Keys("SURVEY#{survey_id}", "SECTION#{section_id}")
        survey_id: str
        section_id: str


    class Element(Entity, table=table):
        keys = Keys("SURVEY#{survey_id}", "ELEMENT#{element_id}")
        survey_id: str
        section_id: str
        element_id: str
    ```

    Good:

    ```python
    from tablewright import Entity, Keys, Table

    table = Table("Surveys")


    class Section(Entity, table=table):
        keys = Keys("SURVEY#{survey_id}", "SECTION#{section_id}")
        survey_id: str
        section_id: str


    class Element(Entity, table=table):
        keys = Keys("SURVEY#{survey_id}", "ELEMENT#{section_id}#{element_id}")
        survey_id: str
        section_id: str
        element_id: str
    ```
    """

    code = "TW116"
    name = "parent-left-out"
    severity = "info"

    def check(self, design: Design) -> Iterator[Found]:
        for plan in design.entities:
            if plan.sk is None or not fields(plan.pk):
                continue
            for parent in design.entities:
                if parent is plan or parent.sk is None or str(parent.pk) != str(plan.pk):
                    continue
                above = [name for name in fields(parent.sk) if is_id(parent, name) and name not in fields(plan.pk)]
                missing = [name for name in above if name not in plan.key_fields]
                own = [name for name in fields(plan.sk) if is_id(plan, name) and name not in parent.key_fields]
                if missing and own and plan.fields.keys() >= set(above) and not _refers(design, plan, parent):
                    yield Found(
                        design.about_entity(plan),
                        f"{plan.name} holds the {missing[0]!r} of its {parent.name}, but its key does not: one id under two "
                        "of them is one item.",
                        f"Put {{{missing[0]}}} before its own id, or let ids be unique everywhere.",
                        also=(parent.entity,),
                    )


def _refers(design: Design, plan: EntityPlan, parent: EntityPlan) -> bool:
    """Whether a relationship says that this entity leads to the other one, rather than hangs on it."""
    return any(r.source is plan.entity and r.target is parent.entity for r in design.table.relationships)
