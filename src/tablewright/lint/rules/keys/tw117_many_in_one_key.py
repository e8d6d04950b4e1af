"""TW117: many are meant, and one key holds one."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.reads import CollectionPlan, MixedPlan, QueryPlan
from tablewright.lint.design import Design, Read
from tablewright.lint.findings import Found
from tablewright.lint.rule import Rule


class ManyInOneKey(Rule):
    """Many items are meant, and the primary key has room for one.

    A key is all that tells items apart. Where it holds only what they share, as the organization of a team, each new item
    replaces the one before, and nothing fails. It shows where a pattern asks for a list with the whole key known, or where
    more than one was expected for what the key holds. Put what tells them apart into the key; if there is really one, ask
    for it with get().

    Bad:

    ```python
    from tablewright import Entity, Keys, Query, Table, query

    saas = Table("Saas")


    class Team(Entity, table=saas):
        keys = Keys("ORG#{org_id}", "TEAM")
        org_id: str
        team_id: str


    @saas.pattern
    def teams_of(org_id: str) -> Query[Team]:
        return query(Team, Team.org_id == org_id)
    ```

    Good:

    ```python
    from tablewright import Entity, Keys, Query, Table, query

    saas = Table("Saas")


    class Team(Entity, table=saas):
        keys = Keys("ORG#{org_id}", "TEAM#{team_id}")
        org_id: str
        team_id: str


    @saas.pattern
    def teams_of(org_id: str) -> Query[Team]:
        return query(Team, Team.org_id == org_id)
    ```
    """

    code = "TW117"
    name = "many-in-one-key"
    severity = "error"

    def check(self, design: Design) -> Iterator[Found]:
        for plan in design.entities:
            why = self._expected(design, plan) or self._listed(design, plan)
            if why is not None:
                held = ", ".join(sorted(plan.key_fields))
                yield Found(
                    design.about_entity(plan),
                    f"The primary key of {plan.name} holds {held} alone, so there is one item for it; but {why}.",
                    "Put what tells the items apart into the key. If there is only one, ask for it with get().",
                )

    def _expected(self, design: Design, plan: EntityPlan) -> str | None:
        per = design.table.expectations.of(plan.entity).per
        most = max((count for names, count in per.items() if plan.key_fields.issubset(names)), default=1)
        return f"expect() says that there are up to {most:,}" if plan.key_fields and most > 1 else None

    def _listed(self, design: Design, plan: EntityPlan) -> str | None:
        names = [r.pattern.name for r in design.reads if r.plan is plan and plan.key_fields and _asks_for_many(r)]
        return f"{names[0]}() asks for a list of them" if names else None


def _asks_for_many(read: Read) -> bool:
    if not isinstance(read.one, QueryPlan) or isinstance(read.whole, MixedPlan):
        return False
    if isinstance(read.whole, CollectionPlan) and not any(p.many for p in read.whole.parts if p.query is read.one):
        return False
    return read.plan.key_fields <= read.one.served.known.keys()
