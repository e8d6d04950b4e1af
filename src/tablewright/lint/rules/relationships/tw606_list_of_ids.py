"""TW606: a relationship is a list of ids."""

from __future__ import annotations

import re
from collections.abc import Iterator
from uuid import UUID

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.keyfacts import roots
from tablewright.lint.rule import Rule
from tablewright.lint.shapes import collections
from tablewright.model.annotations import plain

_PEOPLE = re.compile(
    r"(members|owners|editors|viewers|readers|followers|participants|assignees|watchers|subscribers|attendees)"
).fullmatch

_PERSON = re.compile(r"(user|person|member|account|principal|customer)(_?id|name)?", re.IGNORECASE).fullmatch


class ListOfIds(Rule):
    """A relationship is a list of ids.

    A list of ids inside an item can be followed from this side only: nobody can ask who refers to a given one. It grows
    with the relationship, and two writers of it meet. Links that are items of their own can be read from both sides.

    Bad:

    ```python
    from pydantic import Field

    from tablewright import Entity, Keys, Table

    app = Table("App")


    class Team(Entity, table=app):
        keys = Keys("TEAM#{team_id}", "TEAM#{team_id}")
        team_id: str
        member_ids: list[str] = Field(default_factory=list, max_length=10)
    ```

    Good:

    ```python
    from tablewright import GSI, Entity, Keys, Table

    app = Table("App", indexes=[GSI("GSI1")])


    class Membership(Entity, table=app):
        keys = Keys("TEAM#{team_id}", "USER#{user_id}", GSI1=("USER#{user_id}", "TEAM#{team_id}"))
        team_id: str
        user_id: str
    ```
    """

    code = "TW606"
    name = "list-of-ids"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        ends = {name.removesuffix("_id") for name in roots(design)}
        embedded = {(r.source, r.field) for r in design.table.relationships if r.strategy == "embedded"}
        for plan in design.entities:
            for name, held in collections(plan):
                last = held.path.replace("[]", "").rpartition(".")[2]
                one = last.removesuffix("_ids").removesuffix("Ids").removesuffix("s")
                named = (
                    (_PEOPLE(last) and not _granted(design, plan))
                    or re.search(r"(_ids|[a-z]Ids)$", last)
                    or one in ends
                )
                if (
                    plain(held.member) in (str, int, UUID)
                    and held.kind != "dict"
                    and named
                    and (plan.entity, name) not in embedded
                ):
                    yield Found(
                        design.about_field(plan, name),
                        f"{plan.name}.{held.path} is a list of ids, which can be followed from this side only.",
                        "Make each link an item, with a key for either side; or declare the relationship as embedded, if nobody asks back.",
                    )


def _granted(design: Design, plan: EntityPlan) -> bool:
    """Whether people are linked to this entity by items too, of which the list is a copy."""
    return any(
        other.key_fields > plan.key_fields and any(_PERSON(name) for name in other.key_fields - plan.key_fields)
        for other in design.entities
    )
